"""One turn of a transcript as the template shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from evolif.judging import JudgeRecord
from evolif.protocol import TurnRecord
from evolif.report.page._marks import marked
from evolif.report.page._places import evidence
from evolif.report.page._verdicts import OUTCOMES, verdict_items
from evolif.report.page._visible import label, visible

LONG = 2_500
"""Characters of an answer or a query beyond which a reader is shown the beginning, and the rest on request."""


@dataclass(frozen=True, slots=True)
class Intention:
    """What the page needs of a turn's facts: shared by all models, so it is kept small."""

    fmt: str | None
    """The format the constraints ask for, which decides how an answer is read."""
    operation: str
    source: str
    register: str


NOTHING_KNOWN = Intention(None, "", "", "")


@dataclass(frozen=True, slots=True)
class ScoreView:
    """What one judge said."""

    judge: Markup
    score: str
    rationale: Markup
    problem: Markup
    cached: bool


@dataclass(frozen=True, slots=True)
class JudgementView:
    """How a panel came to its verdict on one constraint."""

    group: Markup
    rule: Markup
    outcome: str
    score: str
    reason: Markup
    scores: tuple[ScoreView, ...]


class TurnView(NamedTuple):
    """What is shown of one turn; everything foreign is HTML already. A tuple, since a page has tens of thousands."""

    turn: int
    move: str
    depth: int
    operation: str
    topic: Markup
    source: Markup
    register: Markup
    query: Markup
    query_long: int
    """Characters, where it is long; else 0."""
    answer: Markup
    answer_long: int
    content: Markup | None
    """The content as it was read, where evidence has a place only there."""
    reasoning: Markup | None
    reasoning_length: int
    truncated: bool
    served_by: Markup
    seconds: float
    tokens: tuple[int, int]
    is_judged: bool
    look: str
    """`ok`, `bad`, or `none` where nothing was judged."""
    failed_groups: tuple[str, ...]
    patience: int
    verdicts: Markup
    """The items of a list; empty where there are none."""
    heuristic: Markup
    judgements: tuple[JudgementView, ...]


def turn_view(record: TurnRecord, intention: Intention, patience: int) -> TurnView:
    """Put a stored turn into HTML.

    Args:
        record: The turn.
        intention: What it was to ask for.
        patience: What was left after it.
    """
    failed = frozenset(i for i, v in enumerate(record.verdicts) if v.satisfied is False)
    places = evidence(record.answer, intention.fmt, record.verdicts)
    shown = {index for _, _, index in (*places.answer, *places.in_content)}
    judged = any(v.satisfied is not None for v in record.verdicts)
    return TurnView(
        turn=record.turn,
        move=record.move,
        depth=record.depth,
        operation=intention.operation,
        topic=label(record.topic),
        source=label(intention.source),
        register=label(intention.register),
        query=visible(record.query),
        query_long=_long(record.query),
        answer=marked(record.answer, places.answer, failed),
        answer_long=_long(record.answer),
        content=marked(places.content, places.in_content, failed) if places.in_content else None,
        reasoning=visible(record.reasoning) if record.reasoning else None,
        reasoning_length=len(record.reasoning),
        truncated=record.truncated,
        served_by=label(record.served_by),
        seconds=record.seconds,
        tokens=(record.usage.prompt_tokens, record.usage.completion_tokens),
        is_judged=record.is_judged,
        look="bad" if failed else "ok" if judged else "none",
        failed_groups=tuple(record.verdicts[i].group for i in sorted(failed)),
        patience=patience,
        verdicts=verdict_items(record.verdicts, shown),
        heuristic=verdict_items(record.heuristic, frozenset()),
        judgements=_judgements(record.records),
    )


def _long(text: str) -> int:
    return len(text) if len(text) > LONG or text.count("\n") > LONG // 40 else 0


def _judgements(records: Sequence[JudgeRecord]) -> tuple[JudgementView, ...]:
    return tuple(
        JudgementView(
            visible(one.group),
            visible(one.rule),
            OUTCOMES[one.satisfied][2],
            _score(one.score),
            visible(one.reason),
            tuple(
                ScoreView(visible(s.judge), _score(s.score), visible(s.rationale), visible(s.problem), s.cached)
                for s in one.scores
            ),
        )
        for one in records
    )


def _score(score: float | None) -> str:
    return "no score" if score is None else f"{score:g} of 10"

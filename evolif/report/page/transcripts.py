"""One session as the page lists it, and its turns as the template shows them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from evolif.constraints import format_of
from evolif.judging import JudgeRecord
from evolif.report.page.evidence import evidence, label, marked, one_line, visible
from evolif.runner import Run, TurnRecord, step
from evolif.types import Session, TurnFacts, Verdict

# Verdicts as items of a list. They are most of a page's elements, so they are put together here and not by Jinja.

OUTCOMES: Mapping[bool | None, tuple[str, str, str]] = {
    True: ("ok", "✓", "satisfied"),
    False: ("bad", "✗", "failed"),
    None: ("none", "–", "not judged"),
}
"""Class, sign and word of an outcome: never colour alone."""


def verdict_items(verdicts: Sequence[Verdict], marked: Collection[int]) -> Markup:
    """A list item per verdict.

    Args:
        verdicts: Of one turn.
        marked: The verdicts with marks in the answer: their items are buttons that show them.
    """
    return Markup("".join(_item(i, verdict, i in marked) for i, verdict in enumerate(verdicts)))


def _item(index: int, verdict: Verdict, is_button: bool) -> str:
    look, sign, word = OUTCOMES[verdict.satisfied]
    told = f'<span class="exp">{label(verdict.expected)}</span>'
    if verdict.found != verdict.expected:
        told += f' <span class="fnd"><span class="vh">found</span> {label(verdict.found)}</span>'
    said = (
        f'<span class="sign" aria-hidden="true">{sign}</span>'
        f'<span class="what"><b>{label(verdict.group)}</b> <span class="vh">{word}:</span> {told}</span>'
    )
    if is_button:
        return f'<li><button type="button" class="v {look}" data-v="{index}" aria-pressed="false">{said}</button></li>'
    return f'<li><div class="v {look}">{said}</div></li>'


# One turn of a transcript as the template shows it.

LONG = 2_500
"""Characters of an answer or a query beyond which a reader is shown the beginning, and the rest on request."""


@dataclass(frozen=True, slots=True)
class TurnIntention:
    """What the page needs of a turn's facts: shared by all models, so it is kept small."""

    fmt: str | None
    """The format the constraints ask for, which decides how an answer is read."""
    operation: str
    source: str
    register: str


NOTHING_KNOWN = TurnIntention(None, "", "", "")


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


def turn_view(record: TurnRecord, intention: TurnIntention, patience: int) -> TurnView:
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


_MEANING = {"+": True, "-": False, "0": None}

FaultRow = tuple[int, str, str]
"""(turn, kind, message)."""


@dataclass(frozen=True, slots=True)
class SessionHead:
    """What the list of dialogues says of a session; kept for every session, so it is small."""

    number: int
    """Counts all sessions of the page from 1; names its side file and its place."""
    run: int
    model: str
    dialogue: int
    epoch: int
    patience: int
    ending: str
    reason: str
    turns: int
    failed_turns: int
    outcomes: str
    """Per turn `+` all satisfied, `-` something failed, `0` nothing judged."""
    failed_groups: tuple[str, ...]
    faults: tuple[FaultRow, ...]

    @property
    def key(self) -> str:
        """Names the session in a link: `MODEL/DIALOGUE/EPOCH`, with the run's number before it from the second on."""
        return f"{self.model_key}/{self.dialogue}/{self.epoch}"

    @property
    def model_key(self) -> str:
        """Names the model among those of all runs."""
        return model_key(self.run, self.model)

    @property
    def link(self) -> str:
        """The fragment of an address that opens the session."""
        return f"s={quote(self.key, safe='/:')}"

    @property
    def title(self) -> str:
        """Model and dialogue, for a line of text."""
        epoch = f", epoch {self.epoch}" if self.epoch > 1 else ""
        return f"{one_line(self.model)}, dialogue {self.dialogue}{epoch}"

    @property
    def about(self) -> Markup:
        """How it went, on one line."""
        counts = f"{self.ending}, {self.turns} turns, {self.failed_turns} failed"
        return Markup(f' <span class="sum">{counts}</span> <span class="strip" aria-hidden="true">{self._strip}</span>')

    @property
    def _strip(self) -> str:
        pieces = []
        for outcome, same in groupby(self.outcomes):
            look, sign, _ = OUTCOMES[_MEANING[outcome]]
            pieces.append(f'<span class="{look}">{sign * len(list(same))}</span>')
        return "".join(pieces)


def model_key(run: int, model: str) -> str:
    """A model's name in links and filters, with its run's number (from 1) before it from the second run on."""
    name = one_line(model)
    return name if not run else f"{run + 1}:{name}"


def intentions(run: Run) -> dict[tuple[int, int], TurnIntention]:
    """What each asked turn was to ask for, without its texts; equal ones are one object."""
    known: dict[TurnIntention, TurnIntention] = {}
    told: dict[tuple[int, int], TurnIntention] = {}
    for facts in run.facts():
        intention = TurnIntention(_format(facts), facts.operation, facts.source, facts.register)
        told[facts.dialogue, facts.turn] = known.setdefault(intention, intention)
    return told


def _format(facts: TurnFacts) -> str | None:
    try:
        return format_of(facts.constraints)
    except (KeyError, TypeError):  # a constraint of another hand, without a mode: read as any text
        return None


def faults_of(run: Run) -> dict[tuple[str, int], tuple[FaultRow, ...]]:
    """The faults on the way, per model and dialogue."""
    told: dict[tuple[str, int], list[FaultRow]] = {}
    for model, dialogue, turn, kind, message in run.faults():
        told.setdefault((model, dialogue), []).append((turn, kind, message))
    return {key: tuple(faults) for key, faults in told.items()}


def session_head(
    number: int, run: int, session: Session, records: Sequence[TurnRecord], faults: tuple[FaultRow, ...] = ()
) -> SessionHead:
    """Sum a session up."""
    failed = [{v.group for v in record.verdicts if v.satisfied is False} for record in records]
    outcomes = "".join(
        "0" if not r.judged.judged else "-" if bad else "+" for r, bad in zip(records, failed, strict=True)
    )
    return SessionHead(
        number,
        run,
        session.model,
        session.dialogue,
        session.epoch,
        session.patience,
        session.ending or ("running" if records else "not begun"),
        session.reason,
        len(records),
        outcomes.count("-"),
        outcomes,
        tuple(sorted(set().union(*failed))) if failed else (),
        faults,
    )


def turn_views(
    session: Session, records: Iterable[TurnRecord], known: Mapping[tuple[int, int], TurnIntention]
) -> list[TurnView]:
    """The turns with the patience that was left after each."""
    left = session.patience
    views = []
    for record in records:
        left = step(left, session.patience, record.judged.judged)
        views.append(turn_view(record, known.get((session.dialogue, record.turn), NOTHING_KNOWN), left))
    return views

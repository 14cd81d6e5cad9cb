"""One session as the page lists it, and its turns as the template shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from evolif.constraints import format_of
from evolif.report.page.evidence import evidence, label, marked, one_line
from evolif.runner import Run, TurnRecord, step
from evolif.turns import Constraint
from evolif.types import Prompt, Session, Verdict

OUTCOMES: Mapping[bool | None, tuple[str, str, str]] = {
    True: ("ok", "✓", "satisfied"),
    False: ("bad", "✗", "failed"),
    None: ("none", "–", "not judged"),
}
"""Class, sign and word of an outcome: never colour alone."""

LONG = 2_500
"""Longer answers and queries are folded after their beginning; in characters."""


def verdict_items(verdicts: Sequence[Verdict], marked: Collection[int]) -> Markup:
    """A list item per verdict. They are most of a page's elements, and Jinja would be slower.

    Args:
        verdicts: Of one turn.
        marked: The verdicts with marks in the answer: their items are buttons that show the marks.
    """
    return Markup("".join(_item(i, verdict, i in marked) for i, verdict in enumerate(verdicts)))


def _item(index: int, verdict: Verdict, is_button: bool) -> str:
    look, sign, word = OUTCOMES[verdict.satisfied]
    details = f'<span class="exp">{label(verdict.expected)}</span>'
    if verdict.found != verdict.expected:
        details += f' <span class="fnd"><span class="vh">found</span> {label(verdict.found)}</span>'
    content = (
        f'<span class="sign" aria-hidden="true">{sign}</span>'
        f'<span class="what"><b>{label(verdict.group)}</b> <span class="vh">{word}:</span> {details}</span>'
    )
    if is_button:
        button = f'<button type="button" class="v {look}" data-v="{index}" aria-pressed="false">{content}</button>'
        return f"<li>{button}</li>"
    return f'<li><div class="v {look}">{content}</div></li>'


@dataclass(frozen=True, slots=True)
class TurnIntention:
    """What the page needs of a turn's facts: shared by all models, so it is kept small."""

    fmt: str | None
    """The format that the constraints require, which decides how an answer is read."""
    operation: str
    source: str
    register: str


class TurnView(NamedTuple):
    """What the template shows of one turn. A tuple, since a page has tens of thousands."""

    record: TurnRecord
    intention: TurnIntention
    patience: int | None
    """What was left after the turn; None if there is none."""
    look: str
    """`ok`, `bad`, or `none` where nothing was judged."""
    answer: Markup
    content: Markup | None
    """The parsed content, if some evidence has no place in the answer."""
    verdicts: Markup
    """The items of a list; empty if there are none."""
    heuristic: Markup


def turn_view(record: TurnRecord, intention: TurnIntention, patience: int | None) -> TurnView:
    """Prepare a stored turn for the template.

    Args:
        record: The turn.
        intention: What its query requested.
        patience: What was left after it.
    """
    failed = frozenset(i for i, v in enumerate(record.verdicts) if v.satisfied is False)
    places = evidence(record.answer, intention.fmt, record.verdicts)
    shown = {index for _, _, index in (*places.answer, *places.in_content)}
    judged = any(v.satisfied is not None for v in record.verdicts)
    return TurnView(
        record,
        intention,
        patience,
        look="bad" if failed else "ok" if judged else "none",
        answer=marked(record.answer, places.answer, failed),
        content=marked(places.content, places.in_content, failed) if places.in_content else None,
        verdicts=verdict_items(record.verdicts, shown),
        heuristic=verdict_items(record.heuristic, frozenset()),
    )


def long(text: str) -> int:
    """The number of characters where the text is long, else 0."""
    return len(text) if len(text) > LONG or text.count("\n") > LONG // 40 else 0


def outcome(satisfied: bool | None) -> str:
    """An outcome as a word."""
    return OUTCOMES[satisfied][2]


def score(value: float | None) -> str:
    """A judge's score in words."""
    return "no score" if value is None else f"{value:g} of 10"


_MEANING = {"+": True, "-": False, "0": None}

FaultRow = tuple[int, str, str]
"""(turn, kind, message)."""


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A session in the list of dialogues; kept for every session, so it is small."""

    number: int
    """Counts all sessions of the page from 1; also the name of its file."""
    run: int
    model: str
    dialogue: int
    epoch: int
    patience: int | None
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
        """A summary on one line."""
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
    """(dialogue, turn) to what the turn requested, without its texts; equal ones are one object."""
    unique: dict[TurnIntention, TurnIntention] = {}
    by_turn: dict[tuple[int, int], TurnIntention] = {}
    for facts in run.prompts():
        own = (str(facts.labels[name]) for name in ("operation", "source", "register"))
        intention = TurnIntention(_format(facts), *own)
        by_turn[facts.dialogue, facts.turn] = unique.setdefault(intention, intention)
    return by_turn


def _format(facts: Prompt) -> str | None:
    try:
        return format_of([Constraint(c["group"], c["params"]) for c in facts.payload["constraints"]])
    except (KeyError, TypeError):  # a foreign constraint without a mode: read as any text
        return None


def faults_of(run: Run) -> dict[tuple[str, int], tuple[FaultRow, ...]]:
    """The faults per model and dialogue."""
    by_session: defaultdict[tuple[str, int], list[FaultRow]] = defaultdict(list)
    for model, dialogue, turn, kind, message in run.faults():
        by_session[model, dialogue].append((turn, kind, message))
    return {key: tuple(faults) for key, faults in by_session.items()}


def session_head(
    number: int, run: int, session: Session, records: Sequence[TurnRecord], faults: tuple[FaultRow, ...] = ()
) -> SessionHead:
    """Summarise a session."""
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
        session.ending or ("running" if records else "not started"),
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
    unknown = TurnIntention(None, "", "", "")
    views = []
    for record in records:
        if left is not None and session.patience is not None:
            left = step(left, session.patience, record.judged.judged)
        views.append(turn_view(record, known.get((session.dialogue, record.turn), unknown), left))
    return views

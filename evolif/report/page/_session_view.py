"""One session as the page lists it, and its turns as the template shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote

from markupsafe import Markup

from evolif.constraints import format_of
from evolif.domain import Session, TurnFacts
from evolif.protocol import Run, TurnRecord, step
from evolif.report.page._turn_view import NOTHING_KNOWN, Intention, TurnView, turn_view
from evolif.report.page._verdicts import OUTCOMES
from evolif.report.page._visible import one_line

_MEANING = {"+": True, "-": False, "0": None}

Fault = tuple[int, str, str]
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
    faults: tuple[Fault, ...]

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


def intentions(run: Run) -> dict[tuple[int, int], Intention]:
    """What each asked turn was to ask for, without its texts; equal ones are one object."""
    known: dict[Intention, Intention] = {}
    told: dict[tuple[int, int], Intention] = {}
    for facts in run.facts():
        intention = Intention(_format(facts), facts.operation, facts.source, facts.register)
        told[facts.dialogue, facts.turn] = known.setdefault(intention, intention)
    return told


def _format(facts: TurnFacts) -> str | None:
    try:
        return format_of(facts.constraints)
    except (KeyError, TypeError):  # a constraint of another hand, without a mode: read as any text
        return None


def faults_of(run: Run) -> dict[tuple[str, int], tuple[Fault, ...]]:
    """The faults on the way, per model and dialogue."""
    told: dict[tuple[str, int], list[Fault]] = {}
    for model, dialogue, turn, kind, message in run.faults():
        told.setdefault((model, dialogue), []).append((turn, kind, message))
    return {key: tuple(faults) for key, faults in told.items()}


def session_head(
    number: int, run: int, session: Session, records: Sequence[TurnRecord], faults: tuple[Fault, ...] = ()
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
    session: Session, records: Iterable[TurnRecord], known: Mapping[tuple[int, int], Intention]
) -> list[TurnView]:
    """The turns with the patience that was left after each."""
    left = session.patience
    views = []
    for record in records:
        left = step(left, session.patience, record.judged.judged)
        views.append(turn_view(record, known.get((session.dialogue, record.turn), NOTHING_KNOWN), left))
    return views

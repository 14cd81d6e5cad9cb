"""What figures need of a session, kept with it when it ends: reports read sessions, not turns.

A session that comes from a run's file has `StoredTurns` in the place of its turns. They know the session's terms, and
are read from the file only where somebody looks at one of them: a transcript, a metric of a plug-in, a breakdown by a
function of one's own. Everything else gives the same figures from the terms, to the last digit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, overload

from evolif.metrics.cells import Cell, Key
from evolif.types import CREDIT, REPAIR, JudgedTurn, Label, Session

EDITION = 1
"""Increase it with every change of what is kept, or of how it is worked out."""
Outcomes = tuple[tuple[bool, ...], ...]
"""Per turn of the model under test the verdicts that were reached, none where nothing was judged."""
_OUTCOMES = re.compile(r"[01,]*")
_MOST_KNOWN = 4096


@dataclass(slots=True, eq=False)
class SessionTerms:
    """What figures need of one session.

    Attributes:
        outcomes: Per turn of the model under test, the verdicts that were reached.
        credits: Per turn of the model under test, see `evolif.types.CREDIT`; none where no turn has any.
        requirements: Verdicts of these turns, including those that were not reached.
        silent: How many of these turns have neither a verdict nor a score that was reached.
        turns: Turns of all seats.
        has_verdicts: Whether any turn of any seat has a verdict.
        is_plain: Whether the turns of the model under test are numbered as they were planned, one after the other.
        clusters: Label of turns to its value, for labels by which dialogues belong together; empty for none.
        rows: What the session adds to the sums of tables that keep it, by `MetricTable.kept`.
        cells: From the key of a breakdown (`Breakdown.kept`) to what the session adds to each of its keys; None where
            that is not kept.
        records: Records made of it, by what they depend on besides; filled by `evolif.metrics.process`.
        cut: Whether it has turns after exhausted patience, by patience; filled by `evolif.metrics.sessions`.
    """

    outcomes: Outcomes
    credits: tuple[float | None, ...] = ()
    requirements: int = 0
    silent: int = 0
    turns: int = 0
    has_verdicts: bool = False
    is_plain: bool = False
    clusters: Mapping[str, Label] = field(default_factory=dict)
    rows: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    cells: Callable[[str], Mapping[Key, Cell] | None] = field(default=lambda name: None)
    records: dict[tuple[object, ...], Any] = field(default_factory=dict)
    cut: dict[int | None, bool] = field(default_factory=dict)

    @property
    def judged(self) -> int:
        """Turns of the model under test in which something was judged."""
        return len(self.outcomes) - self.outcomes.count(())

    def dump(self) -> str:
        """As JSON text, without the cells."""
        told = {
            "outcomes": ",".join("".join("01"[one] for one in own) for own in self.outcomes),
            "targets": len(self.outcomes),
            "requirements": self.requirements,
            "silent": self.silent,
            "turns": self.turns,
            "has_verdicts": self.has_verdicts,
            "is_plain": self.is_plain,
        }
        more = {"credits": self.credits, "clusters": self.clusters, "rows": self.rows}
        return json.dumps({**told, **{name: value for name, value in more.items() if value}}, separators=(",", ":"))

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> SessionTerms:
        """What `dump` wrote.

        Raises:
            ValueError: it was edited.
            LookupError: likewise.
            TypeError: likewise.
        """
        outcomes = _outcomes(data["outcomes"], data["targets"])
        credits = tuple(data.get("credits", ()))
        numbers = data["requirements"], data["silent"], data["turns"]
        if any(type(number) is not int for number in numbers) or (credits and len(credits) != len(outcomes)):
            raise ValueError("the terms of a session are not as they were written")
        rows = {name: tuple(map(float, row)) for name, row in data["rows"].items()} if "rows" in data else {}
        flags = bool(data["has_verdicts"]), bool(data["is_plain"])
        return cls(outcomes, credits, *numbers, *flags, data.get("clusters") or {}, rows)


@lru_cache(maxsize=_MOST_KNOWN)
def _pattern(text: str) -> tuple[bool, ...]:
    return tuple([letter == "1" for letter in text])


def _outcomes(text: str, targets: int) -> Outcomes:
    if not _OUTCOMES.fullmatch(text):
        raise ValueError("the terms of a session are not as they were written")
    if not targets:
        return ()
    found = tuple([_pattern(own) for own in text.split(",")])
    if len(found) != targets:
        raise ValueError("the terms of a session are not as they were written")
    return found


class StoredTurns(Sequence[JudgedTurn]):
    """The turns of a stored session, read when somebody looks at them.

    Args:
        terms: What figures need of them.
        read: Reads them; its file has to be open then.
    """

    __slots__ = ("_read", "_turns", "terms")

    def __init__(self, terms: SessionTerms, read: Callable[[], tuple[JudgedTurn, ...]]) -> None:
        self.terms = terms
        self._read = read
        self._turns: tuple[JudgedTurn, ...] | None = None

    def whole(self) -> tuple[JudgedTurn, ...]:
        """The turns themselves."""
        if self._turns is None:
            self._turns = self._read()
        return self._turns

    def __len__(self) -> int:
        return self.terms.turns

    @overload
    def __getitem__(self, index: int) -> JudgedTurn: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[JudgedTurn, ...]: ...
    def __getitem__(self, index: int | slice) -> JudgedTurn | tuple[JudgedTurn, ...]:
        return self.whole()[index]

    def __iter__(self) -> Iterator[JudgedTurn]:
        return iter(self.whole())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, StoredTurns | tuple):
            return self is other or self.whole() == tuple(other)
        return NotImplemented

    def __repr__(self) -> str:
        return repr(self.whole())

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self.whole(),)


def terms_of_stored(session: Session) -> SessionTerms | None:
    """The terms that are kept of a session's turns; None if these are not stored, or were cut."""
    turns = session.turns
    return turns.terms if isinstance(turns, StoredTurns) else None


def outcomes_of(session: Session) -> Sequence[tuple[bool, ...]]:
    """Per turn of the model under test the verdicts that were reached, none where nothing was judged."""
    known = terms_of_stored(session)
    if known is not None:
        return known.outcomes
    return [turn.judged for turn in session.turns if turn.seat == "target"]


def targets_of(session: Session) -> int:
    """How many turns of the model under test a session has."""
    known = terms_of_stored(session)
    return sum(turn.seat == "target" for turn in session.turns) if known is None else len(known.outcomes)


def summed(session: Session, labels: Iterable[str], rows: Mapping[str, tuple[float, ...]]) -> SessionTerms:
    """The terms of a session, worked out from its turns, without cells.

    Args:
        session: With all its turns.
        labels: Those by which dialogues belong together.
        rows: What it adds to tables that keep it.
    """
    targets = [turn for turn in session.turns if turn.seat == "target"]
    outcomes = tuple(turn.judged for turn in targets)
    credits = tuple(credit_of(turn) for turn in targets)
    return SessionTerms(
        outcomes,
        credits if any(credit is not None for credit in credits) else (),
        requirements=sum(len(turn.verdicts) for turn in targets),
        silent=sum(
            not own and all(score.value is None for score in turn.scores)
            for turn, own in zip(targets, outcomes, strict=True)
        ),
        turns=len(session.turns),
        has_verdicts=any(turn.verdicts for turn in session.turns),
        is_plain=all(
            turn.turn == number
            and turn.seat == "target"
            and not any(score.name.startswith(f"{REPAIR}/") for score in turn.scores)
            for number, turn in enumerate(session.turns, start=1)
        ),
        clusters={label: first_label(session.turns, label) for label in labels},
        rows=rows,
    )


def credit_of(turn: JudgedTurn) -> float | None:
    """What share of a turn was satisfied, where its requirements weigh differently; None where they weigh the same."""
    return next((score.value for score in turn.scores if score.name == CREDIT), None) if turn.scores else None


def first_label(turns: Iterable[JudgedTurn], label: str) -> Label:
    """The first value of a label that is not empty; empty for none."""
    return next((turn.labels[label] for turn in turns if turn.labels.get(label, "") != ""), "")

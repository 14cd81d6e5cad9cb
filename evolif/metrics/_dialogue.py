"""One dialogue as the metrics see it: its judged turns, cut where patience runs out, and its own figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import NamedTuple

from evolif._errors import UsageError


@dataclass(frozen=True, slots=True)
class DialogueRecord:
    """The judged turns of one session (protocol page, Metrics; paper section 3.4).

    Attributes:
        dialogue: Id of the dialogue, the sampling unit of every interval.
        patience: P_max, in failed turns in a row; at least 1.
        turns: One tuple per judged turn, in order; one bool per judged constraint, at least one. Turns in which nothing
            was judged are not here: `judged_record` drops them.
        epoch: Which repetition of the dialogue this is.

    Raises:
        UsageError: Patience below 1, or a turn without verdicts.
    """

    dialogue: str
    patience: int
    turns: tuple[tuple[bool, ...], ...]
    epoch: int = 0

    def __post_init__(self) -> None:
        if self.patience < 1:
            raise UsageError(f"patience of dialogue {self.dialogue!r} is {self.patience}; it must be at least 1")
        if not all(self.turns):
            raise UsageError(f"dialogue {self.dialogue!r} has a turn without verdicts; leave such turns out")


@dataclass(frozen=True, slots=True)
class DialogueFigures:
    """What one dialogue brings to the metrics, after the patience cut.

    Attributes:
        length: N, judged turns.
        accuracy: Sum over turns of satisfied / judged constraints, in turns.
        successes: Turns with every judged constraint satisfied.
        longest_run: Longest run of successive such turns.
        recoveries: Turns from the second on that succeed right after a failed one.
        chances: Turns from the second on that follow a failed one; REC's denominator, 0 where there is none.
    """

    length: int
    accuracy: float
    successes: int
    longest_run: int
    recoveries: int
    chances: int


class PatienceWalk(NamedTuple):
    """How far patience carries: turns that count, and the patience left after them (0: the session is finished)."""

    turns: int
    left: int


def judged_record(
    dialogue: str, patience: int, verdicts: Iterable[Iterable[bool | None]], *, epoch: int = 0
) -> DialogueRecord:
    """A record out of raw verdicts: None (not judged) is left out, and so is a turn that keeps nothing."""
    judged = (tuple(verdict for verdict in turn if verdict is not None) for turn in verdicts)
    return DialogueRecord(dialogue, patience, tuple(turn for turn in judged if turn), epoch)


def walk_patience(outcomes: Iterable[bool | None], patience: int) -> PatienceWalk:
    """Follow patience over the outcomes of successive turns (protocol page, Adaptive evaluation).

    Args:
        outcomes: Per turn True (all satisfied: patience back to its maximum), False (patience falls by 1) or None
            (nothing judged: patience stays as it was).
        patience: P_max, at least 1.
    """
    turns, left = 0, patience
    for outcome in outcomes:
        if left == 0:
            break
        turns += 1
        if outcome is not None:
            left = patience if outcome else left - 1
    return PatienceWalk(turns, left)


def cut(record: DialogueRecord) -> DialogueRecord:
    """The record without the turns after its patience was exhausted; they enter no metric."""
    number = _walk(record).turns
    return record if number == len(record.turns) else replace(record, turns=record.turns[:number])


def patience_left(record: DialogueRecord) -> int:
    """Patience after the record's last counted turn; above 0 the dialogue is censored, its length a lower bound."""
    return _walk(record).left


def dialogue_figures(record: DialogueRecord) -> DialogueFigures:
    """The record's own figures, after the cut; a record without turns has zeros throughout."""
    turns = cut(record).turns
    good = [all(turn) for turn in turns]
    after_failure = [now for before, now in pairwise(good) if not before]
    return DialogueFigures(
        length=len(turns),
        # fsum rounds once, so that a dialogue's figure does not depend on the order of its turns.
        accuracy=math.fsum([sum(turn) / len(turn) for turn in turns]),
        successes=sum(good),
        longest_run=_longest_run(good),
        recoveries=sum(after_failure),
        chances=len(after_failure),
    )


def _walk(record: DialogueRecord) -> PatienceWalk:
    return walk_patience([all(turn) for turn in record.turns], record.patience)


def _longest_run(good: Sequence[bool]) -> int:
    return max((sum(1 for _ in run) for satisfied, run in groupby(good) if satisfied), default=0)

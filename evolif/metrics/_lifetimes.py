"""How long each session lasts, in judged turns, and whether exhausted patience ended it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from evolif.metrics._dialogue import DialogueRecord, cut, patience_left


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """Sessions by their length N; lengths that do not occur count 0.

    Attributes:
        exhausted: Length to sessions that exhausted patience ended.
        censored: Length to sessions that ended for another reason.
    """

    exhausted: Counter[int]
    censored: Counter[int]

    @property
    def longest(self) -> int:
        """Length of the longest session; 0 without any."""
        return max([0, *self.exhausted, *self.censored])

    @property
    def sessions(self) -> int:
        """How many there are."""
        return self.exhausted.total() + self.censored.total()

    def at_risk(self, turn: int) -> int:
        """Sessions that have at least so many judged turns."""
        return sum(
            count for counts in (self.exhausted, self.censored) for length, count in counts.items() if length >= turn
        )


def lifetime(record: DialogueRecord) -> tuple[int, bool]:
    """N, and whether patience was exhausted there."""
    return len(cut(record).turns), patience_left(record) == 0


def lifetimes(records: Iterable[DialogueRecord]) -> Lifetimes:
    """The lifetimes of the records' sessions."""
    lives = Lifetimes(Counter(), Counter())
    for record in records:
        length, over = lifetime(record)
        (lives.exhausted if over else lives.censored)[length] += 1
    return lives

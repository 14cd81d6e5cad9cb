"""What sessions add to one key of a breakdown."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from evolif.metrics.exact import exact_parts
from evolif.types import Verdict

Key: TypeAlias = str | int
Tally: TypeAlias = tuple[int, int, int]
"""How many requirements were satisfied, judged, and not judged."""


def tally(verdicts: Sequence[Verdict]) -> Tally:
    """Count verdicts."""
    outcomes = [verdict.satisfied for verdict in verdicts]
    not_judged = outcomes.count(None)
    return outcomes.count(True), len(outcomes) - not_judged, not_judged


@dataclass(slots=True)
class Cell:
    """What some turns add to one key.

    Attributes:
        rates: Numbers whose sum is that of the satisfied shares: one for each turn, or fewer with the same exact sum.
        turns: With at least one judged requirement.
        ok: Of these, those with every judged requirement satisfied.
        satisfied: Requirements.
        judged: Requirements with a verdict.
        not_judged: Requirements without one; they count nowhere else.
    """

    rates: list[float] = field(default_factory=list)
    turns: int = 0
    ok: int = 0
    satisfied: int = 0
    judged: int = 0
    not_judged: int = 0

    @property
    def accuracy(self) -> float:
        """The sum of the satisfied shares."""
        return math.fsum(self.rates)

    @property
    def terms(self) -> tuple[float, float]:
        """The sums that make CSR."""
        return self.accuracy, float(self.turns)

    def add(self, found: Tally, credit: float | None = None) -> None:
        """Count one turn, or the part of it that has the key.

        Args:
            found: Of the requirements of the part.
            credit: What share of the whole turn was satisfied, where requirements weigh differently.
        """
        satisfied, judged, not_judged = found
        self.satisfied += satisfied
        self.judged += judged
        self.not_judged += not_judged
        if judged:
            self.rates.append(satisfied / judged if credit is None else credit)
            self.turns += 1
            self.ok += satisfied == judged

    def join(self, other: Cell) -> None:
        """Count the turns of another cell, too."""
        self.rates += other.rates
        self.turns += other.turns
        self.ok += other.ok
        self.satisfied += other.satisfied
        self.judged += other.judged
        self.not_judged += other.not_judged


def dump_cells(cells: Mapping[Key, Cell]) -> str:
    """The cells of one session and one breakdown as JSON text."""
    rows = [
        [key, own.turns, own.ok, own.satisfied, own.judged, own.not_judged, *exact_parts(own.rates)]
        for key, own in cells.items()
    ]
    return json.dumps(rows, separators=(",", ":"))


def load_cells(rows: Iterable[Sequence[Key | float]]) -> dict[Key, Cell]:
    """What `dump_cells` wrote, once it is read as JSON.

    Raises:
        ValueError: it was edited.
        TypeError: likewise.
    """
    found: dict[Key, Cell] = {}
    for key, turns, ok, satisfied, judged, not_judged, *rates in rows:
        if not isinstance(key, str | int):
            raise TypeError("the terms of a session are not as they were written")
        found[key] = Cell(
            [float(one) for one in rates], int(turns), int(ok), int(satisfied), int(judged), int(not_judged)
        )
    return found

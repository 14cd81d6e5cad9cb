"""What the drawings read: small plain things, so that any analysis, ours or another's, can be drawn.

Rates are fractions from 0 to 1 here; the drawings print them in per cent. None stands where nothing can be said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Mark:
    """A figure with its interval and the observations it stands on."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A line: `marks[i]` at `x[i]`, x ascending."""

    name: str
    x: tuple[float, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Survival:
    """A Kaplan–Meier estimate.

    Attributes:
        name: Of the model.
        turns: Whole turns, ascending from 0.
        steps: The share of sessions that last longer than `turns[i]`; its `n` are those at risk there.
        cut: Sessions that stop at `turns[i]` without their patience being exhausted.
        bounds: Where sessions are left out (suspended, withheld): the curves if all had failed, and had gone on.
    """

    name: str
    turns: tuple[int, ...]
    steps: tuple[Mark, ...]
    cut: tuple[int, ...]
    bounds: tuple[Survival, ...] = ()

    def at_risk(self, turn: int) -> int:
        """Sessions that have at least so many turns."""
        return next((mark.n or 0 for at, mark in zip(self.turns, self.steps, strict=True) if at == turn), 0)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rates over rows and columns."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Mark]

    def cell(self, row: str, column: str) -> Mark:
        """The rate there; an empty one where there is none."""
        return self.cells.get((row, column), Mark(None))


@dataclass(frozen=True, slots=True)
class Panel:
    """Figures of one kind beside each other: per row (a model) one mark for each series.

    Attributes:
        text: The axis label, with its unit.
        percent: Whether the figures are fractions to be printed in per cent.
        marks: (row, series) to mark.
    """

    text: str
    percent: bool
    marks: Mapping[tuple[str, str], Mark] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """One line of a comparison: A minus B in one metric, and whether it is told from 0 after Holm's correction."""

    metric: str
    percent: bool
    mark: Mark
    p: float | None = None
    """Corrected for the number of metrics."""

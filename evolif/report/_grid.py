"""A table before it is drawn: terminal and LaTeX both draw this."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evolif.metrics import Interval

LABELS: Mapping[str, str] = {
    "edr_len": "EDR len", "edr_acc": "EDR acc", "edr_succ": "EDR succ", "edr_lss": "EDR lss",
    "rec": "REC %", "rob": "ROB %", "csr": "CSR %", "isr": "ISR %",
}  # fmt: skip
"""The eight metrics as tables name them: turns for EDR, per cent for the others."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure, and in small what qualifies it. Plain text, not made safe."""

    value: str = "-"
    aside: str = ""

    def __len__(self) -> int:
        return len(self.value) + bool(self.aside) + len(self.aside)


Row = tuple[str, tuple[Cell, ...]]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        name: One word, for labels.
        title: What it shows; empty for none.
        first: Head of the column of row names.
        heads: Heads of the other columns.
        rows: Name and cells, one per head.
        note: What a reader must know; empty for nothing.
    """

    name: str
    title: str
    first: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""

    def part(self, start: int, end: int) -> Grid:
        """The same with some of the columns."""
        rows = tuple((name, cells[start:end]) for name, cells in self.rows)
        return Grid(self.name, self.title, self.first, self.heads[start:end], rows, self.note)


def number(metric: str, value: float) -> str:
    """A metric's figure as tables print it."""
    return f"{value:.1f}" if metric.startswith("edr") else f"{100 * value:.0f}"


def figure(metric: str, value: float | None, interval: Interval | None) -> Cell:
    """A metric with its interval."""
    if value is None:
        return Cell()
    return Cell(number(metric, value), _between(interval, lambda end: number(metric, end)))


def rate(value: float | None, interval: Interval | None, of: int | None = None) -> Cell:
    """A share in per cent with its interval and what it is of."""
    if value is None:
        return Cell()
    aside = _between(interval, lambda end: f"{100 * end:.0f}")
    base = "" if of is None else f"of {of}"
    return Cell(f"{100 * value:.0f}", f"{aside} {base}".strip())


def _between(interval: Interval | None, show: Callable[[float], str]) -> str:
    return "" if interval is None else f"[{show(interval[0])}–{show(interval[1])}]"

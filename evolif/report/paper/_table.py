"""A table as the paper has it: heads, rows, intervals, and what a reader must know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from evolif.metrics import Interval
from evolif.protocol import Run
from evolif.report._analysis import RunAnalysis
from evolif.report._published import NOT_COMPARABLE
from evolif.report.figures._names import labels, markdown

Value: TypeAlias = str | int | float | None
"""None where a figure is undefined."""

Subject: TypeAlias = Run | RunAnalysis
"""A run; several tables of one are cheaper out of one `RunAnalysis`, which computes each part once."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table.

    Attributes:
        number: Of the paper's table that it is like.
        title: What it shows.
        headers: Heads of the columns.
        rows: As many values each; lengths in turns, rates in per cent, correlations from -1 to 1; not rounded.
        intervals: Of each value its 95 % interval, in the same unit, None where it has none; empty for none at all.
        note: What a reader must know, besides that it is not comparable.
    """

    number: int
    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    intervals: tuple[tuple[Interval | None, ...], ...] = ()
    note: str = ""

    def markdown(self) -> str:
        """The table in Markdown, figures with two digits, intervals in brackets; names escaped."""
        lines = [
            f"**{markdown(self.title)}** (like the paper's Table {self.number})",
            "",
            _line([markdown(head) for head in labels(self.headers)]),
            _line(["---" if number == 0 else "---:" for number in range(len(self.headers))]),
        ]
        for number, row in enumerate(self.rows):
            ends = self.intervals[number] if self.intervals else (None,) * len(row)
            lines.append(_line([_shown(value, end) for value, end in zip(row, ends, strict=True)]))
        if not self.rows:
            lines.append(_line(["no figure yet", *[""] * (len(self.headers) - 1)]))
        return "\n".join([*lines, "", *([markdown(self.note), ""] if self.note else []), NOT_COMPARABLE, ""])

    def _repr_markdown_(self) -> str:
        """As a notebook shows it."""
        return self.markdown()


def analysis_of(run: Subject) -> RunAnalysis:
    """The analysis of a run."""
    return run if isinstance(run, RunAnalysis) else RunAnalysis(run)


def percent(value: float | None) -> float | None:
    """A fraction in per cent."""
    return None if value is None else 100 * value


def percent_interval(interval: Interval | None) -> Interval | None:
    """Both ends in per cent."""
    return None if interval is None else (100 * interval[0], 100 * interval[1])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _shown(value: Value, interval: Interval | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return markdown(value)
    text = str(value) if isinstance(value, int) else f"{value:.2f}"
    return text if interval is None else f"{text} [{interval[0]:.2f}, {interval[1]:.2f}]"

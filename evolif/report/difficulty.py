"""How hard a benchmark gets: the share of judged requirements that failed, and how many there were, by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolif.metrics import TURN
from evolif.report.analysis import ModelAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.scenario import Grid, TableCell

SPAN = 10
"""Turns in a row of the table."""
_WIDTHS = ((25, 1), (60, 5))
"""Longest session, and how many of its turns a point of the figure stands for; `SPAN` beyond."""


@dataclass(frozen=True, slots=True)
class TurnSpan:
    """The judged turns of one model from turn `first` to turn `last`, over all sessions that reach them.

    Attributes:
        first, last: From 1, both included.
        failed: Requirements failed.
        judged: Requirements judged, at least one.
        turns: Turns with a judged requirement.
    """

    first: int
    last: int
    failed: int
    judged: int
    turns: int

    @property
    def share(self) -> float:
        """Failed / judged, pooled, a fraction."""
        return self.failed / self.judged

    @property
    def load(self) -> float:
        """Judged requirements per judged turn."""
        return self.judged / self.turns


def difficulty(model: ModelAnalysis, width: int = SPAN) -> tuple[TurnSpan, ...]:
    """By spans of turns, ascending; spans without a judged requirement are left out.

    Args:
        model: Of a run.
        width: Turns in a span.
    """
    found: dict[int, list[int]] = {}
    for turn, one in model.by(TURN.name).items():
        if isinstance(turn, int) and one.judged:
            sums = found.setdefault((turn - 1) // width, [0, 0, 0])
            for place, number in enumerate((one.judged - one.satisfied, one.judged, one.turns)):
                sums[place] += number
    return tuple(TurnSpan(at * width + 1, (at + 1) * width, *found[at]) for at in sorted(found))


def fitting_width(models: Sequence[ModelAnalysis]) -> int:
    """How many turns a point of the figure stands for, so that long sessions do not scatter."""
    last = max((span.last for model in models for span in difficulty(model, 1)), default=0)
    return next((width for longest, width in _WIDTHS if last <= longest), SPAN)


def difficulty_grid(runs: ComparableRuns) -> Grid:
    """Per ten turns the share that failed and the load; without rows where no session is longer."""
    columns = [{one.first: one for one in difficulty(model)} for model in runs.models]
    firsts = sorted({first for column in columns for first in column})
    rows = tuple(
        (f"{first}–{first + SPAN - 1}", tuple(_cell(column.get(first)) for column in columns)) for first in firsts
    )
    word = runs.scenario.presentation.requirement
    title = f"Difficulty: {word}s failed % by turn, with how many a turn has (load), of those judged"
    return Grid("difficulty", title, "turns", runs.heads, rows if len(rows) > 1 else ())


def _cell(one: TurnSpan | None) -> TableCell:
    return TableCell() if one is None else TableCell(f"{100 * one.share:.1f}", f"load {one.load:.1f} of {one.judged}")

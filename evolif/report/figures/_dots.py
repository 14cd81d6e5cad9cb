"""Points with intervals, a row per model: headline metrics, ROB by synthesizer, satisfaction by formality."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evolif.report.figures._inputs import Mark, Panel
from evolif.report.figures._names import labels
from evolif.report.figures._style import (
    TWO_COLUMNS,
    Look,
    blank,
    grid_only,
    legend_above,
    look,
    name_ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR = "#9dc3df"
_CAP = 0.09
"""Half the height of an interval's end, in rows."""


def draw_bars(panels: Sequence[Panel], rows: Sequence[str], *, columns: int = 4) -> Figure:
    """A panel per metric, a bar with its interval per model; a panel's marks have the series ''."""
    lines = -(-len(panels) // columns)
    figure = blank(TWO_COLUMNS, lines * (0.55 + 0.19 * max(2, len(rows))))
    every = figure.subplots(lines, columns, squeeze=False, sharey=True)
    for axes, panel in zip(every.flat, panels, strict=False):
        marks = [panel.marks.get((name, ""), Mark(None)) for name in rows]
        _draw_bars(axes, marks, 100 if panel.percent else 1)
        _finish(axes, panel, rows, striped=False)
    for axes in list(every.flat)[len(panels) :]:
        axes.set_axis_off()
    return figure


def draw_dots(panels: Sequence[Panel], rows: Sequence[str], series: Sequence[str]) -> Figure:
    """Panels side by side; per model one point for each series, each with its own shape."""
    tall = 0.1 * max(2, len(series)) * len(rows)
    figure = blank(TWO_COLUMNS, 0.75 + max(0.5, tall + 0.06 * len(rows)))
    spread: Any = figure.get_layout_engine()
    spread.set(wspace=0.04)
    handles: list[Any] = []
    span = percent_span([mark for panel in panels if panel.percent for mark in panel.marks.values()])
    every = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for axes, panel in zip(every, panels, strict=True):
        handles = []
        for number, one in enumerate(series):
            how = look(number)
            shift = (number - (len(series) - 1) / 2) * 0.72 / max(1, len(series))
            marks = [(row + shift, panel.marks.get((name, one), Mark(None))) for row, name in enumerate(rows)]
            _draw_points(axes, marks, 100 if panel.percent else 1, how)
            handles += axes.plot([], [], how.marker, color=how.colour)
        _finish(axes, panel, rows, striped=True)
        if panel.percent:
            axes.set_xlim(*span)
            axes.set_xticks(range(span[0], span[1] + 1, 10 if span[1] - span[0] <= 60 else 25))
    legend_above(figure, handles, labels(series))
    return figure


def percent_span(marks: Sequence[Mark]) -> tuple[int, int]:
    """Ends of an axis that holds the marks and intervals, in tens; 0 and 100 where that is more than 60."""
    ends = [100 * end for mark in marks for end in (mark.value, mark.low, mark.high) if end is not None]
    low, high = (10 * math.floor(min(ends) / 10), 10 * math.ceil(max(ends) / 10)) if ends else (0, 100)
    if high - low < 20:
        low, high = max(0, low - 10), min(100, high + 10)
    return (low, high) if high - low <= 60 else (0, 100)


def _finish(axes: Axes, panel: Panel, rows: Sequence[str], *, striped: bool) -> None:
    axes.set_xlabel(panel.text)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    name_ticks(axes.yaxis, range(len(rows)), labels(rows))
    grid_only(axes, "x")
    for row in range(0, len(rows), 2) if striped else ():
        axes.axhspan(row - 0.5, row + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
    if panel.percent:
        axes.set_xlim(0, 102)
        axes.set_xticks([0, 50, 100])
    else:
        axes.set_xlim(left=0)
        axes.locator_params(axis="x", nbins=4, min_n_ticks=2)


def _draw_bars(axes: Axes, marks: Sequence[Mark], scale: float) -> None:
    told = [(row, mark, scale * mark.value) for row, mark in enumerate(marks) if mark.value is not None]
    for row, mark in enumerate(marks):
        if mark.value is None:
            axes.text(0, row, " –", va="center", color="#999999")
    axes.barh(
        [row for row, _, _ in told], [value for _, _, value in told],
        height=0.66, color=_BAR, edgecolor="#3d7ea6", linewidth=0.5,
    )  # fmt: skip
    _whiskers(axes, [(row, mark) for row, mark, _ in told], scale, "black")


def _draw_points(axes: Axes, marks: Sequence[tuple[float, Mark]], scale: float, how: Look) -> None:
    told = [(at, mark, scale * mark.value) for at, mark in marks if mark.value is not None]
    _whiskers(axes, [(at, mark) for at, mark, _ in told], scale, how.colour)
    axes.plot([value for _, _, value in told], [at for at, _, _ in told], how.marker, color=how.colour, clip_on=False)


def _whiskers(axes: Axes, marks: Sequence[tuple[float, Mark]], scale: float, colour: str) -> None:
    """All intervals of a kind as one line of many pieces: a page of them stays small."""
    x: list[float] = []
    y: list[float] = []
    for at, mark in marks:
        if mark.low is not None and mark.high is not None:
            low, high = scale * mark.low, scale * mark.high
            x += [low, low, low, high, high, high, math.nan]
            y += [at - _CAP, at + _CAP, at, at, at - _CAP, at + _CAP, math.nan]
    axes.plot(x, y, color=colour, linewidth=0.9, clip_on=False)

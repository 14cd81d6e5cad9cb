"""Satisfaction per group as a radar (the paper's Fig. 4): up to five models in one, more in one each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evolif.report.figures.data import Matrix
from evolif.report.figures.style import (
    FAINT,
    GREY,
    ONE_COLUMN,
    SMALL,
    TEXT,
    TWO_COLUMNS,
    LineStyle,
    blank,
    label,
    labels,
    legend_above,
    look,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_TOGETHER = 5
FEWEST_GROUPS = 3

_COLUMNS = 3


def draw_radar(matrix: Matrix) -> Figure:
    """A spoke for each column (group), a line for each row (model); the rim is 100 %.

    Where a model has no rate, its line has a gap.
    """
    if len(matrix.rows) <= MOST_TOGETHER:
        return _together(matrix)
    return _apart(matrix)


def corners(rates: Sequence[float | None]) -> list[tuple[float, float]]:
    """The line's corners, back to the first: 1 from the centre is 100 %, the first spoke points up, then clockwise."""
    places = []
    for number, rate in enumerate([*rates, *rates[:1]]):
        angle = 2 * math.pi * number / len(rates)
        far = math.nan if rate is None else rate
        places.append((far * math.sin(angle), far * math.cos(angle)))
    return places


def _together(matrix: Matrix) -> Figure:
    figure = blank(ONE_COLUMN, ONE_COLUMN * 0.74 + 0.15 * len(matrix.rows))
    axes = figure.subplots()
    _web(axes, matrix.columns, SMALL, rings=True)
    handles = []
    for number, row in enumerate(matrix.rows):
        _line(axes, matrix, row, look(number))
        how = look(number)
        handles += axes.plot([], [], color=how.colour, linestyle=how.dash, marker=how.marker)
    legend_above(figure, handles, labels(matrix.rows))
    return figure


def _apart(matrix: Matrix) -> Figure:
    lines = -(-len(matrix.rows) // _COLUMNS)
    figure = blank(TWO_COLUMNS, 1.95 * lines)
    mean = [_mean(matrix, column) for column in matrix.columns]
    every = list(figure.subplots(lines, _COLUMNS, squeeze=False).flat)
    for number, (axes, row) in enumerate(zip(every, matrix.rows, strict=False)):
        _web(axes, matrix.columns, SMALL - 1.3, rings=False)
        axes.fill(*zip(*corners(mean), strict=True), color="#e6e6e6", linewidth=0, zorder=0.8)
        _line(axes, matrix, row, look(number))
        axes.text(0, -1.35, labels(matrix.rows)[number], ha="center", va="top", fontsize=SMALL)
    for axes in every[len(matrix.rows) :]:
        axes.set_axis_off()
    return figure


def _mean(matrix: Matrix, column: str) -> float | None:
    rates = [rate for row in matrix.rows if (rate := matrix.cell(row, column).value) is not None]
    return sum(rates) / len(rates) if rates else None


def _line(axes: Axes, matrix: Matrix, row: str, how: LineStyle) -> None:
    x, y = zip(*corners([matrix.cell(row, column).value for column in matrix.columns]), strict=True)
    line: dict[str, Any] = {"color": how.colour, "linestyle": how.dash, "marker": how.marker}
    axes.plot(x, y, markersize=2.6, linewidth=1, clip_on=False, **line)


def _web(axes: Axes, columns: Sequence[str], size: float, *, rings: bool) -> None:
    """Rings at each quarter and the spokes, one line of many pieces, with the names around."""
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-1.75, 1.75)
    axes.set_ylim(-1.25, 1.25)
    apart = (math.nan, math.nan)
    rim = corners([1.0] * len(columns))[:-1]
    pieces = [place for share in (0.25, 0.5, 0.75, 1.0) for place in (*corners([share] * len(columns)), apart)]
    pieces += [place for end in rim for place in ((0.0, 0.0), end, apart)]
    axes.plot(*zip(*pieces, strict=True), color=FAINT, linewidth=0.5, zorder=0.9)
    # Between two spokes, where no corner of a model's line can lie; that of the rim outside.
    half = math.pi / len(columns)
    for share in (0.5, 1) if rings else ():
        far = share * math.cos(half) + (0.1 if share == 1 else 0)
        axes.text(
            far * math.sin(half), far * math.cos(half), f"{100 * share:.0f} %",
            fontsize=TEXT - 2.5, color=GREY, ha="center", va="center",
        )  # fmt: skip
    for (x, y), name in zip(rim, columns, strict=True):
        side: Any = "center" if abs(x) < 0.1 else "left" if x > 0 else "right"
        edge: Any = "center" if abs(y) < 0.9 else "bottom" if y > 0 else "top"
        axes.text(1.1 * x, 1.1 * y, label(name, 16), ha=side, va=edge, fontsize=size)

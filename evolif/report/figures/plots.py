"""Draw curves with bands, bars and dots with intervals, differences of two models, heat maps and radars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evolif.report.figures.data import Curve, DifferenceMark, Matrix, PlotMark, PlotPanel
from evolif.report.figures.style import (
    BLACK,
    FAINT,
    FEW,
    GREY,
    ONE_COLUMN,
    SMALL,
    TEXT,
    TWO_COLUMNS,
    WHITE,
    LineStyle,
    blank,
    grid_only,
    is_for_page,
    label,
    labels,
    legend_above,
    look,
    name_ticks,
    two_columns,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_BANDS = 5
"""With more lines, bands would hide each other and are left out."""


@dataclass(frozen=True, slots=True)
class Plot:
    """One pair of axes.

    Attributes:
        x, y: Axis labels, with units.
        curves: One per model; a model keeps its look by its place.
        percent: Whether y are fractions, printed in per cent from 0 to 100 (or to the largest value, if `zoom`).
        zoom: End the y axis at the largest value.
        below_zero: Whether y are correlations: they may be below 0, and end at 1.
        hollow: Draw points on few observations hollow.
    """

    x: str
    y: str
    curves: tuple[Curve, ...]
    percent: bool = True
    zoom: bool = False
    below_zero: bool = False
    hollow: bool = True


def draw_curves(plots: Sequence[Plot], *, width: float = ONE_COLUMN, height: float = 2.3) -> Figure:
    """Plots side by side, one legend above; the curves of every plot name the same models in the same order."""
    if len(plots[0].curves) > MOST_BANDS:
        width, height = TWO_COLUMNS, height + 0.5
    width = min(width, two_columns())
    figure = blank(width, height * _lines(plots) + _legend_height(plots[0].curves, width))
    handles: list[Any] = []
    for axes, plot in zip(_panels(figure, len(plots)), plots, strict=True):
        handles = [draw_curve(axes, curve, look(number), plot) for number, curve in enumerate(plot.curves)]
        _finish(axes, plot)
    legend_above(figure, handles, labels([curve.name for curve in plots[0].curves]))
    return figure


def _lines(panels: Sequence[object]) -> int:
    """How many panels stand below each other."""
    return len(panels) if is_for_page() else 1


def _panels(figure: Figure, number: int, **shared: Any) -> list[Any]:
    """Panels side by side; on the page below each other."""
    lines, columns = (number, 1) if is_for_page() else (1, number)
    return list(figure.subplots(lines, columns, squeeze=False, **shared).flat)


def draw_curve(axes: Axes, curve: Curve, how: LineStyle, plot: Plot) -> Any:
    """One line with its band; returns its handle for a legend."""
    scale = 100 if plot.percent else 1
    points = [(x, mark) for x, mark in zip(curve.x, curve.marks, strict=True) if mark.value is not None]
    x = [at for at, _ in points]
    y = [scale * (mark.value or 0.0) for _, mark in points]
    few = [plot.hollow and mark.n is not None and mark.n < FEW for _, mark in points]
    if len(plot.curves) <= MOST_BANDS:
        # The interval of a few turns is as wide as the plot and would hide the others.
        _band(axes, [one for one, hollow in zip(points, few, strict=True) if not hollow], scale, how)
    (line,) = axes.plot(x, y, color=how.colour, linestyle=how.dash, marker=how.marker)
    if any(few):
        line.set_markevery([not hollow for hollow in few])
        few_x, few_y = ([value for value, hollow in zip(values, few, strict=True) if hollow] for values in (x, y))
        axes.plot(few_x, few_y, how.marker, color=how.colour, markerfacecolor="white")
    (handle,) = axes.plot([], [], color=how.colour, linestyle=how.dash, marker=how.marker)
    return handle


def _band(axes: Axes, points: Sequence[tuple[float, PlotMark]], scale: float, how: LineStyle) -> None:
    ends = [(x, m.low, m.high) for x, m in points if m.low is not None and m.high is not None]
    if len(ends) > 1:
        axes.fill_between(
            [x for x, _, _ in ends],
            [scale * low for _, low, _ in ends],
            [scale * high for _, _, high in ends],
            color=how.colour,
            alpha=0.13,
            linewidth=0,
        )
    elif ends:
        x, low, high = ends[0]
        axes.vlines(x, scale * low, scale * high, color=how.colour, linewidth=0.8)


def _finish(axes: Axes, plot: Plot) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlabel(plot.x)
    axes.set_ylabel(plot.y)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9, min_n_ticks=1, steps=[1, 2, 5, 10]))
    if plot.percent and not plot.zoom:
        axes.set_ylim(0, 103)
    else:
        low, high = axes.get_ylim()
        # Correlations can be below 0; shares and lengths cannot, whatever room matplotlib would leave.
        axes.set_ylim(low if plot.below_zero and low < 0 else 0, max(high, 1.04) if plot.below_zero else high)
    if len({x for curve in plot.curves for x in curve.x}) == 1:
        only = next(x for curve in plot.curves for x in curve.x)
        axes.set_xlim(only - 1, only + 1)


def _legend_height(curves: Sequence[Curve], width: float) -> float:
    """Inches that the legend will take, so that many models do not shrink the plot too much."""
    longest = max((len(name) for name in labels([c.name for c in curves])), default=0)
    columns = max(1, int(width / (longest * 0.056 + 0.5)))
    return 0.14 * -(-len(curves) // columns)


_BAR = "#9dc3df"
_CAP = 0.09
"""Half the height of an interval's end, in rows."""


def draw_bars(panels: Sequence[PlotPanel], rows: Sequence[str], *, columns: int = 4) -> Figure:
    """A panel per metric, a bar with its interval per model; a panel's marks have the series ''."""
    columns = min(columns, 2) if is_for_page() else columns
    lines = -(-len(panels) // columns)
    figure = blank(two_columns(), lines * (0.55 + 0.19 * max(2, len(rows))))
    every = figure.subplots(lines, columns, squeeze=False, sharey=True)
    for axes, panel in zip(every.flat, panels, strict=False):
        marks = [panel.marks.get((name, ""), PlotMark(None)) for name in rows]
        _draw_bars(axes, marks, 100 if panel.percent else 1)
        _finish_dots(axes, panel, rows, striped=False)
    for axes in list(every.flat)[len(panels) :]:
        axes.set_axis_off()
    return figure


def draw_dots(panels: Sequence[PlotPanel], rows: Sequence[str], series: Sequence[str]) -> Figure:
    """Panels side by side; per model one point for each series, each with its own shape."""
    tall = 0.1 * max(2, len(series)) * len(rows)
    height = 0.75 + max(0.5, tall + 0.06 * len(rows))
    figure = blank(two_columns(), height * _lines(panels))
    spread: Any = figure.get_layout_engine()
    spread.set(wspace=0.04)
    handles: list[Any] = []
    span = percent_span([mark for panel in panels if panel.percent for mark in panel.marks.values()])
    for axes, panel in zip(_panels(figure, len(panels), sharey=True), panels, strict=True):
        handles = []
        for number, one in enumerate(series):
            how = look(number)
            shift = (number - (len(series) - 1) / 2) * 0.72 / max(1, len(series))
            marks = [(row + shift, panel.marks.get((name, one), PlotMark(None))) for row, name in enumerate(rows)]
            _draw_points(axes, marks, 100 if panel.percent else 1, how)
            handles += axes.plot([], [], how.marker, color=how.colour)
        _finish_dots(axes, panel, rows, striped=True)
        if panel.percent:
            axes.set_xlim(*span)
            axes.set_xticks(range(span[0], span[1] + 1, 10 if span[1] - span[0] <= 60 else 25))
    legend_above(figure, handles, labels(series))
    return figure


def percent_span(marks: Sequence[PlotMark]) -> tuple[int, int]:
    """Ends of an axis that holds the marks and intervals, in tens; 0 and 100 where that is more than 60."""
    ends = [100 * end for mark in marks for end in (mark.value, mark.low, mark.high) if end is not None]
    low, high = (10 * math.floor(min(ends) / 10), 10 * math.ceil(max(ends) / 10)) if ends else (0, 100)
    if high - low < 20:
        low, high = max(0, low - 10), min(100, high + 10)
    return (low, high) if high - low <= 60 else (0, 100)


def _finish_dots(axes: Axes, panel: PlotPanel, rows: Sequence[str], *, striped: bool) -> None:
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


def _draw_bars(axes: Axes, marks: Sequence[PlotMark], scale: float) -> None:
    for row, mark in enumerate(marks):
        if mark.value is None:
            axes.text(0, row, " –", va="center", color="#999999")
    known = [(row, mark) for row, mark in enumerate(marks) if mark.value is not None]
    values = [scale * (mark.value or 0.0) for _, mark in known]
    axes.barh([row for row, _ in known], values, height=0.66, color=_BAR, edgecolor="#3d7ea6", linewidth=0.5)
    _whiskers(axes, known, scale, "black")


def _draw_points(axes: Axes, marks: Sequence[tuple[float, PlotMark]], scale: float, how: LineStyle) -> None:
    known = [(at, mark) for at, mark in marks if mark.value is not None]
    _whiskers(axes, known, scale, how.colour)
    values = [scale * (mark.value or 0.0) for _, mark in known]
    axes.plot(values, [at for at, _ in known], how.marker, color=how.colour, clip_on=False)


def _whiskers(axes: Axes, marks: Sequence[tuple[float, PlotMark]], scale: float, colour: str) -> None:
    """All intervals of a kind as one line of many pieces, to keep the file small."""
    x: list[float] = []
    y: list[float] = []
    for at, mark in marks:
        if mark.low is not None and mark.high is not None:
            low, high = scale * mark.low, scale * mark.high
            x += [low, low, low, high, high, high, math.nan]
            y += [at - _CAP, at + _CAP, at, at, at - _CAP, at + _CAP, math.nan]
    axes.plot(x, y, color=colour, linewidth=0.9, clip_on=False)


ALPHA = 0.05
_AXES = {"rate": "percentage points", "turns": "turns", "count": "difference"}


def draw_forest(differences: Sequence[DifferenceMark], first: str, second: str) -> Figure:
    """First minus second: rates in percentage points on the right, other metrics in their own unit on the left.

    A filled point differs significantly from 0 at 5 % after correction, a hollow one does not; p stands beside it.
    """
    sides = [[d for d in differences if not d.percent], [d for d in differences if d.percent]]
    sides = [side for side in sides if side]
    most = max(map(len, sides), default=1)
    figure = blank(two_columns(), (0.9 + 0.24 * most) * _lines(sides))
    spread: Any = figure.get_layout_engine()
    spread.set(wspace=0.06)
    for axes, side in zip(_panels(figure, len(sides)), sides, strict=True):
        for row, difference in enumerate(side):
            _row(axes, row, difference)
        axes.axvline(0, color=GREY, linewidth=0.7)
        units = {difference.unit for difference in side}
        axes.set_xlabel(_AXES[side[0].unit] if len(units) == 1 else "difference")
        axes.set_ylim(most - 0.4, -0.6)
        name_ticks(axes.yaxis, range(len(side)), labels([d.metric for d in side]))
        grid_only(axes, "x")
        _around_zero(axes)
    figure.supxlabel(f"{label(first)} − {label(second)}", fontsize=TEXT)
    return figure


def _row(axes: Axes, row: int, difference: DifferenceMark) -> None:
    mark, scale = difference.mark, 100 if difference.percent else 1
    if mark.value is None:
        axes.text(0, row, " –", va="center", color="#999999")
        return
    significant = difference.p is not None and difference.p <= ALPHA
    if mark.low is not None and mark.high is not None:
        axes.plot([scale * mark.low, scale * mark.high], [row, row], color="black", linewidth=0.9, marker="|")
    axes.plot([scale * mark.value], [row], "o", color="black", markerfacecolor="black" if significant else "white")
    if difference.p is not None:
        words = "p < 0.001" if difference.p < 0.001 else f"p = {difference.p:.3f}"
        axes.annotate(
            words, (1, row), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
            va="center", fontsize=SMALL - 0.5, color="black" if significant else GREY,
        )  # fmt: skip


def _around_zero(axes: Axes) -> None:
    """Centre the axis on zero, so that the sign is easy to see."""
    far = max(abs(end) for end in axes.get_xlim())
    axes.set_xlim(-far, far)


_TALLEST = 8.5
"""Height that many rows must share, in inches."""
_MOST_NUMBERED = 16
"""Columns of correlations above which their two decimals would run into one another."""

_LIGHT, _DARK = (0.97, 0.98, 1.0), (0.03, 0.19, 0.42)
"""Colours of 0 and 100 %: one hue, so that a grey print keeps the order."""
_NEGATIVE = (0.55, 0.22, 0.0)
"""Colour of a correlation of -1."""


def draw_heat(matrix: Matrix) -> Figure:
    """Rates in per cent, dark for high; a cell on few verdicts is set in italics, one on none is a dash.

    Correlations have two decimals and two hues, one for each sign.
    """
    tall = min(0.2 * len(matrix.rows), max(_TALLEST, 0.11 * len(matrix.rows)))
    heads = labels(matrix.columns)
    figure = blank(_width(matrix), tall + 0.25 + _head_height(heads))
    axes = figure.subplots()
    numbered = not matrix.signed or len(matrix.columns) <= _MOST_NUMBERED
    for y, row in enumerate(matrix.rows):
        for x, column in enumerate(matrix.columns):
            _cell(axes, x, y, matrix.cell(row, column), signed=matrix.signed, numbered=numbered)
    axes.set_xlim(-0.5, len(matrix.columns) - 0.5)
    axes.set_ylim(len(matrix.rows) - 0.5, -0.5)
    axes.spines[:].set_visible(False)
    grid_only(axes, "")
    axes.xaxis.tick_top()
    name_ticks(axes.xaxis, range(len(heads)), heads, rotation=45, ha="left", rotation_mode="anchor")
    name_ticks(axes.yaxis, range(len(matrix.rows)), labels(matrix.rows))
    return figure


def shade(rate: float) -> tuple[float, float, float]:
    """The colour of a rate from 0 to 1; a correlation below 0 has another hue."""
    share, end = min(1.0, abs(rate)), _DARK if rate >= 0 else _NEGATIVE
    red, green, blue = (light + (dark - light) * share for light, dark in zip(_LIGHT, end, strict=True))
    return red, green, blue


def ink(rate: float) -> str:
    """Black or white, whichever is more readable on the colour of that rate."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade(rate)]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return BLACK if light > 0.18 else WHITE


def _cell(axes: Axes, x: int, y: int, mark: PlotMark, *, signed: bool, numbered: bool) -> None:
    from matplotlib.patches import Rectangle

    # The cells lie within the axes; measuring each for the layout would take longer than all the drawing.
    text: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL, "in_layout": False}
    if mark.value is None:
        axes.text(x, y, "–", color="#999999", **text)
        return
    place = Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=shade(mark.value), linewidth=0)
    axes.add_artist(place)
    place.set_in_layout(False)
    if not numbered:
        return
    slant = "italic" if mark.n is not None and mark.n < FEW else "normal"
    shown = f"{mark.value:.2f}".replace("-", "−") if signed else f"{100 * mark.value:.0f}"
    axes.text(x, y, shown, color=ink(mark.value), fontstyle=slant, **text)


def _width(matrix: Matrix) -> float:
    names = max((len(name) for name in labels(matrix.rows)), default=0) * 0.062
    return min(TWO_COLUMNS, names + 0.75 + 0.42 * len(matrix.columns))


def _head_height(heads: tuple[str, ...]) -> float:
    return 0.15 + 0.045 * max(map(len, heads), default=0)


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
    columns = 2 if is_for_page() else _COLUMNS
    lines = -(-len(matrix.rows) // columns)
    figure = blank(two_columns(), 1.95 * lines)
    mean = [_mean(matrix, column) for column in matrix.columns]
    every = list(figure.subplots(lines, columns, squeeze=False).flat)
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

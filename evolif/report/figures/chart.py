"""Draw the line charts that scenarios bring: shares with bands, between references whose names stand at the right."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from evolif.report.figures.data import Curve, PlotMark
from evolif.report.figures.plots import MOST_BANDS, Plot, draw_curve
from evolif.report.figures.style import GREY, ONE_COLUMN, SMALL, blank, labels, legend_above, look, two_columns
from evolif.scenario import LineChart, PlotLine

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_APART = 5.5
"""Between names at the right end, in per cent of the axis, so that they do not cover each other."""
_DOUBLING = 1.5
"""Where each number is at least so many times the one before, they stand at equal distances."""


def draw_chart(chart: LineChart) -> Figure:
    """A line for each, with bands if they are few; the numbers stand at the bottom, and no others.

    Args:
        chart: With a value at least.
    """
    wide = len(chart.lines) > MOST_BANDS
    figure = blank(two_columns() if wide else min(1.25 * ONE_COLUMN, two_columns()), 2.6 + 0.08 * len(chart.lines))
    axes = figure.subplots()
    for reference in chart.references:
        _reference(axes, chart, reference)
    _name_references(axes, chart)
    plot = Plot(chart.x_label, chart.y_label, tuple(_curve(chart, line) for line in chart.lines))
    handles: list[Any] = [draw_curve(axes, curve, look(at), plot) for at, curve in enumerate(plot.curves)]
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    if len(chart.x) > 1 and all(after >= _DOUBLING * before > 0 for before, after in pairwise(chart.x)):
        axes.set_xscale("log", base=2)
    axes.set_xticks(chart.x, [f"{x:g}" for x in chart.x])
    axes.minorticks_off()
    axes.set_ylim(-2, 103)
    if len(chart.x) == 1:
        axes.set_xlim(chart.x[0] - 1, chart.x[0] + 1)
    legend_above(figure, handles, labels([line.name for line in chart.lines]))
    return figure


def _curve(chart: LineChart, line: PlotLine) -> Curve:
    return Curve(line.name, chart.x, tuple(PlotMark(one.value, one.low, one.high, one.of) for one in line.points))


def _reference(axes: Axes, chart: LineChart, line: PlotLine) -> None:
    known = [(x, 100 * one.value) for x, one in zip(chart.x, line.points, strict=True) if one.value is not None]
    if len(known) == 1:  # a line has two ends
        axes.axhline(known[0][1], color=GREY, linewidth=0.8, linestyle=(0, (4, 2)))
    elif known:
        axes.plot([x for x, _ in known], [y for _, y in known], color=GREY, linewidth=0.8, linestyle=(0, (4, 2)))


def _name_references(axes: Axes, chart: LineChart) -> None:
    """Each name at the end of its line, or as near to it as the others let it be."""
    ends = [(100 * last, one.name) for one in chart.references if (last := one.points[-1].value) is not None]
    lowest = -_APART
    for height, name in sorted(ends):
        place = max(height, lowest + _APART)
        lowest = place
        axes.annotate(
            labels([name])[0],
            (1.0, place),
            xycoords=("axes fraction", "data"),
            xytext=(3, 0),
            textcoords="offset points",
            fontsize=SMALL,
            color=GREY,
            va="center",
            annotation_clip=False,
        )

"""Lines with bands: satisfaction by depth, by load, hazard, patience, rank stability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evolif.report.figures._inputs import Curve, Mark
from evolif.report.figures._names import labels
from evolif.report.figures._style import FEW, ONE_COLUMN, TWO_COLUMNS, Look, blank, legend_above, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_BANDS = 5
"""Beyond so many lines bands would hide each other; they are left away."""


@dataclass(frozen=True, slots=True)
class Plot:
    """One pair of axes.

    Attributes:
        x, y: Axis labels, with units.
        curves: One per model; a model keeps its look by its place.
        percent: Whether y are fractions, printed in per cent from 0 to 100 (or as far as they go, if `zoom`).
        zoom: Let the y axis end where the figures do.
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
    figure = blank(width, height + _legend_height(plots[0].curves, width))
    handles: list[Any] = []
    for axes, plot in zip(figure.subplots(1, len(plots), squeeze=False)[0], plots, strict=True):
        handles = [draw_curve(axes, curve, look(number), plot) for number, curve in enumerate(plot.curves)]
        _finish(axes, plot)
    legend_above(figure, handles, labels([curve.name for curve in plots[0].curves]))
    return figure


def draw_curve(axes: Axes, curve: Curve, how: Look, plot: Plot) -> Any:
    """One line with its band; returns its handle for a legend."""
    scale = 100 if plot.percent else 1
    told = [(x, mark) for x, mark in zip(curve.x, curve.marks, strict=True) if mark.value is not None]
    x = [at for at, _ in told]
    y = [scale * (mark.value or 0.0) for _, mark in told]
    few = [plot.hollow and mark.n is not None and mark.n < FEW for _, mark in told]
    if len(plot.curves) <= MOST_BANDS:
        # An interval of a few turns is as wide as the plot, and hides what stands on many.
        _band(axes, [one for one, hollow in zip(told, few, strict=True) if not hollow], scale, how)
    (line,) = axes.plot(x, y, color=how.colour, linestyle=how.dash, marker=how.marker)
    if any(few):
        line.set_markevery([not hollow for hollow in few])
        at = [index for index, hollow in enumerate(few) if hollow]
        axes.plot(
            [x[i] for i in at], [y[i] for i in at], how.marker, color=how.colour, markerfacecolor="white"
        )  # fmt: skip
    (handle,) = axes.plot([], [], color=how.colour, linestyle=how.dash, marker=how.marker)
    return handle


def _band(axes: Axes, told: Sequence[tuple[float, Mark]], scale: float, how: Look) -> None:
    ends = [(x, m.low, m.high) for x, m in told if m.low is not None and m.high is not None]
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
    """Inches that the legend will take, so that many models do not eat the plot."""
    longest = max((len(name) for name in labels([c.name for c in curves])), default=0)
    columns = max(1, int(width / (longest * 0.056 + 0.5)))
    return 0.14 * -(-len(curves) // columns)

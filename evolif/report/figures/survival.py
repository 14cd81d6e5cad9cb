"""How long sessions last: Kaplan–Meier curves with the sessions at risk below (the paper's Fig. 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evolif.report.figures.data import SurvivalCurve
from evolif.report.figures.plots import MOST_BANDS
from evolif.report.figures.style import (
    FAINT,
    GREY,
    SMALL,
    LineStyle,
    blank,
    grid_only,
    is_for_page,
    labels,
    legend_above,
    look,
    name_ticks,
    two_columns,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_LINE = 0.145
"""Height of a line of the table below, in inches."""


def draw_survival(curves: Sequence[SurvivalCurve]) -> Figure:
    """Survival curves, up to five with bands and bounds, and the numbers at risk, which are the legend as well.

    On the page the names stand above, where they take no width from the curves.
    """
    below = _LINE * (len(curves) + 1)
    figure = blank(two_columns(), 2.5 + below)
    above, table = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [2.5, below]})
    for number, curve in enumerate(curves):
        _steps(above, curve, look(number), bands=len(curves) <= MOST_BANDS)
    last = max((turn for curve in curves for turn in curve.turns), default=0)
    above.set_xlim(0, max(last, 1) * 1.005)
    above.set_ylim(0, 103)
    above.set_yticks([0, 25, 50, 75, 100])
    above.axhline(50, color=GREY, linewidth=0.5, linestyle=(0, (1, 3)), zorder=0.5)
    above.set_ylabel("sessions still going (%)")
    above.set_xlabel("turn")
    above.xaxis.set_tick_params(labelbottom=True)
    _numbers(figure, table, curves, _ticks(last))
    if is_for_page():
        looks = [look(number) for number, _ in enumerate(curves)]
        handles = [line for how in looks for line in above.plot([], [], color=how.colour, linestyle=how.dash)]
        legend_above(figure, handles, labels([curve.name for curve in curves]))
    return figure


def vertices(curve: SurvivalCurve) -> tuple[list[float], list[float]]:
    """The curve's corners: turns and per cent."""
    steps = [(turn, mark.value) for turn, mark in zip(curve.turns, curve.steps, strict=True) if mark.value is not None]
    # The curve has no corner where nothing falls, except at its end.
    kept = [
        (float(turn), 100 * share)
        for number, (turn, share) in enumerate(steps)
        if number in (0, len(steps) - 1) or share != steps[number - 1][1]
    ]
    return [turn for turn, _ in kept], [share for _, share in kept]


def _steps(axes: Axes, curve: SurvivalCurve, how: LineStyle, *, bands: bool) -> None:
    x, y = vertices(curve)
    axes.plot(x, y, color=how.colour, linestyle=how.dash, drawstyle="steps-post")
    ends = [
        (turn, 100 * mark.low, 100 * mark.high)
        for turn, mark in zip(curve.turns, curve.steps, strict=True)
        if mark.low is not None and mark.high is not None
    ]
    if bands and ends:
        axes.fill_between(
            [e[0] for e in ends], [e[1] for e in ends], [e[2] for e in ends],
            step="post", color=how.colour, alpha=0.13, linewidth=0,
        )  # fmt: skip
    for bound in curve.bounds if bands else ():
        x, y = vertices(bound)
        axes.plot(x, y, color=how.colour, linewidth=0.5, drawstyle="steps-post")
    cut = [
        (turn, 100 * mark.value)
        for turn, mark, number in zip(curve.turns, curve.steps, curve.cut, strict=True)
        if number and mark.value is not None
    ]
    axes.plot([c[0] for c in cut], [c[1] for c in cut], "|", color=how.colour, markersize=5, markeredgewidth=0.9)


def _ticks(last: int) -> list[int]:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if last / step <= 12)
    return list(range(0, max(last, 1) + 1, step))


def _numbers(figure: Figure, axes: Axes, curves: Sequence[SurvivalCurve], ticks: Sequence[int]) -> None:
    grid_only(axes, "")
    axes.spines[:].set_visible(False)
    axes.set_ylim(len(curves) - 0.5, -1.4)
    axes.set_xticks(list(ticks))
    axes.tick_params(axis="x", length=0, labelbottom=False)
    rows = range(len(curves))
    names = [""] * len(curves) if is_for_page() else labels([curve.name for curve in curves])
    name_ticks(axes.yaxis, list(rows), names)
    # Room for the sample of the line between name and numbers, in points.
    axes.tick_params(axis="y", pad=40)
    axes.text(0, -1, "sessions at risk", fontsize=SMALL, color=GREY, ha="left", va="center")
    axes.axhline(-0.55, color=FAINT, linewidth=0.5)
    for row, curve in enumerate(curves):
        _sample(figure, axes, row, look(row))
        for turn in ticks:
            axes.text(
                turn, row, str(curve.at_risk(turn)), fontsize=SMALL - 0.5, ha="center", va="center", in_layout=False
            )


def _sample(figure: Figure, axes: Axes, row: int, how: LineStyle) -> None:
    """A piece of the line between the name and the numbers, placed in inches left of the axes."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    scale: Any = figure.dpi_scale_trans
    left: Any = axes.transAxes
    inches = scale + ScaledTranslation(0, 0, left)
    place = blended_transform_factory(inches, axes.transData)
    axes.plot([-0.5, -0.14], [row, row], color=how.colour, linestyle=how.dash, transform=place, clip_on=False)

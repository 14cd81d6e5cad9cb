"""The difference of two models in each metric, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evolif.report.figures._inputs import Difference
from evolif.report.figures._names import label, labels
from evolif.report.figures._style import GREY, SMALL, TEXT, TWO_COLUMNS, blank, grid_only, name_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ALPHA = 0.05


def draw_forest(differences: Sequence[Difference], first: str, second: str) -> Figure:
    """First minus second: lengths in turns on the left, rates in percentage points on the right.

    A filled point is told from 0 at 5 % after correction, a hollow one is not; its p stands beside it.
    """
    sides = [[d for d in differences if not d.percent], [d for d in differences if d.percent]]
    sides = [side for side in sides if side]
    most = max(map(len, sides), default=1)
    figure = blank(TWO_COLUMNS, 0.9 + 0.24 * most)
    spread: Any = figure.get_layout_engine()
    spread.set(wspace=0.06)
    for axes, side in zip(figure.subplots(1, len(sides), squeeze=False)[0], sides, strict=True):
        for row, difference in enumerate(side):
            _row(axes, row, difference)
        axes.axvline(0, color=GREY, linewidth=0.7)
        axes.set_xlabel("percentage points" if side[0].percent else "turns")
        axes.set_ylim(most - 0.4, -0.6)
        name_ticks(axes.yaxis, range(len(side)), labels([d.metric for d in side]))
        grid_only(axes, "x")
        _around_zero(axes)
    figure.supxlabel(f"{label(first)} − {label(second)}", fontsize=TEXT)
    return figure


def _row(axes: Axes, row: int, difference: Difference) -> None:
    mark, scale = difference.mark, 100 if difference.percent else 1
    if mark.value is None:
        axes.text(0, row, " –", va="center", color="#999999")
        return
    told = difference.p is not None and difference.p < ALPHA
    if mark.low is not None and mark.high is not None:
        axes.plot([scale * mark.low, scale * mark.high], [row, row], color="black", linewidth=0.9, marker="|")
    axes.plot([scale * mark.value], [row], "o", color="black", markerfacecolor="black" if told else "white")
    if difference.p is not None:
        words = "p < 0.001" if difference.p < 0.001 else f"p = {difference.p:.3f}"
        axes.annotate(
            words, (1, row), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
            va="center", fontsize=SMALL - 0.5, color="black" if told else GREY,
        )  # fmt: skip


def _around_zero(axes: Axes) -> None:
    """Zero in the middle, so that the eye reads the side."""
    far = max(abs(end) for end in axes.get_xlim())
    axes.set_xlim(-far, far)

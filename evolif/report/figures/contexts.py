"""Draw what context strategies do: score against context tokens, and the topic trees of a dialogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evolif.report.figures.data import TokenPoint
from evolif.report.figures.plots import percent_span
from evolif.report.figures.style import (
    FAINT,
    GREY,
    ONE_COLUMN,
    SMALL,
    TWO_COLUMNS,
    LineStyle,
    blank,
    grid_only,
    ink_on,
    labels,
    legend_above,
    look,
    name_ticks,
    two_columns,
)
from evolif.report.topic_tree import TopicTree, TreeRound

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_NAMES = 44
"""Characters of a name in the legend, which tells models and strategies."""


def draw_tokens(points: Sequence[TokenPoint], axis: str, *, percent: bool = True) -> Figure:
    """Score over context tokens: a filled point with its intervals, and a hollow one where own calls are counted.

    Args:
        points: Those with a score and tokens.
        axis: Label of the score, with its unit.
        percent: Whether scores are fractions to be printed in per cent.
    """
    wide = len(points) > 4
    figure = blank(two_columns() if wide else ONE_COLUMN, 2.7 + 0.06 * len(points))
    axes = figure.subplots()
    scale = 100 if percent else 1
    handles: list[Any] = []
    for point in points:
        how = look(point.colour)._replace(marker=look(point.marker).marker)
        _token_point(axes, point, how, scale)
        handles += axes.plot([], [], how.marker, color=how.colour)
    axes.set_xlabel("tokens a turn, without the query")
    axes.set_ylabel(axis)
    axes.set_xlim(left=0)
    if percent:
        low, high = percent_span([point.score for point in points])
        axes.set_ylim(low - 1, high + 1)
        axes.set_yticks(range(low, high + 1, 5 if high - low <= 30 else 10))
    legend_above(figure, handles, labels([point.name for point in points], _NAMES))
    return figure


def _token_point(axes: Axes, point: TokenPoint, how: LineStyle, scale: float) -> None:
    x, y = point.context.value or 0.0, scale * (point.score.value or 0.0)
    own = point.total.value
    if own is not None and own > x:
        axes.plot([x, own], [y, y], color=how.colour, linestyle=(0, (1, 1.5)), linewidth=1.4)
        axes.plot([own], [y], how.marker, color=how.colour, markerfacecolor="white", markersize=5)
    for low, high, across in (
        (point.context.low, point.context.high, True),
        (point.score.low, point.score.high, False),
    ):
        if low is None or high is None:
            continue
        ends = ([low, high], [y, y]) if across else ([x, x], [scale * low, scale * high])
        axes.plot(*ends, color=how.colour, linewidth=0.9, marker="|" if across else "_", markersize=4)
    axes.plot([x], [y], how.marker, color=how.colour, markersize=5, clip_on=False)


_STEP, _LANE = 0.2, 0.24
"""Inches from round to round, and from lane to lane."""
_SIZE = 10.5
"""Of a round, in points."""


def draw_tree(tree: TopicTree) -> Figure:
    """The topic trees of a dialogue: rounds from left to right, a lane for each branch, a colour for each topic."""
    figure = blank(min(TWO_COLUMNS, 0.9 + _STEP * len(tree.rounds)), 0.45 + _LANE * len(tree.lanes))
    axes = figure.subplots()
    for lane in range(len(tree.lanes)):
        axes.axhline(lane, color=FAINT, linewidth=0.5, zorder=0.5)
    for one in tree.rounds:
        if one.parent is not None:
            _edge(axes, tree.rounds[one.parent - 1], one)
    for one in tree.rounds:
        _node(axes, one)
    axes.set_xlim(0.2, len(tree.rounds) + 0.8)
    axes.set_ylim(len(tree.lanes) - 0.4, -0.7)
    axes.spines[:].set_visible(False)
    grid_only(axes, "")
    axes.set_xticks([])
    axes.set_xlabel("rounds, from left to right")
    name_ticks(axes.yaxis, range(len(tree.lanes)), tree.names())
    return figure


def _edge(axes: Axes, parent: TreeRound, child: TreeRound) -> None:
    # Down to its lane right after the parent, then along it: a straight line would cross other rounds.
    x, y = [parent.number, child.number], [parent.lane, child.lane]
    if parent.lane != child.lane:
        x, y = [parent.number, parent.number, child.number], [parent.lane, child.lane, child.lane]
    wide = 2.0 if child.look in ("now", "full") else 0.9
    axes.plot(x, y, color=look(child.tree).colour, linewidth=wide, solid_joinstyle="round", zorder=1)


def _node(axes: Axes, one: TreeRound) -> None:
    colour, full = look(one.tree).colour, one.look in ("now", "full")
    if one.look == "now":
        axes.plot([one.number], [one.lane], "o", color=colour, markersize=_SIZE + 3, markerfacecolor="white", zorder=2)
    faint = one.look == "absent"
    axes.plot([one.number], [one.lane], "o", color="white", markersize=_SIZE, zorder=2.5)
    axes.plot(
        [one.number], [one.lane], "o", color=colour, markersize=_SIZE, markerfacecolor=colour if full else "none",
        markeredgewidth=0.8, alpha=0.45 if faint else 1, zorder=3,
    )  # fmt: skip
    ink = ink_on(colour) if full else GREY if faint else "black"
    text: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL - 0.5, "in_layout": False}
    axes.text(one.number, one.lane + 0.02, str(one.number), color=ink, zorder=4, **text)
    if one.wrong:
        axes.plot(
            [one.number + 0.38], [one.lane - 0.36], "x", color="#a40e26", markersize=4.5, markeredgewidth=1.5, zorder=5
        )

"""Satisfaction as a table of colours: model × group, group and mode × model (the paper's Table 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolif.report.figures._inputs import Mark, Matrix
from evolif.report.figures._names import labels
from evolif.report.figures._style import FEW, SMALL, TWO_COLUMNS, blank, grid_only, name_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TALLEST = 8.5
"""Height that many rows must share, in inches."""

_LIGHT, _DARK = (0.97, 0.98, 1.0), (0.03, 0.19, 0.42)
"""Colours of 0 and 100 %: one hue, so that a grey print keeps the order."""


def draw_heat(matrix: Matrix) -> Figure:
    """Rates in per cent, dark for high; a cell on few verdicts is set in italics, one on none is a dash."""
    tall = min(0.2 * len(matrix.rows), max(_TALLEST, 0.11 * len(matrix.rows)))
    heads = labels(matrix.columns)
    figure = blank(_width(matrix), tall + 0.25 + _head_height(heads))
    axes = figure.subplots()
    for y, row in enumerate(matrix.rows):
        for x, column in enumerate(matrix.columns):
            _cell(axes, x, y, matrix.cell(row, column))
    axes.set_xlim(-0.5, len(matrix.columns) - 0.5)
    axes.set_ylim(len(matrix.rows) - 0.5, -0.5)
    axes.spines[:].set_visible(False)
    grid_only(axes, "")
    axes.xaxis.tick_top()
    name_ticks(axes.xaxis, range(len(heads)), heads, rotation=45, ha="left", rotation_mode="anchor")
    name_ticks(axes.yaxis, range(len(matrix.rows)), labels(matrix.rows))
    return figure


def shade(rate: float) -> tuple[float, float, float]:
    """The colour of a rate from 0 to 1."""
    share = min(1.0, max(0.0, rate))
    red, green, blue = (light + (dark - light) * share for light, dark in zip(_LIGHT, _DARK, strict=True))
    return red, green, blue


def ink(rate: float) -> str:
    """Black or white, whichever is read better on the colour of that rate."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade(rate)]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if light > 0.18 else "white"


def _cell(axes: Axes, x: int, y: int, mark: Mark) -> None:
    from matplotlib.patches import Rectangle

    if mark.value is None:
        axes.text(x, y, "–", ha="center", va="center", fontsize=SMALL, color="#999999", in_layout=False)
        return
    place = Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=shade(mark.value), linewidth=0)
    axes.add_artist(place)
    place.set_in_layout(False)
    axes.text(
        x,
        y,
        f"{100 * mark.value:.0f}",
        ha="center",
        va="center",
        fontsize=SMALL,
        color=ink(mark.value),
        fontstyle="italic" if mark.n is not None and mark.n < FEW else "normal",
        # The cells lie within the axes; measuring each would take longer than all the drawing.
        in_layout=False,
    )


def _width(matrix: Matrix) -> float:
    names = max((len(name) for name in labels(matrix.rows)), default=0) * 0.062
    return min(TWO_COLUMNS, names + 0.75 + 0.42 * len(matrix.columns))


def _head_height(heads: tuple[str, ...]) -> float:
    return 0.15 + 0.045 * max(map(len, heads), default=0)

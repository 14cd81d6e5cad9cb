"""How figures look: sizes for a two-column paper, colours that work for the colour-blind and in grey, short names.

Nothing here touches pyplot or keeps state: `style` sets matplotlib's parameters for a block and restores them, so that
the same run gives the same bytes regardless of user settings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from evolif.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


ONE_COLUMN, TWO_COLUMNS = 3.35, 6.9
"""Widths of a column and of a page of two, in inches."""

_PAGE = 3.9
"""Width of a figure on the page, in inches: on a phone its letters are still legible."""
_on_page: ContextVar[bool] = ContextVar("on_page", default=False)

TEXT, SMALL = 7.5, 6.5
"""Sizes of letters, in points."""

FEW = 20
"""A point with fewer observations is drawn hollow."""

GREY, FAINT = "#555555", "#dddddd"

# Okabe and Ito's colours without yellow, which is invisible on white paper, from strong to weak.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_DASHES: tuple[Any, ...] = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")

_PARAMETERS: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelsize": TEXT,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.unicode_minus": True,
    "errorbar.capsize": 1.5,
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": TEXT,
    "grid.color": FAINT,
    "grid.linewidth": 0.4,
    "legend.borderaxespad": 0.2,
    "legend.columnspacing": 1.2,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "legend.labelspacing": 0.3,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.2,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "evolif",
    "text.parse_math": False,
    "text.usetex": False,
    "xtick.color": GREY,
    "xtick.labelcolor": "black",
    "xtick.labelsize": SMALL,
    "xtick.major.size": 2.5,
    "xtick.major.width": 0.6,
    "ytick.color": GREY,
    "ytick.labelcolor": "black",
    "ytick.labelsize": SMALL,
    "ytick.major.size": 2.5,
    "ytick.major.width": 0.6,
}


class LineStyle(NamedTuple):
    """What distinguishes one line from another, in colour and without."""

    colour: str
    dash: Any
    marker: str


def look(number: int) -> LineStyle:
    """The look of the line with that number; no two of the first 385 are alike."""
    return LineStyle(_COLOURS[number % len(_COLOURS)], _DASHES[number % len(_DASHES)], _MARKERS[number % len(_MARKERS)])


BLACK, WHITE = "#010101", "#fefefe"
"""Letters on a colour of a figure; on the page, black and white themselves follow the reader's colour scheme."""


def ink_on(colour: str) -> str:
    """Black or white, whichever is more readable on a colour such as `#0072b2`."""
    if colour == "#000000":
        return "#ffffff"  # the two follow the colour scheme together
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return BLACK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 else WHITE


@contextmanager
def for_page() -> Iterator[None]:
    """Draw figures for the page in a block: narrow, with their panels below each other."""
    before = _on_page.set(True)
    try:
        yield
    finally:
        _on_page.reset(before)


def is_for_page() -> bool:
    """Whether figures are drawn for the page."""
    return _on_page.get()


def two_columns() -> float:
    """The width of a wide figure, in inches: of a page of two columns, or of the HTML page."""
    return _PAGE if _on_page.get() else TWO_COLUMNS


@contextmanager
def style() -> Iterator[None]:
    """Set the parameters of a figure for a block in which it is made or rendered.

    Raises:
        UsageError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise UsageError("figures need matplotlib; install evolif[report]") from error
    # Typed as Any, since newer versions type every name.
    parameters: Any = _PARAMETERS
    if mpl.rcParams["svg.hashsalt"] == _PARAMETERS["svg.hashsalt"]:
        yield  # already inside such a block; setting everything again takes as long as a small figure
        return
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(parameters)
        yield


def blank(width: float, height: float) -> Figure:
    """An empty figure, in inches, with automatic layout and without a window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def name_ticks(axis: Axis, positions: Sequence[float], names: Sequence[str], **text: Any) -> None:
    """Label positions of an axis with foreign names; none of them is read as a formula."""
    axis.set_ticks(list(positions), labels=list(names), parse_math=False, **text)
    axis.set_tick_params(length=0)


def legend_above(figure: Figure, handles: Sequence[Any], names: Sequence[str]) -> None:
    """A legend above everything, in as many columns as the names leave room for."""
    if not handles:
        return
    longest = max(map(len, names))
    inches = longest * SMALL * 0.62 / 72 + 0.5
    columns = max(1, min(len(names), int(figure.get_figwidth() / inches)))
    figure.legend(list(handles), list(names), loc="outside upper center", ncols=columns)


def grid_only(axes: Axes, which: str) -> None:
    """Keep the grid lines of one axis (`x` or `y`), or of none (an empty word)."""
    axes.grid(False)
    if which:
        axes.grid(True, axis="x" if which == "x" else "y")


NAME_LIMIT = 28
"""Characters of a name in a legend or beside an axis; longer ones lose their middle."""

_GONE = {"Cc", "Cf", "Cs", "Co", "Cn"}
_SPACES = {"Zs", "Zl", "Zp"}
_MARKS = re.compile(r"(\w?)([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{3,})")


def clean(text: str) -> str:
    """The text on one line, without control and direction characters and without towers of combining marks."""
    kept = []
    for sign in text:
        kind = unicodedata.category(sign)
        if kind in _SPACES or sign in "\t\n\r\v\f":
            kept.append(" ")
        elif kind not in _GONE:
            kept.append(sign)
    return _MARKS.sub(lambda tower: tower[1] + tower[2][:2], " ".join("".join(kept).split()))


def label(name: str, limit: int = NAME_LIMIT) -> str:
    """The name cleaned and, if too long, clipped in the middle: names of models differ at their ends."""
    text = clean(name) or "(no name)"
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def labels(names: Sequence[str], limit: int = NAME_LIMIT) -> tuple[str, ...]:
    """A label per name, no two alike: names that clipping made equal are numbered."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        text = label(name, limit)
        seen[text] = seen.get(text, 0) + 1
        unique.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return tuple(unique)


def markdown(text: str) -> str:
    """The text within a line of Markdown: nothing in it is markup or a link."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$&^]|:(?=//))", r"\\\1", clean(text))

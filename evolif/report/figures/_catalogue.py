"""The figures there are, by name, in the order of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolif._errors import UsageError
from evolif.report._analysis import RunAnalysis
from evolif.report._board import Board
from evolif.report._comparison import Comparison
from evolif.report.figures import _makers as makers
from evolif.report.figures import _makers_slices as slices
from evolif.report.figures._made import Made, Outcome
from evolif.report.figures._style import style
from evolif.report.figures._svg import png_bytes, svg_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COMPARISON = "comparison"

_BOARD_FIGURES: Mapping[str, tuple[str, Callable[[Board], Outcome]]] = {
    "headline": ("The eight metrics", makers.headline),
    "survival": ("How long sessions last", makers.survival),
    "hazard": ("Where sessions end", makers.hazard),
    "groups": ("Satisfaction per constraint group", slices.groups),
    "radar": ("Satisfaction per constraint group, as a radar", slices.radar),
    "modes": ("Satisfaction per group and mode", slices.modes),
    "depth": ("Satisfaction over the turns of a topic", slices.depth),
    "load": ("Satisfaction over the number of constraints", slices.load),
    "moves": ("Satisfaction per move", slices.moves),
    "patience": ("Patience sweep", makers.patience),
    "stability": ("Rank stability", makers.stability),
    "synthesizers": ("ROB by synthesizer", slices.synthesizers),
    "registers": ("ROB by register", slices.registers),
    "formality": ("Formal and informal queries", slices.formality),
}

FIGURE_NAMES: tuple[str, ...] = (*_BOARD_FIGURES, COMPARISON)
"""All figures, in the order of a report."""

Subject = RunAnalysis | Board | Comparison
"""What a figure is drawn of: one run, the models of several comparable ones, or two models side by side."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of a run, or the reason why there is none.

    Attributes:
        name: One of `FIGURE_NAMES`.
        title: A few words, for a heading.
        caption: What it shows and of how many; the reason where there is no figure. Plain text, names made short.
        figure: None where there is none.
    """

    name: str
    title: str
    caption: str
    figure: Figure | None

    def svg(self, *, inline: bool = False) -> str:
        """As SVG, for a file or to stand in a page; empty where there is no figure."""
        if self.figure is None:
            return ""
        return svg_text(self.figure, self.name, words=f"{self.title}. {self.caption}", inline=inline)

    def png(self) -> bytes:
        """As PNG, 200 dots per inch; empty where there is no figure."""
        return b"" if self.figure is None else png_bytes(self.figure)


def draw(name: str, subject: Subject) -> Picture:
    """One figure.

    Args:
        name: One of `FIGURE_NAMES`; `comparison` of a `Comparison`, or of exactly two models.
        subject: Of what.

    Raises:
        UsageError: No figure has that name, or matplotlib (extra `report`) is not installed.
    """
    if name not in FIGURE_NAMES:
        raise UsageError(f"there is no figure “{name}”; there are {', '.join(FIGURE_NAMES)}")
    with style():
        try:
            title, made = _make(name, Board((subject,)) if isinstance(subject, RunAnalysis) else subject)
        except UsageError as fault:
            # A part of the analysis that cannot be had (a package is missing) takes its own figure away, no more.
            return Picture(name, _title(name), str(fault), None)
    if isinstance(made, Made):
        return Picture(name, title, made.caption, made.figure)
    return Picture(name, title, made, None)


def draw_all(subject: Board | RunAnalysis, comparisons: Sequence[Comparison] = ()) -> list[Picture]:
    """Every figure of a board, then those of the comparisons; two models alone are compared unasked."""
    with style():
        pictures = [draw(name, subject) for name in _BOARD_FIGURES]
        board = Board((subject,)) if isinstance(subject, RunAnalysis) else subject
        if not comparisons and len(board.models) == 2:
            pictures.append(draw(COMPARISON, board))
        return [*pictures, *(draw(COMPARISON, pair) for pair in comparisons)]


def svg_of(name: str, subject: Subject) -> str:
    """A figure as SVG that can stand in a page, as often as it is wanted; empty where there is none.

    No XML head, no style sheet, no script, nothing from outside, and ids that no other figure has. It is as wide as its
    place. `draw` gives the caption and the reason where there is none.

    Raises:
        UsageError: as `draw`.
    """
    return draw(name, subject).svg(inline=True)


def _make(name: str, subject: Board | Comparison) -> tuple[str, Outcome]:
    if name == COMPARISON:
        if isinstance(subject, Board):
            if len(subject.models) != 2:
                return _title(name), "Two models are compared at a time; name them to evolif compare."
            subject = Comparison(*subject.models)
        return _title(name), makers.comparison(subject)
    if isinstance(subject, Comparison):
        return _title(name), "This figure is of a run, not of a comparison."
    title, maker = _BOARD_FIGURES[name]
    return title, maker(subject)


def _title(name: str) -> str:
    return _BOARD_FIGURES[name][0] if name in _BOARD_FIGURES else "The difference of two models"

"""Figures 3, 4, 6 and 7 of the paper, of one run, as matplotlib figures."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from evolif.report.figures import draw
from evolif.report.figures._style import ONE_COLUMN, TEXT, blank, style
from evolif.report.figures._svg import png_bytes, svg_text
from evolif.report.paper._table import Subject, analysis_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_3(run: Subject) -> Figure:
    """Survival curves of the sessions, with the sessions at risk (§5.2).

    Raises:
        UsageError: matplotlib (extra `report`) is not installed.
    """
    return _figure("survival", run)


def figure_4(run: Subject) -> Figure:
    """Satisfaction per constraint group as a radar (§5.3).

    Raises:
        UsageError: as `figure_3`.
    """
    return _figure("radar", run)


def figure_6(run: Subject) -> Figure:
    """ROB by synthesizer (App. F).

    Raises:
        UsageError: as `figure_3`.
    """
    return _figure("synthesizers", run)


def figure_7(run: Subject) -> Figure:
    """Satisfaction after formal and informal queries (App. G).

    Raises:
        UsageError: as `figure_3`.
    """
    return _figure("formality", run)


def _figure(name: str, run: Subject) -> Figure:
    """The figure; where there is none, a small one that says why. A notebook shows it by itself."""
    picture = draw(name, analysis_of(run))
    figure = picture.figure
    if figure is None:
        with style():
            figure = blank(ONE_COLUMN, 0.8)
            figure.text(0.5, 0.5, fill(picture.caption, 56), ha="center", va="center", fontsize=TEXT, wrap=False)
    made = figure
    # matplotlib's figures show themselves only where pyplot has taken the notebook over; these need not.
    setattr(made, "_repr_svg_", lambda: svg_text(made, name, inline=False))  # noqa: B010
    setattr(made, "_repr_png_", lambda: png_bytes(made))  # noqa: B010
    return made

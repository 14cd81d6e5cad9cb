"""Figures of a run, drawn with matplotlib objects and never with its global state.

`draw` makes one figure with its caption; `write_figures` writes all of them to a folder.
"""

from evolif.report.figures.catalogue import FIGURE_NAMES, Picture, draw, draw_all, write_figures
from evolif.report.figures.data import group_matrix
from evolif.report.figures.style import ONE_COLUMN, TEXT, blank, label, labels, markdown, style
from evolif.report.figures.svg import png_bytes, svg_text

__all__ = [
    "FIGURE_NAMES",
    "ONE_COLUMN",
    "TEXT",
    "Picture",
    "blank",
    "draw",
    "draw_all",
    "group_matrix",
    "label",
    "labels",
    "markdown",
    "png_bytes",
    "style",
    "svg_text",
    "write_figures",
]

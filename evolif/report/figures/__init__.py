"""Figures of a run, for papers and for the page: drawn with matplotlib's objects, never with its global state.

`draw` makes one figure with its caption, `write_figures` all of them into a folder, `svg_of` one for a page.
"""

from evolif.report.figures._catalogue import FIGURE_NAMES, Picture, draw, draw_all, svg_of
from evolif.report.figures._write import write_figures

__all__ = ["FIGURE_NAMES", "Picture", "draw", "draw_all", "svg_of", "write_figures"]

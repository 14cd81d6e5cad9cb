"""Figures of a run, drawn with matplotlib objects and never with its global state.

`draw` makes one figure with its caption; `write_figures` writes all of them to a folder.
"""

from evolif.report.figures.catalogue import FIGURE_NAMES, OWN_FAULT, Picture, draw, draw_all, write_figures

__all__ = ["FIGURE_NAMES", "OWN_FAULT", "Picture", "draw", "draw_all", "write_figures"]

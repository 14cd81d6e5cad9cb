"""The paper's Tables 2-4, 6-8 and Figures 3, 4, 6, 7 as functions of a run of one's own.

They show the same things in the same order; the figures in them are not comparable with the paper's leaderboard.
"""

from evolif.report.paper._ablation import table_7
from evolif.report.paper._figures import figure_3, figure_4, figure_6, figure_7
from evolif.report.paper._table import PaperTable
from evolif.report.paper._tables import table_2, table_3, table_4, table_6, table_8

__all__ = [
    "PaperTable",
    "figure_3",
    "figure_4",
    "figure_6",
    "figure_7",
    "table_2",
    "table_3",
    "table_4",
    "table_6",
    "table_7",
    "table_8",
]

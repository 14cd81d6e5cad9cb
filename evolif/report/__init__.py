"""Reports on runs: tables for the terminal, JSON for machines, LaTeX for papers."""

from evolif.report.analysis import ModelAnalysis, RunAnalysis, analyse, summarise
from evolif.report.comparable import ComparableRuns
from evolif.report.leaderboard import Leaderboard
from evolif.report.outcomes import outcome_lines
from evolif.report.page import write_page
from evolif.report.paper import (
    figure_3,
    figure_4,
    figure_6,
    figure_7,
    table_2,
    table_3,
    table_4,
    table_6,
    table_7,
    table_8,
)
from evolif.report.terminal import Terminal, print_report, status_table
from evolif.report.waits import live_lines

__all__ = [
    "ComparableRuns",
    "Leaderboard",
    "ModelAnalysis",
    "RunAnalysis",
    "Terminal",
    "analyse",
    "figure_3",
    "figure_4",
    "figure_6",
    "figure_7",
    "live_lines",
    "outcome_lines",
    "print_report",
    "status_table",
    "summarise",
    "table_2",
    "table_3",
    "table_4",
    "table_6",
    "table_7",
    "table_8",
    "write_page",
]

"""Reports on runs: tables for the terminal, JSON for machines, LaTeX for papers."""

from evolif.report.analysis import ModelAnalysis, RunAnalysis, analyse, summarise
from evolif.report.commands import Step
from evolif.report.comparable import ComparableRuns, group_comparable
from evolif.report.comparison import ModelComparison, compare_models
from evolif.report.json import analysis_object, comparisons_object, report_object
from evolif.report.latex import latex_comparisons, latex_report
from evolif.report.leaderboard import Leaderboard, published_leaderboard
from evolif.report.outcomes import nothing_judged, outcome_lines
from evolif.report.page import write_page
from evolif.report.paper import (
    PaperTable,
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
from evolif.report.terminal import (
    Terminal,
    first_failure,
    print_comparisons,
    print_failure,
    print_published,
    print_report,
    print_runs,
    status_lines,
    status_table,
)
from evolif.report.waits import calls_text, duration, hold_line, live_lines
from evolif.report.wording import dollars
from evolif.text import clip, plain

__all__ = [
    "ComparableRuns",
    "Leaderboard",
    "ModelAnalysis",
    "ModelComparison",
    "PaperTable",
    "RunAnalysis",
    "Step",
    "Terminal",
    "analyse",
    "analysis_object",
    "calls_text",
    "clip",
    "compare_models",
    "comparisons_object",
    "dollars",
    "duration",
    "figure_3",
    "figure_4",
    "figure_6",
    "figure_7",
    "first_failure",
    "group_comparable",
    "hold_line",
    "latex_comparisons",
    "latex_report",
    "live_lines",
    "nothing_judged",
    "outcome_lines",
    "plain",
    "print_comparisons",
    "print_failure",
    "print_published",
    "print_report",
    "print_runs",
    "published_leaderboard",
    "report_object",
    "status_lines",
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

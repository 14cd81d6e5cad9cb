"""Reports on a run: tables on the terminal, JSON for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolif._lazy import lazy
from evolif.report._escape import clip, plain

if TYPE_CHECKING:
    from evolif.report._analysis import ModelAnalysis, RunAnalysis, analyse
    from evolif.report._board import Board, boards_of
    from evolif.report._compared import comparisons_object, print_comparisons
    from evolif.report._comparison import Comparison, compare_models
    from evolif.report._console import Terminal
    from evolif.report._failure import first_failure, print_failure
    from evolif.report._json import report_object
    from evolif.report._json_full import analysis_object
    from evolif.report._latex import latex_comparisons, latex_report
    from evolif.report._published import NOT_COMPARABLE, Published, published_leaderboard
    from evolif.report._reproduce import Step, reproduce
    from evolif.report._spent import dollars
    from evolif.report._status import status_lines, status_table
    from evolif.report._summary import ModelSummary, summarise
    from evolif.report._tables import print_board, print_published, print_report

__all__ = [
    "NOT_COMPARABLE",
    "Board",
    "Comparison",
    "ModelAnalysis",
    "ModelSummary",
    "Published",
    "RunAnalysis",
    "Step",
    "Terminal",
    "analyse",
    "analysis_object",
    "boards_of",
    "clip",
    "compare_models",
    "comparisons_object",
    "dollars",
    "first_failure",
    "latex_comparisons",
    "latex_report",
    "plain",
    "print_board",
    "print_comparisons",
    "print_failure",
    "print_published",
    "print_report",
    "published_leaderboard",
    "report_object",
    "reproduce",
    "status_lines",
    "status_table",
    "summarise",
]

_HOMES = {
    "NOT_COMPARABLE": "_published",
    "Board": "_board",
    "Comparison": "_comparison",
    "ModelAnalysis": "_analysis",
    "ModelSummary": "_summary",
    "Published": "_published",
    "RunAnalysis": "_analysis",
    "Step": "_reproduce",
    "Terminal": "_console",
    "analyse": "_analysis",
    "analysis_object": "_json_full",
    "boards_of": "_board",
    "compare_models": "_comparison",
    "comparisons_object": "_compared",
    "dollars": "_spent",
    "first_failure": "_failure",
    "latex_comparisons": "_latex",
    "latex_report": "_latex",
    "print_board": "_tables",
    "print_comparisons": "_compared",
    "print_failure": "_failure",
    "print_published": "_tables",
    "print_report": "_tables",
    "published_leaderboard": "_published",
    "report_object": "_json",
    "reproduce": "_reproduce",
    "status_lines": "_status",
    "status_table": "_status",
    "summarise": "_summary",
}

# Load what needs the run store and rich only when it is used: `plain` is wanted for every error.
__getattr__ = lazy(__name__, _HOMES)

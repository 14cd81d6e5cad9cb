"""The report on a terminal: figures with intervals, satisfaction per group, what is not in the figures and why.

Metrics are rows and models are columns, a few to a table, so that every figure with its interval fits 80 characters.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from evolif._errors import UsageError
from evolif.money import PriceTable
from evolif.protocol import Run
from evolif.report import _sections as sections
from evolif.report._analysis import RunAnalysis
from evolif.report._board import Board
from evolif.report._draw import draw_grid, draw_grids, say
from evolif.report._escape import plain
from evolif.report._grid import LABELS, Cell, Grid
from evolif.report._published import NOT_COMPARABLE, Published
from evolif.report._sentences import (
    audit_lines,
    ceiling_line,
    early_line,
    remarks,
    settings_line,
    unfinished_line,
)
from evolif.report._spent import spent_lines
from evolif.report._summary import ModelSummary

_MORE = "More: --full for every breakdown, survival, hazard, patience sweep and rank stability; --html FILE for a page."


def print_report(
    run: Run, summaries: Sequence[ModelSummary], console: Console, prices: PriceTable | None = None
) -> None:
    """Print the short report of one run; what it cost by the packaged prices where None are given."""
    heads = [summary.model for summary in summaries]
    _beginning(run, console)
    _figures([run], heads, summaries, console)
    _ending([RunAnalysis(run)], console, prices)
    console.print()
    draw_grid(sections.groups(heads, summaries), console)
    _heuristic(heads, summaries, console)
    console.print()
    say(NOT_COMPARABLE, console, "dim")


def print_board(board: Board, console: Console, prices: PriceTable | None = None, *, full: bool = False) -> None:
    """Print the report of runs that stand side by side: the short one, or with every section."""
    runs, summaries = [analysis.run for analysis in board.runs], [model.summary for model in board.models]
    if board.why_alone:
        say(f"The runs stand in tables of their own: {board.why_alone}.", console)
    for analysis in board.runs:
        if len(runs) > 1:
            say(f"Run {analysis.name}", console, "bold")
        _beginning(analysis.run, console)
    _figures(runs, board.heads, summaries, console)
    _ending(board.runs, console, prices)
    console.print()
    if full:
        draw_grids([grid for grid in sections.full_sections(board) if grid.rows or grid.note], console)
    else:
        draw_grid(sections.groups_with_intervals(board), console)
    _heuristic(board.heads, summaries, console)
    console.print()
    if full:
        print_commands(board.runs, console)
    else:
        say(_MORE, console, "dim")
    say(NOT_COMPARABLE, console, "dim")


def print_commands(runs: Sequence[RunAnalysis], console: Console) -> None:
    """Print what makes the runs again."""
    say("To make this again:", console, "bold")
    for step in (step for analysis in runs for step in analysis.commands):
        # Not folded: a line break in the middle of a command would be pasted along.
        console.print(Text(f"  {plain(step.command)}"), soft_wrap=True)
        if step.note:
            say(f"  # {step.note}", console, "dim")


def print_published(published: Published, console: Console) -> None:
    """Print the published figures, under their warning and in a table of their own."""
    console.print()
    say(published.warning, console, "bold")
    draw_grid(published_grid(published), console)


def published_grid(published: Published) -> Grid:
    """The published figures as they were printed; whoever shows them says their warning first.

    Models are rows, for they are no columns of ours.
    """
    columns = list(next(iter(published.models.values())))
    rows = tuple(
        (
            name,
            tuple(Cell(f"{value if metric.startswith('edr') else 100 * value:.2f}") for metric, value in own.items()),
        )
        for name, own in published.models.items()
    )
    heads = tuple(LABELS[metric] for metric in columns)
    return Grid("published", f"As published: {published.source}", "model", heads, rows)


def _beginning(run: Run, console: Console) -> None:
    for line in (settings_line(run), early_line(run), unfinished_line(run)):
        if line:
            say(line, console)


def _figures(runs: Sequence[Run], heads: Sequence[str], summaries: Sequence[ModelSummary], console: Console) -> None:
    draw_grid(sections.headline(heads, summaries, max(run.settings.max_turns for run in runs)), console)
    start = 0
    for run in runs:
        end = start + len(run.models)
        for line in remarks(run, summaries[start:end], heads[start:end]):
            say(line, console)
        start = end


def _ending(runs: Sequence[RunAnalysis], console: Console, prices: PriceTable | None) -> None:
    for analysis in runs:
        try:
            say(ceiling_line(analysis.ceiling), console)
        except UsageError as fault:
            say(f"A perfect responder's ceiling could not be replayed: {fault}", console)
        for line in (*audit_lines(analysis), *spent_lines(analysis.run, prices)):
            say(line, console)


def _heuristic(heads: Sequence[str], summaries: Sequence[ModelSummary], console: Console) -> None:
    if any(s.heuristic for s in summaries):
        console.print()
        draw_grid(sections.heuristic(heads, summaries), console)

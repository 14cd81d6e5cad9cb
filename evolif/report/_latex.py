"""The tables for a paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evolif.report import _sections as sections
from evolif.report._board import Board
from evolif.report._comparison import Comparison
from evolif.report._grid import Grid
from evolif.report._published import NOT_COMPARABLE, Published
from evolif.report._tex import TexTable, small, tex

_HEADER = "% Tables made by evolif; they want \\usepackage{booktabs}.\n"

_WIDEST = 5
"""Models beside each other in a table; more stand in further ones."""


def latex_report(boards: Sequence[Board], published: Published | None = None) -> str:
    """Headline, groups and patience sweep of every board; the published leaderboard where given, under its warning."""
    parts = [_HEADER, f"% {NOT_COMPARABLE}\n"]
    for number, board in enumerate(boards, start=1):
        prefix = f"board{number}-" if len(boards) > 1 else ""
        parts += [str(table) for grid in _grids(board) for table in tables(grid, prefix)]
    if published is not None:
        from evolif.report._tables import published_grid

        grid = published_grid(published)
        grid = replace(grid, title=f"{published.warning} {grid.title}")
        parts += map(str, tables(grid, "", widest=len(grid.heads)))
    return "\n".join(parts)


def latex_comparisons(comparisons: Sequence[Comparison]) -> str:
    """A table per comparison, its conclusion below."""
    from evolif.report._compared import comparison_grid
    from evolif.report._verdict import conclusion

    parts = [_HEADER, f"% {NOT_COMPARABLE}\n"]
    for number, one in enumerate(comparisons, start=1):
        grid = comparison_grid(one)
        grid = replace(grid, note=f"{grid.note} {conclusion(one)}")
        prefix = f"{number}-" if len(comparisons) > 1 else ""
        parts += map(str, tables(grid, prefix, widest=len(grid.heads)))
    return "\n".join(parts)


def tables(grid: Grid, prefix: str, widest: int = _WIDEST) -> Iterator[TexTable]:
    """A grid as tables of at most so many columns; none where it has no rows."""
    if not grid.rows:
        return
    starts = range(0, len(grid.heads), widest)
    for number, start in enumerate(starts, start=1):
        part = grid.part(start, start + widest)
        yield TexTable(
            label=f"{prefix}{grid.name}{f'-{number}' if len(starts) > 1 else ''}",
            caption=grid.title or "The eight metrics with 95 % bootstrap intervals over dialogues",
            head=(part.first, *part.heads),
            rows=[
                (tex(name), *(f"{tex(cell.value)} {small(cell.aside)}".strip() for cell in cells))
                for name, cells in part.rows
            ],
            note=part.note,
        )


def _grids(board: Board) -> Iterator[Grid]:
    cap = max(run.settings.max_turns for run in board.runs)
    yield sections.headline(board.heads, [model.summary for model in board.models], cap)
    yield sections.groups_with_intervals(board)
    yield sections.survival(board)
    yield sections.sweep(board)
    yield sections.rank_stability(board)

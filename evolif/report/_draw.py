"""Grids on a terminal: every figure with its interval fits, whatever the width and the number of columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evolif.report._escape import plain
from evolif.report._grid import Cell, Grid

_PADDING = 3
"""Characters around each figure."""

_NARROW = 10
"""A column is at least so wide, for its head is folded to its width."""


def draw_grids(grids: Sequence[Grid], console: Console) -> None:
    """Print grids, an empty line before each but the first; those without rows only with their note."""
    for place, grid in enumerate(grids):
        if place:
            console.print()
        draw_grid(grid, console)


def draw_grid(grid: Grid, console: Console) -> None:
    """Print a grid, a few columns to a table."""
    if grid.title and (grid.rows or grid.note):
        console.print(Text(plain(grid.title), style="bold"))
    if grid.rows:
        first = max(len(plain(name)) for name in (grid.first, *(name for name, _ in grid.rows))) + _PADDING + 1
        widest = max((len(cell) for _, cells in grid.rows for cell in cells), default=1)
        taken = max(_NARROW, widest) + _PADDING
        chunk = max(1, (console.width - min(first, console.width // 2)) // taken)
        for start in range(0, len(grid.heads), chunk):
            console.print(_table(grid.part(start, start + chunk), most=console.width // 2))
    if grid.note:
        say(grid.note, console)


def say(sentence: str, console: Console, style: str = "") -> None:
    """Print a sentence that may hold foreign text."""
    console.print(Text(plain(sentence), style=style))


def _table(grid: Grid, most: int) -> Table:
    table = Table()
    table.add_column(Text(plain(grid.first)), overflow="fold", max_width=most)
    for head in grid.heads:
        table.add_column(_head(head), justify="right", overflow="fold")
    for name, cells in grid.rows:
        table.add_row(Text(plain(name)), *map(_figure, cells))
    return table


def _head(name: str) -> Text:
    provider, slash, rest = plain(name).partition("/")
    return Text(f"{provider}{slash}\n{rest}" if slash else provider)


def _figure(cell: Cell) -> Text:
    if not cell.aside:
        return Text(cell.value)
    text = Text(cell.value, style="bold")
    text.append(f" {cell.aside}", style="not bold dim")
    return text

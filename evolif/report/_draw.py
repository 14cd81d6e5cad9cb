"""Grids on a terminal: every figure with its interval fits, whatever the width and the number of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evolif.report._escape import plain
from evolif.report._grid import Cell, Grid

_PADDING = 3
"""Characters around each figure: a space on both sides, and a border."""

_NARROW = 10
"""A head is folded to its column's width, and is not folded to less than this."""


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
        for start, end in _parts(grid, console.width):
            console.print(_table(grid.part(start, end), most=console.width // 2))
    if grid.note:
        say(grid.note, console)


def say(sentence: str, console: Console, style: str = "") -> None:
    """Print a sentence that may hold foreign text."""
    console.print(Text(plain(sentence), style=style))


def _parts(grid: Grid, width: int) -> Iterator[tuple[int, int]]:
    """As many columns to a table as fit beside the names of the rows, at least one."""
    names = max(len(plain(name)) for name in (grid.first, *(name for name, _ in grid.rows)))
    room = width - 1 - min(names + _PADDING, width // 2)
    start, taken = 0, 0
    for place, head in enumerate(grid.heads):
        widest = max(len(cells[place]) for _, cells in grid.rows)
        wanted = max(widest, min(len(plain(head)), _NARROW)) + _PADDING
        if taken and taken + wanted > room:
            yield start, place
            start, taken = place, 0
        taken += wanted
    yield start, len(grid.heads)


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

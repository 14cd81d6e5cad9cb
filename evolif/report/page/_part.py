"""A section of the page before it is HTML."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from evolif.report._grid import Grid
from evolif.report._reproduce import Step

MOST_ROWS = 16
"""A table with more rows is shown on request."""


@dataclass(frozen=True, slots=True)
class Plate:
    """A figure with its caption; `svg` is ours, all else plain text."""

    name: str
    title: str
    caption: str
    svg: Markup
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A section: whatever is empty is not shown, and a section that holds nothing is none.

    Attributes:
        id: Its place in the address, unique in the page.
        title: Its heading.
        lead: A sentence below it.
        warnings: What no reader may miss.
        facts: Names and values.
        plates: Figures.
        grids: Tables.
        sentences: Remarks.
        commands: What a reader may run.
        tables_first: Whether the tables stand above the figures.
    """

    id: str
    title: str
    lead: str = ""
    warnings: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    plates: tuple[Plate, ...] = ()
    grids: tuple[Grid, ...] = ()
    sentences: tuple[str, ...] = ()
    commands: tuple[Step, ...] = ()
    tables_first: bool = False

    @property
    def holds_something(self) -> bool:
        """Whether there is anything to show but the heading."""
        return any((self.warnings, self.facts, self.plates, self.grids, self.sentences, self.commands))

    @property
    def short_grids(self) -> tuple[Grid, ...]:
        """Tables that are shown at once."""
        return tuple(grid for grid in self.grids if len(grid.rows) <= MOST_ROWS)

    @property
    def long_grids(self) -> tuple[Grid, ...]:
        """Tables that are shown on request."""
        return tuple(grid for grid in self.grids if len(grid.rows) > MOST_ROWS)

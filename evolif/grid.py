"""Tables of reports, and the chapters of a page: what a scenario gives, and every kind of report shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableCell:
    """A figure, and a qualification in small print. Plain text, not made safe."""

    value: str = "-"
    aside: str = ""

    def __len__(self) -> int:
        return len(self.value) + bool(self.aside) + len(self.aside)


TableRow = tuple[str, tuple[TableCell, ...]]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A section of the page: the figures and tables that stand together.

    Attributes:
        name: One word, for links.
        title: Its heading.
        lead: A sentence below it; empty for none.
        figures: Names of figures, in order; what a run does not have is left out.
        tables: Names of tables.
    """

    name: str
    title: str
    lead: str = ""
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of a report.

    Attributes:
        name: One word, for labels.
        title: What it shows; empty for none.
        first: Head of the column of row names.
        heads: Heads of the other columns.
        rows: Name and cells, one per head.
        note: A remark for the reader; empty for none.
    """

    name: str
    title: str
    first: str
    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    note: str = ""

    def part(self, start: int, end: int) -> Grid:
        """The table with some of its columns."""
        rows = tuple((name, cells[start:end]) for name, cells in self.rows)
        return Grid(self.name, self.title, self.first, self.heads[start:end], rows, self.note)

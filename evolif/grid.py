"""Tables and heat maps of reports, and the chapters of a page: what a scenario gives, and every report shows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evolif.errors import ArgumentError

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


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


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A value, and how many observations it has; None where there is none, and where nobody counts."""

    value: float | None = None
    of: int | None = None


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A figure of a report: values over rows and columns, as numbers on colours of one scale.

    Attributes:
        name: Lower-case words joined by hyphens, for links and files.
        title: A few words.
        caption: What it shows, in sentences. Plain text.
        columns: Names; no two alike.
        rows: Name and cells, one per column; no two names alike.
        counted: What `HeatCell.of` counts, in the plural; empty if it is nowhere set.
        signed: False for shares from 0 to 1, shown in per cent; True for correlations from -1 to 1.

    Raises:
        ArgumentError: The name is of another form, names repeat, or a row has more or fewer cells than columns.
    """

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell, ...]], ...]
    counted: str = ""
    signed: bool = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ArgumentError(f"{self.name!r} names no figure; use lower-case words joined by hyphens")
        for names in (self.columns, [name for name, _ in self.rows]):
            if len(set(names)) < len(names):
                raise ArgumentError(f"the heat map {self.name} has rows or columns of the same name; number them")
        if any(len(cells) != len(self.columns) for _, cells in self.rows):
            raise ArgumentError(
                f"the heat map {self.name} has {len(self.columns)} columns; give each row as many cells"
            )

"""The typed blocks of a response's content: what a reader of the rendered answer sees, in order."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Literal

BlockKind = Literal["paragraph", "heading", "item", "cell", "code", "value", "row"]

CELL_GAP = "\x1f"
"""Separates the cells of a CSV row: white space between words, but never part of a keyword."""

MAX_DEPTH = 200
"""Deeper nesting fails a format before any recursive parser sees it."""

Range = tuple[int, int]
UNKNOWN: Range = (-1, -1)
"""The range of a counted element whose place in the body is unknown."""


class FormatFaultError(Exception):
    """The body does not parse as the requested format: a finding about the answer, never a crash."""

    def __init__(self, reason: str, offset: int = -1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


@dataclass(slots=True)
class Block:
    """One leaf block; `pieces` map content to body as (offset in text, offset in body, length)."""

    kind: BlockKind
    text: str
    running: bool = False
    """Holds sentences: running text or a list item."""
    paragraph: int = -1
    """Which paragraph it belongs to (a list is one), or -1."""
    number: str = ""
    """The ordered list's number that a reader sees right before it."""
    pieces: list[tuple[int, int, int]] = field(default_factory=list)
    bold: list[Range] = field(default_factory=list)
    """The bold parts of the text, where known."""
    code: list[Range] = field(default_factory=list)
    """The parts of the text that are code, where known; all of a block of kind `code` is."""
    quoted: bool = False
    """Stands in a block quote."""
    level: int = 0
    """Of a heading that is marked as one, 1 to 6; a wholly bold line has none."""

    def to_body(self, offset: int, *, end: bool = False) -> int | None:
        """The offset in the body of a character of the text, or of the `end` of a range; None if unknown."""
        probe = offset - 1 if end else offset
        index = bisect_right(self.pieces, probe, key=itemgetter(0)) - 1
        if index < 0:
            return None
        at, body, length = self.pieces[index]
        return body + offset - at if probe < at + length else None


ItemKind = Literal["bullet", "number", ""]


@dataclass(slots=True)
class ListItem:
    """A list item being read; it counts only if `filled`, that is, if it has content."""

    kind: ItemKind
    start: int = -1
    filled: bool = False
    first: int = 0
    """How many blocks there were before it."""


@dataclass(frozen=True, slots=True)
class OuterItem:
    """An item of an outermost list, nested items included: a range of blocks, and its range in the body."""

    kind: ItemKind
    first: int
    after: int
    place: Range


@dataclass(slots=True)
class Table:
    """A Markdown table: its header cells as a reader sees them, and how many data rows hold text."""

    header: list[str] = field(default_factory=list)
    rows: int = 0


@dataclass(slots=True)
class Content:
    """All blocks of a body, and everything else that checkers count. Ranges are in the body."""

    blocks: list[Block]
    paragraphs: int = 0
    bullets: list[Range] = field(default_factory=list)
    """Bullet items that have content."""
    numbered: list[Range] = field(default_factory=list)
    """Items of ordered lists that have content."""
    outer_items: list[OuterItem] = field(default_factory=list)
    """Items of outermost lists that have content."""
    mark_lines: frozenset[int] = frozenset()
    """Lines of the body, from 0, that are only marks: fences, rules, delimiter rows, underlines of headings."""
    code_lines: list[Range] = field(default_factory=list)
    """The first and last line of each fenced code block, fences included."""
    strong: list[Range] = field(default_factory=list)
    """Outermost bold passages that have content."""
    tables: list[Table] = field(default_factory=list)
    """Markdown tables, without those written in HTML."""
    delimiter_rows: list[Range] = field(default_factory=list)
    literal_first: str = ""
    """A JSON literal before all content; a start constraint fails beside it."""
    literal_last: str = ""
    elements: int = 0
    """Markdown elements used (heading, list, table, quote, code, emphasis, link)."""
    open_fence: int = -1
    """Offset of a code fence that is never closed, or -1."""

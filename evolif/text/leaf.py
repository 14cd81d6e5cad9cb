"""A leaf block of Markdown while it is read: its text, where that stands in the body, and which lines are bold."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from evolif.text.blocks import BlockKind, Range
from evolif.text.tokens import clean

_QUOTES = "\"'”’»“"
_ENDED = (".", "!", "。")
_ASKING = ("?", "…")
_NUMBERED = re.compile(r"\(?(?:\d{1,3}|[^\W\d_])[.)]\s")


@dataclass(slots=True)
class Line:
    """A finished line of a leaf: where it ends in `Leaf.parts` and `Leaf.pieces`, and what it holds."""

    parts: int
    pieces: int
    length: int
    """Characters of the leaf up to the line's end, its break included."""
    plain: bool
    bold: bool
    closed: bool
    """Whether no bold passage goes on in the next line."""


@dataclass(slots=True)
class Leaf:
    """The leaf block that is being read."""

    kind: BlockKind
    parts: list[str] = field(default_factory=list)
    pieces: list[tuple[int, int, int]] = field(default_factory=list)
    length: int = 0
    breaks: int = 0
    plain: bool = False
    """Holds text that is not bold."""
    bold: bool = False
    """Holds bold text."""
    bold_parts: list[Range] = field(default_factory=list)
    """The bold ranges of the text, in order."""
    code_parts: list[Range] = field(default_factory=list)
    """The ranges of code in the text, in order."""
    level: int = 0
    lines: list[Line] = field(default_factory=list)
    """The finished lines."""
    line_plain: bool = False
    """The present line holds text that is not bold."""
    line_bold: bool = False

    def end_line(self, *, closed: bool) -> None:
        """Begin another line; `closed` if no bold passage goes on in it."""
        self.parts.append("\n")
        self.length += 1
        self.breaks += 1
        self._note_line(closed=closed)

    def _note_line(self, *, closed: bool) -> None:
        line = Line(len(self.parts), len(self.pieces), self.length, self.line_plain, self.line_bold, closed)
        self.lines.append(line)
        self.line_plain = self.line_bold = False

    def text(self) -> str:
        """The text so far, cleaned: a character reference may stand for a character that rule 1 removes."""
        joined = "".join(self.parts)
        text = clean(joined)
        if len(text) != len(joined):
            self.pieces, self.bold_parts, self.code_parts = [], [], []  # their places are no longer known
        return text.rstrip("\n")

    def final_kind(self) -> BlockKind:
        """A setext heading of several lines is running text; a wholly bold line is a heading."""
        if self.kind == "heading" and self.breaks:
            return "paragraph"
        if self.kind == "paragraph" and self.bold and not self.plain and not self.breaks:
            return "heading"
        return self.kind

    def split(self) -> Iterator[tuple[Leaf, bool]]:
        """The leaf in parts, and whether each is a bold title line (edition 2)."""
        kind = self.final_kind()
        if not (self.breaks and self.bold and self.plain) or kind not in ("paragraph", "item"):
            yield self, False
            return
        self._note_line(closed=True)
        titles = self._titles()
        if not any(titles):
            yield self, False
            return
        start = Line(0, 0, 0, False, False, True)
        for is_title, group in groupby(zip(self.lines, titles, strict=True), key=lambda pair: pair[1]):
            # Two titles are never next to each other: a title is followed by text.
            own = [line for line, _ in group]
            end = own[-1]
            yield self._part(kind, own, start, end), is_title
            start = end

    def _part(self, kind: BlockKind, own: list[Line], start: Line, end: Line) -> Leaf:
        """Some lines of the leaf as a leaf of their own: from the end of one line to the end of another."""
        return Leaf(
            kind,
            self.parts[start.parts : end.parts],
            [(at - start.length, body, length) for at, body, length in self.pieces[start.pieces : end.pieces]],
            breaks=len(own) - 1,
            plain=any(line.plain for line in own),
            bold=any(line.bold for line in own),
            bold_parts=_within(self.bold_parts, start.length, end.length),
            code_parts=_within(self.code_parts, start.length, end.length),
        )

    def _titles(self) -> list[bool]:
        """Per line, whether it is a bold title: with text that is not wholly bold in the next line."""
        begins = [True, *(line.closed for line in self.lines[:-1])]
        wholly = [
            line.bold and not line.plain and line.closed and begun
            for line, begun in zip(self.lines, begins, strict=True)
        ]
        titles, start = [], 0
        for index, line in enumerate(self.lines):
            text = "".join(self.parts[start : line.parts]).strip().rstrip(_QUOTES)
            start = line.parts
            followed = index + 1 < len(self.lines) and self.lines[index + 1].plain
            titles.append(wholly[index] and followed and self._may_be_title(text, first=index == 0))
        return titles

    def _may_be_title(self, text: str, *, first: bool) -> bool:
        if not first and (self.kind == "item" or text.endswith(_ASKING)):
            return False
        return not text.endswith(_ENDED) or _NUMBERED.match(text) is not None


def _within(parts: list[Range], start: int, end: int) -> list[Range]:
    """What of some ranges, in order, lies between two places; counted from the first."""
    first = bisect_right(parts, start, key=itemgetter(1))
    after = bisect_left(parts, end, lo=first, key=itemgetter(0))
    return [(max(a, start) - start, min(b, end) - start) for a, b in parts[first:after]]

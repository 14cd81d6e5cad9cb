"""Parts of an answer: its items, paragraphs, lines or sentences, each with its text as a reader sees it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal

from evolif.text.blocks import Block, Range
from evolif.text.reading import Reading
from evolif.text.sentences import sentences

PartUnit = Literal["item", "paragraph", "line", "sentence"]

_MARKS = re.compile(r"(?:[>\s]|[-*+•](?=\s)|[0-9]{1,9}[.)](?=\s)|#{1,6}(?=\s))*+")


@dataclass(frozen=True, slots=True)
class Part:
    """A part: the ranges of the content's text that belong to it, or a line of the body whose text is not known."""

    ranges: tuple[Range, ...]
    text: str

    @property
    def place(self) -> tuple[int, int]:
        """From its beginning to its end, in the content's text."""
        return (self.ranges[0][0], self.ranges[-1][1]) if self.ranges else (0, 0)

    def sentences(self, reading: Reading) -> int:
        """How many sentences it has; a line of a heading is one, tables and code have none."""
        if not self.ranges:
            return len(sentences(self.text, reading.surroundings))
        found = 0
        for block, text in (piece for start, end in self.ranges for piece in _pieces(reading, start, end)):
            if block.kind == "heading":
                found += sum(1 for line in text.split("\n") if any(map(str.isalnum, line)))
            elif block.running:
                found += len(sentences(text, reading.surroundings))
        return found


def _pieces(reading: Reading, start: int, end: int) -> Iterator[tuple[Block, str]]:
    """The blocks in a range of the content's text, with what of their text is in it."""
    index = max(0, bisect_right(reading.offsets, start) - 1)
    while index < len(reading.blocks) and reading.offsets[index] < end:
        block, at = reading.blocks[index], reading.offsets[index]
        text = block.text[max(0, start - at) : end - at]
        if text:
            yield block, text
        index += 1


def parts_of(reading: Reading, unit: PartUnit) -> list[Part]:
    """The parts of an answer; the data formats JSON, CSV and XML have none.

    Items are `Reading.points`, with all that belongs to them; a list is one paragraph.
    """
    if reading.fmt in ("json", "csv", "xml") and reading.fault is None and reading.content.blocks:
        return []
    if unit == "line":
        return _lines(reading)
    ranges: list[tuple[Range, ...]]
    if unit == "item":
        ranges = [((point.text, point.end),) for point in reading.points]
    elif unit == "sentence":
        ranges = [(span,) for span in reading.sentence_spans]
    else:
        ranges = _paragraphs(reading)
    return [Part(spans, "\n".join(reading.content_text[a:b] for a, b in spans).strip()) for spans in ranges]


def _paragraphs(reading: Reading) -> list[tuple[Range, ...]]:
    found: dict[int, list[Range]] = {}
    for at, block in zip(reading.offsets, reading.blocks, strict=True):
        if block.paragraph >= 0:
            found.setdefault(block.paragraph, []).append((at, at + len(block.text)))
    return [tuple(ranges) for ranges in found.values()]


def _lines(reading: Reading) -> list[Part]:
    """The lines of the body, each with what a reader sees of it."""
    starts = [start for start, _ in reading.lines]
    seen: dict[int, list[Range]] = {}
    for at, block in zip(reading.offsets, reading.blocks, strict=True):
        start = 0
        for line in block.text.split("\n"):
            place = _place_in_body(block, start, start + len(line))
            number = bisect_right(starts, place) - 1
            if line.strip() and place >= 0 and number >= 0 and place < reading.lines[number][1]:
                seen.setdefault(number, []).append((at + start, at + start + len(line)))
            start += len(line) + 1
    parts = []
    for number, (start, end) in enumerate(reading.lines):
        ranges = tuple(seen.get(number, ()))
        text = " ".join(reading.content_text[a:b] for a, b in ranges)
        if not ranges:
            marks = _MARKS.match(reading.body, start, end)
            text = reading.body[marks.end() if marks else start : end]
        parts.append(Part(ranges, text.strip()))
    return parts


def _place_in_body(block: Block, start: int, end: int) -> int:
    """Where a range of a block's text begins in the body, as far as is known; -1 if nowhere."""
    index = max(0, bisect_right(block.pieces, start, key=itemgetter(0)) - 1)
    for at, body, length in block.pieces[index : index + 2]:
        if at < end and at + length > start:
            return body + max(0, start - at)
    return -1

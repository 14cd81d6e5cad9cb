"""Points: what a reader counts as the items of an answer, whether they are headings, labelled lines or list items."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from evolif.text.blocks import Block, Content
from evolif.text.labels import bold_passage, counted_lines, is_bold, text_lines

PointKind = Literal["numbered heading", "numbered line", "numbered item", "bullet item"]

_NUMBER = re.compile(r"(?:[0-9]{1,3}(?:[.)]|\ufe0f?\u20e3)|([^\W\d_]++ #?)?[0-9]{1,3}:)(?=\s|\Z)")
"""What a numbered heading begins with."""


@dataclass(frozen=True, slots=True)
class Point:
    """One point, with everything that belongs to it; ranges are in the content's text."""

    kind: PointKind
    start: int
    end: int
    text: int
    """Where its text begins, behind a number."""


def read_points(content: Content, offsets: Sequence[int]) -> list[Point]:
    """The points of an answer.

    Two or more headings or wholly bold lines outside lists that begin with a number; else two or more lines outside
    lists that count up (`Version 1: …`); else two or more numbered items of outermost lists; else the bullets of
    outermost lists; else a lone numbered item. A point that is no list item reaches to the next one.

    Args:
        content: The content of an answer.
        offsets: Where each block starts in the content's text.
    """
    blocks = content.blocks
    end = offsets[-1] + len(blocks[-1].text) if blocks else 0
    listed = {index for item in content.outer_items for index in range(item.first, item.after)}
    starts = _numbered_headings(content, offsets, listed)
    if len(starts) > 1:
        return _reaching(starts, end, "numbered heading")
    lines = counted_lines(blocks, listed)
    if lines:
        return _reaching([(at := offsets[line.block] + line.line, at) for line in lines], end, "numbered line")
    return _items(content, offsets)


def _numbered_headings(content: Content, offsets: Sequence[int], listed: Collection[int]) -> list[tuple[int, int]]:
    """Where each begins outside lists, and where its text does."""
    found = []
    for index, start, end in text_lines(content.blocks):
        block = content.blocks[index]
        number = None if index in listed else _NUMBER.match(block.text, start, end)
        if number and (block.kind == "heading" or _is_bold_line(block, start, end)):
            found.append((offsets[index] + start, offsets[index] + (start if number.group(1) else number.end())))
    return found


def _is_bold_line(block: Block, start: int, end: int) -> bool:
    text = block.text
    first = start + len(text[start:end]) - len(text[start:end].lstrip())
    last = start + len(text[start:end].rstrip())
    passage = bold_passage(block, first, last)
    return passage is not None and passage[0] <= first and last <= passage[1] and is_bold(block, first, last)


def _reaching(starts: Sequence[tuple[int, int]], end: int, kind: PointKind) -> list[Point]:
    ends = [*(at - 1 for at, _ in starts[1:]), end]
    return [Point(kind, at, last, text) for (at, text), last in zip(starts, ends, strict=True)]


def _items(content: Content, offsets: Sequence[int]) -> list[Point]:
    numbered = [item for item in content.outer_items if item.kind == "number"]
    bullets = [item for item in content.outer_items if item.kind == "bullet"]
    kind: PointKind = "numbered item" if len(numbered) > 1 or not bullets else "bullet item"
    found = []
    for item in numbered if kind == "numbered item" else bullets:
        start, last = offsets[item.first], item.after - 1
        found.append(Point(kind, start, offsets[last] + len(content.blocks[last].text), start))
    return found

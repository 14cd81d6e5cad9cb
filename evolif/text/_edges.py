"""Rule 10: the first and the last content character."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from evolif.text._blocks import Block, Content

_SIGNS = frozenset("<>#*_~|+=^`")


@lru_cache(maxsize=4096)
def is_skippable(char: str) -> bool:
    """White space, Unicode punctuation, and the signs that stand for mark-up."""
    return char.isspace() or char in _SIGNS or unicodedata.category(char)[0] == "P"


@dataclass(frozen=True, slots=True)
class Edge:
    """Where content begins (or ends): the block, the offset of its first (after its last) content character.

    `blocked` is what stands there instead: an ordered list's number or a JSON literal.
    """

    block: int
    offset: int
    blocked: str = ""


def start_edge(content: Content) -> Edge | None:
    """The first content character; None where there is none."""
    for index, block in enumerate(content.blocks):
        if content.literal_first:
            return Edge(index, 0, content.literal_first)
        if block.number:
            return Edge(index, 0, block.number)
        for offset, char in enumerate(block.text):
            if not is_skippable(char):
                return Edge(index, offset)
    return None


def end_edge(content: Content) -> Edge | None:
    """The offset just after the last content character; None where there is none."""
    for index in range(len(content.blocks) - 1, -1, -1):
        block = content.blocks[index]
        if content.literal_last:
            return Edge(index, len(block.text), content.literal_last)
        for offset in range(len(block.text), 0, -1):
            if not is_skippable(block.text[offset - 1]):
                return Edge(index, offset)
        if block.number:
            return Edge(index, 0, block.number)
    return None


def outer_block(content: Content, *, last: bool) -> tuple[int, Block] | None:
    """The first (or last) block with a visible character, for edges on which nothing is skipped."""
    order = range(len(content.blocks) - 1, -1, -1) if last else range(len(content.blocks))
    for index in order:
        if content.blocks[index].text.strip():
            return index, content.blocks[index]
    return None

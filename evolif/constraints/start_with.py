"""`start_with` (SW): how the content begins."""

from __future__ import annotations

from evolif.constraints._base import shorten
from evolif.constraints._edge_group import EdgeGroup
from evolif.constraints._quotations import closing_of
from evolif.domain import Verdict
from evolif.text import Edge, Reading, first_grapheme, fold, is_skippable, outer_block


class StartWith(EdgeGroup):
    """The first content character, keyword or quotation."""

    name = "start_with"
    verb = "starts"

    def edge(self, reading: Reading) -> Edge | None:
        """The first content character."""
        return reading.start

    def outer_grapheme(self, text: str, offset: int) -> tuple[int, int]:
        """The first grapheme."""
        return offset, offset + len(first_grapheme(text, offset))

    def check_keyword(self, keyword: str, edge: Edge, reading: Reading, expected: str) -> Verdict:
        """The first occurrence has nothing but skippable characters before it."""
        for block, start, end in reading.occurrences(keyword)[:1]:
            before = reading.folded[block][:start]
            if block <= edge.block and all(map(is_skippable, before)):
                return self.verdict(True, expected, expected, reading.folded_spans(block, start, end))
        text = reading.blocks[edge.block].text[edge.offset :]
        return self.verdict(False, expected, f"starts with “{shorten(text, len(fold(keyword)) + 12)}”")

    def check_quotation(self, left: str, right: str, reading: Reading) -> Verdict:
        """The content starts with *left*, which *right* closes in its block."""
        expected = f"starts with a quotation {left}…{right} that closes in its block"
        found = outer_block(reading.content, last=False)
        if found is None:
            return self.verdict(False, expected, "no content")
        index, block = found
        blocked = reading.content.literal_first or block.number
        text = block.text.lstrip()
        if blocked or not text.startswith(left):
            return self.verdict(False, expected, f"starts with {blocked or first_grapheme(text)}")
        closing = closing_of(text, left, right)
        if closing is None:
            return self.verdict(False, expected, f"{left} is not closed after some text in its block")
        at = len(block.text) - len(text)
        return self.verdict(True, expected, f"{left}…{right}", reading.spans(index, at, at + closing + 1))

"""`end_with` (EW): how the content ends; the mirror of `start_with`."""

from __future__ import annotations

from evolif.constraints._base import shorten
from evolif.constraints._edge_group import EdgeGroup
from evolif.constraints._quotations import opening_of
from evolif.domain import Verdict
from evolif.text import Edge, Reading, fold, is_skippable, last_grapheme, outer_block


class EndWith(EdgeGroup):
    """The last content character, keyword or quotation."""

    name = "end_with"
    verb = "ends"

    def edge(self, reading: Reading) -> Edge | None:
        """Just after the last content character."""
        return reading.end

    def outer_grapheme(self, text: str, offset: int) -> tuple[int, int]:
        """The last grapheme."""
        return offset - len(last_grapheme(text, offset)), offset

    def check_keyword(self, keyword: str, edge: Edge, reading: Reading, expected: str) -> Verdict:
        """The last occurrence has nothing but skippable characters after it."""
        for block, start, end in reading.occurrences(keyword)[-1:]:
            after = reading.folded[block][end:]
            if block >= edge.block and all(map(is_skippable, after)):
                return self.verdict(True, expected, expected, reading.folded_spans(block, start, end))
        text = reading.blocks[edge.block].text[: edge.offset]
        return self.verdict(False, expected, f"ends with “{shorten(text[-len(fold(keyword)) - 12 :])}”")

    def check_quotation(self, left: str, right: str, reading: Reading) -> Verdict:
        """The content ends with *right*, which *left* opens in its block."""
        expected = f"ends with a quotation {left}…{right} that opens in its block"
        found = outer_block(reading.content, last=True)
        if found is None:
            return self.verdict(False, expected, "no content")
        index, block = found
        text = block.text.rstrip()
        if reading.content.literal_last or not text.endswith(right):
            last = reading.content.literal_last or last_grapheme(text, len(text))
            return self.verdict(False, expected, f"ends with {last}")
        opening = opening_of(text, left, right)
        if opening is None:
            return self.verdict(False, expected, f"{right} is not opened before some text in its block")
        return self.verdict(True, expected, f"{left}…{right}", reading.spans(index, opening, len(text)))

"""`start_with` (SW): how the content begins."""

from __future__ import annotations

from evolif.constraints._base import shorten
from evolif.constraints._edge_params import EdgeGroup
from evolif.constraints._quotations import closing_of
from evolif.domain import Params, Verdict
from evolif.text import Reading, first_grapheme, fold, is_skippable, outer_block, without_selectors


class StartWith(EdgeGroup):
    """The first content character, keyword or quotation."""

    name = "start_with"

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Compare on the skipped edge, a quotation on the unskipped one."""
        if params["mode"] == "quotation":
            return self._quotation(params["left"], params["right"], reading)
        if params["mode"] == "keyword":
            return self._keyword(params["value"], reading)
        return self._grapheme(params["mode"], params["value"], reading)

    def _grapheme(self, mode: str, value: str, reading: Reading) -> Verdict:
        expected = f"starts with the letter {value.upper()}" if mode == "letter" else f"starts with {value}"
        edge = reading.start
        if edge is None or edge.blocked:
            return self.verdict(False, expected, f"starts with {edge.blocked}" if edge else "no content")
        found = first_grapheme(reading.blocks[edge.block].text, edge.offset)
        if mode == "letter":
            satisfied = found.lower() == value.lower()
        else:
            satisfied = without_selectors(found) == without_selectors(value)
        spans = reading.spans(edge.block, edge.offset, edge.offset + len(found))
        return self.verdict(satisfied, expected, f"starts with {found}", spans)

    def _keyword(self, keyword: str, reading: Reading) -> Verdict:
        expected = f"starts with “{keyword}”"
        edge = reading.start
        if edge is None or edge.blocked:
            return self.verdict(False, expected, f"starts with {edge.blocked}" if edge else "no content")
        for block, start, end in reading.occurrences(keyword):
            before = reading.folded[block][:start]
            if block <= edge.block and all(map(is_skippable, before)):
                return self.verdict(True, expected, expected, reading.folded_spans(block, start, end))
            break
        text = reading.blocks[edge.block].text[edge.offset :]
        return self.verdict(False, expected, f"starts with “{shorten(text, len(fold(keyword)) + 12)}”")

    def _quotation(self, left: str, right: str, reading: Reading) -> Verdict:
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

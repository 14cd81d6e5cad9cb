"""`end_with` (EW): how the content ends; the mirror of `start_with`."""

from __future__ import annotations

from evolif.constraints._base import shorten
from evolif.constraints._edge_params import EdgeGroup
from evolif.constraints._quotations import opening_of
from evolif.domain import Params, Verdict
from evolif.text import Reading, fold, is_skippable, last_grapheme, outer_block, without_selectors


class EndWith(EdgeGroup):
    """The last content character, keyword or quotation."""

    name = "end_with"

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Compare on the skipped edge, a quotation on the unskipped one."""
        if params["mode"] == "quotation":
            return self._quotation(params["left"], params["right"], reading)
        if params["mode"] == "keyword":
            return self._keyword(params["value"], reading)
        return self._grapheme(params["mode"], params["value"], reading)

    def _grapheme(self, mode: str, value: str, reading: Reading) -> Verdict:
        expected = f"ends with the letter {value.upper()}" if mode == "letter" else f"ends with {value}"
        edge = reading.end
        if edge is None or edge.blocked:
            return self.verdict(False, expected, f"ends with {edge.blocked}" if edge else "no content")
        found = last_grapheme(reading.blocks[edge.block].text, edge.offset)
        if mode == "letter":
            satisfied = found.lower() == value.lower()
        else:
            satisfied = without_selectors(found) == without_selectors(value)
        spans = reading.spans(edge.block, edge.offset - len(found), edge.offset)
        return self.verdict(satisfied, expected, f"ends with {found}", spans)

    def _keyword(self, keyword: str, reading: Reading) -> Verdict:
        expected = f"ends with “{keyword}”"
        edge = reading.end
        if edge is None or edge.blocked:
            return self.verdict(False, expected, f"ends with {edge.blocked}" if edge else "no content")
        for block, start, end in reversed(reading.occurrences(keyword)):
            after = reading.folded[block][end:]
            if block >= edge.block and all(map(is_skippable, after)):
                return self.verdict(True, expected, expected, reading.folded_spans(block, start, end))
            break
        text = reading.blocks[edge.block].text[: edge.offset]
        return self.verdict(False, expected, f"ends with “{shorten(text[-len(fold(keyword)) - 12 :])}”")

    def _quotation(self, left: str, right: str, reading: Reading) -> Verdict:
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

"""`headings`: how many headings there are. Not in the paper."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from evolif.constraints._base import plural
from evolif.constraints._counts import CountGroup, CountParams
from evolif.domain import Params, Span, Verdict
from evolif.text import Reading


class Headings(CountGroup):
    """Headings of any level, and wholly bold lines of their own, which a reader takes for headings."""

    name = "headings"
    adapter: TypeAdapter[Any] = TypeAdapter(CountParams)

    def note(self, params: Params, fmt: str | None) -> str:
        """What a heading is in HTML."""
        return "In HTML, the elements <h1> to <h6> and wholly bold blocks count." if fmt == "html" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count the heading blocks."""
        spans: list[Span] = []
        count = 0
        for index, block in enumerate(reading.blocks):
            if block.kind == "heading":
                count += 1
                spans.extend(reading.spans(index, 0, len(block.text)))
        expected = f"exactly {plural(params['count'], 'heading')}"
        return self.verdict(count == params["count"], expected, plural(count, "heading"), spans)

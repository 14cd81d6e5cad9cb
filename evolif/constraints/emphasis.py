"""`emphasis`: how many passages are in bold. Not in the paper."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from evolif.constraints._base import plural
from evolif.constraints._counts import CountGroup, CountParams
from evolif.domain import Params, Span, Verdict
from evolif.text import Reading


class Emphasis(CountGroup):
    """Passages between `**` or `__`, in HTML `<b>` and `<strong>`; bold inside bold is no passage of its own."""

    name = "emphasis"
    adapter: TypeAdapter[Any] = TypeAdapter(CountParams)

    def note(self, params: Params, fmt: str | None) -> str:
        """What bold is in HTML."""
        return "In HTML, the elements <b> and <strong> count." if fmt == "html" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count the passages that hold text."""
        passages = reading.content.strong
        spans = [Span(start, end, "body") for start, end in passages if start >= 0]
        expected = f"exactly {plural(params['count'], 'bold passage')}"
        found = plural(len(passages), "bold passage")
        return self.verdict(len(passages) == params["count"], expected, found, spans)

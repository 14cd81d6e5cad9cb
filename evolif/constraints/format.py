"""`format` (FMT): the body is JSON, XML, HTML, CSV or Markdown."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import TypeAdapter

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group, ParamsModel
from evolif.domain import Params, Span, Verdict
from evolif.text import Reading

_NAMES = {"json": "JSON", "xml": "XML", "html": "HTML", "csv": "CSV", "markdown": "Markdown"}


class _Format(ParamsModel):
    mode: Literal["json", "xml", "html", "csv", "markdown"]


class Format(Group):
    """The only group that reads the body as it stands."""

    name = "format"
    adapter: TypeAdapter[Any] = TypeAdapter(_Format)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the formats, all alike."""
        return {"mode": stream.choice(context.pool["modes"])}

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Whether the reading could parse the body as this format."""
        mode = params["mode"]
        expected = f"valid {_NAMES[mode]}"
        if mode != "markdown":
            _ = reading.content  # parsing sets the fault
            fault = reading.fault
            if fault is None:
                return self.verdict(True, expected, expected)
            spans = [Span(fault.offset, fault.offset + 1, "body")] if fault.offset >= 0 else []
            return self.verdict(False, expected, f"not {_NAMES[mode]}: {fault.reason}", spans)
        content = reading.content
        if content.open_fence >= 0:
            place = Span(content.open_fence, content.open_fence + 3, "body")
            return self.verdict(False, expected, "a code fence is never closed", [place])
        if not content.elements:
            return self.verdict(False, "at least one Markdown element", "plain text without Markdown")
        return self.verdict(True, "at least one Markdown element", f"{content.elements} Markdown elements")

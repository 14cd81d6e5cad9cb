"""`bullets` (CTI): how many bullet list items there are."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group, ParamsModel, plural
from evolif.domain import Params, Span, Verdict
from evolif.text import Reading


class _Bullets(ParamsModel):
    count: Annotated[int, Field(ge=0)]


class Bullets(Group):
    """Items marked with `-`, `*`, `+` or `•` at any depth; in HTML the `li` of a `ul`."""

    name = "bullets"
    adapter: TypeAdapter[Any] = TypeAdapter(_Bullets)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """A count from the pool."""
        return {"count": stream.between(context.pool["min"], context.pool["max"])}

    def key(self, params: Params) -> str:
        """There is one mode."""
        return "count"

    def note(self, params: Params, fmt: str | None) -> str:
        """What a bullet is in HTML."""
        return "In HTML, the <li> elements of a <ul> count." if fmt == "html" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count the items that have content."""
        items = reading.content.bullets
        spans = [Span(start, end, "body") for start, end in items if start >= 0]
        expected = f"exactly {plural(params['count'], 'bullet item')}"
        return self.verdict(len(items) == params["count"], expected, plural(len(items), "bullet item"), spans)

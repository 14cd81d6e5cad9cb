"""`punctuation` (PTT): a mark that must occur, or must not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from evolif.constraints.base import DrawContext, Group, ParamsModel
from evolif.rng import Stream
from evolif.text import Reading
from evolif.types import Params, Span, Verdict

_WHERE_EXCLUDED = {
    "json": "The ban is on keys and values, not on the syntax.",
    "csv": "The ban is on the cells, not on what stands between them.",
    "html": "The ban is on the visible text, not on the tags.",
    "xml": "The ban is on the text, not on the tags.",
}
"""Formats in which an excluded mark is searched for in the content only, and the note that says so."""


class _Punctuation(ParamsModel):
    mode: Literal["include", "exclude"]
    mark: Annotated[str, Field(min_length=1, max_length=16, pattern=r"\S")]


def _places(text: str, mark: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))


class Punctuation(Group):
    """Inclusion is checked in the content; exclusion in the body, or in the content for data formats."""

    name = "punctuation"
    adapter: TypeAdapter[Any] = TypeAdapter(_Punctuation)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """Include or exclude, then a mark from that pool."""
        mode = stream.choice(("include", "exclude"))
        return {"mode": mode, "mark": stream.choice(context.pool[mode])[0]}

    def slots(self, params: Params) -> dict[str, str]:
        """The mark in quotation marks, with its name if the pool has one."""
        mark = params["mark"]
        pool = self.data["pool"]
        names: dict[str, str] = dict([*pool["include"], *pool["exclude"]])
        return {"mark": f"“{mark}” ({names[mark]})" if names.get(mark) else f"“{mark}”"}

    def note(self, params: Params, fmt: str | None) -> str:
        """Where the mark is searched for."""
        if params["mode"] == "exclude":
            return _WHERE_EXCLUDED.get(fmt or "", "")
        return "In the text, not in the mark-up." if fmt else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        mark = params["mark"]
        if params["mode"] == "include":
            first = next(_places(reading.content_text, mark), None)
            spans = [] if first is None else [Span(first, first + len(mark))]
            return self.verdict(first is not None, f"“{mark}” occurs", "it occurs" if spans else "it does not", spans)
        if reading.fmt in _WHERE_EXCLUDED:
            found = [Span(at, at + len(mark)) for at in _places(reading.content_text, mark)]
        else:
            rows = reading.content.delimiter_rows
            places = (at for at in _places(reading.body, mark) if not any(start <= at < end for start, end in rows))
            found = [Span(at, at + len(mark), "body") for at in places]
        text = f"it occurs {len(found)}×" if found else "it does not occur"
        return self.verdict(not found, f"no “{mark}” anywhere", text, found)

"""`punctuation` (PTT): a mark that must, or must not, occur."""

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
"""The formats whose content is read for a mark to leave out, and how that is said."""


class _Punctuation(ParamsModel):
    mode: Literal["include", "exclude"]
    mark: Annotated[str, Field(min_length=1, max_length=16, pattern=r"\S")]


def _places(text: str, mark: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))


class Punctuation(Group):
    """Include reads the content; exclude reads the body, or the content of a data format."""

    name = "punctuation"
    adapter: TypeAdapter[Any] = TypeAdapter(_Punctuation)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """Include or exclude, then a mark of that pool."""
        mode = stream.choice(("include", "exclude"))
        return {"mode": mode, "mark": stream.choice(context.pool[mode])[0]}

    def slots(self, params: Params) -> dict[str, str]:
        """The mark in quotes, with its name where the pool has one."""
        mark = params["mark"]
        pool = self.data["pool"]
        names: dict[str, str] = dict([*pool["include"], *pool["exclude"]])
        return {"mark": f"“{mark}” ({names[mark]})" if names.get(mark) else f"“{mark}”"}

    def note(self, params: Params, fmt: str | None) -> str:
        """Where the mark is looked for."""
        if params["mode"] == "exclude":
            return _WHERE_EXCLUDED.get(fmt or "", "")
        return "In the text, not in the mark-up." if fmt else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Look for the mark where the mode says."""
        mark = params["mark"]
        if params["mode"] == "include":
            first = next(_places(reading.content_text, mark), None)
            spans = [] if first is None else [Span(first, first + len(mark))]
            return self.verdict(first is not None, f"“{mark}” occurs", "it occurs" if spans else "it does not", spans)
        view, text = self._excluded_view(reading)
        found = [
            Span(at, at + len(mark), view)
            for at in _places(text, mark)
            if view == "content" or not self._in_delimiter_row(reading, at)
        ]
        told = f"it occurs {len(found)}×" if found else "it does not occur"
        return self.verdict(not found, f"no “{mark}” anywhere", told, found)

    def _excluded_view(self, reading: Reading) -> tuple[Literal["content", "body"], str]:
        if reading.fmt in _WHERE_EXCLUDED:
            return "content", reading.content_text
        return "body", reading.body

    def _in_delimiter_row(self, reading: Reading, at: int) -> bool:
        return any(start <= at < end for start, end in reading.content.delimiter_rows)

"""What `start_with` and `end_with` have in common: parameters, draws, and how an edge is compared."""

from __future__ import annotations

import string
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, TypeAdapter

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group, ParamsModel
from evolif.domain import Params, Verdict
from evolif.text import Edge, Reading, without_selectors


class _Letter(ParamsModel):
    mode: Literal["letter"]
    value: Annotated[str, Field(pattern=r"^[A-Za-z]$")]


class _Emoji(ParamsModel):
    mode: Literal["emoji"]
    value: Annotated[str, Field(min_length=1, max_length=16)]


class _Keyword(ParamsModel):
    mode: Literal["keyword"]
    value: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class _Quotation(ParamsModel):
    mode: Literal["quotation"]
    left: Annotated[str, Field(min_length=1, max_length=1)]
    right: Annotated[str, Field(min_length=1, max_length=1)]


EDGE_ADAPTER: TypeAdapter[Any] = TypeAdapter(
    Annotated[_Letter | _Emoji | _Keyword | _Quotation, Field(discriminator="mode")]
)


class EdgeGroup(Group):
    """A constraint on the first or the last content character."""

    adapter = EDGE_ADAPTER
    verb: ClassVar[str]
    """`starts` or `ends`."""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Compare on the skipped edge, a quotation on the unskipped one."""
        mode = params["mode"]
        if mode == "quotation":
            return self.check_quotation(params["left"], params["right"], reading)
        value = params["value"]
        shown = {"letter": f"the letter {value.upper()}", "keyword": f"“{value}”"}.get(mode, value)
        expected = f"{self.verb} with {shown}"
        edge = self.edge(reading)
        if edge is None or edge.blocked:
            return self.verdict(False, expected, f"{self.verb} with {edge.blocked}" if edge else "no content")
        if mode == "keyword":
            return self.check_keyword(value, edge, reading, expected)
        text = reading.blocks[edge.block].text
        start, end = self.outer_grapheme(text, edge.offset)
        found = text[start:end]
        if mode == "letter":
            satisfied = found.lower() == value.lower()
        else:
            satisfied = without_selectors(found) == without_selectors(value)
        return self.verdict(satisfied, expected, f"{self.verb} with {found}", reading.spans(edge.block, start, end))

    def edge(self, reading: Reading) -> Edge | None:
        """Where the content begins, or ends."""
        raise TypeError(f"{type(self).__name__} has no edge")

    def outer_grapheme(self, text: str, offset: int) -> tuple[int, int]:
        """The range of the grapheme at the edge of a block's text."""
        raise TypeError(f"{type(self).__name__} has no edge")

    def check_keyword(self, keyword: str, edge: Edge, reading: Reading, expected: str) -> Verdict:
        """Whether an occurrence has nothing but skippable characters outside of it."""
        raise TypeError(f"{type(self).__name__} has no edge")

    def check_quotation(self, left: str, right: str, reading: Reading) -> Verdict:
        """Whether the content has the quotation right at its edge, whole in one block."""
        raise TypeError(f"{type(self).__name__} has no edge")

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of four modes, all alike, then its value."""
        mode = stream.choice(("letter", "emoji", "keyword", "quotation"))
        if mode == "letter":
            return {"mode": mode, "value": stream.choice(string.ascii_letters)}
        if mode == "emoji":
            return {"mode": mode, "value": stream.choice(context.pool["emoji"])}
        if mode == "quotation":
            left, right = stream.choice(context.pool["quotations"])
            return {"mode": mode, "left": left, "right": right}
        keywords = context.allowed_keywords
        return {"mode": mode, "value": stream.choice(keywords)} if keywords else None

    def slots(self, params: Params) -> dict[str, str]:
        """Letters are said as capitals, since case is ignored."""
        slots = super().slots(params)
        if params["mode"] == "letter":
            slots["value"] = slots["value"].upper()
        return slots

    def note(self, params: Params, fmt: str | None) -> str:
        """Which part of a formatted answer counts."""
        first = self.name == "start_with"
        edge = "first" if first else "last"
        if fmt == "json":
            return f"In JSON, the {edge} key or value counts, and it may not be true, false or null."
        if fmt == "csv":
            return f"In CSV, the {edge} cell with text counts."
        if fmt in ("xml", "html"):
            return f"The {edge} visible text counts, not the tags."
        return ""

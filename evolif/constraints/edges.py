"""What `start_with` and `end_with` have in common: parameters, draws, and how an edge is compared."""

from __future__ import annotations

import string
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, TypeAdapter

from evolif.constraints.base import DrawContext, Group, ParamsModel, shorten
from evolif.rng import Stream
from evolif.text import Edge, Reading, first_grapheme, fold, is_skippable, last_grapheme, outer_block, without_selectors
from evolif.types import Params, Verdict


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


# Does a quotation open (or close) a block, and does its partner stand in the same block?


def _inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()


def _is_mark(text: str, at: int, mark: str) -> bool:
    """An apostrophe inside a word is no quotation mark."""
    return text[at] == mark and not (mark in "'’" and _inside_word(text, at))


def closing_of(text: str, left: str, right: str) -> int | None:
    """Where the quotation that `text` starts with is closed; None where it is not, or holds only white space."""
    if not text.startswith(left):
        return None
    depth = 1
    for at in range(1, len(text)):
        if _is_mark(text, at, right):
            depth -= 1
            if not depth:
                return at if text[1:at].strip() else None
        elif left != right and text[at] == left:
            depth += 1
    return None


def opening_of(text: str, left: str, right: str) -> int | None:
    """Where the quotation that `text` ends with is opened; the mirror of `closing_of`."""
    if not text.endswith(right):
        return None
    depth = 1
    for at in range(len(text) - 2, -1, -1):
        if _is_mark(text, at, left):
            depth -= 1
            if not depth:
                return at if text[at + 1 : -1].strip() else None
        elif left != right and right != "’" and _is_mark(text, at, right):
            depth += 1  # but “the boys’ toys” may stand in ‘…’: that mark may also be an apostrophe
    return None


# `start_with` (SW): how the content begins.


class StartWith(EdgeGroup):
    """The first content character, keyword or quotation."""

    name = "start_with"
    verb = "starts"

    def edge(self, reading: Reading) -> Edge | None:
        """The first content character."""
        return reading.start

    def outer_grapheme(self, text: str, offset: int) -> tuple[int, int]:
        """The first grapheme."""
        return offset, offset + len(first_grapheme(text, offset))

    def check_keyword(self, keyword: str, edge: Edge, reading: Reading, expected: str) -> Verdict:
        """The first occurrence has nothing but skippable characters before it."""
        for block, start, end in reading.occurrences(keyword)[:1]:
            before = reading.folded[block][:start]
            if block <= edge.block and all(map(is_skippable, before)):
                return self.verdict(True, expected, expected, reading.folded_spans(block, start, end))
        text = reading.blocks[edge.block].text[edge.offset :]
        return self.verdict(False, expected, f"starts with “{shorten(text, len(fold(keyword)) + 12)}”")

    def check_quotation(self, left: str, right: str, reading: Reading) -> Verdict:
        """The content starts with *left*, which *right* closes in its block."""
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


# `end_with` (EW): how the content ends; the mirror of `start_with`.


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

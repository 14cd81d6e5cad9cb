"""The edge groups: `start_with` (SW) and `end_with` (EW), each the mirror image of the other.

Letters, emoji and keywords are compared at the first or last content character; white space and punctuation beyond it
are skipped. For quotations, nothing is skipped.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, ParamsModel, quoted, shorten
from evolif.scenarios.instructions.constraints.phrases import OneOfPhrases, begins, ends, phrases_of
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, first_grapheme, fold, is_skippable
from evolif.text.reading import Edge, outer_block
from evolif.text.tokens import last_grapheme, without_selectors
from evolif.types import Verdict
from evolif.util.rng import Stream


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


class _Phrase(OneOfPhrases):
    mode: Literal["phrase"]


_ADAPTER: TypeAdapter[Any] = TypeAdapter(
    Annotated[_Letter | _Emoji | _Keyword | _Quotation | _Phrase, Field(discriminator="mode")]
)


_PAPER_MODES = ("letter", "emoji", "keyword", "quotation")
_OPENING_MARKUP = re.compile(r"[#>*]|[-+•](?:\s|\Z)|\d{1,9}[.)](?:\s|\Z)|```|~~~")
_CLOSING_MARKUP = re.compile(r"(?:[>*]|(?:\A|\s)#+|```|~~~)\Z")
"""A # behind a word, as in “C#”, is text."""


def _draw_phrase(stream: Stream, pool: Mapping[str, Any]) -> Params:
    """One of the pool's phrases, each kind of which is equally likely, or now and then one of a few to choose from."""
    if stream.below(100) < pool["either"]:
        return {"mode": "phrase", "values": list(stream.choice(pool["choices"]))}
    return {"mode": "phrase", "value": stream.choice(stream.choice(pool["phrases"]))}


class EdgeGroup(Group):
    """A constraint on the start or the end of the content."""

    adapter = _ADAPTER
    first: ClassVar[bool]
    """The start is checked, not the end."""

    def accept(self, params: Params) -> Params:
        """A keyword without outer white space, and one that may stand at the edge of what a reader sees."""
        if params["mode"] != "keyword":
            return params
        value = str(params["value"]).strip()
        mend = "use mode “phrase”, which compares the answer as written"
        if (_OPENING_MARKUP.match if self.first else _CLOSING_MARKUP.search)(value):
            edge = "begins" if self.first else "ends"
            raise ValueError(f"“{value}” {edge} with mark-up, which is no content, so no answer can satisfy it; {mend}")
        if not any(unicodedata.category(char)[0] in "LNS" for char in value):
            raise ValueError(f"“{value}” has no letter, digit or symbol, so no answer can satisfy it; {mend}")
        return {**params, "value": value}

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of four modes with equal probability, then its value."""
        if "phrases" in context.pool:
            return _draw_phrase(stream, context.pool)
        mode = stream.choice(_PAPER_MODES)
        if mode == "letter":
            return {"mode": mode, "value": stream.choice(string.ascii_letters)}
        if mode == "emoji":
            return {"mode": mode, "value": context.pick(stream, "emoji", context.pool["emoji"])}
        if mode == "quotation":
            left, right = context.pick(stream, "quotations", context.pool["quotations"], "".join)
            return {"mode": mode, "left": left, "right": right}
        keywords = context.allowed_keywords
        return {"mode": mode, "value": stream.choice(keywords)} if keywords else None

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return ("phrase",) if "phrases" in pool else tuple(pool.get("modes", _PAPER_MODES))

    def takes_back(self, after: Params, before: Params | None, given_up: Iterable[Params]) -> bool:
        """Also if the same letter comes back in the other case, which is ignored."""
        if after["mode"] != "letter":
            return after in given_up
        letter = after["value"].lower()
        return any(old["mode"] == "letter" and old["value"].lower() == letter for old in given_up)

    def slots(self, params: Params) -> dict[str, str]:
        if params["mode"] == "phrase":
            return {"value": quoted(phrases_of(params), "or")}
        slots = super().slots(params)
        if params["mode"] == "letter":
            slots["value"] = slots["value"].upper()  # case is ignored
        return slots

    def values(self, params: Params) -> dict[str, str]:
        """A keyword in quotation marks; letters, emoji and marks as they are."""
        slots = self.slots(params)
        return {"value": quoted([slots["value"]], "and")} if params["mode"] == "keyword" else slots

    def note(self, params: Params, fmt: str | None) -> str:
        """Which part of a formatted answer counts."""
        edge = "first" if self.first else "last"
        if fmt == "json":
            return f"In JSON, the {edge} key or value counts, and it may not be true, false or null."
        if fmt == "csv":
            return f"In CSV, the {edge} cell with text counts."
        if fmt in ("xml", "html"):
            return f"The {edge} visible text counts, not the tags."
        return ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        mode, verb = params["mode"], self._verb
        if mode == "phrase":
            return self._check_phrase(phrases_of(params), reading)
        if mode == "quotation":
            return self._check_quotation(params["left"], params["right"], reading)
        value = params["value"]
        shown = {"letter": f"the letter {value.upper()}", "keyword": f"“{value}”"}.get(mode, value)
        expected = f"{verb} with {shown}"
        edge = reading.start if self.first else reading.end
        if edge is None or edge.blocked:
            return self.verdict(False, expected, f"{verb} with {edge.blocked}" if edge else "no content")
        if mode == "keyword":
            return self._check_keyword(value, edge, reading, expected)
        text = reading.blocks[edge.block].text
        found = first_grapheme(text, edge.offset) if self.first else last_grapheme(text, edge.offset)
        if mode == "letter":
            satisfied = found.lower() == value.lower()
        else:
            satisfied = without_selectors(found) == without_selectors(value)
        start = edge.offset if self.first else edge.offset - len(found)
        return self.verdict(
            satisfied, expected, f"{verb} with {found}", reading.spans(edge.block, start, start + len(found))
        )

    @property
    def _verb(self) -> str:
        return "starts" if self.first else "ends"

    def _check_phrase(self, phrases: list[str], reading: Reading) -> Verdict:
        """Satisfied if nothing but marks and quotation marks stands outside one of the phrases."""
        expected = f"{self._verb} with {quoted(phrases, 'or')}"
        holds = begins if self.first else ends
        held = next((phrase for phrase in phrases if holds(reading, phrase)), None)
        if held is not None:
            return self.verdict(True, expected, f"{self._verb} with “{held}”")
        text, length = reading.content_text.strip(), max(map(len, phrases)) + 12
        found = shorten(text, length) if self.first else shorten(text[-length:], length)
        return self.verdict(False, expected, f"{self._verb} with “{found}”")

    def _check_keyword(self, keyword: str, edge: Edge, reading: Reading, expected: str) -> Verdict:
        """Satisfied if only skippable characters lie between an occurrence and the edge."""
        occurrences = reading.occurrences(keyword)
        if occurrences:
            block, start, end = occurrences[0 if self.first else -1]
            folded = reading.folded[block]
            is_outermost = block <= edge.block if self.first else block >= edge.block
            if is_outermost and all(map(is_skippable, folded[:start] if self.first else folded[end:])):
                return self.verdict(True, expected, expected, reading.folded_spans(block, start, end))
        text, length = reading.blocks[edge.block].text, len(fold(keyword)) + 12
        found = shorten(text[edge.offset :], length) if self.first else shorten(text[: edge.offset][-length:])
        return self.verdict(False, expected, f"{self._verb} with “{found}”")

    def _check_quotation(self, left: str, right: str, reading: Reading) -> Verdict:
        """Satisfied if the content has the quotation right at its edge, complete in one block."""
        partner = "closes" if self.first else "opens"
        expected = f"{self._verb} with a quotation {left}…{right} that {partner} in its block"
        outermost = outer_block(reading.content, last=not self.first)
        if outermost is None:
            return self.verdict(False, expected, "no content")
        index, block = outermost
        text = block.text.strip()
        if self.first:
            blocked = reading.content.literal_first or block.number
            found = blocked or ("" if text.startswith(left) else first_grapheme(text))
        else:
            blocked = reading.content.literal_last
            found = blocked or ("" if text.endswith(right) else last_grapheme(text, len(text)))
        if found:
            return self.verdict(False, expected, f"{self._verb} with {found}")
        at = (_closing_mark if self.first else _opening_mark)(text, left, right)
        if at is None:
            problem = f"{left} is not closed after" if self.first else f"{right} is not opened before"
            return self.verdict(False, expected, f"{problem} some text in its block")
        indent = len(block.text) - len(block.text.lstrip())
        start, end = (0, at + 1) if self.first else (at, len(text))
        return self.verdict(True, expected, f"{left}…{right}", reading.spans(index, indent + start, indent + end))


class StartWith(EdgeGroup):
    """How the content begins."""

    name = "start_with"
    first = True


class EndWith(EdgeGroup):
    """How the content ends."""

    name = "end_with"
    first = False


def _closing_mark(text: str, left: str, right: str) -> int | None:
    """Where the quotation that `text` starts with closes; None if it does not, or holds only white space."""
    depth = 1
    for at in range(1, len(text)):
        if _is_mark(text, at, right):
            depth -= 1
            if not depth:
                return at if text[1:at].strip() else None
        elif left != right and text[at] == left:
            depth += 1
    return None


def _opening_mark(text: str, left: str, right: str) -> int | None:
    """Where the quotation that `text` ends with opens; None if it does not, or holds only white space."""
    depth = 1
    for at in range(len(text) - 2, -1, -1):
        if _is_mark(text, at, left):
            depth -= 1
            if not depth:
                return at if text[at + 1 : -1].strip() else None
        elif left != right and right != "’" and _is_mark(text, at, right):
            depth += 1  # a ’ may be an apostrophe instead: “the boys’ toys” may be inside ‘…’
    return None


def _is_mark(text: str, at: int, mark: str) -> bool:
    """Whether the character is the mark rather than an apostrophe inside a word."""
    if text[at] != mark or mark not in "'’":
        return text[at] == mark
    return not (0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum())

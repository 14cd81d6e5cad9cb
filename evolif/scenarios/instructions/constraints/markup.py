"""Groups about mark-up and characters of the body, which are not in the paper: `headings`, `emphasis` and `digits`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, TypeAdapter

from evolif.scenarios.instructions.constraints.base import (
    CountGroup,
    CountParams,
    DrawContext,
    Group,
    ParamsModel,
    shorten,
)
from evolif.scenarios.instructions.constraints.relations import (
    ClosedParams,
    RelationParams,
    amount,
    draw_weighted,
    holds,
)
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, plural
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

_DIGIT = re.compile(r"\d")  # in Python, every Unicode decimal digit
_SHOWN_DIGITS = 20


class _Count(CountParams):
    misfits = {"upper": "the relation between"}  # noqa: RUF012 - as in the base


class _Title(ClosedParams):
    misfits = dict.fromkeys(("count", "upper"), "other relations than title")
    relation: Literal["title"]


def _distinct(levels: list[int]) -> list[int]:
    if len(set(levels)) < len(levels):
        raise ValueError("a level is given twice")
    return levels


class _Levels(ClosedParams):
    misfits = dict.fromkeys(("count", "upper", "relation"), "headings without levels")
    levels: Annotated[list[Annotated[int, Field(ge=1, le=6)]], Field(min_length=1), AfterValidator(_distinct)]


def _kind(params: Any) -> str:
    if not isinstance(params, dict):
        return "count"
    if "levels" in params:
        return "levels"
    relation = params.get("relation")
    return "count" if "relation" not in params else "title" if relation == "title" else "relation"


def _relation(params: Any) -> str:
    return "relation" if isinstance(params, dict) and "relation" in params else "count"


class Headings(CountGroup):
    """Headings of any level, and separate lines entirely in bold, which readers see as headings."""

    name = "headings"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[
            Annotated[_Count, Tag("count")]
            | Annotated[RelationParams, Tag("relation")]
            | Annotated[_Title, Tag("title")]
            | Annotated[_Levels, Tag("levels")],
            Discriminator(_kind),
        ]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """A count from the pool, or one of its drawn parameters."""
        return draw_weighted(stream, context) if "drawn" in context.pool else super().draw(stream, context)

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return sorted({self.key(params) for params, _ in pool["drawn"]}) if "drawn" in pool else ["count"]

    def key(self, params: Params) -> str:
        return _kind(params)

    def slots(self, params: Params) -> dict[str, str]:
        key = self.key(params)
        if key == "levels":
            return {"levels": _listed([str(level) for level in params["levels"]])}
        return _amount_slots(params, "heading") if key == "relation" else super().slots(params)

    def note(self, params: Params, fmt: str | None) -> str:
        if fmt != "html":
            return ""
        marks = "" if self.key(params) == "levels" else " and wholly bold blocks"
        return f"In HTML, the elements <h1> to <h6>{marks} count."

    def check(self, params: Params, reading: Reading) -> Verdict:
        key = self.key(params)
        if key == "title":
            return self._title(reading)
        headings = [(index, block) for index, block in enumerate(reading.blocks) if block.kind == "heading"]
        if key == "levels":
            headings = [(index, block) for index, block in headings if block.level in params["levels"]]
        spans = [span for index, block in headings for span in reading.spans(index, 0, len(block.text))]
        if key == "relation":
            satisfied = holds(params, len(headings))
            return self.verdict(satisfied, amount(params, "heading"), plural(len(headings), "heading"), spans)
        if key == "count":
            return self.count_verdict(params, len(headings), "heading", spans)
        missing = sorted(set(params["levels"]) - {block.level for _, block in headings})
        expected = f"headings of the levels {_listed([str(level) for level in params['levels']])}"
        found = (
            f"none of level {_listed([str(level) for level in missing], 'or')}" if missing else "one of each or more"
        )
        return self.verdict(not missing, expected, found, spans)

    def _title(self, reading: Reading) -> Verdict:
        first = reading.blocks[0] if reading.blocks else None
        spans = reading.spans(0, 0, len(first.text)) if first is not None else ()
        found = "no text" if first is None else f"“{shorten(first.text)}”, {_NAMES[first.kind]}"
        satisfied = first is not None and first.kind == "heading"
        return self.verdict(satisfied, "a heading at the very beginning", found, spans)


_NAMES = {
    "heading": "a heading", "paragraph": "a paragraph", "item": "a list item", "cell": "a table cell", "code": "code",
    "value": "a value", "row": "a row",
}  # fmt: skip


def _listed(words: Sequence[str], last: str = "and") -> str:
    """`1`, `1 and 2`, `1, 2 and 3`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _amount_slots(params: Params, noun: str) -> dict[str, str]:
    return {name: str(params[name]) for name in ("count", "upper") if name in params} | {"amount": amount(params, noun)}


class Emphasis(CountGroup):
    """Passages between `**` or `__`, in HTML `<b>` and `<strong>`; bold inside bold is not a separate passage."""

    name = "emphasis"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[
            Annotated[_Count, Tag("count")] | Annotated[RelationParams, Tag("relation")], Discriminator(_relation)
        ]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """A count from the pool, or one of its drawn parameters."""
        return draw_weighted(stream, context) if "drawn" in context.pool else super().draw(stream, context)

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return sorted({self.key(params) for params, _ in pool["drawn"]}) if "drawn" in pool else ["count"]

    def key(self, params: Params) -> str:
        return _relation(params)

    def slots(self, params: Params) -> dict[str, str]:
        return _amount_slots(params, "bold passage") if "relation" in params else super().slots(params)

    def note(self, params: Params, fmt: str | None) -> str:
        return "In HTML, the elements <b> and <strong> count." if fmt == "html" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        passages = reading.content.strong
        spans = [Span(start, end, "body") for start, end in passages if start >= 0]
        if "relation" not in params:
            return self.count_verdict(params, len(passages), "bold passage", spans)
        satisfied, noun = holds(params, len(passages)), "bold passage"
        return self.verdict(satisfied, amount(params, noun), plural(len(passages), noun), spans)


class _Digits(ParamsModel):
    mode: Literal["none"]


class Digits(Group):
    """No decimal digit of any script anywhere in the body, list numbers and mark-up included."""

    name = "digits"
    adapter: TypeAdapter[Any] = TypeAdapter(_Digits)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        return {"mode": stream.choice(context.pool["modes"])}

    def modify(self, params: Params, stream: Stream, context: DrawContext) -> Params | None:
        """Nothing: there is one mode."""
        return None

    def check(self, params: Params, reading: Reading) -> Verdict:
        places = [match.start() for match in _DIGIT.finditer(reading.body)]
        if not places:
            return self.verdict(True, "no digit anywhere", "no digit")
        text = shorten("".join(reading.body[at] for at in places[: _SHOWN_DIGITS * 2]), _SHOWN_DIGITS)
        spans = [Span(at, at + 1, "body") for at in places]
        return self.verdict(False, "no digit anywhere", f"{plural(len(places), 'digit')}: {text}", spans)

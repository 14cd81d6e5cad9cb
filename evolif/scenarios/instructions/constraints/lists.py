"""`bullets` (CTI): bullet or numbered items; with a relation, the points of a list as people ask for them.

In the paper, only the exact number of bullets at any depth.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping
from itertools import accumulate
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter, model_validator

from evolif.scenarios.instructions.constraints.base import CountGroup, CountParams, DrawContext
from evolif.scenarios.instructions.constraints.compatibility import find_declared
from evolif.scenarios.instructions.constraints.relations import RelationParams, amount, holds
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, count_words, plural
from evolif.text.lines import item_like_lines
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

SOME_ITEMS = 2
"""One item is no list."""

_SIGNATURE = re.compile(r"-[ \t]+(?=\S)")
_SIGNATURE_WORDS = 3

_MARKED = {"bullet": "bullet item", "numbered": "numbered item", "either": "item"}
"""What is counted, by kind."""
_FALL = "a relation such as exactly, some or none"


class _Bullets(CountParams):
    misfits = {"upper": "the relation between", "only": _FALL, "noun": _FALL}  # noqa: RUF012 - as in the base


class _Numbered(_Bullets):
    kind: Literal["numbered"]


class _List(RelationParams):
    kind: Literal["bullet", "numbered", "either"] | None = None
    only: bool | None = None
    noun: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^\S+(?: \S+)*$")] | None = None

    @model_validator(mode="after")
    def _fits(self) -> _List:
        given = [name for name in ("only", "noun") if getattr(self, name)]
        if self.relation == "none" and given:
            raise ValueError(f"“{given[0]}” does not go with the relation none; leave it out")
        return self


def _kind(params: Any) -> str:
    if not isinstance(params, dict):
        return "plain"
    if "relation" in params or params.get("kind") == "either":
        return "list"
    return "plain" if params.get("kind", "bullet") == "bullet" else "numbered"


class Bullets(CountGroup):
    """Items marked with `-`, `*`, `+` or `•` at any depth, in HTML the `li` of a `ul`; or numbered items.

    With a relation, those of outermost lists, or the points of either kind of list.
    """

    name = "bullets"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[
            Annotated[_Bullets, Tag("plain")] | Annotated[_Numbered, Tag("numbered")] | Annotated[_List, Tag("list")],
            Discriminator(_kind),
        ]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """A count from the pool; also a kind, if the pool has kinds. A pool of lists has kinds with relations."""
        if "lists" in context.pool:
            return self._draw_list(stream, context)
        kinds = context.pool.get("kinds")
        if kinds:
            kinds = [k for k in kinds if not find_declared({**context.active, self.name: {"kind": k}})]
        kind = stream.choice(kinds) if kinds else "bullet"
        count = stream.between(context.pool["min"], context.pool["max"])
        return {"count": count} if kind == "bullet" else {"count": count, "kind": kind}

    def _draw_list(self, stream: Stream, context: DrawContext) -> Params | None:
        pool = context.pool
        options = [
            ({"kind": kind, "relation": relation}, weight)
            for kind, relation, weight in pool["lists"]
            if not find_declared({**context.active, self.name: {"kind": kind, "relation": relation}})
        ]
        if not options:
            return None
        params: dict[str, Any] = dict(stream.weighted(options))
        if params["relation"] == "some" and stream.below(100) < pool["only"]:
            params["only"] = True
        if params["relation"] not in ("some", "none"):
            params["count"] = stream.weighted([tuple(pair) for pair in pool["counts"]])
            if params["relation"] == "between":
                params["upper"] = params["count"] + stream.choice(pool["widths"])
        return params

    def key(self, params: Params) -> str:
        if "relation" in params:
            return "list_none" if params["relation"] == "none" else f"list_{params.get('kind', 'bullet')}"
        return str(params.get("kind", "count"))

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        if "lists" in pool:
            return sorted({self.key({"kind": kind, "relation": relation}) for kind, relation, _ in pool["lists"]})
        return ["count" if kind == "bullet" else kind for kind in pool.get("kinds") or ("bullet",)]

    def slots(self, params: Params) -> dict[str, str]:
        if "relation" not in params:
            return {"count": str(params["count"])}
        noun = _MARKED[params.get("kind", "bullet")]
        slots = {name: str(params[name]) for name in ("count", "upper", "noun") if name in params}
        only = ", and nothing but headings and rules stands outside the list" if params.get("only") else ""
        amounts = amount(params, noun, some=SOME_ITEMS)
        return slots | {"amount": amounts, "items": f"{noun}s", "only": only}

    def shape(self, params: Params) -> str:
        return f"{self.key(params)}.{params['relation']}" if "relation" in params else self.key(params)

    def note(self, params: Params, fmt: str | None) -> str:
        if fmt != "html":
            return ""
        if "relation" in params:
            return "In HTML, the <li> elements of outermost lists are the items."
        name = "ol" if "kind" in params else "ul"
        return f"In HTML, the <li> elements of a <{name}> count."

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count the items that have content."""
        if "relation" in params:
            return self._none(params, reading) if params["relation"] == "none" else self._list(params, reading)
        numbered = "kind" in params
        items = reading.content.numbered if numbered else reading.content.bullets
        spans = [Span(start, end, "body") for start, end in items if start >= 0]
        return self.count_verdict(params, len(items), "numbered item" if numbered else "bullet item", spans)

    def _none(self, params: Params, reading: Reading) -> Verdict:
        kind = params.get("kind", "bullet")
        items, noun = _items_at_any_depth(reading, kind)
        spans = [Span(start, end, "body") for start, end in items if start >= 0]
        found = plural(len(items), noun, "lines with a list mark" if noun.startswith("line") else "")
        return self.verdict(not items, f"no {_MARKED[kind]} at any depth", found, spans)

    def _list(self, params: Params, reading: Reading) -> Verdict:
        kind = params.get("kind", "bullet")
        expected = amount(params, f"top-level {_MARKED[kind]}", some=SOME_ITEMS)
        if kind == "either":
            kinds = {point.kind for point in reading.points}
            spans = [Span(point.start, point.end) for point in reading.points]
            found = plural(len(spans), _shown(next(iter(kinds), "item")))
        else:
            spans = _outer_spans(reading, kind)
            found = plural(len(spans), f"top-level {_MARKED[kind]}")
        satisfied = holds(params, len(spans), SOME_ITEMS)
        if not params.get("only"):
            return self.verdict(satisfied, expected, found, spans)
        expected = f"{expected}, and nothing but headings and rules outside the list"
        outside = _text_outside(reading, spans if kind == "either" else [])
        if outside is None:
            return self.verdict(satisfied, expected, f"{found}, and nothing outside", spans)
        return self.verdict(False, expected, f"{found}, and text outside the list", [outside])


def _items_at_any_depth(reading: Reading, kind: str) -> tuple[list[tuple[int, int]], str]:
    """The items of a kind, in the body, and what they are called; for either kind also lines that look like items.

    A last line such as `- Anna` signs the answer and is no item.
    """
    content, signature = reading.content, _signature(reading)
    items = [*(content.bullets if kind != "numbered" else ()), *(content.numbered if kind != "bullet" else ())]
    items = [place for place in items if place[0] < 0 or place[0] != signature]
    is_data = reading.fmt in ("json", "csv", "xml") and reading.fault is None
    if items or kind != "either" or is_data:
        return items, _MARKED[kind]
    lines = item_like_lines(reading.body, content)
    return [(start, end) for start, end in lines if not start <= signature < end], "line with a list mark"


def _shown(kind: str) -> str:
    return f"top-level {kind}" if kind.endswith("item") else kind


def _outer_spans(reading: Reading, kind: str) -> list[Span]:
    """The items of outermost lists of one kind, as ranges of the content."""
    wanted = "number" if kind == "numbered" else "bullet"
    return [
        Span(reading.offsets[item.first], reading.offsets[item.after - 1] + len(reading.blocks[item.after - 1].text))
        for item in reading.content.outer_items
        if item.kind == wanted
    ]


def _text_outside(reading: Reading, points: list[Span]) -> Span | None:
    """The first line outside of lists and points that is no heading."""
    inside = sorted((span.start, span.end) for kind in ("bullet", "numbered") for span in _outer_spans(reading, kind))
    inside = sorted([*inside, *((span.start, span.end) for span in points)])
    starts, reach = [start for start, _ in inside], list(accumulate((end for _, end in inside), max))
    for at, block in zip(reading.offsets, reading.blocks, strict=True):
        for line in block.text.split("\n"):
            before = bisect_right(starts, at) - 1
            if block.kind != "heading" and line.strip() and (before < 0 or reach[before] <= at):
                return Span(at, at + len(line))
            at += len(line) + 1
    return None


def _signature(reading: Reading) -> int:
    """Where a last line such as `- Anna` begins, which signs what is above it; -1 without one."""
    if len(reading.lines) < 2:
        return -1
    start, end = reading.lines[-1]
    line = reading.body[start:end]
    name = _SIGNATURE.match(line)
    is_name = name is not None and not line[name.end()].islower() and count_words(line) <= _SIGNATURE_WORDS
    return start if is_name else -1

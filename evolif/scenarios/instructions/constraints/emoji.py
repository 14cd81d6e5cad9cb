"""`emoji` (not in the paper): how many emoji the answer has, or where they stand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag, TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group
from evolif.scenarios.instructions.constraints.relations import (
    ClosedParams,
    RelationParams,
    amount,
    draw_weighted,
    holds,
)
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, plural
from evolif.text.emoji import is_emoji
from evolif.text.tokens import last_grapheme
from evolif.types import Span, Verdict
from evolif.util.rng import Stream


class _Place(ClosedParams):
    misfits = dict.fromkeys(("relation", "count", "upper"), "emoji anywhere, without “place”,")
    place: Literal["end", "each_item"]


def _kind(params: Any) -> str:
    return "place" if isinstance(params, dict) and "place" in params else "relation"


class Emoji(Group):
    """A number of emoji, one at the very end, or one or more in each item."""

    name = "emoji"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[Annotated[RelationParams, Tag("relation")] | Annotated[_Place, Tag("place")], Discriminator(_kind)]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's parameters."""
        return draw_weighted(stream, context)

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return sorted({self.key(params) for params, _ in pool["drawn"]})

    def key(self, params: Params) -> str:
        return str(params.get("place", "relation"))

    def slots(self, params: Params) -> dict[str, str]:
        if "place" in params:
            return {}
        numbers = {name: str(params[name]) for name in ("count", "upper") if name in params}
        return numbers | {"amount": amount(params, "emoji", "emoji")}

    def shape(self, params: Params) -> str:
        return str(params.get("place") or params["relation"])

    def check(self, params: Params, reading: Reading) -> Verdict:
        place = params.get("place")
        if place == "end":
            return self._end(reading)
        if place == "each_item":
            return self._each_item(reading)
        spans = [Span(start, end) for start, end in reading.emoji]
        found = plural(len(spans), "emoji", "emoji")
        return self.verdict(holds(params, len(spans)), amount(params, "emoji", "emoji"), found, spans)

    def _end(self, reading: Reading) -> Verdict:
        expected, edge = "an emoji at the very end", reading.end
        if edge is None or edge.blocked:
            return self.verdict(False, expected, f"it ends with {edge.blocked}" if edge else "no content")
        last = last_grapheme(reading.blocks[edge.block].text, edge.offset)
        spans = reading.spans(edge.block, edge.offset - len(last), edge.offset)
        return self.verdict(is_emoji(last), expected, f"it ends with {last}", spans)

    def _each_item(self, reading: Reading) -> Verdict:
        expected = "at least one emoji in every item"
        points = reading.points
        if not points:
            return self.verdict(False, expected, "no item")
        starts = [start for start, _ in reading.emoji]
        bare = [point for point in points if bisect_left(starts, point.start) == bisect_left(starts, point.end)]
        found = f"{len(points) - len(bare)} of {plural(len(points), 'item')} with an emoji"
        return self.verdict(not bare, expected, found, [Span(point.start, point.end) for point in bare])

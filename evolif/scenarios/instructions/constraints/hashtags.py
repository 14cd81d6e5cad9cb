"""`hashtags` (not in the paper): how many hashtags the answer has."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group
from evolif.scenarios.instructions.constraints.relations import RelationParams, amount, draw_weighted, holds
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, plural
from evolif.text.prose import without_addresses
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

_HASHTAG = re.compile(r"(?<![\w/&=])#(?=[\d_]*[^\W\d_])\w+")
_DATA = frozenset({"json", "xml", "csv"})
"""Formats whose text is data, which has no hashtags."""
_SHOWN = 5
_PLACES = 500
"""Nobody reads further places."""


class Hashtags(Group):
    """A number of hashtags: `#` and a word without a space, outside code and URLs."""

    name = "hashtags"
    adapter: TypeAdapter[Any] = TypeAdapter(RelationParams)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's parameters."""
        return draw_weighted(stream, context)

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return ["relation"]

    def key(self, params: Params) -> str:
        return "relation"

    def slots(self, params: Params) -> dict[str, str]:
        numbers = {name: str(params[name]) for name in ("count", "upper") if name in params}
        return numbers | {"amount": amount(params, "hashtag")}

    def shape(self, params: Params) -> str:
        return str(params["relation"])

    def check(self, params: Params, reading: Reading) -> Verdict:
        spans: list[Span] = []
        tags: list[str] = []
        for index, text in enumerate(() if reading.fmt in _DATA else reading.prose):
            for match in _HASHTAG.finditer(without_addresses(text)) if "#" in text else ():
                if len(tags) < _PLACES:
                    spans += reading.spans(index, match.start(), match.end())
                tags.append(match.group())
        found = plural(len(tags), "hashtag")
        if tags:
            shown = " ".join(tags[:_SHOWN])
            found += f": {shown} …" if len(tags) > _SHOWN else f": {shown}"
        return self.verdict(holds(params, len(tags)), amount(params, "hashtag"), found, spans)

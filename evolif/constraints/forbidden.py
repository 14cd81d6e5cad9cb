"""`forbidden` (FBD): keywords that do not occur."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group, ParamsModel, Saying, quoted
from evolif.domain import OperationKind, Params, Span, Verdict
from evolif.text import Reading

_Word = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class _Forbidden(ParamsModel):
    keywords: Annotated[list[_Word], Field(min_length=1)]


class Forbidden(Group):
    """None of the keywords occurs."""

    name = "forbidden"
    adapter: TypeAdapter[Any] = TypeAdapter(_Forbidden)

    def _free(self, context: DrawContext, taken: list[str]) -> list[str]:
        """Keywords that no other constraint requires."""
        required = set(taken)
        required |= set(context.active.get("existence", {}).get("counts", ()))
        for edge in ("start_with", "end_with"):
            params = context.active.get(edge, {})
            if params.get("mode") == "keyword":
                required.add(params["value"])
        required.add(context.active.get("placement", {}).get("value", ""))
        return [k for k in context.keywords if k not in required]

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One to three keywords of the topic that nothing else requires."""
        free, pool = self._free(context, []), context.pool["keywords"]
        if not free:
            return None
        most = min(pool["max"], len(free))
        return {"keywords": stream.sample(free, stream.between(min(pool["min"], most), most))}

    def modify(self, params: Params, stream: Stream, context: DrawContext) -> Params | None:
        """Add or drop one keyword; at least one stays."""
        keywords = list(params["keywords"])
        free = self._free(context, keywords)
        ways = ["add"] if free and len(keywords) < context.pool["keywords"]["max"] else []
        ways += ["drop"] if len(keywords) > 1 else []
        if not ways:
            return None
        if stream.choice(ways) == "add":
            return {"keywords": [*keywords, stream.choice(free)]}
        keywords.remove(stream.choice(keywords))
        return {"keywords": keywords}

    def key(self, params: Params) -> str:
        """One description serves all."""
        return "all"

    def slots(self, params: Params) -> dict[str, str]:
        """The keywords, joined by *or*: none of them."""
        return {"words": quoted(params["keywords"], "or")}

    def saying(self, kind: OperationKind, before: Params | None, after: Params | None) -> Saying:
        """Only what changed is said."""
        if kind != "modify" or before is None or after is None:
            params = before if kind == "remove" else after
            assert params is not None  # an operation has one of the two by construction
            return Saying("all" if kind == "remove" else "add", self.slots(params))
        gone = [w for w in before["keywords"] if w not in after["keywords"]]
        if gone:
            return Saying("release", {"words": quoted(gone, "and")})
        return Saying("add", {"words": quoted([w for w in after["keywords"] if w not in before["keywords"]], "or")})

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Look for every keyword."""
        spans: list[Span] = []
        told: list[str] = []
        for word in params["keywords"]:
            places = reading.occurrences(word)
            if places:
                told.append(f"“{word}” {len(places)}×")
            for place in places:
                spans.extend(reading.folded_spans(*place))
        expected = f"no {quoted(params['keywords'], 'or')}"
        return self.verdict(not told, expected, ", ".join(told) or "none of them", spans)

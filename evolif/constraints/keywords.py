"""`existence` (EXT): keywords that occur an exact number of times."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from evolif.constraints.base import DrawContext, Group, ParamsModel, Saying, quoted, times
from evolif.rng import Stream
from evolif.text import Reading
from evolif.types import OperationKind, Params, Span, Verdict

_Word = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class _Existence(ParamsModel):
    counts: Annotated[dict[_Word, Annotated[int, Field(ge=0)]], Field(min_length=1)]


def _items(counts: dict[str, int]) -> str:
    parts = [f"“{word}” {times(count)}" for word, count in counts.items()]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


class Existence(Group):
    """Every keyword occurs exactly as often as said."""

    name = "existence"
    adapter: TypeAdapter[Any] = TypeAdapter(_Existence)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One to three keywords of the topic, each with a count."""
        keywords, pool = context.allowed_keywords, context.pool
        if not keywords:
            return None
        most = min(pool["keywords"]["max"], len(keywords))
        chosen = stream.sample(keywords, stream.between(min(pool["keywords"]["min"], most), most))
        return {"counts": {k: stream.between(pool["count"]["min"], pool["count"]["max"]) for k in chosen}}

    def modify(self, params: Params, stream: Stream, context: DrawContext) -> Params | None:
        """Add, drop or recount one keyword; at least one stays."""
        counts: dict[str, int] = dict(params["counts"])
        pool = context.pool
        free = [k for k in context.allowed_keywords if k not in counts]
        ways = ["recount"]
        if free and len(counts) < pool["keywords"]["max"]:
            ways.append("add")
        if len(counts) > 1:
            ways.append("drop")
        way = stream.choice(ways)
        if way == "add":
            counts[stream.choice(free)] = stream.between(pool["later_count"]["min"], pool["later_count"]["max"])
        elif way == "drop":
            del counts[stream.choice(list(counts))]
        else:
            word = stream.choice(list(counts))
            options = [n for n in range(pool["count"]["min"], pool["count"]["max"] + 1) if n != counts[word]]
            counts[word] = stream.choice(options)
        return {"counts": counts}

    def key(self, params: Params) -> str:
        """One description serves all."""
        return "all"

    def slots(self, params: Params) -> dict[str, str]:
        """Both ways of naming the keywords."""
        return {"items": _items(params["counts"]), "words": quoted(list(params["counts"]), "and")}

    def saying(self, kind: OperationKind, before: Params | None, after: Params | None) -> Saying:
        """Only what changed is said."""
        if kind != "modify" or before is None or after is None:
            params = before if kind == "remove" else after
            assert params is not None  # an operation has one of the two by construction
            return Saying("all" if kind == "remove" else "add", self.slots(params))
        old, new = before["counts"], after["counts"]
        gone = [w for w in old if w not in new]
        if gone:
            return Saying("release", {"words": quoted(gone, "and")})
        added = {w: n for w, n in new.items() if w not in old}
        if added:
            return Saying("add", {"items": _items(added)})
        return Saying("recount", {"items": _items({w: n for w, n in new.items() if n != old[w]})})

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count the occurrences of every keyword."""
        found: dict[str, int] = {}
        spans: list[Span] = []
        satisfied = True
        for word, count in params["counts"].items():
            places = reading.occurrences(word)
            found[word] = len(places)
            satisfied = satisfied and len(places) == count
            for place in places:
                spans.extend(reading.folded_spans(*place))
        told = ", ".join(f"“{word}” {'never' if not n else f'{n}×'}" for word, n in found.items())
        return self.verdict(satisfied, _items(params["counts"]), told, spans)


# `forbidden` (FBD): keywords that do not occur.


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

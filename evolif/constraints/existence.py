"""`existence` (EXT): keywords that occur an exact number of times."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group, ParamsModel, Saying, quoted, times
from evolif.domain import OperationKind, Params, Span, Verdict
from evolif.text import Reading

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

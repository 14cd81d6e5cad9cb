"""The keyword groups: `existence` (EXT), which counts keywords, and `forbidden` (FBD), which excludes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag, TypeAdapter

from evolif.scenarios.instructions.constraints.base import (
    Change,
    DrawContext,
    Group,
    ParamsModel,
    Saying,
    SparseParams,
    quoted,
    required_words,
    times,
)
from evolif.scenarios.instructions.constraints.phrases import no_doubles
from evolif.scenarios.instructions.constraints.relations import weighted_pair
from evolif.scenarios.instructions.turns import OperationKind, Params
from evolif.text import Reading
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

_Word = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class KeywordGroup(Group, ABC):
    """Base of both groups: a change of some keywords mentions only those."""

    def saying(self, kind: OperationKind, before: Params | None, after: Params | None) -> Saying:
        if kind == "modify" and before is not None and after is not None:
            return self.part(before, after)
        whole = super().saying(kind, before, after)
        return whole if kind == "remove" else Saying("add", whole.slots)

    @abstractmethod
    def part(self, before: Params, after: Params) -> Saying:
        """The phrase for the keywords that changed."""

    def shape(self, params: Params) -> str:
        return "add"

    def change(self, before: Params | None, after: Params | None) -> Change:
        """A modification names the keywords that it adds, recounts or releases; the others stay."""
        if after is None:
            return replace(super().change(before, after), shape="all", old_shape="all")
        if before is None:
            return super().change(before, after)
        part = self.part(before, after)
        return Change("adjust", part.key, part.slots)


def _count(keywords: Iterable[str], reading: Reading) -> tuple[list[tuple[str, int]], list[Span]]:
    """How often each keyword occurs, and where."""
    counts: list[tuple[str, int]] = []
    spans: list[Span] = []
    for keyword in keywords:
        places = reading.occurrences(keyword)
        counts.append((keyword, len(places)))
        for place in places:
            spans.extend(reading.folded_spans(*place))
    return counts, spans


_OUTER_QUOTES = "\"'“”„‘’«»‹›"
_FINAL = ".!?"


def bare_phrase(phrase: str) -> str:
    """A phrase without quotation marks around it and without a final mark."""
    return phrase.strip().strip(_OUTER_QUOTES).rstrip(_FINAL).strip(_OUTER_QUOTES).strip()


def _bare(phrase: str) -> str:
    if not any(map(str.isalnum, phrase)):
        raise ValueError("a phrase needs a letter or a digit")
    return phrase


_AnyWord = Annotated[_Word, AfterValidator(_bare)]


class _Existence(ParamsModel):
    counts: Annotated[dict[_Word, Annotated[int, Field(ge=0)]], Field(min_length=1)]


class _Wanted(SparseParams):
    """At least one of the three; all that are given must hold."""

    counts: Annotated[dict[_Word, Annotated[int, Field(ge=0)]], Field(min_length=1)] | None = None
    at_least: Annotated[dict[_AnyWord, Annotated[int, Field(ge=1)]], Field(min_length=1)] | None = None
    any_of: Annotated[list[_AnyWord], Field(min_length=1, max_length=50), AfterValidator(no_doubles)] | None = None


def _existence_kind(params: Any) -> str:
    return "wanted" if isinstance(params, dict) and ("at_least" in params or "any_of" in params) else "counts"


def _items(counts: Mapping[str, int]) -> str:
    parts = [f"“{word}” {times(count)}" for word, count in counts.items()]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _demands(params: Params) -> str:
    """All that the parameters ask for, such as `“ferry” at least twice and “bus” or “tram” at least once`."""
    parts = [_items(params["counts"])] if "counts" in params else []
    parts += [f"“{word}” at least {_TIMES.get(n, f'{n} times')}" for word, n in params.get("at_least", {}).items()]
    parts += [f"{quoted(params['any_of'], 'or')} at least once"] if "any_of" in params else []
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


_TIMES = {1: "once", 2: "twice"}


def _draw_wanted(keywords: Sequence[str], stream: Stream, context: DrawContext) -> Params | None:
    """Some keywords, each at least so often, or any of some; no keyword that another constraint requires anyway."""
    required = required_words(context.active)
    free = [keyword for keyword in keywords if keyword not in required]
    drawn = weighted_pair(stream, context.pool["wanted"])
    number = drawn.get("words") or drawn["any_of"]
    if len(free) < number:
        return None
    words = stream.sample(free, number)
    return {"any_of": words} if "any_of" in drawn else {"at_least": dict.fromkeys(words, drawn["times"])}


def _words_of(params: Params) -> list[str]:
    return [*params.get("counts", ()), *params.get("at_least", ()), *params.get("any_of", ())]


class Existence(KeywordGroup):
    """Every keyword occurs exactly as often as required, or at least so often."""

    name = "existence"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[
            Annotated[_Existence, Tag("counts")] | Annotated[_Wanted, Tag("wanted")], Discriminator(_existence_kind)
        ]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One to three keywords of the topic, each with a count."""
        keywords, pool = self._countable(context), context.pool
        if "wanted" in pool:
            return _draw_wanted(keywords, stream, context)
        if not keywords:
            return None
        most = min(pool["keywords"]["max"], len(keywords))
        chosen = stream.sample(keywords, stream.between(min(pool["keywords"]["min"], most), most))
        return {"counts": {k: stream.between(pool["count"]["min"], pool["count"]["max"]) for k in chosen}}

    def modify(self, params: Params, stream: Stream, context: DrawContext) -> Params | None:
        """Add, drop or recount one keyword; at least one stays."""
        if "wanted" in context.pool:
            return super().modify(params, stream, context)
        counts: dict[str, int] = dict(params["counts"])
        pool = context.pool
        free = [k for k in self._countable(context) if k not in counts]
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

    def _countable(self, context: DrawContext) -> list[str]:
        return [k for k in context.allowed_keywords if k not in context.uncounted]

    def takes_back(self, after: Params, before: Params | None, given_up: Iterable[Params]) -> bool:
        """Also if a keyword comes back that was dropped, or a count that a keyword had."""
        if "counts" not in after or not all("counts" in params for params in (*given_up, before or after)):
            return after in given_up
        old = [dict(params["counts"]) for params in given_up]
        new, present = after["counts"], before["counts"] if before else {}
        changed = {word: n for word, n in new.items() if present.get(word) != n}
        return new in old or any(
            word in counts and (word not in present or counts[word] == n)
            for word, n in changed.items()
            for counts in old
        )

    def saying(self, kind: OperationKind, before: Params | None, after: Params | None) -> Saying:
        if all("counts" in params for params in (before, after) if params is not None):
            return super().saying(kind, before, after)
        if kind == "modify" and after is not None:  # the new words take the place of all old ones
            return Saying("wanted", self.slots(after))
        return super().saying(kind, before, after)

    def change(self, before: Params | None, after: Params | None) -> Change:
        """A change of something else than counts puts the new words in place of the old ones."""
        if all("counts" in params for params in (before, after) if params is not None):
            return super().change(before, after)
        return Group.change(self, before, after)

    def slots(self, params: Params) -> dict[str, str]:
        return {"items": _demands(params), "words": quoted(_words_of(params), "and")}

    def part(self, before: Params, after: Params) -> Saying:
        old, new = before["counts"], after["counts"]
        removed = [w for w in old if w not in new]
        if removed:
            return Saying("release", {"words": quoted(removed, "and")})
        added = {w: n for w, n in new.items() if w not in old}
        if added:
            return Saying("add", {"items": _items(added), "words": quoted(list(added), "and")})
        changed = {w: n for w, n in new.items() if n != old[w]}
        return Saying("recount", {"items": _items(changed), "words": quoted(list(changed), "and")})

    def check(self, params: Params, reading: Reading) -> Verdict:
        exact, least, options = params.get("counts", {}), params.get("at_least", {}), params.get("any_of", ())
        counts, spans = _count(exact, reading)
        others, places = _count(map(bare_phrase, [*least, *options]), reading)
        held = dict(counts) == dict(exact)
        held &= all(n >= wanted for (_, n), wanted in zip(others, least.values(), strict=False))
        held &= not options or any(n for _, n in others[len(least) :])
        found = ", ".join(f"“{word}” {'never' if not n else f'{n}×'}" for word, n in [*counts, *others])
        return self.verdict(held, _demands(params), found, [*spans, *places])


class _Forbidden(ParamsModel):
    keywords: Annotated[list[_Word], Field(min_length=1)]


class Forbidden(KeywordGroup):
    """None of the keywords occurs."""

    name = "forbidden"
    adapter: TypeAdapter[Any] = TypeAdapter(_Forbidden)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One to three keywords of the topic that no other constraint requires."""
        free, pool = self._free(context, []), context.pool["keywords"]
        if not free or ("language" in context.active and not context.pool.get("beside_language", True)):
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

    def _free(self, context: DrawContext, taken: list[str]) -> list[str]:
        required = {*taken, *required_words(context.active)}
        return [k for k in context.keywords if k not in required and k not in context.spared]

    def takes_back(self, after: Params, before: Params | None, given_up: Iterable[Params]) -> bool:
        """Also if a keyword comes back that was allowed again."""
        old = [set(params["keywords"]) for params in given_up]
        new, present = set(after["keywords"]), set(before["keywords"] if before else ())
        return new in old or any(word in words for word in new - present for words in old)

    def slots(self, params: Params) -> dict[str, str]:
        return {"words": quoted(params["keywords"], "or")}

    def values(self, params: Params) -> dict[str, str]:
        """The words with “or”, as after a negation, and with “and”."""
        return {**self.slots(params), "words_and": quoted(params["keywords"], "and")}

    def part(self, before: Params, after: Params) -> Saying:
        removed = [w for w in before["keywords"] if w not in after["keywords"]]
        if removed:
            return Saying("release", {"words": quoted(removed, "and"), "words_and": quoted(removed, "and")})
        added = [w for w in after["keywords"] if w not in before["keywords"]]
        return Saying("add", {"words": quoted(added, "or"), "words_and": quoted(added, "and")})

    def check(self, params: Params, reading: Reading) -> Verdict:
        counts, spans = _count(params["keywords"], reading)
        found = ", ".join(f"“{word}” {n}×" for word, n in counts if n)
        return self.verdict(not found, f"no {quoted(params['keywords'], 'or')}", found or "none of them", spans)

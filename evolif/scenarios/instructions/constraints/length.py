"""`length` (LEN): how many words, sentences, paragraphs or characters the answer has; `sentences`: how they are built.

`sentences` is not in the paper: no long sentence, no two with the same beginning, or a number of questions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Discriminator, Field, Tag, TypeAdapter, model_validator

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, ParamsModel, bare, shorten
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, count_words, plural, words
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

_RELATIONS = {"less_than": "fewer than", "more_than": "more than", "exactly": "exactly"}
_SHAPES = {"less_than": "less", "more_than": "more", "exactly": "exact", "between": "between"}
_NAMES = {"less_than": "limit", "more_than": "minimum", "exactly": "count", "between": "range"}
_Unit = Literal["words", "sentences", "paragraphs", "characters"]


class _Length(ParamsModel):
    unit: _Unit
    relation: Literal["less_than", "more_than", "exactly"]
    count: Annotated[int, Field(ge=0)]


class _Range(ParamsModel):
    unit: _Unit
    relation: Literal["between"]
    count: Annotated[int, Field(ge=0)]
    upper: Annotated[int, Field(ge=0)]

    @model_validator(mode="after")
    def _in_order(self) -> _Range:
        if self.upper < self.count:
            raise ValueError("“upper” is below “count”")
        return self


def _kind(params: Any) -> str:
    relation = params.get("relation") if isinstance(params, dict) else None
    return "range" if relation == "between" else "limit"


def _count(reading: Reading, unit: str) -> int:
    if unit == "words":
        return reading.words
    if unit == "sentences":
        return len(reading.sentence_spans)
    return reading.paragraphs if unit == "paragraphs" else reading.characters


class Length(Group):
    """How a count compares with a number, or with a range."""

    name = "length"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[Annotated[_Length, Tag("limit")] | Annotated[_Range, Tag("range")], Discriminator(_kind)]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """Unit, relation and number, in this order; for a range also its width."""
        unit = stream.choice(get_args(_Unit))
        relation = stream.choice(context.pool["relations"])
        pool = context.pool[unit]
        count = stream.between(pool["min"], pool["max"], pool["step"])
        params = {"unit": unit, "relation": relation, "count": count}
        if relation == "between":
            params["upper"] = count + stream.choice(context.pool["widths"][unit])
        return params

    def key(self, params: Params) -> str:
        return f"{params['unit']}.{params['relation']}"

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return [f"{unit}.{relation}" for unit in get_args(_Unit) for relation in pool["relations"]]

    def slots(self, params: Params) -> dict[str, str]:
        return {name: str(params[name]) for name in ("count", "upper") if name in params}

    def shape(self, params: Params) -> str:
        return _SHAPES[params["relation"]]

    def values(self, params: Params) -> dict[str, str]:
        """The number, for a range also the upper one, and the unit."""
        slots = {"n": str(params["count"]), "u": params["unit"]}
        return slots | {"upper": str(params["upper"])} if "upper" in params else slots

    def names(self, params: Params) -> dict[str, str]:
        """The old number with its unit, the old unit, and what such a limit is called."""
        unit, number = params["unit"], str(params["count"])
        amount = f"{number} to {params['upper']}" if "upper" in params else number
        return {"on": f"{amount} {unit}", "ou": unit, "oname": f"the {unit[:-1]} {_NAMES[params['relation']]}"}

    def same_kind(self, before: Params, after: Params) -> bool:
        return bool(before["unit"] == after["unit"])

    def size(self, params: Params) -> tuple[str, int]:
        return params["unit"], params["count"]

    def check(self, params: Params, reading: Reading) -> Verdict:
        unit, relation, limit = params["unit"], params["relation"], params["count"]
        count, noun = _count(reading, unit), unit[:-1]
        spans = [Span(a, b) for a, b in reading.sentence_spans] if unit == "sentences" else []
        if relation == "between":
            satisfied = limit <= count <= params["upper"]
            expected = f"between {limit} and {plural(params['upper'], noun)}"
        else:
            satisfied = {"less_than": count < limit, "more_than": count > limit, "exactly": count == limit}[relation]
            expected = f"{_RELATIONS[relation]} {plural(limit, noun)}"
        return self.verdict(satisfied, expected, plural(count, noun), spans)


MIN_DISTINCT = 3
"""With fewer sentences, nothing can be said about how they begin."""

_CLOSERS = " \t\n\"'”’»›)]}」』）》】*_`"
_PREFIX = 64
"""Characters of a sentence searched for its first word before the whole sentence is read."""


class _MaxWords(ParamsModel):
    mode: Literal["max_words"]
    count: Annotated[int, Field(ge=1)]


class _DistinctStarts(ParamsModel):
    mode: Literal["distinct_starts"]


class _Questions(ParamsModel):
    mode: Literal["questions"]
    count: Annotated[int, Field(ge=0)]


def _first_word(sentence: str) -> str:
    found = words(sentence[:_PREFIX])
    if len(found) < 2:  # a single word may be cut off
        found = words(sentence)
    return bare(found[0]) if found else ""


class Sentences(Group):
    """How the sentences are built."""

    name = "sentences"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[_MaxWords | _DistinctStarts | _Questions, Field(discriminator="mode")]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of three modes, then its number."""
        mode = stream.choice(("max_words", "distinct_starts", "questions"))
        if mode == "distinct_starts":
            return {"mode": mode}
        pool = context.pool[mode]
        return {"mode": mode, "count": stream.between(pool["min"], pool["max"])}

    def check(self, params: Params, reading: Reading) -> Verdict:
        spans = [Span(start, end) for start, end in reading.sentence_spans]
        if params["mode"] == "questions":
            return self._questions(params["count"], spans, reading)
        if params["mode"] == "max_words":
            return self._max_words(params["count"], spans, reading)
        return self._distinct(spans, reading)

    def _max_words(self, limit: int, spans: list[Span], reading: Reading) -> Verdict:
        expected = f"sentences of at most {plural(limit, 'word')}"
        if not spans:
            return self.verdict(False, expected, "no sentence")
        counts = [count_words(reading.content_text[s.start : s.end]) for s in spans]
        long = [span for span, count in zip(spans, counts, strict=True) if count > limit]
        found = f"the longest of {plural(len(spans), 'sentence')} has {plural(max(counts), 'word')}"
        return self.verdict(not long, expected, found, long)

    def _distinct(self, spans: list[Span], reading: Reading) -> Verdict:
        expected = f"at least {MIN_DISTINCT} sentences, no two of which begin with the same word"
        if len(spans) < MIN_DISTINCT:
            return self.verdict(False, expected, plural(len(spans), "sentence"))
        seen: dict[str, Span] = {}
        for span in spans:
            word = _first_word(reading.content_text[span.start : span.end])
            if word in seen:
                return self.verdict(False, expected, f"two begin with “{shorten(word)}”", [seen[word], span])
            seen[word] = span
        return self.verdict(True, expected, f"{plural(len(spans), 'sentence')} with {plural(len(seen), 'beginning')}")

    def _questions(self, count: int, spans: list[Span], reading: Reading) -> Verdict:
        text = reading.content_text
        questions = [s for s in spans if text[s.start : s.end].rstrip(_CLOSERS).endswith(("?", "？"))]
        expected = f"exactly {plural(count, 'sentence')} with a question mark at the end"
        return self.verdict(len(questions) == count, expected, plural(len(questions), "question"), questions)

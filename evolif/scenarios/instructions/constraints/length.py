"""`length` (LEN): how many words, sentences, paragraphs or characters the answer has; `sentences`: how they are built.

`sentences` is not in the paper: no long sentence, no two with the same beginning, or a number of questions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter, model_validator

from evolif.scenarios.instructions.constraints.base import (
    DrawContext,
    Group,
    ParamsModel,
    bare,
    lower_limit,
    shorten,
    upper_limit,
)
from evolif.scenarios.instructions.constraints.relations import draw_weighted, weighted_pair
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, count_words, plural, words
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

_RELATIONS = {
    "less_than": "fewer than",
    "more_than": "more than",
    "exactly": "exactly",
    "at_most": "at most",
    "at_least": "at least",
    "about": "about",
}
_SHAPES = {
    "less_than": "less",
    "more_than": "more",
    "exactly": "exact",
    "between": "between",
    "at_most": "most",
    "at_least": "least",
    "about": "about",
}
_NAMES = {
    "less_than": "limit",
    "more_than": "minimum",
    "exactly": "count",
    "between": "range",
    "at_most": "limit",
    "at_least": "minimum",
    "about": "count",
}
_Unit = Literal["words", "sentences", "paragraphs", "characters", "lines"]
_PAPER_UNITS = ("words", "sentences", "paragraphs", "characters")
"""The units that profiles without weights draw from."""

_Noun = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^\S+(?: \S+)*$")]


_OTHERS = {"only": "lists, labels and tables", "kind": "lists"}


class _Length(ParamsModel):
    misfits = _OTHERS | {"upper": "the relation between"}
    unit: _Unit
    relation: Literal["less_than", "more_than", "exactly", "at_most", "at_least", "about"]
    count: Annotated[int, Field(ge=0)]


class _Range(ParamsModel):
    misfits = _OTHERS
    unit: _Unit
    relation: Literal["between"]
    count: Annotated[int, Field(ge=0)]
    upper: Annotated[int, Field(ge=0)]

    @model_validator(mode="after")
    def _in_order(self) -> _Range:
        if self.upper < self.count:
            raise ValueError("“upper” is below “count”")
        return self


class _NamedLength(_Length):
    noun: _Noun


class _NamedRange(_Range):
    noun: _Noun


def _kind(params: Any) -> str:
    if not isinstance(params, dict):
        return "limit"
    kind = "range" if params.get("relation") == "between" else "limit"
    return f"named {kind}" if "noun" in params else kind


def _count(reading: Reading, unit: str) -> int:
    if unit == "words":
        return reading.words
    if unit == "sentences":
        return len(reading.sentence_spans)
    if unit == "lines":
        return len(reading.lines)
    return reading.paragraphs if unit == "paragraphs" else reading.characters


def length_range(params: Params) -> tuple[int, int | None]:
    """The smallest and the largest allowed count, both included; None if there is no largest.

    `about` allows a tenth of the number more or less, rounded down, but always one.

    >>> length_range({"unit": "words", "relation": "about", "count": 50})
    (45, 55)
    """
    return lower_limit(params, params["unit"]), upper_limit(params, params["unit"])


def _spans(reading: Reading, unit: str) -> list[Span]:
    if unit == "sentences":
        return [Span(a, b) for a, b in reading.sentence_spans]
    return [Span(a, b, "body") for a, b in reading.lines] if unit == "lines" else []


_TRIES = 64


def _draw_weighted(unit: str, stream: Stream, pool: Mapping[str, Any]) -> Params:
    """A length in that unit by the pool's weights; `wide` is the width of all its ranges, in percent."""
    relation = weighted_pair(stream, pool["relations"][unit])
    value = weighted_pair(stream, pool["values"][unit][relation])
    params = {"unit": unit, "relation": relation}
    if relation != "between":
        return params | {"count": value}
    low, high = value
    return params | {"count": low, "upper": low + max(1, low * pool["wide"] // 100) if "wide" in pool else high}


class Length(Group):
    """How a count compares with a number, or with a range."""

    name = "length"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[
            Annotated[_Length, Tag("limit")]
            | Annotated[_Range, Tag("range")]
            | Annotated[_NamedLength, Tag("named limit")]
            | Annotated[_NamedRange, Tag("named range")],
            Discriminator(_kind),
        ]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """Unit, relation and number, in this order; for a range also its width."""
        if "units" in context.pool:
            return _draw_weighted(weighted_pair(stream, context.pool["units"]), stream, context.pool)
        unit = stream.choice(_PAPER_UNITS)
        relation = stream.choice(context.pool["relations"])
        pool = context.pool[unit]
        count = stream.between(pool["min"], pool["max"], pool["step"])
        params = {"unit": unit, "relation": relation, "count": count}
        if relation == "between":
            params["upper"] = count + stream.choice(context.pool["widths"][unit])
        return params

    def modify(self, params: Params, stream: Stream, context: DrawContext) -> Params | None:
        """Another length; by a pool with weights mostly one of the same unit."""
        keeps = context.pool.get("keeps_unit")
        if keeps is None:
            return super().modify(params, stream, context)
        units = [(unit, weight) for unit, weight in context.pool["units"] if unit != params["unit"]]
        unit = params["unit"] if stream.below(100) < keeps or not units else stream.weighted(units)
        for _ in range(_TRIES):
            fresh = _draw_weighted(unit, stream, context.pool)
            if fresh != params:
                return fresh
        return None

    def key(self, params: Params) -> str:
        return f"{params['unit']}.{params['relation']}"

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        if "units" in pool:
            return [f"{unit}.{relation}" for unit, _ in pool["units"] for relation, _ in pool["relations"][unit]]
        return [f"{unit}.{relation}" for unit in _PAPER_UNITS for relation in pool["relations"]]

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
        low, high = length_range(params)
        if relation == "between":
            expected = f"between {limit} and {plural(params['upper'], noun)}"
        else:
            expected = f"{_RELATIONS[relation]} {plural(limit, noun)}"
        satisfied = low <= count and (high is None or count <= high)
        return self.verdict(satisfied, expected, plural(count, noun), _spans(reading, unit))


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


class _AllQuestions(ParamsModel):
    mode: Literal["all_questions"]


def _first_word(sentence: str) -> str:
    found = words(sentence[:_PREFIX])
    if len(found) < 2:  # a single word may be cut off
        found = words(sentence)
    return bare(found[0]) if found else ""


class Sentences(Group):
    """How the sentences are built."""

    name = "sentences"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[_MaxWords | _DistinctStarts | _Questions | _AllQuestions, Field(discriminator="mode")]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's modes, by default of three, then its number."""
        if "drawn" in context.pool:
            return draw_weighted(stream, context)
        mode = stream.choice(self.drawn_keys(context.pool))
        if mode not in context.pool:
            return {"mode": mode}
        pool = context.pool[mode]
        return {"mode": mode, "count": stream.between(pool["min"], pool["max"])}

    def drawn_keys(self, pool: Mapping[str, Any]) -> Sequence[str]:
        if "drawn" in pool:
            return sorted({self.key(params) for params, _ in pool["drawn"]})
        return tuple(pool.get("modes", ("max_words", "distinct_starts", "questions")))

    def check(self, params: Params, reading: Reading) -> Verdict:
        spans = [Span(start, end) for start, end in reading.sentence_spans]
        if params["mode"] == "questions":
            return self._questions(params["count"], spans, reading)
        if params["mode"] == "max_words":
            return self._max_words(params["count"], spans, reading)
        if params["mode"] == "all_questions":
            return self._all_questions(spans, reading)
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
        questions = [span for span in spans if _is_question(span, reading)]
        expected = f"exactly {plural(count, 'sentence')} with a question mark at the end"
        return self.verdict(len(questions) == count, expected, plural(len(questions), "question"), questions)

    def _all_questions(self, spans: list[Span], reading: Reading) -> Verdict:
        others = [span for span in spans if not _is_question(span, reading)]
        expected = "a question mark at the end of every sentence"
        found = f"{len(spans) - len(others)} of {plural(len(spans), 'sentence')}" if spans else "no sentence"
        return self.verdict(bool(spans) and not others, expected, found, others)


def _is_question(span: Span, reading: Reading) -> bool:
    return reading.content_text[span.start : span.end].rstrip(_CLOSERS).endswith(("?", "？"))

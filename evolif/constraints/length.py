"""`length` (LEN): words, sentences, paragraphs or characters."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter, model_validator

from evolif.constraints.base import DrawContext, Group, ParamsModel, plural
from evolif.rng import Stream
from evolif.text import Reading
from evolif.types import Params, Span, Verdict

_RELATIONS = {"less_than": "fewer than", "more_than": "more than", "exactly": "exactly"}
_UNITS = ("words", "sentences", "paragraphs", "characters")


class _Length(ParamsModel):
    unit: Literal["words", "sentences", "paragraphs", "characters"]
    relation: Literal["less_than", "more_than", "exactly"]
    count: Annotated[int, Field(ge=0)]


class _Range(ParamsModel):
    unit: Literal["words", "sentences", "paragraphs", "characters"]
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


def count_unit(reading: Reading, unit: str) -> int:
    """How many of `unit` the reading has."""
    if unit == "words":
        return reading.words
    if unit == "sentences":
        return len(reading.sentence_spans)
    return reading.paragraphs if unit == "paragraphs" else reading.characters


class Length(Group):
    """The count of a unit stands in a relation to a number."""

    name = "length"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[Annotated[_Length, Tag("limit")] | Annotated[_Range, Tag("range")], Discriminator(_kind)]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """Unit, relation and number, one after the other; a range also has a width."""
        unit = stream.choice(_UNITS)
        relation = stream.choice(context.pool["relations"])
        pool = context.pool[unit]
        count = stream.between(pool["min"], pool["max"], pool["step"])
        if relation == "between":
            upper = count + stream.choice(context.pool["widths"][unit])
            return {"unit": unit, "relation": relation, "count": count, "upper": upper}
        return {"unit": unit, "relation": relation, "count": count}

    def key(self, params: Params) -> str:
        """Unit and relation together choose the phrase."""
        return f"{params['unit']}.{params['relation']}"

    def slots(self, params: Params) -> dict[str, str]:
        """Only the numbers vary."""
        return {name: str(params[name]) for name in ("count", "upper") if name in params}

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count and compare."""
        unit = params["unit"]
        count = count_unit(reading, unit)
        spans = [Span(a, b) for a, b in reading.sentence_spans] if unit == "sentences" else []
        satisfied, expected = _compare(params, count)
        return self.verdict(satisfied, expected, plural(count, unit[:-1]), spans)


def _compare(params: Params, count: int) -> tuple[bool, str]:
    """Whether the count is right, and what was expected."""
    relation, limit, noun = params["relation"], params["count"], params["unit"][:-1]
    if relation == "between":
        upper = params["upper"]
        return limit <= count <= upper, f"between {limit} and {plural(upper, noun)}"
    satisfied = {"less_than": count < limit, "more_than": count > limit, "exactly": count == limit}[relation]
    return satisfied, f"{_RELATIONS[relation]} {plural(limit, noun)}"

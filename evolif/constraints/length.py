"""`length` (LEN): words, sentences, paragraphs or characters."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group, ParamsModel, plural
from evolif.domain import Params, Span, Verdict
from evolif.text import Reading

_RELATIONS = {"less_than": "fewer than", "more_than": "more than", "exactly": "exactly"}
_UNITS = ("words", "sentences", "paragraphs", "characters")


class _Length(ParamsModel):
    unit: Literal["words", "sentences", "paragraphs", "characters"]
    relation: Literal["less_than", "more_than", "exactly"]
    count: Annotated[int, Field(ge=0)]


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
    adapter: TypeAdapter[Any] = TypeAdapter(_Length)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """Unit, relation and number, one after the other."""
        unit = stream.choice(_UNITS)
        relation = stream.choice(context.pool["relations"])
        pool = context.pool[unit]
        return {"unit": unit, "relation": relation, "count": stream.between(pool["min"], pool["max"], pool["step"])}

    def key(self, params: Params) -> str:
        """Unit and relation together choose the phrase."""
        return f"{params['unit']}.{params['relation']}"

    def slots(self, params: Params) -> dict[str, str]:
        """Only the number varies."""
        return {"count": str(params["count"])}

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count and compare."""
        unit, relation, limit = params["unit"], params["relation"], params["count"]
        count = count_unit(reading, unit)
        satisfied = {"less_than": count < limit, "more_than": count > limit, "exactly": count == limit}[relation]
        spans = [Span(a, b) for a, b in reading.sentence_spans] if unit == "sentences" else []
        noun = unit[:-1]
        return self.verdict(satisfied, f"{_RELATIONS[relation]} {plural(limit, noun)}", plural(count, noun), spans)

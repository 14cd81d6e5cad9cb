"""`length` (LEN): how many words, sentences, paragraphs or characters the answer has."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import Discriminator, Field, Tag, TypeAdapter, model_validator

from evolif.constraints.base import DrawContext, Group, ParamsModel, plural
from evolif.rng import Stream
from evolif.text import Reading
from evolif.types import Params, Span, Verdict

_RELATIONS = {"less_than": "fewer than", "more_than": "more than", "exactly": "exactly"}
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

    def slots(self, params: Params) -> dict[str, str]:
        return {name: str(params[name]) for name in ("count", "upper") if name in params}

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

"""`part_length` (not in the paper): how long each item, paragraph, line or sentence is."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group
from evolif.scenarios.instructions.constraints.relations import RelationParams, amount, draw_weighted, holds
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, count_graphemes, count_words, plural
from evolif.text.parts import Part, PartUnit, parts_of
from evolif.types import Span, Verdict
from evolif.util.rng import Stream


class _PartLength(RelationParams):
    unit: PartUnit
    measure: Literal["words", "sentences", "characters"]
    relation: Literal["exactly", "at_most", "at_least", "between"]


class PartLength(Group):
    """The length of every item, paragraph, line or sentence."""

    name = "part_length"
    adapter: TypeAdapter[Any] = TypeAdapter(_PartLength)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's parameters."""
        return draw_weighted(stream, context)

    def key(self, params: Params) -> str:
        return str(params["unit"])

    def slots(self, params: Params) -> dict[str, str]:
        numbers = {name: str(params[name]) for name in ("count", "upper") if name in params}
        return numbers | {"measure": params["measure"], "amount": amount(params, params["measure"][:-1])}

    def shape(self, params: Params) -> str:
        return f"{params['unit']}.{params['measure']}"

    def check(self, params: Params, reading: Reading) -> Verdict:
        unit, noun = params["unit"], params["measure"][:-1]
        expected = f"{amount(params, noun)} in every {unit}"
        parts = parts_of(reading, unit)
        if not parts:
            return self.verdict(False, expected, f"no {unit}")
        lengths = [_length(part, params["measure"], reading) for part in parts]
        wrong = [place for place, length in enumerate(lengths) if not holds(params, length)]
        spans = [Span(*parts[place].place) for place in wrong]
        if not wrong:
            low, high = min(lengths), max(lengths)
            each = plural(high, noun) if low == high else f"{low} to {plural(high, noun)}"
            return self.verdict(True, expected, f"{plural(len(parts), unit)} of {each}")
        first = plural(lengths[wrong[0]], noun)
        others = f", and {len(wrong) - 1} more out of bounds" if len(wrong) > 1 else ""
        found = f"{unit} {wrong[0] + 1} of {len(parts)} has {first}{others}"
        return self.verdict(False, expected, found, spans)


def _length(part: Part, measure: str, reading: Reading) -> int:
    if measure == "sentences":
        return part.sentences(reading)
    return count_words(part.text) if measure == "words" else count_graphemes(part.text)

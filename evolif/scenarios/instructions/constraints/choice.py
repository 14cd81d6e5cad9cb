"""`choice` (not in the paper): the answer is one of given options, or a number on a scale, and nothing else."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, TypeAdapter, model_validator

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, quoted, shorten
from evolif.scenarios.instructions.constraints.relations import ClosedParams, draw_weighted
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, fold, plural
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

_OUTER = "\"'“”„‟‘’‚‛«»‹›「」『』*_()[]{}（）［］【】 "
"""Quotation marks, brackets and bold marks round an option, and white space."""
_RATING = re.compile(r"([-+−]?[0-9]{1,9})(?:(?: ?/ ?| out of )([-+−]?[0-9]{1,9}))?")


def _bare(text: str) -> str:
    """A line or an option without case, outer marks and one final full stop."""
    folded = fold(text).strip(_OUTER)
    stripped = folded[:-1] if folded.endswith((".", "。")) and not folded.endswith("..") else folded
    return stripped.strip(_OUTER)


def _distinct(options: list[str]) -> list[str]:
    bare = [_bare(option) for option in options]
    if not all(bare):
        raise ValueError("an option is empty; give each a letter, a digit or a sign")
    if len(set(bare)) < len(bare):
        raise ValueError("an option is given twice; capitals, outer marks and a final full stop make no difference")
    return options


_Option = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\n]*\S[^\n]*$")]


class _Options(ClosedParams):
    misfits = dict.fromkeys(("low", "high"), "the mode scale")
    mode: Literal["options"]
    options: Annotated[list[_Option], Field(min_length=1, max_length=50), AfterValidator(_distinct)]
    reason: bool | None = None


class _Scale(ClosedParams):
    misfits = {"options": "the mode options"}  # noqa: RUF012 - as in the base
    mode: Literal["scale"]
    low: Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
    high: Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
    reason: bool | None = None

    @model_validator(mode="after")
    def _in_order(self) -> _Scale:
        if self.low >= self.high:
            raise ValueError("“low” must be below “high”")
        return self


class ChoiceGroup(Group):
    """One of the options and nothing else, or with the reason below it."""

    name = "choice"
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[_Options | _Scale, Field(discriminator="mode")])

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's parameters; the topic's own options, where it has any, take their place in the pool."""
        if not context.choices:
            return draw_weighted(stream, context) if context.pool["drawn"] else None
        params = stream.choice(context.choices)
        return {**params, "reason": True} if stream.below(100) < context.pool["reason"] else params

    def key(self, params: Params) -> str:
        return f"{params['mode']}.reason" if params.get("reason") else str(params["mode"])

    def slots(self, params: Params) -> dict[str, str]:
        if params["mode"] == "options":
            return {"options": quoted(params["options"], "or")}
        return {"low": str(params["low"]), "high": str(params["high"])}

    def check(self, params: Params, reading: Reading) -> Verdict:
        expected = _expected(params)
        lines = [reading.body[start:end] for start, end in reading.lines]
        if not lines:
            return self.verdict(False, expected, "no line of text")
        span = Span(*reading.lines[0], "body")
        found = f"“{shorten(lines[0])}”"
        if not _is_chosen(params, _bare(lines[0])):
            return self.verdict(False, expected, f"{found} on the first line", [span])
        satisfied = len(lines) > 1 if params.get("reason") else len(lines) == 1
        more = plural(len(lines) - 1, "more line") if len(lines) > 1 else "nothing else"
        return self.verdict(satisfied, expected, f"{found} and {more}", [span])


def _expected(params: Params) -> str:
    named = params["mode"] == "options"
    what = quoted(params["options"], "or") if named else f"a whole number from {params['low']} to {params['high']}"
    return f"{what} alone on the first line, and a reason below it" if params.get("reason") else f"{what}, nothing else"


def _is_chosen(params: Params, answer: str) -> bool:
    if params["mode"] == "options":
        return answer in map(_bare, params["options"])
    rating = _RATING.fullmatch(answer)
    if rating is None:
        return False
    number, top = (int(text.replace("−", "-")) if text else None for text in rating.groups())
    return number is not None and params["low"] <= number <= params["high"] and top in (None, params["high"])

"""`unit_start`, a mode of `placement`: how every sentence, paragraph, line or item begins, or the n-th of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from evolif.scenarios.instructions.constraints.base import SparseParams, quoted, shorten
from evolif.scenarios.instructions.constraints.phrases import no_doubles, source_begins
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, is_skippable, plural
from evolif.text.parts import PartUnit, parts_of
from evolif.types import Span

MIN_UNITS = 2
"""One unit is not every unit."""

_Value = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class UnitStart(SparseParams):
    """Exactly one of `value`, `values` and `letter` says how a unit begins."""

    mode: Literal["unit_start"]
    unit: PartUnit
    which: Literal["every"] | Annotated[int, Field(ge=1)] | None = None
    value: _Value | None = None
    values: Annotated[list[_Value], Field(min_length=1, max_length=50)] | None = None
    letter: Annotated[str, Field(pattern=r"^[A-Za-z]$")] | None = None

    @model_validator(mode="after")
    def _one_of_three(self) -> Self:
        if sum(given is not None for given in (self.value, self.values, self.letter)) != 1:
            raise ValueError("give one of “value”, “values” and “letter”")
        no_doubles(self.values or [])
        return self


class UnitStarts(NamedTuple):
    """Whether the units begin as asked, what is expected, what was found, and the units that do not."""

    satisfied: bool
    expected: str
    found: str
    spans: list[Span]


def check_unit_start(params: Params, reading: Reading) -> UnitStarts:
    """Check how units begin: all of them, of which there are two or more, or the n-th."""
    unit: PartUnit = params["unit"]
    which = params.get("which", "every")
    expected = f"{_which(which)} {unit} begins with {_beginning(params)}"
    starts = _starts(reading, unit)
    if which != "every":
        if len(starts) < which:
            return UnitStarts(False, expected, f"only {plural(len(starts), unit)}", [])
        starts = starts[which - 1 : which]
    elif len(starts) < MIN_UNITS:
        return UnitStarts(False, expected, plural(len(starts), unit), [])
    wrong = [start for start in starts if not _begins(start.source, params)]
    found = f"{len(starts) - len(wrong)} of {plural(len(starts), unit)}"
    if wrong:
        found += f"; one begins with “{shorten(wrong[0].source[:_SHOWN].lstrip(), 24)}”"
    return UnitStarts(not wrong, expected, found, [start.span for start in wrong])


_SHOWN = 60
_ROOM = 4096
"""Characters of a unit that are looked at."""
# Behind marks of quotes, headings, lists and bold type; an ordered list's number is one of them.
_NUMBER = re.compile(r"([\s>#*_•+-]*+)\d{1,9}[.)](?=\s)")
_LEAD = re.compile(r"[\s>#*_•+\"'“”„«»‹›‘’`-]*+(?:\d{1,9}[.)][\s*_]*+)?")


class _Start(NamedTuple):
    source: str
    span: Span


def _starts(reading: Reading, unit: PartUnit) -> list[_Start]:
    body = reading.body
    if unit == "line":
        return [_Start(body[a : min(b, a + _ROOM)], Span(a, b, "body")) for a, b in reading.lines]
    places = [part.place for part in parts_of(reading, unit)]
    return [_Start(_source(reading, start), Span(start, end)) for start, end in places]


def _source(reading: Reading, start: int) -> str:
    """The body from where a unit of the content begins, with the marks before it."""
    block = max(0, bisect_right(reading.offsets, start) - 1)
    at = reading.blocks[block].to_body(start - reading.offsets[block])
    if at is None:
        return reading.content_text[start : start + _ROOM]
    line = reading.body.rfind("\n", 0, at) + 1
    begin = line if _LEAD.fullmatch(reading.body, line, at) else at
    return reading.body[begin : begin + _ROOM]


def _begins(source: str, params: Params) -> bool:
    if "letter" in params:
        first = next((char for char in _without_number(source) if not is_skippable(char)), "")
        return bool(first.lower() == params["letter"].lower())
    return any(_begins_with(source, value) for value in params.get("values") or [params["value"]])


def _begins_with(source: str, value: str) -> bool:
    return source_begins(source if value[0].isdigit() else _without_number(source), value.strip())


def _without_number(source: str) -> str:
    """A unit without the number of its list item; the marks before it stay."""
    number = _NUMBER.match(source)
    return source if number is None else number[1] + source[number.end() :]


def _which(which: str | int) -> str:
    return which if isinstance(which, str) else f"number {which}: the"


def _beginning(params: Params) -> str:
    if "letter" in params:
        return f"the letter {params['letter'].upper()}"
    return quoted(params.get("values") or [params["value"]], "or")

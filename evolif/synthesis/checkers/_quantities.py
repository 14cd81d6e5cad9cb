"""Quantities with their relation: `fewer than 200`, `five or more`, `between 3 and 6`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._numbers import Number, find_numbers
from evolif.synthesis.checkers._shadow import Query

UNBOUNDED = 10**9
_LOOK_BACK = 48
_UNIT = re.compile(r"\s{0,4}(?:words|sentences|paragraphs|characters)")
_DASH = re.compile(r"\s{0,4}[-–—]\s{0,4}")
_TO = re.compile(r"\s{0,4}(?:-|–|—|to)\s{0,4}")
_CLAUSE_END = re.compile(r"[,;:.!?()]|\s[-–—]|—")


@dataclass(frozen=True, slots=True)
class Quantity:
    """Whole numbers from `low` to `high`, both included."""

    low: int
    high: int
    start: int
    end: int
    vague: bool = False
    """The query says about, roughly, or so."""
    bare: bool = False
    """No relation was said; taken as exactly that number."""
    number: int = 0
    """The number that was said; the first of a range."""


def quantities(query: Query, *, ranges: bool = True, moves: bool = False) -> Iterator[Quantity]:
    """Every number of the query with what is said of its size, in order; quotations are not read.

    Args:
        query: The query.
        ranges: Whether `3 to 5` is one quantity.
        moves: Whether `from 3 to 5` is an old and a new number.
    """
    numbers = find_numbers(query.shadow)
    index = 0
    while index < len(numbers):
        first = numbers[index]
        second = numbers[index + 1] if index + 1 < len(numbers) else None
        if ranges and second is not None and not (moves and _is_old(query, first)) and _is_range(query, first, second):
            yield Quantity(first.value, second.value, first.start, second.end, number=first.value)
            index += 2
        else:
            yield _single(query, first)
            index += 1


def size_before(query: Query, start: int) -> str | None:
    """What the words right before a number say of it: `most`, `least`, `less`, `more`, `exact`, `vague`, or nothing."""
    cue = _size_cue(query, start)
    return cue.lastgroup if cue else None


def counts_as_one(query: Query, quantity: Quantity) -> bool:
    """`a list counts as one paragraph` says how to count, not how many."""
    start = quantity.start
    before = cues().before("sizes", "as_one")
    return quantity.number == 1 and before.search(query.shadow, max(0, start - 12), start) is not None


def _is_old(query: Query, number: Number) -> bool:
    start = number.start
    return cues().before("sizes", "from").search(query.shadow, max(0, start - _LOOK_BACK), start) is not None


def _is_range(query: Query, first: Number, second: Number) -> bool:
    if second.value <= first.value:
        return False
    between = query.shadow[first.end : second.start]
    if _TO.fullmatch(between):
        return True
    unit = _UNIT.match(between)
    between = between[unit.end() :] if unit else between
    start = first.start
    opened = cues().before("sizes", "range").search(query.shadow, max(0, start - _LOOK_BACK), start)
    linked = cues().framed("sizes", "range_to", left="( )?", right="( )?").fullmatch(between)
    return opened is not None and (linked is not None or _DASH.fullmatch(between) is not None)


def _size_cue(query: Query, start: int) -> re.Match[str] | None:
    pattern = cues().framed("sizes", "before", right="( <size_fill>){0,2}( )?$")
    return pattern.search(query.shadow, max(0, start - _LOOK_BACK), start)


def _single(query: Query, number: Number) -> Quantity:
    value = number.value
    before = _size_cue(query, number.start)
    rest = _CLAUSE_END.split(query.shadow[number.end : number.end + 60], maxsplit=1)[0]
    after = cues().framed("sizes", "after", left=r"[\s-]{0,4}([\w']{1,40}[\s-]{1,4}){0,5}?").match(rest)
    kind = _kind(query, number, before.lastgroup if before else None, after.lastgroup if after else None)
    low, high = {
        "most": (0, value),
        "least": (value, UNBOUNDED),
        "less": (0, value - 1),
        "more": (value + 1, UNBOUNDED),
    }.get(kind or "", (value, value))
    if before and kind in ("less", "more") and _is_denied(query, before.start()):
        low, high = (value, UNBOUNDED) if kind == "less" else (0, value)
    return Quantity(low, high, number.start, number.end, kind == "vague", kind is None, value)


def _kind(query: Query, number: Number, before: str | None, after: str | None) -> str | None:
    """The relation that the words before a number and those behind it make together."""
    if before is None:
        return after
    moved = cues().before("sizes", "moved")
    if before == "most" and moved.search(query.shadow, max(0, number.start - 60), number.start):
        return None  # "bump the bullets up to five" names where they end
    if after is not None and before == "exact":
        return after
    if before == "vague" and after in ("least", "most"):
        return after
    return before


def _is_denied(query: Query, at: int) -> bool:
    """`don't go over 200`, `never below 200`."""
    return cues().before("sizes", "denied").search(query.shadow, max(0, at - 40), at) is not None

"""Finds the numbers of times that a query speaks of: `twice`, `exactly 3 uses`, `three times or more`."""

from __future__ import annotations

from dataclasses import dataclass

from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._numbers import find_numbers
from evolif.synthesis.checkers._quantities import size_before
from evolif.synthesis.checkers._shadow import Query

_ADVERBS = {"once": 1, "twice": 2, "thrice": 3}
_LOOSE = ("most", "least", "less", "more", "vague")


@dataclass(frozen=True, slots=True)
class Count:
    """A number of times, where the query says it."""

    start: int
    end: int
    value: int
    exact: bool


def find_counts(query: Query) -> list[Count]:
    """All numbers of times, in order."""
    shadow = query.shadow
    found = []
    for match in cues().anywhere("counts", "adverb").finditer(shadow):
        start, end = match.span()
        if match.group() != "once" or not _is_no_count(query, start, end):
            found.append(Count(start, end, _ADVERBS[match.group()], _is_exact(query, start, end)))
    for number in find_numbers(shadow):
        if cues().after("counts", "next").match(shadow, number.end):
            continue  # "one more thing"
        times = cues().framed("counts", "times", left=r"[\s-]{0,4}", right="|( )?×").match(shadow, number.end)
        end = times.end() if times else number.end
        found.append(Count(number.start, end, number.value, _is_exact(query, number.start, end)))
    return sorted(found, key=lambda count: count.start)


def _is_no_count(query: Query, start: int, end: int) -> bool:
    """`once more`, `at once`."""
    again, at_once = cues().after("counts", "again"), cues().before("counts", "not_once")
    return (
        again.match(query.shadow, end) is not None
        or at_once.search(query.shadow, max(0, start - 12), start) is not None
    )


def _is_exact(query: Query, start: int, end: int) -> bool:
    loose = cues().after("counts", "loose").match(query.shadow[end : end + 24])
    return size_before(query, start) not in _LOOSE and loose is None

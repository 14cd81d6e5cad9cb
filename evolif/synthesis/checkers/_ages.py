"""Finds audiences that are named by their age: `nine-year-olds`, `aged about 70`."""

from __future__ import annotations

import re

from evolif.synthesis.checkers._claims import Claim
from evolif.synthesis.checkers._numbers import find_numbers
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query

_AGE = re.compile(r"[\s-]{1,4}years?[\s-]{1,4}olds?(?!\w)|[\s-]{1,4}years\s{1,4}(?:old|of\s{1,4}age)(?!\w)")
_AGED = re.compile(r"(?<!\w)(?:aged?|ages|age\s{1,4}of)\s{1,4}(?:(?:about|around)\s{1,4})?$")
_OLDEST = (("child", 14), ("youth", 24), ("adult", 64))
"""The age groups of the paper, each with its oldest year; who is older is a senior."""


def find_ages(query: Query) -> list[Claim]:
    """Claims on audiences, by their values."""
    found = []
    for number in find_numbers(query.shadow):
        unit = _AGE.match(query.shadow, number.end)
        if unit or _AGED.search(query.shadow, max(0, number.start - 20), number.start):
            value = next((name for name, oldest in _OLDEST if number.value <= oldest), "senior")
            end = unit.end() if unit else number.end
            found.append(Claim(value, number.start, end, role_of(query, number.start, end)))
    return found

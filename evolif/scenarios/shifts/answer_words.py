"""The words by which a final answer is read: units, what means nothing, denials and hedges, names of months."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from evolif.util.resources import data_path, load_data


@cache
def answer_words() -> Mapping[str, tuple[str, ...]]:
    """The lists of words in `seeds/shifts/answer-words.yaml`, by their names, but for `units` and `months`."""
    return {name: tuple(map(str, words)) for name, words in _data().items() if name not in ("units", "months")}


@cache
def unit_names() -> Mapping[str, str]:
    """What a unit is called, to how keys end in it: `€` and `euros` to `eur`."""
    units: Mapping[str, list[str]] = _data()["units"]
    return {other: unit for unit, others in units.items() for other in (*others, unit)}


@cache
def month_numbers() -> Mapping[str, int]:
    """The names of months, short ones too, to their numbers from 1."""
    months: list[list[str]] = _data()["months"]
    return {name: number for number, names in enumerate(months, 1) for name in names}


def any_of(words: Iterable[str]) -> str:
    """A pattern for one of some words, not touching a letter or a digit; the longest that fits."""
    longest_first = sorted(words, key=len, reverse=True)
    return rf"(?<![\w])(?:{'|'.join(map(re.escape, longest_first))})(?![\w])"


@cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = load_data(data_path("seeds", "shifts", "answer-words.yaml"))
    return data

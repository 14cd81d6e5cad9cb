"""Correlation of figures and of their ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import StatisticsError, correlation

_ROUNDING = 1e-9
"""Two figures that differ by less are the same one, differently rounded: a third thrice, and two halves."""


def pearson(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Pearson's correlation; None with fewer than two points, or where one side does not vary."""
    try:
        value = correlation(_settled(xs), _settled(ys))
    except StatisticsError:
        return None
    return min(1.0, max(-1.0, value))


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Spearman's: Pearson's correlation of the ranks, equal figures sharing theirs."""
    return pearson(ranks(xs), ranks(ys))


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, the lowest first; equal values have the mean of the places they take."""
    values = _settled(values)
    ordered = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(ordered, start=1)))}
    last = {value: place for place, value in enumerate(ordered, start=1)}
    return [(first[value] + last[value]) / 2 for value in values]


def _settled(values: Sequence[float]) -> list[float]:
    """The values, those that rounding alone sets apart being the lowest of them."""
    settled: dict[float, float] = {}
    last = own = -math.inf
    for value in sorted(set(values)):
        own = own if value - last < _ROUNDING else value
        settled[value], last = own, value
    return [settled[value] for value in values]

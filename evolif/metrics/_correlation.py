"""Correlation of figures and of their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import StatisticsError, correlation


def pearson(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Pearson's correlation; None with fewer than two points, or where one side does not vary."""
    try:
        value = correlation(xs, ys)
    except StatisticsError:
        return None
    return min(1.0, max(-1.0, value))


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Spearman's: Pearson's correlation of the ranks, equal figures sharing theirs."""
    return pearson(ranks(xs), ranks(ys))


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, the lowest first; equal values have the mean of the places they take."""
    ordered = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(ordered, start=1)))}
    last = {value: place for place, value in enumerate(ordered, start=1)}
    return [(first[value] + last[value]) / 2 for value in values]

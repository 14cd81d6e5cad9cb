"""The difference of two models that played the same dialogues: one test, and the interval of the same test.

A figure is a ratio of sums over clusters (dialogues, or what the scenario declares). What each cluster adds to it is
worked out by the jackknife for either model; the differences of the two are what the test is about. It is Student's,
with fewer degrees of freedom where a few clusters decide the spread. p and interval come from one function, so they
never contradict each other. (Swapping the two models within dialogues, as earlier versions did, tests whether they are
alike in everything; its interval is too narrow where one plays longer sessions than the other.)

With six to nine clusters Student's interval is joined with that of the test which flips the signs of the differences,
and the larger p counts. `benchmarks/coverage.py` measures how often all this is right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evolif.metrics.distributions import student_quantile, student_tail
from evolif.metrics.intervals import ALPHA, FEWEST, freedom_of, jackknife, standard_error
from evolif.metrics.power import MOST_FLIPPED
from evolif.metrics.statistics import Interval
from evolif.metrics.table import MetricTable, Row
from evolif.types import Session

_LEVEL = 20
"""The test's level is one in so many; a whole number, so that no rounding decides what is in the interval."""
_ROUNDING = 1e-9
"""Values that differ by less are equal up to rounding."""
_NOTHING = 1e-12

Influence = tuple[Sequence[float], Sequence[float]]
"""What each cluster adds to a metric of one model and of the other."""


@dataclass(frozen=True, slots=True)
class PairTest:
    """What the test says of one metric.

    Attributes:
        p: Two-sided; None if the difference is undefined, or fewer than six clusters contribute to either side.
        interval: 95 %; None where p is None. It leaves out 0 where p is at most .05, and nowhere else.
    """

    p: float | None = None
    interval: Interval | None = None

    @property
    def told_apart(self) -> bool:
        """Whether p is at most .05."""
        return self.p is not None and self.p <= ALPHA


def pair_test(
    table: MetricTable,
    a: Sequence[Row],
    b: Sequence[Row],
    metric: str,
    *,
    most: float | None = None,
    influence: Influence | None = None,
) -> PairTest:
    """The test of the difference a - b of one metric.

    Args:
        table: What the rows are.
        a: The terms of the first model per cluster, all its sessions summed.
        b: Those of the second, in the same order.
        metric: One of the table's.
        most: The largest value that a metric in turns can have; None if unknown.
        influence: What each cluster adds, where the rows do not tell it.

    Example:
        >>> table = MetricTable(("right", "of"), lambda session: (), {"share": ("right", "of")})
        >>> a, b = [(9, 10), (8, 10)] * 6, [(5, 10), (7, 10)] * 6
        >>> found = pair_test(table, a, b, "share")
        >>> round(found.p, 4), [round(end, 3) for end in found.interval]
        (0.0003, [0.145, 0.355])
    """
    sums = table.total(a), table.total(b)
    one, other = (table.value(own, metric) for own in sums)
    if one is None or other is None or not (has_enough(table, a, metric) and has_enough(table, b, metric)):
        return PairTest()
    difference = one - other
    if influence is None:
        influence = influence_of(table, a, metric), influence_of(table, b, metric)
    own = [mine - yours for mine, yours in zip(*influence, strict=True)]
    widest = _widest(table, metric, a, b)
    if all(abs(value) <= _NOTHING * max(1.0, widest) for value in own):
        found = _alike(difference, len(own), widest)
    else:
        found = _tested(difference, own)
    return _possible(found, table, metric, [*a, *b], most)


def has_enough(table: MetricTable, rows: Sequence[Row], metric: str) -> bool:
    """Whether enough clusters contribute to a metric for an interval."""
    place = table.places(metric)[1]
    return sum(row[place] > 0 for row in rows) >= FEWEST


def holm(p: Mapping[str, float | None]) -> dict[str, float | None]:
    """Holm's step-down correction over the defined p values.

    Example:
        >>> holm({"a": 0.02, "b": 0.04, "c": None})
        {'a': 0.04, 'b': 0.04, 'c': None}
    """
    ordered = sorted((value, name) for name, value in p.items() if value is not None)
    adjusted: dict[str, float | None] = dict.fromkeys(p)
    highest = 0.0
    for place, (value, name) in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - place) * value))
        adjusted[name] = highest
    return adjusted


def influence_of(
    table: MetricTable, rows: Sequence[Row], metric: str, groups: Sequence[Sequence[Session]] | None = None
) -> Sequence[float]:
    """What each cluster adds to a metric, see `jackknife`.

    Args:
        table: What the rows are.
        rows: One per cluster; more than one has a denominator.
        metric: One of the table's.
        groups: The sessions of each cluster, for metrics that rows do not tell where sessions were cut.
    """
    own = table.influence.get(metric)
    found = None if own is None or groups is None else own(groups)
    if found is not None:
        return found
    top, bottom = table.places(metric)
    return jackknife([row[top] for row in rows], [row[bottom] for row in rows])[1]


def _tested(difference: float, own: Sequence[float]) -> PairTest:
    freedom, error = freedom_of(own), standard_error(own)
    half = student_quantile(freedom) * error
    p, interval = student_tail(abs(difference) / error, freedom), (difference - half, difference + half)
    if len(own) <= MOST_FLIPPED:
        flipped_p, flipped = _flipped([difference + value for value in own])
        p = max(p, flipped_p)
        interval = min(interval[0], flipped[0]), max(interval[1], flipped[1])
    return PairTest(p, _without_contradiction(interval, difference, p))


def _without_contradiction(interval: Interval, difference: float, p: float) -> Interval:
    """The interval with 0 in it where p says so, and without it where not: rounding decides nothing."""
    low, high = interval
    if p > ALPHA:
        return min(low, 0.0), max(high, 0.0)
    return (
        (max(low, min(_ROUNDING, difference)), high)
        if difference > 0
        else (low, min(high, max(-_ROUNDING, difference)))
    )


def _flipped(values: Sequence[float]) -> tuple[float, Interval]:
    """P of all flips of the signs, and the differences that the same test does not reject."""
    n, total = len(values), math.fsum(values)
    sums = _subset_sums(tuple(values))
    extreme = sum(abs(total - 2 * own) >= abs(total) - _ROUNDING for own, _ in sums)
    means = [
        sorted((own / size, (total - own) / (n - size))) if 0 < size < n else [-math.inf, math.inf]
        for own, size in sums
    ]
    place = len(sums) // _LEVEL
    return extreme / len(sums), (
        sorted(low for low, _ in means)[place],
        sorted((high for _, high in means), reverse=True)[place],
    )


@lru_cache(maxsize=4)
def _subset_sums(values: tuple[float, ...]) -> list[tuple[float, int]]:
    """The sum and the size of every subset."""
    found = [(0.0, 0)]
    for value in values:
        found += [(own + value, size + 1) for own, size in found]
    return found


def _alike(difference: float, clusters: int, widest: float) -> PairTest:
    """All clusters differ alike: what is left is the share of clusters that may have been missed."""
    p = 1.0 if abs(difference) < _ROUNDING else 2.0 ** (1 - clusters)
    half = (1 - (ALPHA / 2) ** (1 / clusters)) * widest
    low, high = difference - half, difference + half
    return PairTest(
        p, (low, high) if p > ALPHA or low > 0 or high < 0 else _without_contradiction((low, high), difference, p)
    )


def _widest(table: MetricTable, metric: str, a: Sequence[Row], b: Sequence[Row]) -> float:
    """How far apart two values of the metric can be, as far as one can see."""
    if table.units.get(metric, "rate") == "rate":
        return 1.0
    top, bottom = table.places(metric)
    return max((abs(row[top] / row[bottom]) for rows in (a, b) for row in rows if row[bottom]), default=1.0) or 1.0


def _possible(found: PairTest, table: MetricTable, metric: str, rows: Sequence[Row], most: float | None) -> PairTest:
    """Without differences that two such figures cannot have."""
    if found.interval is None:
        return found
    top, bottom = table.places(metric)
    limit = math.inf
    if any(row[top] < 0 for row in rows):
        return found
    if table.units.get(metric, "rate") == "rate" and all(row[top] <= row[bottom] * (1 + _ROUNDING) for row in rows):
        limit = 1.0
    elif table.units.get(metric) == "turns" and most is not None:
        limit = most
    return PairTest(found.p, (max(found.interval[0], -limit), min(found.interval[1], limit)))

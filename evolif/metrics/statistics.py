"""Statistics behind the metrics: bootstrap, score intervals, correlation; equal with and without NumPy.

Sums of floating-point numbers depend on the order in which they are added, which differs between libraries and with the
number of processors. The bootstrap therefore adds whole numbers of a very small unit: their sums are exact below 2^53,
even where a library adds them as floats.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from operator import itemgetter
from statistics import NormalDist, StatisticsError, correlation
from typing import Any, TypeAlias

from evolif.errors import UsageError
from evolif.metrics.seeded import SeededDraws

_EXACT_BITS = 52


def unit_bits(columns: Sequence[Sequence[float]], rows: int) -> int:
    """The number of binary places for which no sum of `rows` figures reaches 2^53; about 40 for a hundred dialogues.

    Args:
        columns: Figures.
        rows: How many of them are added at most.
    """
    largest = max((abs(value) for column in columns for value in column), default=0)
    return max(0, _EXACT_BITS - math.ceil(math.log2(max(1, largest * rows))))


def whole(columns: Sequence[Sequence[float]], bits: int) -> list[list[int]]:
    """The figures in units of 2^-bits, rounded half to even."""
    scale = 2.0**bits
    return [[round(value * scale) for value in column] for column in columns]


def require(module: str, what: str) -> Any:
    """NumPy or a module of SciPy, for `what`; both come with the extra `report`.

    Raises:
        UsageError: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(f"{what} needs SciPy: pip install 'evolif[report]'") from None


@lru_cache(maxsize=1)
def numpy_if_any() -> Any | None:
    """NumPy, or None if it is not installed."""
    try:
        return import_module("numpy")
    except ImportError:
        return None


Interval: TypeAlias = tuple[float, float]
Column: TypeAlias = Sequence[float]
Values: TypeAlias = Any
"""A list of floats, or the same as an array."""

_BLOCK = 131_072
"""Draws processed at once, to limit memory."""
_MOST_KEPT = 1_000_000
"""Draws whose counts are kept."""
_SMALL = 262_144
"""Multiplications up to which the usual libraries stay on one core."""


def check_draws(seed: int, resamples: int) -> None:
    """Refuse an impossible bootstrap.

    Raises:
        UsageError: `seed` below 0 or `resamples` below 1.
    """
    if seed < 0 or resamples < 1:
        raise UsageError(
            f"the bootstrap needs a seed of at least 0 and at least 1 resample, not {seed} and {resamples}"
        )


def resampled_indices(dialogues: int, *, seed: int, resamples: int) -> Iterator[list[int]]:
    """Which dialogues each resample draws: `dialogues` whole numbers from 0 to `dialogues` - 1, with repeats."""
    # Python promises that the floats of a seeded Random never change; it promises nothing of choices() or randrange().
    chance = random.Random(seed).random
    for _ in range(resamples):
        yield [int(chance() * dialogues) for _ in range(dialogues)]


def resampled_sums(columns: Sequence[Column], *, seed: int, resamples: int) -> list[Values]:
    """Per column its sum over the drawn dialogues, one for each resample.

    Args:
        columns: One figure per dialogue each, all as long; at least one dialogue.
        seed: Of the draws, which are the same for every column.
        resamples: How many.
    """
    bits = unit_bits(columns, len(columns[0]))
    numpy = numpy_if_any()
    if numpy is None:
        return _plain_sums(whole(columns, bits), 2.0**-bits, seed, resamples)
    figures = numpy.rint(numpy.array(columns, dtype=numpy.float64) * 2.0**bits).T  # as `whole`, also half to even
    blocks = [product(numpy, counts, figures) for counts in _counts(numpy, len(columns[0]), seed, resamples)]
    return list((numpy.concatenate(blocks) * 2.0**-bits).T)


def product(numpy: Any, left: Any, right: Any) -> Any:
    """The matrix product, in pieces small enough to stay on one core.

    For a few columns this takes a third of the time: threads would mostly wait for each other.
    """
    rows = max(1, _SMALL // max(1, right.size))
    return numpy.concatenate([left[start : start + rows] @ right for start in range(0, len(left), rows)])


def middle(values: Values, point: float) -> Interval | None:
    """The middle 95 % of the values, which are sorted in place; None if there are none.

    The ends are those of `statistics.quantiles(…, n=40, method="inclusive")`. An end that differs from the point only
    by rounding becomes the point.
    """
    if not len(values):
        return None
    values.sort()
    return _settle(_cut(values, 1), point), _settle(_cut(values, 39), point)


def middle_low(values: Values) -> float:
    """The lower end of `middle`, unsettled; the values are sorted in place."""
    values.sort()
    return _cut(values, 1)


def _cut(ordered: Values, fortieths: int) -> float:
    at, over = divmod(fortieths * (len(ordered) - 1), 40)
    if not over:
        return float(ordered[at])
    return float(ordered[at] * (40 - over) + ordered[at + 1] * over) / 40


def _settle(end: float, point: float) -> float:
    # If dialogues do not differ, rounding alone could put the point just outside its interval.
    return point if math.isclose(end, point, rel_tol=1e-9, abs_tol=1e-9) else end


def _plain_sums(units: Sequence[Sequence[int]], unit: float, seed: int, resamples: int) -> list[Values]:
    sums: list[list[float]] = [[] for _ in units]
    for drawn in resampled_indices(len(units[0]), seed=seed, resamples=resamples):
        # itemgetter of one index gives a bare number.
        take = itemgetter(*drawn) if len(drawn) > 1 else lambda column: column
        for own, column in zip(sums, units, strict=True):
            own.append(sum(take(column)) * unit)
    return list(sums)


def _counts(numpy: Any, dialogues: int, seed: int, resamples: int) -> Iterator[Any]:
    """How often each resample draws each dialogue, some resamples at a time."""
    if dialogues * resamples <= _MOST_KEPT:
        yield _kept_counts(dialogues, seed, resamples)
        return
    draws, left = SeededDraws(numpy), resamples
    draws.begin(seed)
    while left:
        rows = min(left, max(1, _BLOCK // dialogues))
        yield _counted(numpy, draws, rows, dialogues)
        left -= rows


@lru_cache(maxsize=8)
def _kept_counts(dialogues: int, seed: int, resamples: int) -> Any:
    """The counts for a run's usual number of dialogues, which a report needs many times."""
    numpy = numpy_if_any()
    draws = SeededDraws(numpy)
    draws.begin(seed)
    counts = _counted(numpy, draws, resamples, dialogues)
    counts.flags.writeable = False
    return counts


def _counted(numpy: Any, draws: SeededDraws, rows: int, dialogues: int) -> Any:
    """The counts of the next resamples, drawn as in `resampled_indices`."""
    indices = (draws.take(rows * dialogues) * dialogues).astype(numpy.int64).reshape(rows, dialogues)
    flat = indices + numpy.arange(rows)[:, None] * dialogues
    return numpy.bincount(flat.ravel(), minlength=indices.size).reshape(rows, dialogues).astype(numpy.float64)


Z95 = NormalDist().inv_cdf(0.975)
"""The normal distribution's 97.5 % point."""


def wilson(share: float, n: float) -> Interval:
    """Wilson's 95 % score interval of a share (1927).

    Args:
        share: A fraction.
        n: Independent observations, more than 0; fractional if they are weighted.
    """
    spread = Z95 * Z95 / n
    centre = share + spread / 2
    half = Z95 * math.sqrt((share * (1 - share) + spread / 4) / n)
    # At 0 and 1 the end is exact; rounding could shift it slightly.
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    return max(0.0, min(low, share)), min(1.0, max(high, share))


_ROUNDING = 1e-9
"""Values that differ by less are equal up to rounding, like three thirds and two halves."""


def pearson(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Pearson's correlation; None with fewer than two points, or if one side does not vary."""
    try:
        value = correlation(_settled(xs), _settled(ys))
    except StatisticsError:
        return None
    return min(1.0, max(-1.0, value))


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Spearman's correlation: Pearson's of the ranks, with ties sharing a rank."""
    return pearson(ranks(xs), ranks(ys))


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, the lowest first; equal values share the mean of their ranks."""
    values = _settled(values)
    ordered = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(ordered, start=1)))}
    last = {value: place for place, value in enumerate(ordered, start=1)}
    return [(first[value] + last[value]) / 2 for value in values]


def _settled(values: Sequence[float]) -> list[float]:
    """The values; those that differ only by rounding become their minimum."""
    settled: dict[float, float] = {}
    last = own = -math.inf
    for value in sorted(set(values)):
        own = own if value - last < _ROUNDING else value
        settled[value], last = own, value
    return [settled[value] for value in values]

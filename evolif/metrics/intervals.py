"""95 % intervals of a ratio of sums over dialogues: the one place where figures of one model get theirs.

With few dialogues the percentile bootstrap covers the true value too rarely (78 % in place of 95 % for ISR over ten),
and it has no width where all dialogues are alike. So the interval is made as follows (docs/explanation/metrics.md has
its coverage, `benchmarks/coverage.py` measures it):

- Its spread is the jackknife's over dialogues, on the scale of log odds for rates and of logarithms for lengths, so
  that it stays within what the figure can be. The quantile is Student's; where a few dialogues decide the spread (their
  kurtosis says so), the spread is itself uncertain and gets fewer degrees of freedom.
- Where all dialogues are alike, they say nothing about spread. Then the interval is Clopper and Pearson's for the share
  of dialogues that were not seen, each as far off as possible.
- Where most sessions reach the cap, the few that end early decide the mean, and may be missing altogether. Then the
  lower end makes room for one such dialogue (`unseen_low`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, cast

from evolif.metrics.statistics import Z95, Column, Interval, middle_low, numpy_if_any, unit_bits, whole

FEWEST = 6
"""Dialogues below which there is no interval: with five, not even a permutation test can reach 5 %."""

TOO_FEW = "No interval where fewer than six dialogues contribute: five all agree by chance in one case of sixteen."
"""What a reader is told where intervals are missing."""

ALPHA = 0.05
_LEAST_FREEDOM = 2.0
"""Degrees of freedom left where one dialogue alone makes the spread."""
_NOTHING = 1e-12
_WEIGHT_BITS = 14


def ratio_interval(
    top: Column, bottom: Column, *, rate: bool, most: float | None = None, unseen: tuple[int, int] | None = None
) -> Interval | None:
    """The 95 % interval of sum(top) / sum(bottom).

    Args:
        top: What each dialogue adds to the numerator.
        bottom: What it adds to the denominator, at least 0; a dialogue that adds nothing is left out.
        rate: Whether the figure lies between 0 and 1 (if all dialogues' own figures do).
        most: The largest value that it can have, such as the cap of a length; None if that is unknown.
        unseen: Seed and number of draws of `unseen_low`, where most sessions reach the cap; else None.

    Returns:
        Its ends, in the figure's own unit; None if fewer than `FEWEST` dialogues contribute.
    """
    # Sorted, so that the order of the dialogues does not matter.
    rows = sorted((above, below) for above, below in zip(top, bottom, strict=True) if below > 0)
    if len(rows) < FEWEST:
        return None
    tops, bottoms = zip(*rows, strict=True)
    own = [above / below for above, below in rows]
    low_bound, high_bound = _bounds(own, rate=rate, most=most)
    point, influence = _jackknife(tops, bottoms)
    if all(abs(value) <= _NOTHING * max(1.0, abs(point)) for value in influence):
        return _alike(point, len(rows), low_bound, high_bound)
    low, high = _student(point, influence, low_bound, high_bound)
    if unseen is not None and low_bound is not None:
        low = min(low, unseen_low(tops, bottoms, low_bound, seed=unseen[0], draws=unseen[1]))
    return low, high if most is None else min(high, max(most, point))


def influence_interval(
    point: float, influence: Sequence[float], *, most: float, unseen: tuple[int, int] | None = None
) -> Interval | None:
    """The interval of a mean length that is no ratio of sums, such as the area under a survival curve.

    Args:
        point: Its value, in turns.
        influence: Per dialogue what it adds to the value, times the number of the others; their sum is nothing.
        most: The largest value that it can have.
        unseen: As for `ratio_interval`.

    Returns:
        Its ends, in turns; None with fewer than `FEWEST` dialogues.
    """
    n = len(influence)
    if n < FEWEST:
        return None
    if all(abs(value) <= _NOTHING * max(1.0, abs(point)) for value in influence):
        return _alike(point, n, 0.0, most)
    low, high = _student(point, influence, 0.0, None)
    if unseen is not None:
        pseudo = sorted(point + value for value in influence)
        low = min(low, unseen_low(pseudo, [1.0] * n, 0.0, seed=unseen[0], draws=unseen[1]))
    return low, min(high, max(most, point))


def _bounds(own: Sequence[float], *, rate: bool, most: float | None) -> tuple[float | None, float | None]:
    """Between which values the figure lies; None where it has no bound."""
    if min(own) < 0:
        return None, None
    if rate and max(own) <= 1:
        return 0.0, 1.0
    return 0.0, most


def _jackknife(tops: Sequence[float], bottoms: Sequence[float]) -> tuple[float, list[float]]:
    """The ratio, and per dialogue by how much it moves the ratio, times n - 1; they sum to nothing."""
    above, below = math.fsum(tops), math.fsum(bottoms)
    others = len(tops) - 1
    left = [(above - top) / (below - bottom) for top, bottom in zip(tops, bottoms, strict=True)]
    mean = math.fsum(left) / len(left)
    return above / below, [others * (mean - value) for value in left]


def _student(point: float, influence: Sequence[float], low: float | None, high: float | None) -> Interval:
    """Student's interval on the scale on which the figure has no bounds."""
    n = len(influence)
    squares = [value * value for value in influence]
    total = math.fsum(squares)
    kurtosis = n * math.fsum(square * square for square in squares) / (total * total)
    # The variance of a variance grows with the kurtosis (Satterthwaite): 2 n / (kurtosis - 1) degrees of freedom.
    freedom = min(n - 1.0, max(_LEAST_FREEDOM, 2 * n / (kurtosis - 1))) if kurtosis > 1 else n - 1.0
    half = student_quantile(freedom) * math.sqrt(total / (n * (n - 1)))
    if low is None or point <= low:
        return point - half, point + half
    if high == 1.0:
        odds, step = math.log(point / (1 - point)), half / (point * (1 - point))
        return _logistic(odds - step), _logistic(odds + step)
    factor = math.exp(min(half / point, 700.0))
    return point / factor, point * factor


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


def _alike(point: float, dialogues: int, low: float | None, high: float | None) -> Interval:
    """All dialogues have the same value: as many others as could have been missed, each as far off as possible."""
    seen = (ALPHA / 2) ** (1 / dialogues)
    if low is None:
        # Without bounds nothing is the farthest possible value; the value itself is the only scale there is.
        half = (1 - seen) * (abs(point) or 1.0)
        return point - half, point + half
    # Lengths without a cap: others may be twice as long.
    farthest = high if high is not None else 2 * point or 1.0
    return low + (point - low) * seen, point + max(0.0, farthest - point) * (1 - seen)


def unseen_low(tops: Column, bottoms: Column, worst: float, *, seed: int, draws: int) -> float:
    """The 2.5 % point of the figure if one more dialogue of the worst value had half the weight of a seen one.

    The weights are drawn from a Dirichlet distribution (the Bayesian bootstrap). For dialogues that are worth all
    or nothing this is the lower end of Jeffreys' interval of a share. A whole added dialogue instead of half a one
    would give Clopper and Pearson's, and in general Gaffke's bound for the mean of a bounded quantity.

    Args:
        tops: What each dialogue adds to the numerator.
        bottoms: What it adds to the denominator, more than 0.
        worst: The least value that a dialogue can have.
        seed: Of the draws.
        draws: How many.
    """
    usual = math.fsum(bottoms) / len(bottoms)
    columns = [[*tops, worst * usual], [*bottoms, usual]]
    bits = max(0, unit_bits(columns, len(columns[0])) - _WEIGHT_BITS - 5)  # a weight stays below 2^5
    above, below = whole(columns, bits)
    weights = [*(_exponential(number, seed, draws) for number in range(len(tops))), _half(seed, draws)]
    numpy = numpy_if_any()
    if numpy is None:
        sums = [[0.0] * draws, [0.0] * draws]
        for column, *units in zip(weights, above, below, strict=True):
            sums = [[sum_ + weight * unit for sum_, weight in zip(own, column, strict=True)]
                    for own, unit in zip(sums, units, strict=True)]  # fmt: skip
        values: Any = [one / other for one, other in zip(*sums, strict=True)]
    else:
        products = numpy.array([above, below], dtype=numpy.float64) @ numpy.array(weights)
        values = products[0] / products[1]
    return middle_low(values)


def _uniform(seed: int, number: int) -> Callable[[], float]:
    return random.Random(seed * 1_000_003 + number).random


@lru_cache(maxsize=4096)
def _exponential(number: int, seed: int, draws: int) -> Sequence[float]:
    """A whole weight per draw for one dialogue, the same however many there are."""
    chance, unit = _uniform(seed, number + 1), 2.0**_WEIGHT_BITS
    return _kept([float(1 + round(min(-math.log(1 - chance()), 31.0) * unit)) for _ in range(draws)])


@lru_cache(maxsize=16)
def _half(seed: int, draws: int) -> Sequence[float]:
    """The weights of half a dialogue: gamma with shape one half, which half the square of a normal number has."""
    chance, unit = _uniform(seed, 0), 2.0**_WEIGHT_BITS
    # The square is Box and Muller's.
    squares = (-math.log(1 - chance()) * math.cos(2 * math.pi * chance()) ** 2 for _ in range(draws))
    return _kept([float(round(min(square, 31.0) * unit)) for square in squares])


def _kept(weights: list[float]) -> Sequence[float]:
    numpy = numpy_if_any()
    return weights if numpy is None else cast("Sequence[float]", numpy.array(weights))


@lru_cache(maxsize=1024)
def student_quantile(freedom: float) -> float:
    """The 97.5 % point of Student's distribution, by Hill's expansion (CACM algorithm 396, 1970).

    It needs no SciPy, so that figures have the same intervals with and without it; a test compares the two.

    Args:
        freedom: Degrees of freedom, at least 2; need not be whole.
    """
    n = freedom
    a = 1 / (n - 0.5)
    b = 48 / (a * a)
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * n
    y = (d * ALPHA) ** (2 / n)
    if y > 0.05 + a:
        x = -Z95
        if n < 5:
            c += 0.3 * (n - 4.5) * (x + 0.6)
        c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
        y = x * x
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = math.expm1(a * y * y)
    else:
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (
            n + 2
        ) + 1 / y
    return math.sqrt(n * y)

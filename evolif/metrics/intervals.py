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
  lower end makes room for one such dialogue (`unseen_low`). So it does for a share where most dialogues are at 0 or 1.
- Counts of an event, such as patience running out, have the interval of a count (`event_interval`).

What is called a dialogue here is a cluster: the dialogue, or what its scenario declares (`MetricTable.cluster`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from evolif.metrics.distributions import binomial_low, poisson_limits, student_quantile
from evolif.metrics.seeded import SeededDraws
from evolif.metrics.statistics import Z95, Column, Interval, middle_low, numpy_if_any, unit_bits
from evolif.metrics.statistics import whole as whole_units
from evolif.types import DEFAULT_RESAMPLES

FEWEST = 6
"""Dialogues below which there is no interval: with five, not even all signs alike can reach 5 %."""

TOO_FEW = "No interval where fewer than six dialogues contribute: five all agree by chance in one case of sixteen."
"""What a reader is told where intervals are missing."""

ALPHA = 0.05
_LEAST_FREEDOM = 2.0
"""Degrees of freedom left where one dialogue alone makes the spread."""
_NOTHING = 1e-12
_WEIGHT_BITS = 14
_BLOCK = 128
"""Clusters whose weights are made and multiplied at once: so few stay in the cache of one core, ten times as fast."""
_MOST_KEPT = 32_768
"""Clusters whose weights are kept: 8 kB each with 2,000 draws."""
_NEAR_HALF = 1e-6
"""More than any logarithm of the libraries is off, in units of a weight."""


DRAWS = (0, DEFAULT_RESAMPLES)
"""Seed and number of draws, where nothing else is requested."""


def ratio_interval(
    top: Column,
    bottom: Column,
    *,
    rate: bool,
    most: float | None = None,
    at_cap: bool = False,
    draws: tuple[int, int] = DRAWS,
) -> Interval | None:
    """The 95 % interval of sum(top) / sum(bottom).

    Args:
        top: What each cluster adds to the numerator.
        bottom: What it adds to the denominator, at least 0; a cluster that adds nothing is left out.
        rate: Whether the figure lies between 0 and 1 (if all clusters' own figures do).
        most: The largest value that it can have, such as the cap of a length; None if that is unknown.
        at_cap: Whether most sessions reach the cap, so that the few others decide the figure.
        draws: Seed and number of the draws that `at_cap` needs.

    Returns:
        Its ends, in the figure's own unit; None if fewer than `FEWEST` clusters contribute.

    Example:
        >>> low, high = ratio_interval([1] * 23 + [0], [1] * 24, rate=True)
        >>> round(low, 3), round(high, 3)
        (0.789, 0.995)
    """
    # Sorted, so that the order of the clusters does not matter.
    rows = sorted((above, below) for above, below in zip(top, bottom, strict=True) if below > 0)
    if len(rows) < FEWEST:
        return None
    tops, bottoms = zip(*rows, strict=True)
    own = [above / below for above, below in rows]
    low_bound, high_bound = _bounds(own, rate=rate, most=most)
    point, influence = jackknife(tops, bottoms)
    if all(abs(value) <= _NOTHING * max(1.0, abs(point)) for value in influence):
        return _alike(point, len(rows), low_bound, high_bound)
    low, high = _student(point, influence, low_bound, high_bound)
    if at_cap and low_bound is not None:
        low = min(low, unseen_low(tops, bottoms, low_bound, draws=draws))
    if high_bound == 1.0:
        low = _far_end(low, tops, bottoms)
        high = 1 - _far_end(1 - high, [below - above for above, below in rows], bottoms)
    return low, high if most is None else min(high, max(most, point))


def _far_end(low: float, tops: Column, bottoms: Column) -> float:
    """The low end of a share where more than half of the clusters are at 1: as far as one unseen cluster allows.

    At least half an unseen cluster of share 0 away; and where all clusters weigh the same, at most a whole one. The
    draws are always the same ones, so that a share has one interval wherever it is shown.
    """
    full = sum(above >= below * (1 - _NOTHING) for above, below in zip(tops, bottoms, strict=True))
    if 2 * full <= len(tops):
        return low
    low = min(low, unseen_low(tops, bottoms, 0.0, draws=DRAWS))
    if max(bottoms) - min(bottoms) > _NOTHING * max(bottoms):
        return low
    if all(above <= _NOTHING or above >= below * (1 - _NOTHING) for above, below in zip(tops, bottoms, strict=True)):
        return max(low, binomial_low(full, len(tops)))
    return max(low, unseen_low(tops, bottoms, 0.0, draws=DRAWS, whole=True))


def event_interval(events: Column, turns: Column) -> Interval | None:
    """The 95 % interval of the rate of an event that happens at most once a turn, such as patience running out.

    The exact one of a Poisson count (Garwood, 1936), of the events divided by their dispersion: how much more the
    counts of clusters vary than independent events would. The dispersion is never below 1, and itself uncertain with
    few clusters, as Student's quantile says.

    Args:
        events: How many each cluster has.
        turns: In how many turns; a cluster without a turn is left out.

    Returns:
        Its ends, in events a turn; None if fewer than `FEWEST` clusters contribute.

    Example:
        >>> [round(end, 3) for end in event_interval([1] * 20, [10] * 20)]
        [0.059, 0.158]
    """
    rows = sorted((own, below) for own, below in zip(events, turns, strict=True) if below > 0)
    n = len(rows)
    if n < FEWEST:
        return None
    happened, played = math.fsum(own for own, _ in rows), math.fsum(below for _, below in rows)
    dispersion = 1.0
    if happened:
        rate = happened / played
        squares = math.fsum((own - rate * below) ** 2 for own, below in rows)
        dispersion = max(1.0, n / (n - 1) * squares / happened)
    dispersion *= (student_quantile(n - 1.0) / Z95) ** 2
    low, high = poisson_limits(happened / dispersion)
    return low * dispersion / played, min(1.0, high * dispersion / played)


def influence_interval(
    point: float, influence: Sequence[float], *, most: float, at_cap: bool = False, draws: tuple[int, int] = DRAWS
) -> Interval | None:
    """The interval of a mean length that is no ratio of sums, such as the area under a survival curve.

    Args:
        point: Its value, in turns.
        influence: Per dialogue what it adds to the value, times the number of the others; their sum is nothing.
        most: The largest value that it can have.
        at_cap: As for `ratio_interval`.
        draws: As for `ratio_interval`.

    Returns:
        Its ends, in turns; None with fewer than `FEWEST` dialogues.
    """
    n = len(influence)
    if n < FEWEST:
        return None
    if all(abs(value) <= _NOTHING * max(1.0, abs(point)) for value in influence):
        return _alike(point, n, 0.0, most)
    low, high = _student(point, influence, 0.0, None)
    if at_cap:
        pseudo = sorted(point + value for value in influence)
        low = min(low, unseen_low(pseudo, [1.0] * n, 0.0, draws=draws))
    return low, min(high, max(most, point))


def _bounds(own: Sequence[float], *, rate: bool, most: float | None) -> tuple[float | None, float | None]:
    """Between which values the figure lies; None where it has no bound."""
    if min(own) < 0:
        return None, None
    if rate and max(own) <= 1:
        return 0.0, 1.0
    return 0.0, most


def jackknife(tops: Sequence[float], bottoms: Sequence[float]) -> tuple[float, list[float]]:
    """The ratio of two sums, and what each cluster adds to it: n - 1 times how much it falls without the cluster.

    What they add sums to nothing.

    Args:
        tops: What each cluster adds to the numerator.
        bottoms: What it adds to the denominator; more than one is above 0.
    """
    above, below = math.fsum(tops), math.fsum(bottoms)
    others = len(tops) - 1
    left = [(above - top) / (below - bottom) for top, bottom in zip(tops, bottoms, strict=True)]
    mean = math.fsum(left) / len(left)
    return above / below, [others * (mean - value) for value in left]


def freedom_of(influence: Sequence[float]) -> float:
    """Degrees of freedom of a spread that comes from influences, not all of them 0.

    The variance of a variance grows with the kurtosis (Satterthwaite): 2 n / (kurtosis - 1), at least 2 and at most
    n - 1.
    """
    n = len(influence)
    squares = [value * value for value in influence]
    total = math.fsum(squares)
    kurtosis = n * math.fsum(square * square for square in squares) / (total * total)
    return min(n - 1.0, max(_LEAST_FREEDOM, 2 * n / (kurtosis - 1))) if kurtosis > 1 else n - 1.0


def standard_error(influence: Sequence[float]) -> float:
    """The jackknife's standard error of a figure, from what each cluster adds to it."""
    n = len(influence)
    return math.sqrt(math.fsum(value * value for value in influence) / (n * (n - 1)))


def _student(point: float, influence: Sequence[float], low: float | None, high: float | None) -> Interval:
    """Student's interval on the scale on which the figure has no bounds."""
    half = student_quantile(freedom_of(influence)) * standard_error(influence)
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


def unseen_low(tops: Column, bottoms: Column, worst: float, *, draws: tuple[int, int], whole: bool = False) -> float:
    """The 2.5 % point of the figure if one more cluster of the worst value had half the weight of a seen one.

    The weights are drawn from a Dirichlet distribution (the Bayesian bootstrap). For clusters that are worth all
    or nothing this is the lower end of Jeffreys' interval of a share. A whole added cluster instead of half a one
    gives Clopper and Pearson's, and in general Gaffke's bound for the mean of a bounded quantity.

    Args:
        tops: What each cluster adds to the numerator.
        bottoms: What it adds to the denominator, more than 0.
        worst: The least value that a cluster can have.
        draws: Their seed and number.
        whole: Whether the added cluster has the weight of a seen one.
    """
    usual = math.fsum(bottoms) / len(bottoms)
    columns = [[*tops, worst * usual], [*bottoms, usual]]
    bits = max(0, unit_bits(columns, len(columns[0])) - _WEIGHT_BITS - 5)  # a weight stays below 2^5
    numpy = numpy_if_any()
    if numpy is None:
        above, below = whole_units(columns, bits)
        sums = [[0.0] * draws[1], [0.0] * draws[1]]
        for column, *units in zip(_plain_weights(len(tops), *draws, whole=whole), above, below, strict=True):
            sums = [[sum_ + weight * unit for sum_, weight in zip(own, column, strict=True)]
                    for own, unit in zip(sums, units, strict=True)]  # fmt: skip
        values: Any = [one / other for one, other in zip(*sums, strict=True)]
    else:
        units = numpy.rint(numpy.array(columns, dtype=numpy.float64) * 2.0**bits)  # as `whole_units`, half to even
        products = _kept_weights(*draws).weighed(units, whole=whole)
        values = products[0] / products[1]
    return middle_low(values)


@lru_cache(maxsize=8)
def _plain_weights(clusters: int, seed: int, draws: int, *, whole: bool) -> list[Sequence[float]]:
    """A row of weights for each cluster, and one for the unseen one."""
    last = _exponential(clusters, seed, draws) if whole else _half(seed, draws)
    return [*(_exponential(number, seed, draws) for number in range(clusters)), last]


@lru_cache(maxsize=4096)
def _exponential(number: int, seed: int, draws: int) -> Sequence[float]:
    """A whole weight per draw for one dialogue, the same however many there are."""
    chance = random.Random(_seed(seed, number + 1)).random
    return [_whole_weight(chance()) for _ in range(draws)]


def _whole_weight(uniform: float) -> float:
    return float(1 + round(min(-math.log(1 - uniform), 31.0) * 2.0**_WEIGHT_BITS))


def _seed(seed: int, number: int) -> int:
    """Of the weights of a dialogue from 1; 0 is the unseen half."""
    return seed * 1_000_003 + number


@lru_cache(maxsize=16)
def _half(seed: int, draws: int) -> Sequence[float]:
    """The weights of half a dialogue: gamma with shape one half, which half the square of a normal number has."""
    chance, unit = random.Random(_seed(seed, 0)).random, 2.0**_WEIGHT_BITS
    # The square is Box and Muller's.
    squares = (-math.log(1 - chance()) * math.cos(2 * math.pi * chance()) ** 2 for _ in range(draws))
    return [float(round(min(square, 31.0) * unit)) for square in squares]


@lru_cache(maxsize=4)
def _kept_weights(seed: int, draws: int) -> _Weights:
    return _Weights(seed, draws)


class _Weights:
    """The weights of all clusters by NumPy, those of `_exponential` and `_half` to the last digit.

    Every interval of a report needs them, most over as many clusters; whole numbers below 2^24, they take four bytes
    each. Those of the first `_MOST_KEPT` clusters are kept.

    Args:
        seed: Of the draws.
        draws: How many.
    """

    def __init__(self, seed: int, draws: int) -> None:
        self._numpy: Any = numpy_if_any()
        self._uniform = SeededDraws(self._numpy)
        self._seed, self._draws = seed, draws
        self._blocks: list[Any] = []

    def weighed(self, units: Any, *, whole: bool) -> Any:
        """Per draw the weighed sums of some rows of units, of which the last column is the unseen cluster's."""
        numpy, clusters = self._numpy, units.shape[1] - 1
        last = self._block(clusters, clusters + 1)[0] if whole else numpy.array(_half(self._seed, self._draws))
        sums = numpy.outer(units[:, clusters], last)
        for start in range(0, clusters, _BLOCK):
            end = min(start + _BLOCK, clusters)
            sums += units[:, start:end] @ self._rows(start)[: end - start].astype(numpy.float64)
        return sums

    def _rows(self, start: int) -> Any:
        """The weights of a whole block of clusters."""
        number = start // _BLOCK
        if start >= _MOST_KEPT:
            return self._block(start, start + _BLOCK)
        while len(self._blocks) <= number:
            first = len(self._blocks) * _BLOCK
            self._blocks.append(self._block(first, first + _BLOCK))
        return self._blocks[number]

    def _block(self, first: int, end: int) -> Any:
        numpy = self._numpy
        weights = numpy.empty((end - first, self._draws), dtype=numpy.float32)
        for row, number in enumerate(range(first, end)):
            self._uniform.begin(_seed(self._seed, number + 1))
            uniform = self._uniform.take(self._draws)
            exact = numpy.minimum(-numpy.log(1 - uniform), 31.0) * 2.0**_WEIGHT_BITS
            weights[row] = 1 + numpy.rint(exact)
            # Libraries differ in a logarithm's last digit, which decides where a weight lies between two whole numbers.
            for place in numpy.flatnonzero(abs(exact - numpy.floor(exact) - 0.5) < _NEAR_HALF):
                weights[row, place] = _whole_weight(float(uniform[place]))
        return weights

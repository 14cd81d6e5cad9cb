"""Figures made of several categories, each of which has matches of its own: their mean, a difference of two.

What each match adds to the figure of a category is worked out by the jackknife. The spread of the whole is that of the
categories taken together; how many degrees of freedom it has, they say by their own (Welch and Satterthwaite).
`benchmarks/coverage_scenarios.py` measures how often the intervals hold.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from evolif.metrics import FEWEST, Cluster, Interval, Row
from evolif.metrics.distributions import student_quantile
from evolif.metrics.intervals import freedom_of, jackknife, ratio_interval, standard_error, unseen_low

Category: TypeAlias = Mapping[Cluster, Row]
"""Match to what it adds to a share: above and below the line."""
_NOTHING = 1e-12


class Spread(NamedTuple):
    """How far a figure is off: its standard error, and the degrees of freedom of that."""

    error: float
    freedom: float


def value_of(category: Category) -> float:
    """The share of one category; 0 without a match."""
    below = math.fsum(below for _, below in category.values())
    return math.fsum(above for above, _ in category.values()) / below if below else 0.0


def spread_of(categories: Sequence[Category], weights: Sequence[float]) -> Spread | None:
    """The spread of a weighted sum of the shares of categories.

    Args:
        categories: With two matches each at least.
        weights: Of each of them.

    Returns:
        None where no category varies.
    """
    own = [
        [weight * value for value in jackknife(*zip(*category.values(), strict=True))[1]]
        for category, weight in zip(categories, weights, strict=True)
    ]
    varying = [values for values in own if any(abs(value) > _NOTHING for value in values)]
    if not varying:
        return None
    if len({match for category in categories for match in category}) < sum(map(len, categories)):
        return _shared(categories, own)
    errors = [(standard_error(values) ** 2, freedom_of(values)) for values in varying]
    variance = math.fsum(square for square, _ in errors)
    return Spread(math.sqrt(variance), variance**2 / math.fsum(square**2 / freedom for square, freedom in errors))


def _shared(categories: Sequence[Category], own: Sequence[Sequence[float]]) -> Spread | None:
    """The same where a match is in several categories: what it adds to all of them belongs together."""
    together: defaultdict[Cluster, float] = defaultdict(float)
    for category, values in zip(categories, own, strict=True):
        n = len(values)
        for match, value in zip(category, values, strict=True):
            together[match] += value / math.sqrt(n * (n - 1))
    variance = math.fsum(value**2 for value in together.values())
    if variance <= _NOTHING**2:
        return None
    return Spread(math.sqrt(variance), freedom_of(list(together.values())))


def mean_interval(categories: Sequence[Category], draws: tuple[int, int]) -> Interval | None:
    """The 95 % interval of the plain mean of the shares of categories, as fractions.

    Student's on the scale of log odds. Where more than half of all matches are at 0 or at 1, the far end makes room for
    half an unseen match, as everywhere (`evolif.metrics.intervals`); where no category varies, the interval is that of
    so many equal matches as the smallest category would make.

    Args:
        categories: At least one; their shares are from 0 to 1.
        draws: Seed and number of the draws that the far end takes.

    Returns:
        Its ends; None where a category has fewer than six matches.
    """
    if min(map(len, categories)) < FEWEST:
        return None
    if len(categories) == 1:
        rows = categories[0].values()
        return ratio_interval([above for above, _ in rows], [below for _, below in rows], rate=True, draws=draws)
    point = math.fsum(map(value_of, categories)) / len(categories)
    tops, bottoms = _weighed(categories)
    spread = spread_of(categories, [1 / len(categories)] * len(categories))
    if spread is None:
        alike = min(len(tops), len(categories) * min(map(len, categories)))
        return ratio_interval([point] * alike, [1.0] * alike, rate=True)
    half = student_quantile(spread.freedom) * spread.error / (point * (1 - point))
    odds = math.log(point / (1 - point))
    low, high = _logistic(odds - half), _logistic(odds + half)
    missed = [below - above for above, below in zip(tops, bottoms, strict=True)]
    return _far_end(low, tops, bottoms, draws), 1 - _far_end(1 - high, missed, bottoms, draws)


def _weighed(categories: Sequence[Category]) -> tuple[list[float], list[float]]:
    """What each match adds to the mean, with the weight that it has in it."""
    found: dict[Cluster, tuple[float, float]] = {}
    for category in categories:
        weight = 1 / (len(categories) * math.fsum(below for _, below in category.values()))
        for match, (above, below) in category.items():
            before = found.get(match, (0.0, 0.0))
            found[match] = before[0] + weight * above, before[1] + weight * below
    # Sorted, so that the order of the matches does not matter.
    tops, bottoms = zip(*sorted(found.values()), strict=True)
    return list(tops), list(bottoms)


def _far_end(low: float, tops: Sequence[float], bottoms: Sequence[float], draws: tuple[int, int]) -> float:
    """The low end where more than half of all matches are at 1: at least half an unseen match of share 0 away."""
    full = sum(above >= below * (1 - _NOTHING) for above, below in zip(tops, bottoms, strict=True))
    return min(low, unseen_low(tops, bottoms, 0.0, draws=draws)) if 2 * full > len(tops) else low


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


def difference_interval(one: Category, other: Category, draws: tuple[int, int]) -> Interval | None:
    """The 95 % interval of the share of one category minus that of another, as fractions.

    Student's. Where all matches of either are alike, they say nothing of its spread; then it is that of `added_ends`.

    Args:
        one: Mostly of other matches than the other.
        other: The same.
        draws: As for `mean_interval`.

    Returns:
        Its ends; None where either has fewer than six matches.
    """
    if min(len(one), len(other)) < FEWEST:
        return None
    value = value_of(one) - value_of(other)
    spread = spread_of([one, other], [1.0, -1.0])
    if spread is not None and all(spread_of([category], [1.0]) is not None for category in (one, other)):
        half = student_quantile(spread.freedom) * spread.error
        return max(-1.0, value - half), min(1.0, value + half)
    ends = [mean_interval([category], draws) or (0.0, 1.0) for category in (one, other)]
    return added_ends((value_of(one), value_of(other)), ends[0], ends[1])


def added_ends(shares: tuple[float, float], one: Interval, other: Interval) -> Interval:
    """The interval of a difference of two shares from those of both: distances are added as squares (Newcombe, 1998).

    Args:
        shares: The two; the difference is the first minus the second.
        one: The interval of the first.
        other: That of the second.
    """
    value = shares[0] - shares[1]
    low = value - math.hypot(shares[0] - one[0], other[1] - shares[1])
    high = value + math.hypot(one[1] - shares[0], shares[1] - other[0])
    return max(-1.0, low), min(1.0, high)


def mostly_at_a_bound(rows: Iterable[Row]) -> bool:
    """Whether the shares of more than half of the matches are 0, or of more than half 1.

    Args:
        rows: What each match adds above and below the line; those that add nothing are left out.
    """
    own = [above / below for above, below in rows if below > 0]
    return max(sum(share <= _NOTHING for share in own), sum(share >= 1 - _NOTHING for share in own)) > len(own) / 2

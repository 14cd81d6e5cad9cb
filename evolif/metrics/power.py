"""What a paired design can show: effect size, dialogues needed, and what pairing gains.

A figure is a ratio of sums. What a dialogue contributes to it is its linearised value, (top - figure x bottom) / mean
bottom: for a mean over dialogues that is the dialogue's own value, less the mean. Spread, effect and correlation are
those of the contributions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev, variance

from evolif.metrics.statistics import Z95, Interval, pearson, require
from evolif.metrics.table import MetricTable, Row

ALPHA = 0.05
POWER = 0.8
MOST_FLIPPED = 9
"""Clusters up to which the paired test flips signs too."""

_NOTHING = 1e-12
_LARGE = 20_000
"""From so many dialogues on, Student's t and the normal distribution give the same number to a thousandth."""


@dataclass(frozen=True, slots=True)
class Needed:
    """Paired dialogues that tell two models apart 4 times out of 5, if the difference seen is the true one.

    Attributes:
        dialogues: For the difference seen.
        low: If it is as large as the data allow (the far end of its 95 % interval, in standard deviations).
        high: If it is as small as they allow; None if they allow no difference at all.
    """

    dialogues: int
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Paired:
    """How alike two models find the dialogues, in one metric.

    Attributes:
        correlation: Pearson's, of what the dialogues contribute to the metric; None with fewer than three dialogues, or
            if one side does not vary.
        interval: Its 95 % interval by Fisher's z; None with fewer than six dialogues, or a correlation of 1 or -1.
        gain: Unpaired dialogues for each model that are worth one paired dialogue: the variances of the two added,
            over the variance of the difference. Below 1 where the models find different dialogues hard. None if the
            difference does not vary.
    """

    correlation: float | None
    interval: Interval | None
    gain: float | None


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """What two models' shared dialogues say of the next comparison, in one metric.

    Attributes:
        needed: Clusters for 80 % power at a two-sided 5 %; None without a difference, or below two clusters.
        spread: Standard deviation of the differences of what the clusters contribute, in the metric's unit; None below
            two clusters, or where the metric is undefined.
        pairing: How alike the two find the dialogues.
    """

    needed: Needed | None
    spread: float | None
    pairing: Paired

    def to_show(self, difference: float) -> int | None:
        """Clusters that show a difference of this size 4 times out of 5; None where the spread is unknown or nothing.

        Args:
            difference: Above 0, in the metric's unit.

        Raises:
            UsageError: SciPy (extra `report`) is not installed.
        """
        if self.spread is None or _is_nothing(self.spread):
            return None
        return _for_effect(difference / self.spread, ALPHA)


def plan(table: MetricTable, a: Sequence[Row], b: Sequence[Row], metric: str) -> PowerPlan:
    """Clusters needed, and what pairing gains.

    Args:
        table: What the rows are.
        a: The terms of the first model per cluster, all its sessions summed.
        b: Those of the second, in the same order.
        metric: One of the table's.

    Raises:
        UsageError: SciPy (extra `report`) is not installed.
    """
    one, other = contributions(table, a, metric), contributions(table, b, metric)
    spread = None
    if one is not None and other is not None and len(a) > 1:
        spread = stdev(x - y for x, y in zip(one[1], other[1], strict=True))
    return PowerPlan(dialogues_needed(table, a, b, metric), spread, paired_gain(table, a, b, metric))


def fewest_dialogues(alpha: float = ALPHA) -> int:
    """The fewest dialogues with which the paired test can reach p of at most `alpha`: 6 for 0.05.

    The smallest p of D signs that are flipped is 2 / 2^D: all dialogues differ in one direction.
    """
    return next(n for n in range(1, 1024) if 2.0 ** (1 - n) <= alpha)


def effect_size(table: MetricTable, a: Sequence[Row], b: Sequence[Row], metric: str) -> float | None:
    """d_z: mean / standard deviation (n - 1) of the dialogues' own differences, where both have the metric.

    None with fewer than two such dialogues, or if all differences are equal.
    """
    top, bottom = table.places(metric)
    differences = [
        one[top] / one[bottom] - other[top] / other[bottom]
        for one, other in zip(a, b, strict=True)
        if one[bottom] and other[bottom]
    ]
    if len(differences) < 2 or _is_nothing(spread := stdev(differences)):
        return None
    return fmean(differences) / spread


def dialogues_needed(
    table: MetricTable, a: Sequence[Row], b: Sequence[Row], metric: str, alpha: float = ALPHA
) -> Needed | None:
    """Dialogues with which the paired test finds the observed difference 4 times out of 5, with a 95 % interval.

    The power is that of Student's paired test (noncentral t) at the largest level up to `alpha` that the test of so
    many dialogues has; so it is never below `fewest_dialogues(alpha)`. The interval is that of the standardised
    difference, from the noncentral t.

    Args:
        table: What the rows are.
        a: The terms of the first model per dialogue, epochs summed.
        b: Those of the second, in the same order.
        metric: One of the table's.
        alpha: Two-sided level of the planned test.

    Returns:
        None with fewer than two dialogues, without a difference, or if the metric is undefined.

    Raises:
        UsageError: SciPy (extra `report`) is not installed.
    """
    one, other = contributions(table, a, metric), contributions(table, b, metric)
    if one is None or other is None or len(a) < 2 or _is_nothing(difference := one[0] - other[0]):
        return None
    spread = stdev(x - y for x, y in zip(one[1], other[1], strict=True))
    floor = fewest_dialogues(alpha)
    if _is_nothing(spread):
        return Needed(floor, floor, floor if len(a) >= floor else None)
    effect = abs(difference) / spread
    low, high = _effect_interval(effect, len(a))
    return Needed(
        _for_effect(effect, alpha), _for_effect(max(-low, high), alpha), _for_effect(low, alpha) if low > 0 else None
    )


def power(effect: float, dialogues: int, alpha: float = ALPHA) -> float:
    """How often the paired test tells two models apart.

    Args:
        effect: The true difference, in standard deviations of the dialogues' differences; at least 0.
        dialogues: Paired ones.
        alpha: Two-sided level.

    Raises:
        UsageError: SciPy (extra `report`) is not installed.
    """
    if dialogues < fewest_dialogues(alpha):
        return 0.0
    special = require("scipy.special", "the power of a test")
    # Below ten dialogues signs are flipped too, which has few levels.
    flips = 2.0 ** min(dialogues - 1, MOST_FLIPPED)
    level = math.floor(alpha * flips) / flips if dialogues <= MOST_FLIPPED else alpha
    threshold = float(special.stdtrit(dialogues - 1, 1 - level / 2))
    # The other direction adds nothing where there is power to speak of.
    return 1 - float(special.nctdtr(dialogues - 1, effect * math.sqrt(dialogues), threshold))


def paired_gain(table: MetricTable, a: Sequence[Row], b: Sequence[Row], metric: str) -> Paired:
    """How alike two models find the dialogues, and what pairing them is worth.

    Args:
        table: What the rows are.
        a: The terms of the first model per dialogue, epochs summed.
        b: Those of the second, in the same order.
        metric: One of the table's.
    """
    one, other = contributions(table, a, metric), contributions(table, b, metric)
    if one is None or other is None or len(a) < 3:
        return Paired(None, None, None)
    between = variance(x - y for x, y in zip(one[1], other[1], strict=True))
    apart = variance(one[1]) + variance(other[1])
    found = pearson(one[1], other[1])
    return Paired(found, _fisher(found, len(a)), None if _is_nothing(between) else apart / between)


def contributions(table: MetricTable, rows: Sequence[Row], metric: str) -> tuple[float, list[float]] | None:
    """The metric, and what each row contributes to it beyond its mean; None if the metric is undefined."""
    top, bottom = table.places(metric)
    sums = table.total(rows)
    if not sums[bottom]:
        return None
    value, mean = sums[top] / sums[bottom], sums[bottom] / len(rows)
    return value, [(row[top] - value * row[bottom]) / mean for row in rows]


def _for_effect(effect: float, alpha: float) -> int:
    """The fewest dialogues with enough power for a true difference of so many standard deviations."""
    z = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(POWER)
    normal = math.ceil((z / effect) ** 2)
    if normal > _LARGE:
        return normal
    # Student's t needs a few more than the normal distribution, never fewer.
    number = max(normal, fewest_dialogues(alpha))
    while power(effect, number, alpha) < POWER:
        number += 1
    return number


def _effect_interval(effect: float, dialogues: int) -> Interval:
    """The 95 % interval of a standardised paired difference above 0, by inverting the noncentral t."""
    special = require("scipy.special", "the power of a test")
    root = math.sqrt(dialogues)
    observed = effect * root
    low, high = (float(special.nctdtrinc(dialogues - 1, p, observed)) for p in (0.975, 0.025))
    if not (math.isfinite(low) and math.isfinite(high)) or dialogues > _LARGE:
        low, high = observed - Z95, observed + Z95
    return min(low, observed) / root, max(high, observed) / root


_FEWEST_FOR_FISHER = 6


def _fisher(correlation: float | None, dialogues: int) -> Interval | None:
    if correlation is None or dialogues < _FEWEST_FOR_FISHER or abs(correlation) > 1 - 1e-9:
        return None
    centre, half = math.atanh(correlation), Z95 / math.sqrt(dialogues - 3)
    return math.tanh(centre - half), math.tanh(centre + half)


def _is_nothing(value: float) -> bool:
    return abs(value) < _NOTHING

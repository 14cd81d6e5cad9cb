"""How large a paired difference is, and how many dialogues would show it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, stdev

from evolif.metrics._process import RATIOS, Terms, add_terms

_ALPHA = 0.05
_POWER = 0.8
_NOTHING = 1e-12


def effect_size(a: Sequence[Terms], b: Sequence[Terms], metric: str) -> float | None:
    """d_z: mean / standard deviation (n - 1) of the dialogues' own differences, where both have the metric.

    None with fewer than two such dialogues, or where all of them differ by the same.
    """
    top, bottom = (Terms._fields.index(name) for name in RATIOS[metric])
    differences = [
        one[top] / one[bottom] - other[top] / other[bottom]
        for one, other in zip(a, b, strict=True)
        if one[bottom] and other[bottom]
    ]
    if len(differences) < 2 or _is_nothing(spread := stdev(differences)):
        return None
    return fmean(differences) / spread


def dialogues_needed(a: Sequence[Terms], b: Sequence[Terms], metric: str) -> int | None:
    """Dialogues with which a two-sided paired test at 5 % finds the observed difference 4 times of 5.

    By the normal approximation: ((z_0.975 + z_0.8) * s / difference) squared, at least 2, where s is the standard
    deviation of what each dialogue contributes to the difference. For a mean over dialogues that is its own difference,
    and the figure ((z_0.975 + z_0.8) / d_z) squared; for a ratio of sums (CSR, ISR; REC and ROB where dialogues are
    left out) it is the linearised one.

    None with fewer than two dialogues, or without a difference.
    """
    one, other = _contributions(a, metric), _contributions(b, metric)
    if one is None or other is None or len(a) < 2:
        return None
    difference = one[0] - other[0]
    if _is_nothing(difference):
        return None
    s = stdev([x - y for x, y in zip(one[1], other[1], strict=True)])
    z = NormalDist().inv_cdf(1 - _ALPHA / 2) + NormalDist().inv_cdf(_POWER)
    # Without the rounding a whole number could come out as the next one.
    return max(2, math.ceil(round((z * s / difference) ** 2, 9)))


def _contributions(rows: Sequence[Terms], metric: str) -> tuple[float, list[float]] | None:
    """The metric, and how far each dialogue draws it away from itself, times the number of dialogues."""
    top, bottom = (Terms._fields.index(name) for name in RATIOS[metric])
    sums = add_terms(rows)
    if not sums[bottom]:
        return None
    value, mean = sums[top] / sums[bottom], sums[bottom] / len(rows)
    return value, [(row[top] - value * row[bottom]) / mean for row in rows]


def _is_nothing(value: float) -> bool:
    return abs(value) < _NOTHING

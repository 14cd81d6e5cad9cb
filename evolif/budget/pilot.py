"""From the first dialogues of a run: how many dialogues does a metric need?

The number is fixed before any later dialogue counts, so an ordinary interval over that many dialogues holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from evolif.metrics import Interval, MetricTable, Row
from evolif.metrics.distributions import student_quantile
from evolif.metrics.sequence import deviation, grown_interval
from evolif.metrics.statistics import Z95
from evolif.types import DEFAULT_RESAMPLES

PILOT = 30
"""Dialogues that the number is computed from; no run ends with fewer."""

_UPPER = 0.8
"""The spread is taken at the upper end of its one-sided 80 % interval, so that most runs reach their goal."""
_VARIANCE = 1.29
"""That end over the estimate for a variance of 30 normal values: 29 / χ²(29 degrees of freedom, 20 %)."""
_STEP = 1.1
_UNREACHABLE = 10**12


def dialogues_for(
    table: MetricTable,
    rows: Sequence[Row],
    name: str,
    half_width: float,
    *,
    most: int,
    cap: int | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> int | None:
    """How many dialogues give a 95 % interval of a metric that is most likely narrower than ± `half_width`.

    Args:
        table: What the rows are.
        rows: Of the pilot, one per dialogue with its epochs summed, in a fixed order.
        name: A metric of the table.
        half_width: In the metric's unit, above 0.
        most: The dialogues planned; a number above is a rough one.
        cap: The most turns that a session can have; None if unknown.
        seed: As for `intervals`.
        resamples: As for `intervals`.

    Returns:
        At least `PILOT`; None if the pilot shows nothing of the metric's spread.
    """
    spread = deviation(table, rows, name)
    if spread is None:
        return None

    def interval_of(number: int) -> Interval | None:
        """The one that reports would show if all dialogues were like those of the pilot."""
        return grown_interval(table, rows, name, number, cap=cap, seed=seed, resamples=resamples)

    number = max(PILOT, _by_spread(spread, half_width))
    if name in table.events:
        number = max(number, _by_count(table, rows, name, half_width))
    while number < most and not _is_narrow(interval_of(number), half_width):
        number = math.ceil(number * _STEP)
    return number


def _by_spread(spread: float, half_width: float) -> int:
    """Stein's number (1945) with the upper end of the variance: Student's quantile belongs to the pilot."""
    return _squared(math.sqrt(_VARIANCE) * student_quantile(PILOT - 1) * spread / half_width)


def _by_count(table: MetricTable, rows: Sequence[Row], name: str, half_width: float) -> int:
    """For a count of rare events, of which the pilot may have seen none: from the upper end of their rate."""
    events, turns = (table.total(rows)[place] for place in table.places(name))
    # The gamma distribution's quantile, by Wilson and Hilferty's cube.
    shape = events + 1
    upper = shape * (1 - 1 / (9 * shape) + NormalDist().inv_cdf(_UPPER) / (3 * math.sqrt(shape))) ** 3
    return _squared(math.sqrt(upper * len(rows)) * Z95 / turns / half_width)


def _squared(root: float) -> int:
    return math.ceil(min(root * root, _UNREACHABLE))  # `**` would raise an exception where the product is infinite


def _is_narrow(interval: Interval | None, half_width: float) -> bool:
    return interval is not None and interval[1] - interval[0] < 2 * half_width

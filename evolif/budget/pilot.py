"""From the first dialogues of a run: how many dialogues does a metric need?

The number is fixed before any later dialogue counts, so an ordinary interval over that many dialogues holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from evolif.metrics import MetricTable, Row, deviation, intervals
from evolif.metrics.statistics import Z95, require

PILOT = 30
"""Dialogues that the number is computed from; no run ends with fewer."""

_UPPER = 0.8
"""The spread is taken at the upper end of its one-sided 80 % interval, so that most runs reach their goal."""
_VARIANCE = 1.29
"""That end over the estimate for a variance of 30 normal values: 29 / χ²(29 degrees of freedom, 20 %)."""
_STEP = 1.1


def dialogues_for(
    table: MetricTable, rows: Sequence[Row], name: str, half_width: float, *, most: int, seed: int = 0
) -> int | None:
    """How many dialogues give a 95 % interval of a metric that is most likely narrower than ± `half_width`.

    Args:
        table: What the rows are.
        rows: Of the pilot, one per dialogue with its epochs summed, in a fixed order.
        name: A metric of the table.
        half_width: In the metric's unit, above 0.
        most: The dialogues planned; a number above is a rough one.
        seed: Of the resampling behind the intervals.

    Returns:
        At least as many as the pilot has; None if it shows nothing of the metric's spread.
    """
    spread = deviation(table, rows, name)
    if spread is None:
        return None
    number = max(PILOT, _by_spread(spread, half_width))
    if name in table.events:
        number = max(number, _by_count(table, rows, name, half_width))
    while number < most and not _is_narrow(table, rows, name, half_width, number, seed):
        number = math.ceil(number * _STEP)
    return number


def student(degrees: int) -> float:
    """The 97.5 % point of Student's distribution, by an expansion (Abramowitz and Stegun 26.7.5).

    Args:
        degrees: Of freedom; from 25 on the error is below 10⁻⁵.
    """
    z = Z95
    terms = z, (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return math.fsum(term / degrees**power for power, term in enumerate(terms))


def _by_spread(spread: float, half_width: float) -> int:
    """Stein's number (1945) with the upper end of the variance: Student's quantile belongs to the pilot."""
    squares = (student(PILOT - 1) * spread / half_width) ** 2 * _VARIANCE
    return math.ceil(squares) if math.isfinite(squares) else _UNREACHABLE


_UNREACHABLE = 10**12


def _by_count(table: MetricTable, rows: Sequence[Row], name: str, half_width: float) -> int:
    """For a count of rare events, of which the pilot may have seen none: from the upper end of their rate."""
    events, turns = (table.total(rows)[place] for place in table.places(name))
    gamma = require("scipy.special", f"the interval of {name}").gammaincinv
    upper = float(gamma(events + 1, _UPPER))
    number = len(rows)
    while number < _UNREACHABLE:
        # Garwood's interval (`poisson_interval`) of a count that need not be whole, however large.
        times = number / len(rows)
        low, high = gamma(upper * times, 0.025), gamma(upper * times + 1, 0.975)
        if high - low < 2 * half_width * turns * times:
            break
        number = math.ceil(number * _STEP)
    return number


def _is_narrow(table: MetricTable, rows: Sequence[Row], name: str, half_width: float, number: int, seed: int) -> bool:
    """Whether the interval that reports show would be narrow enough if all dialogues were like those of the pilot."""
    # Where all of them are equal, only the interval itself knows what was not seen.
    interval = intervals(table, [rows[i % len(rows)] for i in range(number)], seed=seed)[name]
    return interval is not None and interval[1] - interval[0] < 2 * half_width

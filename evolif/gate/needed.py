"""How many dialogues would decide whether a figure is above or below a limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from evolif.metrics import MetricTable, Row
from evolif.metrics.intervals import FEWEST
from evolif.metrics.power import POWER
from evolif.metrics.sequence import deviation, grown_interval
from evolif.metrics.statistics import Z95
from evolif.types import DEFAULT_RESAMPLES

MOST = 100_000
"""A number beyond this is as good as none."""
_LARGE = 2_000
"""From so many dialogues on the normal distribution alone is exact enough."""
_STEP = 1.1
_NOTHING = 1e-9


def dialogues_to_decide(
    table: MetricTable,
    rows: Sequence[Row],
    name: str,
    limit: float,
    *,
    cap: int | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> int | None:
    """How many dialogues put a limit outside a figure's 95 % interval, four times out of five, if all are like these.

    Args:
        table: What the rows are.
        rows: One per cluster, all its sessions summed.
        name: A metric of the table.
        limit: In the metric's unit.
        cap: The most turns that a session can have; None if unknown.
        seed: As for `intervals`.
        resamples: As for `intervals`.

    Returns:
        At least `FEWEST`; None if the figure is undefined, or so close to the limit that more than `MOST` are needed.

    Example:
        >>> table = MetricTable(("right", "of"), lambda session: (), {"share": ("right", "of")})
        >>> dialogues_to_decide(table, [(10, 10)] * 3, "share", 0.8)
        17
    """
    value = table.value(table.total(rows), name)
    if value is None or abs(value - limit) < _NOTHING:
        return None
    number = max(FEWEST, _by_spread(deviation(table, rows, name) or 0.0, abs(value - limit)))

    def holds(number: int) -> bool:
        found = grown_interval(table, rows, name, number, cap=cap, seed=seed, resamples=resamples)
        return found is None or found[0] < limit <= found[1]

    while number <= _LARGE and holds(number):
        number = math.ceil(number * _STEP)
    return number if number <= MOST else None


def _by_spread(spread: float, distance: float) -> int:
    root = (Z95 + NormalDist().inv_cdf(POWER)) * spread / distance
    return math.ceil(min(root, MOST) ** 2)

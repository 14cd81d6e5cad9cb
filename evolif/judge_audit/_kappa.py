"""Cohen's kappa: how far two agree beyond what chance gives."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import TypeVar

Category = TypeVar("Category", bound=Hashable)

ENOUGH = 20
"""Items that the interval needs at least: it is a large-sample one."""

Z95 = 1.959963984540054
"""The normal distribution's 97.5 % point."""


def kappa_of(
    table: Mapping[tuple[Category, Category], float], items: float
) -> tuple[float | None, tuple[float, float] | None]:
    """Kappa and its 95 % interval.

    The interval is the large-sample one of Fleiss, Cohen and Everitt (1969), which takes the items as independent.

    Args:
        table: Per pair of categories that the two gave, how often, or with what weight; any unit.
        items: How many independent items the table is worth.

    Returns:
        Kappa, None where chance alone would give full agreement or the table is empty; the interval, None below
        `ENOUGH` items or without kappa.
    """
    whole = math.fsum(table.values())
    if whole <= 0:
        return None, None
    cells = {pair: weight / whole for pair, weight in table.items() if weight > 0}
    rows: defaultdict[Category, float] = defaultdict(float)
    columns: defaultdict[Category, float] = defaultdict(float)
    for (a, b), share in cells.items():
        rows[a] += share
        columns[b] += share
    if len(rows) == 1 and rows.keys() == columns.keys():
        return None, None
    chance = math.fsum(rows[category] * columns.get(category, 0.0) for category in rows)
    observed = math.fsum(share for (a, b), share in cells.items() if a == b)
    value = (observed - chance) / (1 - chance)
    if items < ENOUGH:
        return value, None
    total = math.fsum(_term(pair, share, rows, columns, value) for pair, share in cells.items())
    variance = (total - (value - chance * (1 - value)) ** 2) / (items * (1 - chance) ** 2)
    spread = Z95 * math.sqrt(max(0.0, variance))
    return value, (max(-1.0, value - spread), min(1.0, value + spread))


def _term(
    pair: tuple[Category, Category],
    share: float,
    rows: Mapping[Category, float],
    columns: Mapping[Category, float],
    value: float,
) -> float:
    a, b = pair
    if a == b:
        return share * (1 - (rows[a] + columns[a]) * (1 - value)) ** 2
    return share * (columns.get(a, 0.0) + rows.get(b, 0.0)) ** 2 * (1 - value) ** 2

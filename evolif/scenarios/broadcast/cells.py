"""Cells and rows of the tables about broadcasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evolif.metrics import Interval
from evolif.metrics.shares import Share
from evolif.scenario.presentation import TableCell, TableRow

Shares = Mapping[str, Share]
"""Names of rows, in their order, to figures of one model."""


def percent_cell(share: Share | None, counted: bool = False) -> TableCell:
    """A share in per cent with its interval, and what it is out of if `counted`."""
    if share is None or share.value is None:
        return TableCell()
    between = "" if share.interval is None else "[{:.0f}–{:.0f}]".format(*(100 * end for end in share.interval))
    return TableCell(f"{100 * share.value:.0f}", f"{between} {f'of {share.of:.0f}' if counted else ''}".strip())


def points_cell(value: float | None, interval: Interval | None, more: str = "") -> TableCell:
    """A difference in percentage points with its interval."""
    if value is None:
        return TableCell()
    between = "" if interval is None else "[{}, {}]".format(*map(signed, interval))
    return TableCell(signed(value), f"{between} {more}".strip())


def signed(value: float) -> str:
    """A difference of shares in percentage points; zero has no sign."""
    points = round(100 * value)
    return f"−{-points}" if points < 0 else str(points)


def share_rows(columns: Sequence[Shares], counted: bool = True) -> tuple[TableRow, ...]:
    """A row for each name that a column has, in the order of the columns."""
    return tuple(
        (name, tuple(percent_cell(column.get(name), counted) for column in columns)) for name in names_of(columns)
    )


def names_of(columns: Sequence[Shares]) -> list[str]:
    """The names that any column has; where one column has more of them, at the place that they have there."""
    found: list[str] = []
    for column in columns:
        place = 0
        for name in column:
            if name not in found:
                found.insert(place, name)
            place = found.index(name) + 1
    return found


def share_object(share: Share) -> dict[str, Any]:
    """A share for machines: fractions, and what it is out of."""
    low, high = share.interval or (None, None)
    return {"value": share.value, "low": low, "high": high, "of": share.of}


def shares_object(shares: Shares) -> dict[str, Any]:
    """Shares for machines, by the names of their rows."""
    return {name: share_object(share) for name, share in shares.items()}

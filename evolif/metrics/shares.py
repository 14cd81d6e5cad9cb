"""A ratio over dialogues with its interval, for the tables that scenarios make of their own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import fsum

from evolif.metrics.intervals import ratio_interval
from evolif.metrics.statistics import Interval


@dataclass(frozen=True, slots=True)
class Share:
    """A ratio over dialogues.

    Attributes:
        value: None over nothing.
        interval: 95 %, over dialogues; None over fewer than six.
        of: The sum of the denominators.
    """

    value: float | None
    interval: Interval | None = None
    of: float = 0.0


def share_of(counts: Iterable[tuple[Hashable, float, float]], *, rate: bool = True) -> Share:
    """A ratio of sums over dialogues, whose epochs are pooled.

    Args:
        counts: Dialogue, and what a part of it adds to the numerator and to the denominator, which is at least 0.
        rate: Whether it is a share, from 0 to 1.
    """
    rows: dict[Hashable, tuple[list[float], list[float]]] = {}
    for dialogue, top, bottom in counts:
        above, below = rows.setdefault(dialogue, ([], []))
        above.append(top)
        below.append(bottom)
    tops = [fsum(above) for above, _ in rows.values()]
    bottoms = [fsum(below) for _, below in rows.values()]
    of = fsum(bottoms)
    if not of:
        return Share(None)
    return Share(fsum(tops) / of, ratio_interval(tops, bottoms, rate=rate), of)

"""The nearest pairs seen so far, by one measure."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

from evolif.catalogue._findings import Pair
from evolif.catalogue._index import Near

SHOWN = 5
"""Pairs that a report names by each measure."""


class NearestPairs:
    """Keeps the nearest pairs: for every entry, the earlier one that is nearest to it."""

    def __init__(self, name: Callable[[int], tuple[str, int]], *, by_count: bool = False) -> None:
        """`name` gives the id and the line of an entry's number; `by_count` ranks by shared features."""
        self._name = name
        self._by_count = by_count
        self._heap: list[tuple[float, float, int, int, tuple[str, ...]]] = []

    def offer(self, found: Sequence[Near], at: int) -> None:
        """Keep the pair of an entry and the first of those found, if it is among the nearest."""
        if not found:
            return
        near = found[0]
        shared = tuple(sorted(map(str, near.shared)))
        value = float(len(shared)) if self._by_count else near.jaccard
        entry = (value, near.jaccard, -at, -near.at, shared)
        if len(self._heap) < SHOWN:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs, nearest first; of equals, the earliest in the file."""
        made = []
        for value, _, at, near, shared in sorted(self._heap, reverse=True):
            (first, low), (second, high) = self._name(-near), self._name(-at)
            made.append(Pair(first, second, round(value, 3), shared, (low, high)))
        return tuple(made)

"""Indexes over the entries of a catalogue, so that no entry is compared with every other one."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from evolif.catalogue._words import words


@dataclass(frozen=True, slots=True)
class Run:
    """Words in a row that stood in an earlier entry."""

    at: int
    """The number of the first entry that had them."""
    words: tuple[str, ...]


class RunIndex:
    """Runs of a fixed number of words, each with the first entry that had it."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._first: dict[tuple[str, ...], int] = {}

    def find(self, text: str) -> list[Run]:
        """The longest runs that the text shares with earlier entries, one an entry."""
        found = words(text)
        longest: dict[int, tuple[int, int]] = {}
        at, start = -1, 0
        for i in range(len(found) - self._length + 1):
            owner = self._first.get(tuple(found[i : i + self._length]), -1)
            start = start if owner == at else i
            at = owner
            if at >= 0 and i + self._length - start > longest.get(at, (0, 0))[1]:
                longest[at] = (start, i + self._length - start)
        return [Run(owner, tuple(found[s : s + size])) for owner, (s, size) in longest.items()]

    def add(self, text: str, at: int) -> None:
        """Note the runs of entry number `at`."""
        found = words(text)
        for i in range(len(found) - self._length + 1):
            self._first.setdefault(tuple(found[i : i + self._length]), at)


_LIKELY = 8
"""Entries with the most features in common that are looked at closely."""


@dataclass(frozen=True, slots=True)
class Near:
    """An earlier entry that shares features."""

    at: int
    shared: frozenset[Hashable]
    jaccard: float
    """Shared features over all features of the two, from 0 to 1."""


class OverlapIndex:
    """Sets of features, and which earlier set is nearest to a new one.

    Args:
        cap: Entries noted per feature. A feature that more entries have leads to the first of them only, which keeps
            the work near to linear: two entries that share nothing but such words are found no more.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._owners: dict[Hashable, list[int]] = {}
        self._sets: dict[int, frozenset[Hashable]] = {}

    def near(self, features: frozenset[Hashable], *, by_count: bool = False) -> list[Near]:
        """Earlier entries, nearest first and eight at most: by shared features over all, or by their number."""
        counts: Counter[int] = Counter()
        for feature in features:
            counts.update(self._owners.get(feature, ()))
        likely = heapq.nsmallest(_LIKELY, counts, key=lambda at: (-counts[at], at))

        def nearness(near: Near) -> tuple[float, float]:
            shared = len(near.shared)
            return (shared, near.jaccard) if by_count else (near.jaccard, shared)

        return sorted((self._measure(at, features) for at in likely), key=nearness, reverse=True)

    def add(self, features: frozenset[Hashable], at: int) -> list[Hashable]:
        """Note the features of entry number `at`; returns those that have reached the cap just now."""
        self._sets[at] = features
        full = []
        for feature in features:
            owners = self._owners.setdefault(feature, [])
            if len(owners) < self._cap:
                owners.append(at)
                if len(owners) == self._cap:
                    full.append(feature)
        return full

    def _measure(self, at: int, features: frozenset[Hashable]) -> Near:
        other = self._sets[at]
        shared = features & other
        return Near(at, shared, len(shared) / len(features | other))


def grams(items: Sequence[str], length: int) -> frozenset[tuple[str, ...]]:
    """The runs of a sequence as a set."""
    return frozenset(tuple(items[i : i + length]) for i in range(len(items) - length + 1))


def listed(items: Iterable[str], limit: int = 5) -> str:
    """Some items for a message: `a, b, c and 4 more`."""
    held = list(items)
    shown = ", ".join(held[:limit])
    return f"{shown} and {len(held) - limit} more" if len(held) > limit else shown

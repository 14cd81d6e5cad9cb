"""Indexes over the entries of a catalogue, so that no entry is compared with every other one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evolif.catalogue._words import words

Feature = str | tuple[str, ...]
"""A word, or a run of them."""


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
    shared: frozenset[Feature]
    jaccard: float
    """Shared features over all features of the two, from 0 to 1."""


class OverlapIndex:
    """Sets of features, and which earlier sets are nearest to a new one.

    Args:
        cap: Entries noted per feature. A feature that more entries have leads to the first of them only, which keeps
            the work near to linear; entries that share nothing but such features are found no more.
    """

    def __init__(self, cap: int = 50) -> None:
        self._cap = cap
        self._owners: dict[Feature, list[int]] = {}
        self._sets: dict[int, frozenset[Feature]] = {}

    def near(self, features: frozenset[Feature], *, by_count: bool = False) -> list[Near]:
        """Earlier entries, nearest first and eight at most: by shared features over all, or by their number."""
        counts: Counter[int] = Counter()
        for feature in sorted(features):  # the order of a set is another one in every process
            counts.update(self._owners.get(feature, ()))

        def nearness(near: Near) -> tuple[float, float, int]:
            shared = len(near.shared)
            return (shared, near.jaccard, -near.at) if by_count else (near.jaccard, shared, -near.at)

        likely = (self._measure(at, features) for at, _ in counts.most_common(_LIKELY))
        return sorted(likely, key=nearness, reverse=True)

    def add(self, features: frozenset[Feature], at: int) -> None:
        """Note the features of entry number `at`."""
        self._sets[at] = features
        for feature in features:
            owners = self._owners.setdefault(feature, [])
            if len(owners) < self._cap:
                owners.append(at)

    def _measure(self, at: int, features: frozenset[Feature]) -> Near:
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

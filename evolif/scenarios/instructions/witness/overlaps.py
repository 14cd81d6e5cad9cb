"""Keywords that overlap in one stretch of text, so that fewer letters satisfy all counts.

*cargo bike lane* holds *cargo bike*, *bike lane* and *bike*: a bound that adds the keywords up would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from evolif.text import find_all, fold

MAX_UNITS = 32
"""The limit on joined keywords that are tried."""
_MAX_STEPS = 20_000
_MAX_SOLUTIONS = 6


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Pieces of text that together hold every keyword as often as required."""

    start: str | None
    inner: tuple[str, ...]
    end: str | None
    alone: bool = False
    """The start is also the end: the answer contains nothing else."""


def overlaps(first: str, second: str) -> list[str]:
    """Every text in which an occurrence of `first` shares letters with one of `second`, and comes first or holds it."""
    folded, other = fold(first), fold(second)
    if len(folded) != len(first) or len(other) != len(second):
        return []  # folding changes the number of letters, so it is not clear which are shared
    joined = [first] if other in folded else []
    for size in range(min(len(first), len(second)) - 1, 0, -1):
        if folded.endswith(other[:size]):
            joined.append(first + second[size:])
    # Letters may be shared although neither keyword occurs, as in *duplicatesearch*.
    return [text for text in joined if find_all(fold(text), folded) and find_all(fold(text), other)]


def may_overlap(first: str, second: str, banned: Iterable[str]) -> bool:
    """Whether one stretch of text could serve both keywords, without holding anything banned."""
    if len(fold(first)) != len(first) or len(fold(second)) != len(second):
        return True  # not clear, so no proof may use it
    return any(not _holds_any(text, banned) for text in [*overlaps(first, second), *overlaps(second, first)])


def _holds_any(text: str, banned: Iterable[str]) -> bool:
    folded = fold(text)
    return any(find_all(folded, fold(word)) for word in banned)


def arrangements(
    counts: Mapping[str, int], start: str | None, end: str | None, banned: Iterable[str]
) -> list[Arrangement]:
    """Ways to meet the counts with joined keywords, those with most shared letters first.

    Args:
        counts: Required occurrences; 0 means none.
        start: The keyword that the text starts with.
        end: The keyword that it ends with.
        banned: Keywords that may not occur.
    """
    words = list(dict.fromkeys([*(w for w, n in counts.items() if n), *filter(None, (start, end))]))
    units = _units(words, [*banned, *(w for w, n in counts.items() if not n)])
    return list(_Search(counts, units).all(start, end))[:_MAX_SOLUTIONS]


def _units(words: Sequence[str], banned: Sequence[str]) -> list[str]:
    units = [w for w in words if not _holds_any(w, banned)]
    for _ in range(2):  # two rounds join up to four keywords
        for first, second in product(tuple(units), repeat=2):
            for text in overlaps(first, second):
                if len(units) < MAX_UNITS and text not in units and not _holds_any(text, banned):
                    units.append(text)
    return units


class _Search:
    def __init__(self, counts: Mapping[str, int], units: Sequence[str]) -> None:
        words = [fold(w) for w in counts]
        self._target = tuple(counts.values())
        self._covered = {unit: tuple(len(find_all(fold(unit), word)) for word in words) for unit in units}
        """How often each unit holds each keyword."""
        self._units = sorted(units, key=lambda u: (-sum(self._covered[u]), len(u)))
        self._steps = 0

    def _less(self, rest: tuple[int, ...], unit: str) -> tuple[int, ...] | None:
        left = tuple(n - c for n, c in zip(rest, self._covered[unit], strict=True))
        return None if any(n < 0 for n in left) else left

    def all(self, start: str | None, end: str | None) -> Iterator[Arrangement]:
        firsts = [None] if start is None else [u for u in self._units if fold(u).startswith(fold(start))]
        lasts = [None] if end is None else [u for u in self._units if fold(u).endswith(fold(end))]
        for first, last in product(firsts, lasts):
            rest: tuple[int, ...] | None = self._target
            for edge in (first, last):
                rest = self._less(rest, edge) if rest is not None and edge is not None else rest
            if rest is None:
                continue
            inner = self._fill(rest, 0)
            if inner is not None:
                yield Arrangement(first, tuple(inner), last)
        for unit in firsts:
            if unit is not None and unit in lasts and self._less(self._target, unit) == (0,) * len(self._target):
                yield Arrangement(unit, (), unit, alone=True)

    def _fill(self, rest: tuple[int, ...], at: int) -> list[str] | None:
        """Units from the `at`-th on that contain exactly the rest; greedy, to share the most letters."""
        if not any(rest):
            return []
        self._steps += 1
        if at == len(self._units) or self._steps > _MAX_STEPS:
            return None
        unit = self._units[at]
        cover = self._covered[unit]
        most = min((n // c for n, c in zip(rest, cover, strict=True) if c), default=0)
        for times in range(most, -1, -1):
            left = tuple(n - times * c for n, c in zip(rest, cover, strict=True))
            found = self._fill(left, at + 1)
            if found is not None:
                return [unit] * times + found
        return None

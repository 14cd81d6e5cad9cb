"""Seeded streams of chance: our own draws on the raw 64-bit output of PCG64.

NumPy keeps `PCG64.random_raw` and `SeedSequence` stable across versions, but not the methods of `Generator`; so only
the raw output is used, and the same seed gives the same draws on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_BATCH = 64
_TWO_64 = 1 << 64


class Stream:
    """One independent stream, named by integers: `Stream(seed, purpose, dialogue)`."""

    __slots__ = ("_at", "_buffer", "_source")

    def __init__(self, *key: int) -> None:
        from numpy.random import PCG64, SeedSequence

        self._source = PCG64(SeedSequence(key))
        self._buffer: list[int] = []
        self._at = 0

    def _raw(self) -> int:
        if self._at == len(self._buffer):
            self._buffer = self._source.random_raw(_BATCH).tolist()
            self._at = 0
        self._at += 1
        return self._buffer[self._at - 1]

    def below(self, bound: int) -> int:
        """A whole number from 0 to `bound` - 1, without bias."""
        limit = _TWO_64 - _TWO_64 % bound
        while (raw := self._raw()) >= limit:
            pass
        return raw % bound

    def between(self, low: int, high: int, step: int = 1) -> int:
        """One of low, low + step, … high."""
        return low + step * self.below((high - low) // step + 1)

    def fraction(self) -> float:
        """A number from 0 (included) to 1 (excluded), with 53 bits."""
        return (self._raw() >> 11) * 2.0**-53

    def choice(self, options: Sequence[T]) -> T:
        """One of the options, all alike."""
        return options[self.below(len(options))]

    def weighted(self, options: Sequence[tuple[T, int]]) -> T:
        """One of the options, in proportion to whole-number weights."""
        at = self.below(sum(weight for _, weight in options))
        for option, weight in options:
            if at < weight:
                return option
            at -= weight
        raise ValueError("no option has a weight")

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """`count` different options, in random order (Fisher-Yates)."""
        pool = list(options)
        for i in range(count):
            j = i + self.below(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:count]

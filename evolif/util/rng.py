"""Seeded random streams: draws from the raw 64-bit output of PCG64.

The generator (PCG XSL-RR 128/64, M. E. O'Neill) is implemented here, so that the same seed gives the same draws on any
machine and with any library version, and the core needs no numerical library. A test compares it with NumPy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")

_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_MASK_64 = (1 << 64) - 1
_MASK_128 = (1 << 128) - 1
_TWO_64 = 1 << 64


class PCG64:
    """The generator with its reference seeding: an initial state and a sequence number, 128 bits each."""

    __slots__ = ("_increment", "_state")

    def __init__(self, state: int, sequence: int) -> None:
        self._increment = increment = (sequence << 1 | 1) & _MASK_128
        self._state = ((increment + state) * _MULTIPLIER + increment) & _MASK_128

    def raw(self) -> int:
        """The next 64 bits."""
        self._state = state = (self._state * _MULTIPLIER + self._increment) & _MASK_128
        folded = (state >> 64) ^ (state & _MASK_64)
        rotation = state >> 122
        return (folded >> rotation | folded << (64 - rotation)) & _MASK_64


class Purpose(IntEnum):
    """What a stream is for: the second part of its key, so that no two parts of the program share draws.

    The values determine the bytes of every benchmark and every interval; they never change.
    """

    SCRIPT = 1
    PERSONA = 2
    TEMPLATE = 3
    SIMULATED_MODEL = 4
    VOICE = 5
    SYNTHESIZER_MIX = 6
    TOPIC_WRITING = 7
    PERSONA_WRITING = 8
    SIMULATED_DIFFICULTY = 9
    PLAN = 10
    SHIFTS = 11
    GAMES = 12
    BROADCAST = 13
    TOPIC_ORDER = 14
    VISITS = 15
    REMARKS = 16
    PERMUTATION = 61
    RANKS = 62
    PAGE = 0x7061_6765
    JUDGE_AUDIT = 0x4A55_4447_45


class Stream:
    """One independent stream, named by integers: `Stream(seed, purpose, dialogue)`."""

    __slots__ = ("_raw",)

    def __init__(self, *key: int) -> None:
        digest = blake2b(",".join(map(str, key)).encode(), digest_size=32).digest()
        self._raw = PCG64(int.from_bytes(digest[:16], "big"), int.from_bytes(digest[16:], "big")).raw

    def below(self, bound: int) -> int:
        """An integer from 0 to `bound` - 1, without bias."""
        if bound < 1:
            raise ValueError("there is nothing to draw from")
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
        """One of the options, with equal probability."""
        return options[self.below(len(options))]

    def weighted(self, options: Sequence[tuple[T, int]]) -> T:
        """One of the options, in proportion to its integer weight."""
        position = self.below(sum(weight for _, weight in options))
        for option, weight in options:
            if position < weight:
                return option
            position -= weight
        raise ValueError("no option has a weight")

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """`count` different options, in random order (Fisher-Yates)."""
        pool = list(options)
        for i in range(count):
            j = i + self.below(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:count]

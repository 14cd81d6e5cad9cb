"""The draws of Python's `random.Random`, made by NumPy: the same numbers to the last bit, several times sooner."""

from __future__ import annotations

from typing import Any

_WORD = 32


class SeededDraws:
    """Numbers as `random.Random(seed).random()` gives them, one generator for many seeds.

    Both are the Mersenne Twister with the same start and the same 53 bits; neither library may change that for a
    seeded generator any more (NumPy's `RandomState` is frozen).

    Args:
        numpy: The module.
    """

    def __init__(self, numpy: Any) -> None:
        self._state = numpy.random.RandomState(0)

    def begin(self, seed: int) -> None:
        """Begin the numbers of a seed.

        Args:
            seed: At least 0.
        """
        words = [seed & (1 << _WORD) - 1]
        while seed := seed >> _WORD:
            words.append(seed & (1 << _WORD) - 1)
        self._state.seed(words)

    def take(self, number: int) -> Any:
        """The next numbers, from 0 to below 1, as an array."""
        return self._state.random_sample(number)

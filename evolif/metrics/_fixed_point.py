"""Figures as whole numbers of a very small unit: sums of them come out the same in any order and by any library.

Sums of floating-point numbers depend on the order in which they are added, which differs between libraries, and with
the number of processors. Sums of whole numbers below 2^53 are exact, also where a library adds them as floats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

_EXACT_BITS = 52


def unit_bits(columns: Sequence[Sequence[float]], rows: int) -> int:
    """How many binary places fit, so that no sum of `rows` figures reaches 2^53; about 40 for a hundred dialogues.

    Args:
        columns: Figures, at least 0.
        rows: How many of them are added at most.
    """
    largest = max((max(column, default=0) for column in columns), default=0)
    return max(0, _EXACT_BITS - math.ceil(math.log2(max(1, largest * rows))))


def whole(columns: Sequence[Sequence[float]], bits: int) -> list[list[int]]:
    """The figures in units of 2^-bits, rounded half to even."""
    scale = 2.0**bits
    return [[round(value * scale) for value in column] for column in columns]

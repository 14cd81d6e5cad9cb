"""Sums of numbers that are put together from parts without a rounding in between."""

from __future__ import annotations

from collections.abc import Iterable


def exact_parts(values: Iterable[float]) -> list[float]:
    """A few numbers with exactly the same sum as those given (Shewchuk, 1997).

    `math.fsum` over such parts of parts of a whole gives what it gives over the whole, to the last digit.

    Args:
        values: Finite numbers.

    Returns:
        The parts, the smallest first; none for a sum of 0.

    Example:
        >>> exact_parts([1e100, 1.0, 2.0, -1e100])
        [3.0]
    """
    parts: list[float] = []
    for value in values:
        kept = 0
        for part in parts:
            large, small = (value, part) if abs(value) >= abs(part) else (part, value)
            value = large + small
            rest = small - (value - large)
            if rest:
                parts[kept] = rest
                kept += 1
        parts[kept:] = [value] if value else []
    return parts

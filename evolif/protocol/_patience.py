"""Patience: what a simulated user has left (paper §3.3)."""

from __future__ import annotations

from collections.abc import Iterable


def step(patience: int, maximum: int, judged: Iterable[bool]) -> int:
    """Patience after a turn: restored when every judged constraint holds, else one less; kept when none was judged."""
    verdicts = tuple(judged)
    if not verdicts:
        return patience
    return maximum if all(verdicts) else patience - 1


def remaining(maximum: int, turns: Iterable[Iterable[bool]]) -> int:
    """Patience after a whole conversation."""
    patience = maximum
    for judged in turns:
        patience = step(patience, maximum, judged)
    return patience

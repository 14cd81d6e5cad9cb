"""Which transcripts stand in the page itself: as many of each model, drawn by a seed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

from evolif._stream import Stream

K = TypeVar("K", bound=Hashable)

_PURPOSE = 0x7061_6765
"""Names the stream of these draws among others of the same seed."""


def fair_order(sessions: Iterable[tuple[K, int]], seed: int) -> list[int]:
    """The order in which transcripts are taken into the page: of each model in turn one drawn from its own.

    Args:
        sessions: (model, number) of every session.
        seed: Of the draw.

    Returns:
        The numbers; any beginning of the list holds about as many sessions of each model as there are.
    """
    waiting: dict[K, list[int]] = {}
    for model, number in sessions:
        waiting.setdefault(model, []).append(number)
    for place, numbers in enumerate(waiting.values()):
        _shuffle(numbers, Stream(seed, _PURPOSE, place))
    order = []
    depth = max(map(len, waiting.values()), default=0)
    for at in range(depth):
        order += [numbers[at] for numbers in waiting.values() if at < len(numbers)]
    return order


def _shuffle(numbers: list[int], stream: Stream) -> None:
    for last in range(len(numbers) - 1, 0, -1):
        other = stream.below(last + 1)
        numbers[last], numbers[other] = numbers[other], numbers[last]

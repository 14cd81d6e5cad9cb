"""The sample: dealt out evenly over groups, the judge's outcomes and models, and what it stands for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from evolif._stream import Stream
from evolif.judge_audit._population import Judged, Place

_PURPOSE = 0x4A55444745  # keeps these draws apart from those of other parts


class Cell(NamedTuple):
    """How many judged answers of the run are alike in what the sample is dealt by."""

    group: str
    accepted: bool
    model: str
    answers: int


class Sample(NamedTuple):
    """What was drawn, in the order in which it is shown, and out of what."""

    seed: int
    places: tuple[Place, ...]
    population: tuple[Cell, ...]


def population_of(judged: Iterable[Judged]) -> tuple[Cell, ...]:
    """The cells of a run, sorted."""
    counts = Counter((one.group, one.accepted, one.model) for one in judged)
    return tuple(Cell(*key, counts[key]) for key in sorted(counts))


def deal(judged: Iterable[Judged], seed: int, size: int) -> list[Place]:
    """`size` places, or all where there are fewer.

    They are dealt one by one: to each (group, outcome) in turn, and within it to each model in turn, at random within
    the model. So rare outcomes are there as often as frequent ones, no model fills the sample, and the first n of a
    larger deal are the deal of n.

    Args:
        judged: The whole population, in the run's order.
        seed: Of the draws.
        size: How many.
    """
    cells: defaultdict[tuple[str, bool], defaultdict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for one in judged:
        cells[one.group, one.accepted][one.model].append(one.place)
    strata = sorted(cells)
    hands = [_hand(cells[key], Stream(seed, _PURPOSE, number)) for number, key in enumerate(strata)]
    return list(islice(_in_turn(Stream(seed, _PURPOSE).sample(hands, len(hands))), size))


def shown_order(places: Sequence[Place], seed: int) -> list[Place]:
    """The order in which a person sees what was dealt: at random, so that it tells nothing of the outcomes."""
    return sorted(places, key=lambda place: blake2b(f"{seed},{tuple(place)}".encode(), digest_size=16).digest())


def _hand(models: dict[str, list[Place]], stream: Stream) -> Iterator[Place]:
    names = stream.sample(sorted(models), len(models))
    return _in_turn([iter(stream.sample(models[name], len(models[name]))) for name in names])


def _in_turn(hands: Sequence[Iterator[Place]]) -> Iterator[Place]:
    """One of each, again and again, until all are empty."""
    left = list(hands)
    while left:
        for hand in tuple(left):
            place = next(hand, None)
            if place is None:
                left.remove(hand)
            else:
                yield place

"""A smaller set of dialogues with the same mix of labels."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from evolif.errors import ArgumentError
from evolif.scenarios.recorded.labels import label_values
from evolif.scenarios.recorded.schema import Dialog


def stratified_sizes(counts: Mapping[str, int], n: int) -> dict[str, int]:
    """How many items to take of each stratum, in proportion to its size.

    Args:
        counts: The number of items in each stratum.
        n: Items to take in all.

    Returns:
        Each stratum with its size: the largest remainders are rounded up, and every stratum that has an item gets at
        least one, even if that makes more than `n`. All items if `n` is at least their number.

    Raises:
        ArgumentError: A number is negative or no whole number.
    """
    for name, count in counts.items():
        _check_whole(f"the count of {name!r}", count)
    _check_whole("n", n)
    total = sum(counts.values())
    if n >= total:
        return dict(counts)
    sizes = {name: min(count, max(1, n * count // total)) for name, count in counts.items()}
    # Quota minus size, times the total: whole numbers, so that ties are ties.
    left = {name: n * count - sizes[name] * total for name, count in counts.items()}
    short = n - sum(sizes.values())
    if short > 0:
        _grow(sizes, left, counts, short)
    else:
        _shrink(sizes, left, counts, -short)
    return sizes


def _grow(sizes: dict[str, int], left: Mapping[str, int], counts: Mapping[str, int], short: int) -> None:
    """Add one to as many strata as items are short; no stratum is a whole item short, so none has two turns."""
    order = [(-left[name], -counts[name], name) for name in sizes if sizes[name] < counts[name]]
    for _, _, name in heapq.nsmallest(short, order):
        sizes[name] += 1


def _shrink(sizes: dict[str, int], left: Mapping[str, int], counts: Mapping[str, int], over: int) -> None:
    """Take one from the strata that are furthest above their quota, until it fits or all are at one."""
    total = sum(counts.values())
    waiting = [(left[name], counts[name], name) for name in sizes if sizes[name] > 1]
    heapq.heapify(waiting)
    while over and waiting:
        rest, count, name = heapq.heappop(waiting)
        sizes[name] -= 1
        over -= 1
        if sizes[name] > 1:
            heapq.heappush(waiting, (rest + total, count, name))


def _check_whole(what: str, number: object) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ArgumentError(f"{what} is {number!r}; give a whole number of at least 0")


def stratified_sample(dialogs: Iterable[Dialog], n: int, *, label: str, seed: int = 0) -> list[Dialog]:
    """Some of the dialogues, with each value of a label as frequent as in all of them.

    Args:
        dialogs: All of them.
        n: How many to take; see `stratified_sizes` for when it takes more.
        label: A column of the dialogue labels; names of nested labels are joined by dots. The values of a list are one
            stratum together. Dialogues without it are a stratum of their own.
        seed: Of the choice in each stratum. A dialogue's place there depends on the seed, the label and its id only.

    Returns:
        The chosen dialogues in the order given.

    Raises:
        ArgumentError: `n` is negative or no whole number.
    """
    dialogs = list(dialogs)
    strata: dict[str, list[int]] = {}
    for place, dialog in enumerate(dialogs):
        values = label_values(dialog.dialog_labels).get(label, [])
        strata.setdefault(", ".join(values), []).append(place)
    sizes = stratified_sizes({name: len(places) for name, places in strata.items()}, n)

    def order(place: int) -> bytes:
        return blake2b(f"{seed}:{label}:{dialogs[place].dialog_id}".encode("utf-8", "surrogatepass")).digest()

    chosen = {place for name, places in strata.items() for place in sorted(places, key=order)[: sizes[name]]}
    return [dialog for place, dialog in enumerate(dialogs) if place in chosen]

"""The paired permutation test of the eight metrics: which of two models a dialogue's sessions are of is swapped.

Not `scipy.stats.permutation_test`: its draws come from NumPy's generators, which are not promised to stay, and it takes
one statistic at a time. A test holds the exact p to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evolif._stream import Stream
from evolif.metrics._fixed_point import unit_bits, whole
from evolif.metrics._numeric import numpy
from evolif.metrics._process import METRIC_NAMES, RATIOS, Terms
from evolif.metrics._resampling import product

_PURPOSE = 61
_WORD = 64
_BLOCK = 2_000_000
_ROUNDING = 1e-9
"""Two figures that differ by less are the same one, differently rounded."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """Two-sided p per metric (None where the observed difference is undefined), and how it was come by."""

    p: Mapping[str, float | None]
    exact: bool
    permutations: int


def permutation_test(a: Sequence[Terms], b: Sequence[Terms], *, permutations: int, seed: int) -> PermutationTest:
    """How often swapping the two within dialogues gives a difference at least as large as the observed one.

    All 2^D swaps where they are no more than `permutations`: p is their share. Else so many seeded swaps, and p is
    (k + 1) / (n + 1), the observed one among them. Swaps that leave either side without a denominator are not counted.

    Args:
        a: Per dialogue the terms of the first model, its epochs together.
        b: Of the second, in the same order.
        permutations: Swaps to draw.
        seed: Of the draws.
    """
    if not a:
        return PermutationTest(dict.fromkeys(METRIC_NAMES), True, 0)
    np = numpy("a permutation test")
    exact = len(a) < _WORD and 2 ** len(a) <= permutations
    columns = [list(column) for rows in (a, b) for column in zip(*rows, strict=True)]
    units = np.array(whole(columns, unit_bits(columns, len(a))), dtype=np.float64)
    first, second = units[: len(Terms._fields)].T, units[len(Terms._fields) :].T
    observed = _differences(np, np.zeros((1, len(a))), first, second)[0]
    extreme, defined = np.zeros(len(METRIC_NAMES)), np.zeros(len(METRIC_NAMES))
    thresholds = np.abs(observed) - _ROUNDING
    blocks = _all_swaps(np, len(a)) if exact else _random_swaps(np, len(a), permutations, seed)
    for swaps in blocks:
        found = _differences(np, swaps, first, second)
        extreme += (np.abs(found) >= thresholds).sum(axis=0)
        defined += np.isfinite(found).sum(axis=0)
    one = 0 if exact else 1
    p = {
        metric: float((extreme[n] + one) / (defined[n] + one)) if np.isfinite(thresholds[n]) else None
        for n, metric in enumerate(METRIC_NAMES)
    }
    return PermutationTest(p, exact, 2 ** len(a) if exact else permutations)


def _differences(np: Any, swaps: Any, first: Any, second: Any) -> Any:
    """Per swap and metric a - b; NaN where undefined. The sums are whole numbers, and so exact."""
    moved = product(np, swaps, second - first)
    sums_a, sums_b = first.sum(axis=0) + moved, second.sum(axis=0) - moved
    tops, bottoms = ([Terms._fields.index(pair[end]) for pair in RATIOS.values()] for end in (0, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums_a[:, tops] / sums_a[:, bottoms] - sums_b[:, tops] / sums_b[:, bottoms]


def _all_swaps(np: Any, dialogues: int) -> Iterator[Any]:
    rows = max(1, _BLOCK // dialogues)
    for start in range(0, 2**dialogues, rows):
        numbers = np.arange(start, min(start + rows, 2**dialogues))
        yield ((numbers[:, None] >> np.arange(dialogues)) & 1).astype(np.float64)


def _random_swaps(np: Any, dialogues: int, permutations: int, seed: int) -> Iterator[Any]:
    packed = np.frombuffer(_words(dialogues, permutations, seed), dtype=np.uint8).reshape(permutations, -1)
    rows = max(1, _BLOCK // dialogues)
    for start in range(0, permutations, rows):
        bits = np.unpackbits(packed[start : start + rows], axis=1, bitorder="little")
        yield bits[:, :dialogues].astype(np.float64)


@lru_cache(maxsize=4)
def _words(dialogues: int, permutations: int, seed: int) -> bytes:
    """A bit per dialogue and swap; each swap begins a new word."""
    stream = Stream(seed, _PURPOSE)
    words = -(-dialogues // _WORD) * permutations
    return b"".join(stream.below(1 << _WORD).to_bytes(_WORD // 8, "little") for _ in range(words))

"""The paired permutation test, and the interval that it inverts to.

If two models do equally well, their answers to one dialogue could as well have been swapped. p is the share of swaps
after which the difference is at least as large as the one seen. The interval holds all differences that the same test
does not reject at 5 %, so interval and p cannot contradict each other.

To test a difference d, half of d times the denominator is taken from each numerator of the first model and given to
the second's. Every swap's difference is then a straight line in d, and the swap is at least as extreme as what was seen
between two values of d that can be calculated. The ends of the interval are order statistics of these values: exact,
without a search.

This is not `scipy.stats.permutation_test`: that draws from NumPy's generators, which may change between versions, takes
one statistic at a time, and gives no interval. A test checks the exact p against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evolif.metrics.intervals import ALPHA, FEWEST
from evolif.metrics.statistics import Interval, product, require, unit_bits, whole
from evolif.metrics.table import MetricTable, Row
from evolif.rng import Purpose, Stream

_WORD = 64
_BLOCK = 2_000_000
_ROUNDING = 1e-9
"""Values that differ by less are equal up to rounding."""
_LEVEL = 20
"""The test's level is one in so many; a whole number, so that no rounding decides what is in the interval."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """What the test says about each metric.

    Attributes:
        p: Two-sided; None if the observed difference is undefined.
        intervals: 95 % interval of the difference; None if fewer than six dialogues contribute to either side, or if so
            few swaps matter that the test can reject no difference at all.
        exact: Whether all swaps were tried.
        permutations: How many were.
    """

    p: Mapping[str, float | None]
    intervals: Mapping[str, Interval | None]
    exact: bool
    permutations: int


@dataclass(frozen=True, slots=True)
class _Swapped:
    """Per swap and metric: its difference, which is `start` - `slope` d after a shift by d; NaN where undefined."""

    start: Any
    slope: Any


def permutation_test(
    table: MetricTable, a: Sequence[Row], b: Sequence[Row], *, permutations: int, seed: int
) -> PermutationTest:
    """How often swapping the two within dialogues gives a difference at least as large as the observed one.

    If 2^D is at most `permutations`, all swaps are tried and p is their share. Otherwise that many seeded swaps are
    drawn, and p is (k + 1) / (n + 1). Swaps that leave either side without a denominator are ignored.

    Args:
        table: What the rows are.
        a: The terms of the first model per dialogue, epochs summed.
        b: Those of the second, in the same order.
        permutations: Swaps to draw.
        seed: Of the draws.
    """
    nothing: dict[str, None] = dict.fromkeys(table.ratios)
    if not a:
        return PermutationTest(nothing, nothing, True, 0)
    np = require("numpy", "a permutation test")
    exact = len(a) < _WORD and 2 ** len(a) <= permutations
    columns = [list(column) for rows in (a, b) for column in zip(*rows, strict=True)]
    units = np.array(whole(columns, unit_bits(columns, len(a))), dtype=np.float64)
    first, second = units[: len(table.terms)].T, units[len(table.terms) :].T
    ends = [table.places(name) for name in table.ratios]
    observed = _swapped(np, np.zeros((1, len(a))), first, second, ends).start[0]
    blocks = _all_swaps(np, len(a)) if exact else _random_swaps(np, len(a), permutations, seed)
    parts = [_swapped(np, swaps, first, second, ends) for swaps in blocks]
    lines = _Swapped(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "slope")))
    p: dict[str, float | None] = {}
    found: dict[str, Interval | None] = {}
    for n, name in enumerate(table.ratios):
        p[name] = found[name] = None
        difference = float(observed[n])
        if not np.isfinite(difference):
            continue
        defined = np.isfinite(lines.start[:, n])
        start, slope = lines.start[defined, n], lines.slope[defined, n]
        extreme = int((np.abs(start) >= abs(difference) - _ROUNDING).sum())
        drawn = 0 if exact else 1
        p[name] = (extreme + drawn) / (len(start) + drawn)
        if min(sum(row[ends[n][1]] > 0 for row in rows) for rows in (a, b)) >= FEWEST:
            ends_of_all = _inverted(np, difference, start, slope, drawn)
            settled = _settled(ends_of_all, difference, _widest(table, name, a, b), len(a), float(p[name] or 0))
            found[name] = settled and _possible(settled, table, name, [*a, *b])
    return PermutationTest(p, found, exact, 2 ** len(a) if exact else permutations)


def _swapped(np: Any, swaps: Any, first: Any, second: Any, ends: Sequence[tuple[int, int]]) -> _Swapped:
    """Sums of whole numbers, which are exact; their ratios."""
    tops, bottoms = [top for top, _ in ends], [bottom for _, bottom in ends]
    moved = product(np, swaps, second - first)
    sums_a, sums_b = first.sum(axis=0) + moved, second.sum(axis=0) - moved
    gone = product(np, swaps, first)[:, bottoms]
    kept = first.sum(axis=0)[bottoms] - gone
    below_a, below_b = sums_a[:, bottoms], sums_b[:, bottoms]
    with np.errstate(invalid="ignore", divide="ignore"):
        start = sums_a[:, tops] / below_a - sums_b[:, tops] / below_b
        # Of each side's denominator, the part that was its own less the part that came from the other.
        slope = ((2 * kept - below_a) / below_a + (below_b - 2 * gone) / below_b) / 2
    return _Swapped(start, slope)


def _inverted(np: Any, difference: float, start: Any, slope: Any, drawn: int) -> Interval | None:
    """Every d with p(d) > 5 %: where the line of enough swaps is as far from 0 as difference - d."""
    with np.errstate(invalid="ignore", divide="ignore"):
        one, other = (difference - start) / (1 - slope), (difference + start) / (1 + slope)
    # A swap that changes nothing is as extreme as what was seen, whatever d is.
    always = (np.abs(slope) >= 1 - 1e-12) | ~np.isfinite(one) | ~np.isfinite(other)
    low, high = np.where(always, -np.inf, np.minimum(one, other)), np.where(always, np.inf, np.maximum(one, other))
    needed = (len(start) + drawn) // _LEVEL - drawn + 1
    if needed < 1 or needed > len(start):
        return None
    lower = float(np.partition(low, needed - 1)[needed - 1])
    upper = float(-np.partition(-high, needed - 1)[needed - 1])
    return (lower, upper) if np.isfinite(lower) and np.isfinite(upper) else None


def _settled(found: Interval | None, difference: float, widest: float, dialogues: int, p: float) -> Interval | None:
    if found is None:
        return None
    low, high = min(found[0], difference), max(found[1], difference)
    if high - low < _ROUNDING * max(1.0, widest):
        # All dialogues differ alike: what is left is the share of dialogues that may have been missed.
        half = (1 - (ALPHA / 2) ** (1 / dialogues)) * widest
        low, high = difference - half, difference + half
        return (low, high) if p > ALPHA or low > 0 or high < 0 else _beside_zero(low, high, difference)
    if p > ALPHA:
        return min(low, 0.0), max(high, 0.0)
    return _beside_zero(low, high, difference)


def _possible(found: Interval, table: MetricTable, name: str, rows: Sequence[Row]) -> Interval:
    """The interval without differences that two shares cannot have."""
    top, bottom = table.places(name)
    if table.units.get(name, "rate") != "rate" or any(not 0 <= row[top] <= row[bottom] for row in rows):
        return found
    return max(found[0], -1.0), min(found[1], 1.0)


def _beside_zero(low: float, high: float, difference: float) -> Interval:
    """The interval without 0, where rounding alone puts it in."""
    return (max(low, min(_ROUNDING, difference)), high) if difference > 0 else (low, min(high, -_ROUNDING))


def _widest(table: MetricTable, name: str, a: Sequence[Row], b: Sequence[Row]) -> float:
    """How far apart two values of the metric can be, as far as one can see."""
    if table.units.get(name, "rate") == "rate":
        return 1.0
    top, bottom = table.places(name)
    return max((abs(row[top] / row[bottom]) for rows in (a, b) for row in rows if row[bottom]), default=1.0) or 1.0


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
    """A bit per dialogue and swap; each swap starts a new word."""
    stream = Stream(seed, Purpose.PERMUTATION)
    words = -(-dialogues // _WORD) * permutations
    return b"".join(stream.below(1 << _WORD).to_bytes(_WORD // 8, "little") for _ in range(words))

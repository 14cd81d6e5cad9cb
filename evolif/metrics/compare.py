"""Compare two models, or two runs of one model, paired by dialogue.

The permutation test is not `scipy.stats.permutation_test`: that draws from NumPy's generators, which may change between
versions, and takes one statistic at a time. A test checks the exact p against it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from evolif.errors import UsageError
from evolif.metrics.power import Plan, effect_size, plan
from evolif.metrics.process import PROCESS
from evolif.metrics.sessions import counted_sessions, of_one_model
from evolif.metrics.statistics import Interval, check_draws, middle, product, require, resampled_sums, unit_bits, whole
from evolif.metrics.table import MetricTable, Row, dialogue_rows
from evolif.rng import Purpose, Stream
from evolif.types import DEFAULT_RESAMPLES, Session

_WORD = 64
_BLOCK = 2_000_000
_ROUNDING = 1e-9
"""Values that differ by less are equal up to rounding."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """Two-sided p per metric (None if the observed difference is undefined), and how it was computed."""

    p: Mapping[str, float | None]
    exact: bool
    permutations: int


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
    if not a:
        return PermutationTest(dict.fromkeys(table.ratios), True, 0)
    np = require("numpy", "a permutation test")
    exact = len(a) < _WORD and 2 ** len(a) <= permutations
    columns = [list(column) for rows in (a, b) for column in zip(*rows, strict=True)]
    units = np.array(whole(columns, unit_bits(columns, len(a))), dtype=np.float64)
    first, second = units[: len(table.terms)].T, units[len(table.terms) :].T
    tops, bottoms = (list(ends) for ends in zip(*map(table.places, table.ratios), strict=True))

    def differences(swaps: Any) -> Any:
        """Per swap and metric a - b; NaN where undefined. The sums are exact whole numbers."""
        moved = product(np, swaps, second - first)
        sums_a, sums_b = first.sum(axis=0) + moved, second.sum(axis=0) - moved
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums_a[:, tops] / sums_a[:, bottoms] - sums_b[:, tops] / sums_b[:, bottoms]

    observed = differences(np.zeros((1, len(a))))[0]
    extreme, defined = np.zeros(len(tops)), np.zeros(len(tops))
    thresholds = np.abs(observed) - _ROUNDING
    blocks = _all_swaps(np, len(a)) if exact else _random_swaps(np, len(a), permutations, seed)
    for swaps in blocks:
        found = differences(swaps)
        extreme += (np.abs(found) >= thresholds).sum(axis=0)
        defined += np.isfinite(found).sum(axis=0)
    one = 0 if exact else 1
    p = {
        metric: float((extreme[n] + one) / (defined[n] + one)) if np.isfinite(thresholds[n]) else None
        for n, metric in enumerate(table.ratios)
    }
    return PermutationTest(p, exact, 2 ** len(a) if exact else permutations)


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


DEFAULT_PERMUTATIONS = 9_999


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of two models over their shared dialogues.

    Attributes:
        a: The metric of the first, over the shared dialogues; None if undefined.
        b: Of the second.
        value: a - b, in the metric's unit; None if either is None.
        interval: 95 % paired bootstrap interval of `value`; None if fewer than two dialogues contribute to either.
        p: Two-sided, of the permutation test that swaps the two within dialogues; None if `value` is None.
        p_holm: `p` after Holm's correction over the metrics; None for figures beside them.
        effect: d_z, mean / standard deviation of the paired differences of the dialogues' own values; None if fewer
            than two dialogues have both, or all differ equally.
        plan: How many dialogues would tell the two apart, and what pairing gains.
    """

    a: float | None
    b: float | None
    value: float | None
    interval: Interval | None
    p: float | None
    p_holm: float | None
    effect: float | None
    plan: Plan

    @property
    def dialogues_needed(self) -> int | None:
        """Dialogues that would tell the two apart, in this metric alone."""
        return None if self.plan.needed is None else self.plan.needed.dialogues


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models side by side.

    Attributes:
        differences: Per metric, in the order of the tables.
        beside: The same for figures beside the metrics, which Holm's correction leaves out.
        dialogues: Shared dialogues, on which all figures here are based.
        left_out: Reason to number of dialogues left out, only for reasons that occur: `only in the first`,
            `only in the second`, `not counted in the first` (suspended, withheld or running there),
            `not counted in the second`, `not counted in either`.
        exact: Whether the permutation test tried all swaps rather than a sample.
        permutations: How many swaps it tried.
    """

    differences: Mapping[str, Difference]
    dialogues: int
    left_out: Mapping[str, int]
    exact: bool
    permutations: int
    beside: Mapping[str, Difference] = field(default_factory=dict)


def compare(
    a: Iterable[Session],
    b: Iterable[Session],
    *,
    tables: Sequence[MetricTable] = (PROCESS,),
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    permutations: int = DEFAULT_PERMUTATIONS,
) -> Comparison:
    """The differences a - b of all metrics, over the dialogues that both have counted sessions of.

    The caller makes sure that the two may be compared (same cap, patience, judge and benchmark).

    Args:
        a: Sessions of one model; finished and censored ones count.
        b: Sessions of the other, or of the same in another run.
        tables: Of both runs; at least one.
        seed: Of resampling and permutations.
        resamples: Of the bootstrap; dialogues are drawn for both at once, with all their epochs.
        permutations: Swaps drawn at random if there are more than these in total (2^D).

    Raises:
        UsageError: NumPy (extra `report`) is not installed; several models on one side; impossible numbers.
    """
    check_draws(seed, resamples)
    if permutations < 1:
        raise UsageError(f"the permutation test needs at least 1 permutation, not {permutations}")
    require("numpy", "a comparison")
    first, second = of_one_model(a), of_one_model(b)
    counted = counted_sessions(first), counted_sessions(second)
    in_a, in_b = ({session.dialogue for session in own} for own in counted)
    shared = sorted(in_a & in_b)
    found: dict[str, Difference] = {}
    test = PermutationTest({}, True, 0)
    tests = sum(metric not in table.beside for table in tables for metric in table.ratios)
    for table in tables:
        rows_a, rows_b = ([rows[d] for d in shared] for rows in (dialogue_rows(table, own) for own in counted))
        test = permutation_test(table, rows_a, rows_b, permutations=permutations, seed=seed)
        drawn = _intervals(table, rows_a, rows_b, seed, resamples)
        found |= {
            metric: _difference(table, rows_a, rows_b, metric, drawn[metric], test.p[metric], tests)
            for metric in table.ratios
        }
    beside = {metric: found.pop(metric) for table in tables for metric in table.ratios if metric in table.beside}
    adjusted = holm({metric: one.p for metric, one in found.items()})
    return Comparison(
        differences={metric: replace(one, p_holm=adjusted[metric]) for metric, one in found.items()},
        dialogues=len(shared),
        left_out=_left_out(first, second, in_a, in_b),
        exact=test.exact,
        permutations=test.permutations,
        beside=beside,
    )


def _difference(
    table: MetricTable,
    rows_a: Sequence[Row],
    rows_b: Sequence[Row],
    metric: str,
    interval: Interval | None,
    p: float | None,
    tests: int,
) -> Difference:
    a, b = (table.value(table.total(rows), metric) for rows in (rows_a, rows_b))
    return Difference(
        a=a,
        b=b,
        value=_minus(a, b),
        interval=interval,
        p=p,
        p_holm=None,
        effect=effect_size(table, rows_a, rows_b, metric),
        plan=plan(table, rows_a, rows_b, metric, tests=0 if metric in table.beside else tests),
    )


def holm(p: Mapping[str, float | None]) -> dict[str, float | None]:
    """Holm's step-down correction over the defined p values."""
    ordered = sorted((value, name) for name, value in p.items() if value is not None)
    adjusted: dict[str, float | None] = dict.fromkeys(p)
    highest = 0.0
    for place, (value, name) in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - place) * value))
        adjusted[name] = highest
    return adjusted


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def _intervals(
    table: MetricTable, rows_a: Sequence[Row], rows_b: Sequence[Row], seed: int, resamples: int
) -> dict[str, Interval | None]:
    """Dialogues drawn for both at once; resamples in which either has no denominator are skipped."""
    if len(rows_a) < 2:
        return dict.fromkeys(table.ratios)
    columns = [*zip(*rows_a, strict=True), *zip(*rows_b, strict=True)]
    sums = resampled_sums(columns, seed=seed, resamples=resamples)
    totals = table.total(rows_a), table.total(rows_b)
    found: dict[str, Interval | None] = {}
    for metric in table.ratios:
        t_a, b_a = table.places(metric)
        t_b, b_b = t_a + len(table.terms), b_a + len(table.terms)
        if min(sum(1 for value in columns[at] if value) for at in (b_a, b_b)) < 2:
            found[metric] = None
            continue
        has = (sums[b_a] > 0) & (sums[b_b] > 0)
        values = sums[t_a][has] / sums[b_a][has] - sums[t_b][has] / sums[b_b][has]
        point = _minus(*(table.value(sums_of_one, metric) for sums_of_one in totals))
        found[metric] = None if point is None else middle(values, point)
    return found


def _left_out(
    first: Sequence[Session], second: Sequence[Session], counted_a: set[int], counted_b: set[int]
) -> dict[str, int]:
    all_a, all_b = ({session.dialogue for session in own} for own in (first, second))
    reasons = Counter(
        {
            "only in the first": len(all_a - all_b),
            "only in the second": len(all_b - all_a),
            "not counted in the first": len((all_a & counted_b) - counted_a),
            "not counted in the second": len((all_b & counted_a) - counted_b),
            "not counted in either": len((all_a & all_b) - counted_a - counted_b),
        }
    )
    return dict(+reasons)

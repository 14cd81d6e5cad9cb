"""Compare two models, or two runs of one model, paired by dialogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evolif.errors import UsageError
from evolif.metrics.permutation import PermutationTest, permutation_test
from evolif.metrics.power import Plan, effect_size, plan
from evolif.metrics.process import PROCESS
from evolif.metrics.sessions import counted_sessions, of_one_model
from evolif.metrics.statistics import Interval, check_draws, require
from evolif.metrics.table import MetricTable, Row, dialogue_rows
from evolif.types import Session

DEFAULT_PERMUTATIONS = 9_999


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of two models over their shared dialogues.

    Attributes:
        a: The metric of the first, over the shared dialogues; None if undefined.
        b: Of the second.
        value: a - b, in the metric's unit; None if either is None.
        interval: 95 %: the differences that the test behind `p` does not reject at 5 %; None if fewer than six
            dialogues contribute to either.
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
            `not counted in the second`, `not counted in either`, `not scored in both`.
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
    permutations: int = DEFAULT_PERMUTATIONS,
) -> Comparison:
    """The differences a - b of all metrics, over the dialogues that both have counted sessions of.

    The caller makes sure that the two may be compared (same cap, patience, judge and benchmark).

    Args:
        a: Sessions of one model; finished and censored ones count.
        b: Sessions of the other, or of the same in another run.
        tables: Of both runs; at least one.
        seed: Of the permutations.
        permutations: Swaps drawn at random if there are more than these in total (2^D).

    Raises:
        UsageError: NumPy (extra `report`) is not installed; several models on one side; impossible numbers.
    """
    check_draws(seed, 1)
    if permutations < 1:
        raise UsageError(f"the permutation test needs at least 1 permutation, not {permutations}")
    require("numpy", "a comparison")
    first, second = of_one_model(a), of_one_model(b)
    counted = counted_sessions(first), counted_sessions(second)
    in_a, in_b = ({session.dialogue for session in own} for own in counted)
    unscored = _unscored(tables, counted)
    shared = sorted((in_a & in_b) - unscored)
    found: dict[str, Difference] = {}
    test = PermutationTest({}, {}, True, 0)
    tests = sum(metric not in table.beside for table in tables for metric in table.ratios)
    for table in tables:
        rows_a, rows_b = ([rows[d] for d in shared] for rows in (dialogue_rows(table, own) for own in counted))
        test = permutation_test(table, rows_a, rows_b, permutations=permutations, seed=seed)
        found |= {
            metric: _difference(table, rows_a, rows_b, metric, test.intervals[metric], test.p[metric], tests)
            for metric in table.ratios
        }
    beside = {metric: found.pop(metric) for table in tables for metric in table.ratios if metric in table.beside}
    adjusted = holm({metric: one.p for metric, one in found.items()})
    return Comparison(
        differences={metric: replace(one, p_holm=adjusted[metric]) for metric, one in found.items()},
        dialogues=len(shared),
        left_out=_left_out(first, second, in_a, in_b, len(in_a & in_b & unscored)),
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


def _unscored(tables: Sequence[MetricTable], sides: Iterable[Sequence[Session]]) -> set[int]:
    """The dialogues that a table wants scored in both, and that one side has no score of."""
    wanting = [table for table in tables if table.scored_in_both]
    return {
        dialogue
        for own in sides
        for table in wanting
        for dialogue, row in dialogue_rows(table, own).items()
        if not table.counts(row)
    }


def _left_out(
    first: Sequence[Session], second: Sequence[Session], counted_a: set[int], counted_b: set[int], unscored: int
) -> dict[str, int]:
    all_a, all_b = ({session.dialogue for session in own} for own in (first, second))
    reasons = Counter(
        {
            "only in the first": len(all_a - all_b),
            "only in the second": len(all_b - all_a),
            "not counted in the first": len((all_a & counted_b) - counted_a),
            "not counted in the second": len((all_b & counted_a) - counted_b),
            "not counted in either": len((all_a & all_b) - counted_a - counted_b),
            "not scored in both": unscored,
        }
    )
    return dict(+reasons)

"""Two models, or two runs of one, paired by dialogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evolif._errors import UsageError
from evolif.domain import Session
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval, dialogue_terms
from evolif.metrics._numeric import numpy
from evolif.metrics._permutation import permutation_test
from evolif.metrics._power import dialogues_needed, effect_size
from evolif.metrics._process import METRIC_NAMES, RATIOS, Terms, add_terms
from evolif.metrics._resampling import check_draws, middle, resampled_sums
from evolif.metrics._sessions import records_from_sessions

DEFAULT_PERMUTATIONS = 9_999


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of two models over the dialogues that both have.

    Attributes:
        a: The metric of the first, over the shared dialogues; None where undefined.
        b: Of the second.
        value: a - b, in the metric's own unit; None where either is.
        interval: 95 % paired bootstrap interval of `value`; None where fewer than two dialogues contribute to either.
        p: Two-sided, of the permutation test that swaps the two within dialogues; None where `value` is.
        p_holm: `p` after Holm's correction over the metrics.
        effect: d_z, mean / standard deviation of the paired differences of the dialogues' own values; None where fewer
            than two dialogues have both, or all differ alike.
        dialogues_needed: Paired dialogues that would tell the two apart (80 % power, two-sided 5 %) if the differences
            observed were typical; None where there is no difference, or too few dialogues to tell.
    """

    a: float | None
    b: float | None
    value: float | None
    interval: Interval | None
    p: float | None
    p_holm: float | None
    effect: float | None
    dialogues_needed: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models side by side.

    Attributes:
        differences: Per metric, in the order of `METRIC_NAMES`.
        dialogues: Dialogues that both have and that all figures here come from.
        left_out: Reason to number of dialogues left out, only reasons that occur: `only in the first`, `only in the
            second`, `not counted in the first` (suspended, withheld or running there), `not counted in the second`,
            `not counted in either`.
        exact: Whether the permutation test went through all swaps; else it drew some of them.
        permutations: How many swaps it looked at.
    """

    differences: Mapping[str, Difference]
    dialogues: int
    left_out: Mapping[str, int]
    exact: bool
    permutations: int


def compare(
    a: Iterable[Session],
    b: Iterable[Session],
    *,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    permutations: int = DEFAULT_PERMUTATIONS,
) -> Comparison:
    """The differences a - b of the eight metrics, over the dialogues that both have counted sessions of.

    Whether the two may be compared (same cap, patience, judge and benchmark) is for the caller to see to.

    Args:
        a: Sessions of one model; finished and censored ones count.
        b: Sessions of the other, or of the same in another run.
        seed: Of resampling and permutations.
        resamples: Of the bootstrap; dialogues are drawn for both at once, their epochs together.
        permutations: Swaps drawn at random, where all 2^D are more than these.

    Raises:
        UsageError: NumPy (extra `report`) is not installed; several models on one side; impossible numbers.
    """
    check_draws(seed, resamples)
    if permutations < 1:
        raise UsageError(f"the permutation test needs at least 1 permutation, not {permutations}")
    numpy("a comparison")
    first, second = tuple(a), tuple(b)
    terms_a, terms_b = (dialogue_terms(records_from_sessions(own).records) for own in (first, second))
    shared = sorted(terms_a.keys() & terms_b.keys(), key=int)
    rows_a, rows_b = [terms_a[d] for d in shared], [terms_b[d] for d in shared]
    test = permutation_test(rows_a, rows_b, permutations=permutations, seed=seed)
    adjusted = holm(test.p)
    intervals = _intervals(rows_a, rows_b, seed, resamples)
    values = {metric: (_ratio(rows_a, metric), _ratio(rows_b, metric)) for metric in METRIC_NAMES}
    return Comparison(
        differences={
            metric: Difference(
                a=values[metric][0],
                b=values[metric][1],
                value=_minus(*values[metric]),
                interval=intervals[metric],
                p=test.p[metric],
                p_holm=adjusted[metric],
                effect=effect_size(rows_a, rows_b, metric),
                dialogues_needed=dialogues_needed(rows_a, rows_b, metric),
            )
            for metric in METRIC_NAMES
        },
        dialogues=len(shared),
        left_out=_left_out(first, second, set(terms_a), set(terms_b)),
        exact=test.exact,
        permutations=test.permutations,
    )


def holm(p: Mapping[str, float | None]) -> dict[str, float | None]:
    """Holm's step-down correction over the p that there are."""
    ordered = sorted((value, name) for name, value in p.items() if value is not None)
    adjusted: dict[str, float | None] = dict.fromkeys(p)
    highest = 0.0
    for place, (value, name) in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - place) * value))
        adjusted[name] = highest
    return adjusted


def _ratio(rows: Sequence[Terms], metric: str) -> float | None:
    sums = add_terms(rows)._asdict()
    top, bottom = RATIOS[metric]
    return sums[top] / sums[bottom] if sums[bottom] else None


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def _intervals(
    rows_a: Sequence[Terms], rows_b: Sequence[Terms], seed: int, resamples: int
) -> dict[str, Interval | None]:
    """Dialogues drawn for both at once; resamples in which either has no denominator are skipped."""
    if len(rows_a) < 2:
        return dict.fromkeys(METRIC_NAMES)
    columns = [*zip(*rows_a, strict=True), *zip(*rows_b, strict=True)]
    sums = resampled_sums(columns, seed=seed, resamples=resamples)
    fields, found = Terms._fields, dict[str, Interval | None]()
    for metric, (top, bottom) in RATIOS.items():
        t_a, b_a = fields.index(top), fields.index(bottom)
        t_b, b_b = t_a + len(fields), b_a + len(fields)
        if min(sum(1 for value in columns[at] if value) for at in (b_a, b_b)) < 2:
            found[metric] = None
            continue
        has = (sums[b_a] > 0) & (sums[b_b] > 0)
        values = sums[t_a][has] / sums[b_a][has] - sums[t_b][has] / sums[b_b][has]
        point = _minus(_ratio(rows_a, metric), _ratio(rows_b, metric))
        found[metric] = None if point is None else middle(values, point)
    return found


def _left_out(
    first: Sequence[Session], second: Sequence[Session], counted_a: set[str], counted_b: set[str]
) -> dict[str, int]:
    all_a, all_b = ({str(session.dialogue) for session in own} for own in (first, second))
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

"""Two models, or two runs of one, paired by dialogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evolif.domain import Session
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval

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
    raise NotImplementedError

"""How far a judge agrees with another one, or with a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval


@dataclass(frozen=True, slots=True)
class Agreement:
    """Verdicts that two gave on the same constraints of the same answers.

    Attributes:
        both: Constraints that both found satisfied.
        first_only: That the first alone (the person) found satisfied.
        second_only: That the second alone (the judge) found satisfied.
        neither: That neither did.
        dialogues: Dialogues they come from.
        agreed: (both + neither) / n, a fraction; None without a pair.
        agreed_interval: 95 % bootstrap interval over dialogues; None with fewer than two.
        kappa: Cohen's; None where undefined: no pair, or both gave one and the same verdict throughout.
        kappa_interval: 95 % bootstrap interval over dialogues, of the resamples in which it is defined.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    dialogues: int
    agreed: float | None
    agreed_interval: Interval | None
    kappa: float | None
    kappa_interval: Interval | None

    @property
    def n(self) -> int:
        """Pairs of verdicts."""
        return self.both + self.first_only + self.second_only + self.neither


def judge_agreement(
    pairs: Iterable[tuple[str, int, bool, bool]], *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> dict[str, Agreement]:
    """Share of equal verdicts and Cohen's kappa per group, with intervals over dialogues.

    Args:
        pairs: (group, dialogue, verdict of the person or first judge, verdict of the judge audited), in any order.
        seed: Of the resampling.
        resamples: How many.

    Returns:
        Group, in alphabetical order, to its agreement. For a figure over all groups call it with one name for all.
    """
    raise NotImplementedError

"""What another judge makes of the same answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evolif.domain import Session
from evolif.metrics._agreement import Agreement
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES
from evolif.metrics._compare import Comparison


@dataclass(frozen=True, slots=True)
class JudgeSensitivity:
    """Two judgings of the same answers.

    Attributes:
        groups: Group, in alphabetical order, to the agreement of the verdicts that both came to; groups that rules
            judge agree throughout.
        overall: Over all groups.
        one_sided: Group to constraints of which only one judging has a verdict; only groups with some.
        shift: The metrics under the second judge minus those under the first, paired by dialogue.
    """

    groups: Mapping[str, Agreement]
    overall: Agreement
    one_sided: Mapping[str, int]
    shift: Comparison


def judge_sensitivity(
    first: Iterable[Session], second: Iterable[Session], *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> JudgeSensitivity:
    """How far two judges agree on the same answers of one model, and how far that moves the metrics.

    Verdicts are paired over the turns that both judgings hold; that the answers are the same ones (a run and what
    `evolif rejudge` made of it) is for the caller to see to.

    Args:
        first: Sessions under the first judge.
        second: The same model's under the second.
        seed: Of resampling and permutations.
        resamples: How many.

    Raises:
        UsageError: as `compare`; sessions of different models; or a turn with other constraints in the two.
    """
    raise NotImplementedError

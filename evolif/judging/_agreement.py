"""How far two judgings of the same answers agree: what a judge's wording or choice moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from evolif.constraints import get_group
from evolif.domain import Verdict
from evolif.judging._records import JudgeRecord

NEAR = (6.0, 7.0)
"""Scores between which a verdict turns: one point more or less would have decided otherwise."""


@dataclass(slots=True)
class Agreement:
    """Counts over the subjective constraints of the turns that both judgings hold."""

    shared: Counter[str] = field(default_factory=Counter)
    """Per group, verdicts that both came to."""
    differ: Counter[str] = field(default_factory=Counter)
    """Per group, those of them that are opposite."""
    one_sided: int = 0
    """Constraints of which only one judging has a verdict."""
    scores: int = 0
    """Scores of the new judging."""
    near: int = 0
    """Those of them from 6 to 7."""
    kept: int = 0
    """Those of them that were had before for the same text and question, so that nobody was asked."""

    def add(self, old: Sequence[Verdict], new: Sequence[Verdict], records: Sequence[JudgeRecord]) -> None:
        """Count one turn.

        Args:
            old: Its verdicts in the first judging.
            new: Its verdicts in the second, in the same order.
            records: The second's.
        """
        for before, after in zip(old, new, strict=True):
            if not get_group(after.group).subjective:
                continue
            if before.satisfied is None or after.satisfied is None:
                self.one_sided += before.satisfied is not after.satisfied
                continue
            self.shared[after.group] += 1
            self.differ[after.group] += before.satisfied is not after.satisfied
        for score in (s for record in records for s in record.scores):
            if score.score is not None:
                self.scores += 1
                self.near += NEAR[0] <= score.score <= NEAR[1]
                self.kept += score.cached

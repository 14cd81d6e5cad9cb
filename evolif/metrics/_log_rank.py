"""Do two survival curves differ? The log-rank test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evolif.domain import Session


@dataclass(frozen=True, slots=True)
class LogRank:
    """Result of a log-rank test; both None where no event could tell the two apart."""

    statistic: float | None
    """Standard normal under the hypothesis; negative where the first lasts longer than expected."""
    p: float | None
    """Two-sided."""


def log_rank(a: Iterable[Session], b: Iterable[Session]) -> LogRank:
    """The log-rank test between two models, or two runs of one.

    It takes all sessions as independent. Sessions of the same dialogues are paired, and the test ignores that: where
    hard dialogues are hard for both, it finds less than there is. `compare` is the paired one.

    Args:
        a: Sessions of one model; finished and censored ones count.
        b: Sessions of the other.

    Raises:
        UsageError: SciPy is not installed; sessions of several models on one side.
    """
    raise NotImplementedError

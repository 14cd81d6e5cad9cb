"""Do two survival curves differ? The log-rank test."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from evolif.domain import Session
from evolif.metrics._lifetimes import lifetimes
from evolif.metrics._numeric import numpy, scipy_stats
from evolif.metrics._sessions import records_from_sessions
from evolif.metrics._survival import censored_data


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
    stats, np = scipy_stats("a log-rank test"), numpy("a log-rank test")
    first, second = (lifetimes(records_from_sessions(sessions).records) for sessions in (a, b))
    if not (first.sessions and second.sessions and first.exhausted + second.exhausted):
        return LogRank(None, None)
    with np.errstate(all="ignore"):  # 0 / 0 where no event could tell the two apart
        result = stats.logrank(censored_data(stats, first), censored_data(stats, second))
    statistic, p = float(result.statistic), float(result.pvalue)
    return LogRank(statistic, p) if math.isfinite(statistic) else LogRank(None, None)

"""What the figures would be with less patience: an exact replay that costs no call (paper section 5.4, Table 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evolif.domain import Session
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval
from evolif.metrics._process import Metrics


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """The figures at one patience.

    Attributes:
        patience: p, failed turns in a row that end a session.
        metrics: The eight metrics; `metrics.dialogues` is how many sessions count.
        intervals: Per metric its 95 % bootstrap interval over dialogues; empty where none were asked for.
        finished: Counted sessions that patience p ends.
        censored: Counted sessions that end for another reason before.
        left_out: Suspended, withheld and running sessions that patience p does not end.
    """

    patience: int
    metrics: Metrics
    intervals: Mapping[str, Interval | None]
    finished: int
    censored: int
    left_out: int


def patience_sweep(
    sessions: Iterable[Session],
    patience: int | None = None,
    *,
    intervals: bool = True,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> tuple[SweepPoint, ...]:
    """The figures for patience 1, 2, … up to the run's own, each session cut at its first streak of so many failures.

    A session that the run left out (suspended, withheld, running) counts at every smaller patience that ends it before
    it broke off: such a run would have finished it.

    Args:
        sessions: Of one model.
        patience: The largest; the sessions' own where None.
        intervals: Whether to bootstrap them.
        seed: Of the resampling.
        resamples: How many.

    Raises:
        UsageError: sessions of several models, or less patience in a session than is asked for.
    """
    raise NotImplementedError

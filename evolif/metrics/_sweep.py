"""What the figures would be with less patience: an exact replay that costs no call (paper section 5.4, Table 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evolif._errors import UsageError
from evolif.domain import Session
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval, bootstrap_intervals
from evolif.metrics._dialogue import DialogueRecord, patience_left
from evolif.metrics._process import Metrics, process_metrics
from evolif.metrics._sessions import all_records


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
    given = tuple(sessions)
    largest = _largest([session.patience for session in given], patience)
    table = all_records(given)
    drawn = (seed, resamples) if intervals else None
    return tuple(_point(table, p, drawn) for p in range(1, largest + 1))


def _largest(own: Sequence[int], asked: int | None) -> int:
    if asked is None:
        return min(own, default=0)
    if asked < 1:
        raise UsageError(f"patience is {asked}; it must be at least 1")
    if own and min(own) < asked:
        raise UsageError(f"a session had patience {min(own)}: with more of it, it would have gone on beyond its end")
    return asked


def _point(table: Sequence[tuple[Session, DialogueRecord]], patience: int, draws: tuple[int, int] | None) -> SweepPoint:
    kept: list[DialogueRecord] = []
    finished = left_out = 0
    for session, record in table:
        replayed = replace(record, patience=patience)
        over = patience_left(replayed) == 0
        if session.ending in ("finished", "censored") or (over and patience < session.patience):
            kept.append(replayed)
            finished += over
        else:
            left_out += 1
    drawn = {} if draws is None else bootstrap_intervals(kept, seed=draws[0], resamples=draws[1])
    return SweepPoint(patience, process_metrics(kept), drawn, finished, len(kept) - finished, left_out)

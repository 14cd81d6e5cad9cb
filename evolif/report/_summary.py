"""What is told of one model in one run; tables, JSON and pages all read this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evolif.domain import Session
from evolif.metrics import (
    Bounds,
    Interval,
    Metrics,
    Satisfaction,
    SessionRecords,
    bootstrap_intervals,
    bounds,
    process_metrics,
    records_from_sessions,
    satisfaction_by_group,
)
from evolif.protocol import Run

DEFAULT_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """Figures, intervals and counts of one model. Rates are fractions, lengths are turns."""

    model: str
    metrics: Metrics
    intervals: Mapping[str, Interval | None]
    counts: SessionRecords
    groups: Mapping[str, Satisfaction]
    heuristic: Mapping[str, Satisfaction]
    """What the offline judge `lexical` says of the subjective groups; never part of the metrics."""
    bounds: Bounds | None
    """Where sessions were suspended or withheld: the figures if all had failed, or succeeded, from there on."""
    tokens: int


def summarise(run: Run, *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES) -> list[ModelSummary]:
    """One summary per model, in the order of the run."""
    from evolif.report._analysis import RunAnalysis

    return [model.summary for model in RunAnalysis(run, seed, resamples).models]


def summary_of(
    model: str,
    sessions: Sequence[Session],
    *,
    max_turns: int,
    seed: int,
    resamples: int,
    heuristic: Mapping[str, Satisfaction],
    tokens: int,
) -> ModelSummary:
    """The summary of one model's sessions."""
    counts = records_from_sessions(sessions)
    broken = counts.suspended + counts.running + counts.withheld
    return ModelSummary(
        model=model,
        metrics=process_metrics(counts.records),
        intervals=bootstrap_intervals(counts.records, seed=seed, resamples=resamples),
        counts=counts,
        groups=satisfaction_by_group(sessions),
        heuristic=heuristic,
        bounds=bounds(sessions, max_turns=max_turns) if broken else None,
        tokens=tokens,
    )

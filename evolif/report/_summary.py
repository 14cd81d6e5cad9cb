"""What is told of one model in one run; tables, JSON and pages all read this."""

from __future__ import annotations

from collections.abc import Mapping
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
from evolif.protocol import EarlyEnd, Run

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
    return [_summary(run, model, seed, resamples) for model in run.models]


def _summary(run: Run, model: str, seed: int, resamples: int) -> ModelSummary:
    early = run.early_end()
    sessions = [s for s in run.sessions(model) if early is None or s.dialogue in early.dialogues]
    counts = records_from_sessions(sessions)
    heuristic: dict[str, Satisfaction] = {}
    tokens = 0
    for session, records in run.transcripts(model):
        for record in records:
            tokens += record.usage.prompt_tokens + record.usage.completion_tokens
            for verdict in record.heuristic if _counts(session, early) else ():
                had = heuristic.get(verdict.group, Satisfaction(0, 0))
                heuristic[verdict.group] = Satisfaction(had.satisfied + bool(verdict.satisfied), had.judged + 1)
    broken = counts.suspended + counts.withheld
    return ModelSummary(
        model=model,
        metrics=process_metrics(counts.records),
        intervals=bootstrap_intervals(counts.records, seed=seed, resamples=resamples),
        counts=counts,
        groups=satisfaction_by_group(sessions),
        heuristic=dict(sorted(heuristic.items())),
        bounds=bounds(sessions, max_turns=run.settings.max_turns) if broken else None,
        tokens=tokens,
    )


def _counts(session: Session, early: EarlyEnd | None) -> bool:
    return session.ending in ("finished", "censored") and (early is None or session.dialogue in early.dialogues)

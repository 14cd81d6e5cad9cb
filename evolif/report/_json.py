"""The report for machines: rates are fractions, absent figures are null."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from evolif.metrics import METRIC_NAMES, Metrics
from evolif.protocol import Run
from evolif.report._summary import ModelSummary


def report_object(runs: Iterable[tuple[Run, list[ModelSummary]]]) -> dict[str, Any]:
    """One object for all runs; models in the order of the runs."""
    models: list[dict[str, Any]] = []
    described = []
    for number, (run, summaries) in enumerate(runs):
        settings = run.settings
        early = run.early_end()
        ended = None if early is None else asdict(early)
        described.append({"path": str(run.path), "settings": settings.model_dump(mode="json"), "early_end": ended})
        models += [{"run": number, **_model(summary)} for summary in summaries]
    return {"models": models, "runs": described}


def _model(summary: ModelSummary) -> dict[str, Any]:
    counts = summary.counts
    figures = {
        name: {"value": value, "low": _end(summary, name, 0), "high": _end(summary, name, 1)}
        for name, value in summary.metrics.by_name().items()
    }
    return {
        "model": summary.model,
        "dialogues": len({record.dialogue for record in counts.records}),
        "sessions": summary.metrics.dialogues,
        "finished": counts.finished,
        "censored": counts.censored,
        "suspended": counts.suspended + counts.running,
        "withheld": counts.withheld,
        "rec_left_out": summary.metrics.rec_left_out,
        "not_judged_turns": counts.not_judged_turns,
        "not_judged_constraints": counts.not_judged_constraints,
        **figures,
        "groups": {g: {"satisfied": s.satisfied, "judged": s.judged} for g, s in summary.groups.items()},
        "heuristic": {g: {"satisfied": s.satisfied, "judged": s.judged} for g, s in summary.heuristic.items()},
        "bounds": None
        if summary.bounds is None
        else {"failed": _plain(summary.bounds.failed), "succeeded": _plain(summary.bounds.succeeded)},
        "tokens": summary.tokens,
    }


def _plain(metrics: Metrics) -> dict[str, float | None]:
    values = metrics.by_name()
    return {name: values[name] for name in METRIC_NAMES}


def _end(summary: ModelSummary, name: str, side: int) -> float | None:
    interval = summary.intervals[name]
    return None if interval is None else interval[side]

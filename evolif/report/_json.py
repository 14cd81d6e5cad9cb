"""The report for machines: rates are fractions, absent figures are null."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from evolif.metrics import METRIC_NAMES, Metrics
from evolif.protocol import Run
from evolif.report._json_parts import interval
from evolif.report._summary import ModelSummary


def report_object(runs: Iterable[tuple[Run, list[ModelSummary]]]) -> dict[str, Any]:
    """One object for all runs, of their summaries alone; models in the order of the runs."""
    models: list[dict[str, Any]] = []
    described = []
    for number, (run, summaries) in enumerate(runs):
        described.append(describe_run(run))
        models += [{"run": number, **describe_model(summary)} for summary in summaries]
    return {"models": models, "runs": described}


def describe_run(run: Run) -> dict[str, Any]:
    """What a run was made with."""
    early = run.early_end()
    return {
        "path": str(run.path),
        "settings": run.settings.model_dump(mode="json"),
        "early_end": None if early is None else asdict(early),
    }


def describe_model(summary: ModelSummary) -> dict[str, Any]:
    """A model's figures with intervals, and counts of what is left out."""
    counts = summary.counts
    figures = {name: interval(value, summary.intervals[name]) for name, value in summary.metrics.by_name().items()}
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

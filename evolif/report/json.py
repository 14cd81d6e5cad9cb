"""The report for machines: rates are fractions, absent figures are null."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evolif.errors import UsageError
from evolif.metrics import (
    BREAKDOWNS,
    METRIC_NAMES,
    Agreement,
    Ceiling,
    Hazard,
    Interval,
    Key,
    Metrics,
    RankAgreement,
    RankStability,
    Slice,
    Survival,
    SweepPoint,
)
from evolif.report.analysis import KINDS, ModelAnalysis, ModelSummary, RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.wording import NOT_COMPARABLE, Published
from evolif.runner import Run

# Parts of an analysis as plain objects for JSON: fractions, turns and counts; null, never NaN, where nothing is.


def interval(value: float | None, ends: Interval | None) -> dict[str, float | None]:
    """A figure with its 95 % interval."""
    low, high = ends if ends is not None else (None, None)
    return {"value": finite(value), "low": finite(low), "high": finite(high)}


def finite(value: float | None) -> float | None:
    """The value; None for what JSON does not have."""
    return value if value is not None and math.isfinite(value) else None


def metrics_object(metrics: Metrics, intervals: Mapping[str, Interval | None]) -> dict[str, Any]:
    """The eight metrics with their intervals."""
    return {name: interval(value, intervals.get(name)) for name, value in metrics.by_name().items()}


def slices(found: Mapping[Key, Slice]) -> list[dict[str, Any]]:
    """A breakdown, an object per key; a list, for keys may be numbers and their order matters."""
    return [
        {
            "key": key,
            "satisfied": one.satisfied,
            "judged": one.judged,
            "not_judged": one.not_judged,
            "turns": one.turns,
            "ok": one.ok,
            "dialogues": one.dialogues,
            "csr": interval(one.csr, one.csr_interval),
            "isr": interval(one.isr, one.isr_interval),
        }
        for key, one in found.items()
    ]


def hazards(found: tuple[Hazard, ...]) -> list[dict[str, Any]]:
    """The hazard per turn."""
    return [
        {
            "turn": one.turn,
            "at_risk": one.at_risk,
            "exhausted": one.exhausted,
            "censored": one.censored,
            "hazard": interval(one.hazard, one.interval),
        }
        for one in found
    ]


def survival_object(curve: Survival) -> dict[str, Any]:
    """A survival curve."""
    low, high = curve.median_interval or (None, None)
    return {
        "sessions": curve.sessions,
        "cap": curve.cap,
        "median": {"value": curve.median, "low": low, "high": high},
        "restricted_mean": interval(curve.restricted_mean, curve.restricted_mean_interval),
        "points": [
            {
                "turn": point.turn,
                "probability": interval(
                    point.probability, None if point.low is None or point.high is None else (point.low, point.high)
                ),
                "at_risk": point.at_risk,
                "exhausted": point.exhausted,
                "censored": point.censored,
            }
            for point in curve.points
        ],
    }


def sweep_object(points: tuple[SweepPoint, ...]) -> list[dict[str, Any]]:
    """The figures per patience."""
    return [
        {
            "patience": point.patience,
            "sessions": point.metrics.dialogues,
            "finished": point.finished,
            "censored": point.censored,
            "left_out": point.left_out,
            **metrics_object(point.metrics, point.intervals),
        }
        for point in points
    ]


def ceiling_object(found: Ceiling) -> dict[str, Any]:
    """What a perfect responder would reach."""
    return {
        "turns": found.turns,
        "without_witness": found.without_witness,
        "failing": found.failing,
        "misses": [{"dialogue": m.dialogue, "turn": m.turn, "groups": list(m.groups)} for m in found.misses],
        **{name: finite(value) for name, value in found.metrics.by_name().items()},
    }


def stability_object(found: tuple[RankStability, ...]) -> list[dict[str, Any]]:
    """Rank stability per size of subsample."""
    return [{key: finite(value) for key, value in asdict(one).items()} for one in found]


def rank_agreement_object(found: Mapping[str, RankAgreement]) -> dict[str, Any]:
    """Rank agreement per kind of dialogue."""
    return {
        kind: {
            "dialogues": one.dialogues,
            "models": one.models,
            "values": {model: finite(value) for model, value in one.values.items()},
            "pearson": finite(one.pearson),
            "spearman": finite(one.spearman),
        }
        for kind, one in found.items()
    }


def agreement_object(found: Agreement) -> dict[str, Any]:
    """Two judges, or a person and a judge, on the same answers."""
    return {
        "n": found.n,
        "both": found.both,
        "first_only": found.first_only,
        "second_only": found.second_only,
        "neither": found.neither,
        "dialogues": found.dialogues,
        "agreed": interval(found.agreed, found.agreed_interval),
        "kappa": interval(found.kappa, found.kappa_interval),
    }


def or_why(part: Callable[[], Any]) -> Any:
    """The part; `{"unavailable": sentence}` where a package that it wants is not installed."""
    try:
        return part()
    except UsageError as fault:
        return {"unavailable": str(fault)}


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


# The whole analysis for machines: the keys of the short report, and every part under keys of its own.


def analysis_object(boards: Sequence[ComparableRuns], published: Published | None = None) -> dict[str, Any]:
    """One object for all runs; `models` and `runs` as in `report_object`, with more keys.

    Args:
        boards: The runs as they stand beside each other.
        published: The published leaderboard, where it was asked for; it comes with its warning.
    """
    runs = [run for board in boards for run in board.runs]
    models = [{"run": n, **_model(model)} for n, run in enumerate(runs) for model in run.models]
    told: dict[str, Any] = {
        "models": models,
        "runs": [_run(run) for run in runs],
        "boards": [_board(board) for board in boards],
        "seed": runs[0].seed if runs else None,
        "resamples": runs[0].resamples if runs else None,
        "note": NOT_COMPARABLE,
    }
    if published is not None:
        told["published"] = {
            "warning": published.warning,
            "source": published.source,
            "models": {name: dict(figures) for name, figures in published.models.items()},
        }
    return told


def _model(model: ModelAnalysis) -> dict[str, Any]:
    bounds = or_why(lambda: model.survival_bounds)
    return {
        **describe_model(model.summary),
        "by": {by: slices(model.by(by)) for by in BREAKDOWNS},
        "kinds": {
            kind: {
                name: {"sessions": found.metrics.dialogues, **metrics_object(found.metrics, found.intervals)}
                for name, found in model.figures_by(kind).items()
            }
            for kind in KINDS
        },
        "hazard": hazards(model.hazard),
        "survival": or_why(lambda: survival_object(model.survival)),
        "survival_bounds": bounds
        if bounds is None or isinstance(bounds, dict)
        else {"failed": survival_object(bounds.failed), "succeeded": survival_object(bounds.succeeded)},
        "patience_sweep": sweep_object(model.patience_sweep),
    }


def _run(run: RunAnalysis) -> dict[str, Any]:
    return {
        **describe_run(run.run),
        "suspended": run.suspended,
        "unbegun": dict(run.unbegun),
        "ceiling": or_why(lambda: ceiling_object(run.ceiling)),
        "judge_audit": or_why(lambda: [row.to_object() for row in run.judge_audit]),
        "rank_agreement": {kind: rank_agreement_object(run.rank_agreement(kind)) for kind in KINDS},
        "costs": [
            {
                "role": spent.role,
                "model": spent.model,
                "calls": spent.calls,
                "prompt_tokens": spent.usage.prompt_tokens,
                "completion_tokens": spent.usage.completion_tokens,
            }
            for spent in run.costs
        ],
        "commands": [{"command": step.command, "note": step.note} for step in run.commands],
    }


def _board(board: ComparableRuns) -> dict[str, Any]:
    return {
        "runs": [run.name for run in board.runs],
        "models": list(board.heads),
        "rank_stability": stability_object(board.rank_stability),
    }

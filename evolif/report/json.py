"""Reports for machines: rates are fractions, and undefined figures are null, never NaN."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evolif.budget import PriceTable, load_prices
from evolif.errors import UsageError
from evolif.metrics import (
    Ceiling,
    Difference,
    Figures,
    Interval,
    Key,
    LogRank,
    MetricFigures,
    Metrics,
    RankAgreement,
    Satisfaction,
    Slice,
    Survival,
    SweepPoint,
    expected_length,
    patience_left,
)
from evolif.metrics.agreement import Agreement
from evolif.metrics.patience import length_beyond
from evolif.metrics.power import PowerPlan
from evolif.report.analysis import ModelAnalysis, ModelSummary, RunAnalysis, folder_name
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import SHARED, ModelComparison, all_differences
from evolif.report.conclusions import conclusion
from evolif.report.context_size import ContextSize
from evolif.report.context_tables import effects_object, size_object
from evolif.report.contexts import context_sizes, differ_in_context
from evolif.report.costs import costs_object
from evolif.report.coverage import Extent, extents_line, pair_line
from evolif.report.floor import best_object, floor_object
from evolif.report.leaderboard import Leaderboard
from evolif.report.ranks import ranks_object
from evolif.report.seen import seen_kinds
from evolif.report.tables import own_parts
from evolif.report.variance import variance_object
from evolif.report.wording import notice
from evolif.runner import Run, shared_settings
from evolif.scenario import Grid


def report_object(runs: Iterable[tuple[Run, list[ModelSummary]]]) -> dict[str, Any]:
    """The short report of all runs, from their summaries alone; models in the order of the runs."""
    models: list[dict[str, Any]] = []
    described = []
    shown: list[ModelSummary] = []
    for number, (run, summaries) in enumerate(runs):
        analysis = RunAnalysis(run)
        described.append({**_run_settings(run), **_floor(analysis)})
        shown += summaries
        models += [
            {
                "run": number,
                **_summary(summary),
                **_corrected(analysis, summary),
                **_extra(analysis.model(summary.model)),
            }
            for summary in summaries
        ]
    heads = [summary.model for summary in shown]
    return {"models": models, "runs": described, "not_alike": extents_line(heads, shown)}


def analysis_object(
    groups: Sequence[ComparableRuns], published: Leaderboard | None = None, prices: PriceTable | None = None
) -> dict[str, Any]:
    """The whole analysis; `models` and `runs` have the keys of `report_object`, and more.

    Args:
        groups: The runs, grouped by what may be compared.
        published: The published leaderboard, where it was requested; it comes with its warning.
        prices: For the costs; None means those that are known without a file.
    """
    analyses = [analysis for runs in groups for analysis in runs.analyses]
    sizes = _sizes(groups)
    result: dict[str, Any] = {
        "models": [
            {"run": n, **_model(model, sizes[model.of.run.path, model.name])}
            for n, analysis in enumerate(analyses)
            for model in analysis.models
        ],
        "runs": [_run(analysis, prices or load_prices()) for analysis in analyses],
        "boards": [_comparable(runs) for runs in groups],
        "seed": analyses[0].seed if analyses else None,
        "resamples": analyses[0].resamples if analyses else None,
        "note": notice(analysis.settings for analysis in analyses),
    }
    if published is not None:
        result["published"] = {
            "warning": published.warning,
            "source": published.source,
            "models": {name: dict(figures) for name, figures in published.models.items()},
        }
    return result


def comparisons_object(comparisons: Sequence[ModelComparison]) -> dict[str, Any]:
    """All comparisons."""
    return {
        "comparisons": [_comparison(one) for one in comparisons],
        "seed": comparisons[0].a.of.seed if comparisons else None,
        "resamples": comparisons[0].a.of.resamples if comparisons else None,
        "note": notice(model.of.settings for one in comparisons for model in (one.a, one.b)),
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _interval(value: float | None, ends: Interval | None) -> dict[str, float | None]:
    low, high = ends or (None, None)
    return {"value": _finite(value), "low": _finite(low), "high": _finite(high)}


def _metrics(metrics: Figures | Metrics, intervals: Mapping[str, Interval | None]) -> dict[str, Any]:
    return {name: _interval(value, intervals.get(name)) for name, value in metrics.by_name().items()}


def _fields(source: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}


def _or_reason(part: Callable[[], Any]) -> Any:
    """The part, or the reason if a required package is not installed."""
    try:
        return part()
    except UsageError as fault:
        return {"unavailable": str(fault)}


def _run_settings(run: Run) -> dict[str, Any]:
    return {"path": folder_name(run.path), "settings": shared_settings(run.settings), "early_end": _early_end(run)}


def _early_end(run: Run) -> dict[str, Any] | None:
    early = run.early_end()
    return None if early is None else asdict(early)


def _summary(summary: ModelSummary) -> dict[str, Any]:
    counts, limits = summary.counts, summary.bounds
    rec = {"rec_left_out": summary.metrics.left_out.get("rec", 0)} if "rec" in summary.metrics.values else {}
    return {
        "model": summary.model,
        "dialogues": len({record.dialogue for record in counts.records}),
        "sessions": summary.metrics.dialogues,
        "epochs": _fewest_and_most(summary),
        "finished": counts.finished,
        "censored": counts.censored,
        "suspended": counts.suspended + counts.running,
        "withheld": counts.withheld,
        **rec,
        "not_judged_turns": counts.not_judged_turns,
        "not_judged_constraints": counts.not_judged_constraints,
        **({"empty_answers": summary.empty_answers} if summary.empty_answers else {}),
        **_metrics(summary.metrics, summary.intervals),
        **_exhaustion(summary),
        **({} if summary.relevance_not_judged is None else _fields(summary, "relevance_not_judged")),
        "groups": _satisfaction(summary.groups),
        "heuristic": _satisfaction(summary.heuristic),
        "bounds": None
        if limits is None
        else {"failed": limits.failed.by_name(), "succeeded": limits.succeeded.by_name()},
        "tokens": summary.tokens,
    }


def _fewest_and_most(summary: ModelSummary) -> dict[str, int]:
    """How many sessions of a dialogue count."""
    return dict(zip(("fewest", "most"), Extent.of(summary).epochs, strict=True))


def _exhaustion(summary: ModelSummary) -> dict[str, Any]:
    """What belongs to the exhaustion rate; nothing without patience."""
    if "exhaustion_rate" not in summary.metrics.values:
        return {}
    rate, ends = summary.metrics.value("exhaustion_rate"), summary.intervals.get("exhaustion_rate")
    exhausted = sum(patience_left(record) == 0 for record in summary.counts.records)
    length = expected_length(rate, ends, cap=summary.cap, exhausted=exhausted)
    return {
        "expected_length": dict(zip(("value", "low", "high"), map(_finite, length), strict=True)),
        "expected_length_over": None if summary.cap is None else length_beyond(rate, length, summary.cap),
        "at_cap": summary.at_cap,
        "saturated": summary.saturated,
    }


def _satisfaction(groups: Mapping[str, Satisfaction]) -> dict[str, Any]:
    return {group: one._asdict() for group, one in groups.items()}


def _sizes(groups: Sequence[ComparableRuns]) -> dict[tuple[Path, str], ContextSize | UsageError | None]:
    """The context tokens of each model, by its run; or why they could not be counted."""
    found: dict[tuple[Path, str], ContextSize | UsageError | None] = {}
    for runs in groups:
        keys = [(model.of.run.path, model.name) for model in runs.models]
        try:
            found |= zip(keys, context_sizes(runs), strict=True)
        except UsageError as fault:
            found |= dict.fromkeys(keys, fault)
    return found


def _model(model: ModelAnalysis, size: ContextSize | UsageError | None) -> dict[str, Any]:
    shown = {
        **_summary(model.summary),
        **_corrected(model.of, model.summary),
        **_extra(model),
        "context_tokens": {"unavailable": str(size)} if isinstance(size, UsageError) else size_object(size),
        "by": {by: _slices(model.by(by)) for by in model.of.breakdowns},
        **_seen(model),
        "kinds": {kind: _kinds(model.figures_by(kind)) for kind in model.of.kinds},
        "variance": variance_object(model),
    }
    if model.of.settings.patience is None:
        return shown
    return {
        **shown,
        "hazard": [
            {**_fields(one, "turn", "at_risk", "exhausted", "censored"), "hazard": _interval(one.hazard, one.interval)}
            for one in model.hazard
        ],
        "exhaustion_by_turn": [
            {
                **_fields(one, "first", "last", "exhausted", "turns"),
                "exhaustion_rate": _interval(one.rate, one.interval),
            }
            for one in model.exhaustion_by_turn
        ],
        "survival": _or_reason(lambda: _survival(model.survival)),
        "survival_bounds": _or_reason(lambda: _survival_bounds(model)),
        "patience_sweep": [_sweep(point) for point in model.patience_sweep],
    }


def _extra(model: ModelAnalysis) -> Mapping[str, Any]:
    """What the scenario adds."""
    return model.of.scenario.presentation.extra(model)


def _seen(model: ModelAnalysis) -> dict[str, Any]:
    """The figures on kinds that training showed and on the others; nothing where nobody asks."""
    found = seen_kinds(model)
    if found is None:
        return {}
    low, high = found.test.interval or (None, None)
    difference = {"value": found.difference, "low": low, "high": high, "p": found.test.p}
    return {"seen": {"trained_on": model.of.seen, "by": _slices(found.slices), "csr_difference": difference}}


def _slices(slices: Mapping[Key, Slice]) -> list[dict[str, Any]]:
    """A list, since keys may be numbers and their order matters."""
    return [
        {
            "key": key,
            **_fields(one, "satisfied", "judged", "not_judged", "turns", "ok", "dialogues"),
            "csr": _interval(one.csr, one.csr_interval),
            "isr": _interval(one.isr, one.isr_interval),
        }
        for key, one in slices.items()
    ]


def _kinds(kinds: Mapping[str, MetricFigures]) -> dict[str, Any]:
    return {
        name: {"sessions": one.metrics.dialogues, **_metrics(one.metrics, one.intervals)} for name, one in kinds.items()
    }


def _survival_bounds(model: ModelAnalysis) -> dict[str, Any] | None:
    limits = model.survival_bounds
    if limits is None:
        return None
    return {"failed": _survival(limits.failed), "succeeded": _survival(limits.succeeded)}


def _survival(curve: Survival) -> dict[str, Any]:
    low, high = curve.median_interval or (None, None)
    points = [
        {
            "turn": point.turn,
            "probability": _interval(point.probability, point.interval),
            **_fields(point, "at_risk", "exhausted", "censored"),
        }
        for point in curve.points
    ]
    return {
        "sessions": curve.sessions,
        "cap": curve.cap,
        "median": {"value": curve.median, "low": low, "high": high},
        "restricted_mean": _interval(curve.restricted_mean, curve.restricted_mean_interval),
        "points": points,
    }


def _sweep(point: SweepPoint) -> dict[str, Any]:
    return {
        "patience": point.patience,
        "sessions": point.metrics.dialogues,
        **_fields(point, "finished", "censored", "left_out"),
        **_metrics(point.metrics, point.intervals),
    }


def _run(analysis: RunAnalysis, prices: PriceTable) -> dict[str, Any]:
    return {
        **_run_settings(analysis.run),
        "suspended": analysis.suspended,
        "unbegun": dict(analysis.unbegun),
        "integrity": asdict(analysis.integrity),
        **({} if analysis.verification is None else {"verification": asdict(analysis.verification)}),
        "ceiling": _or_reason(lambda: _ceiling(analysis.ceiling)),
        **_floor(analysis),
        "judge_audit": _or_reason(lambda: [row.to_object() for row in analysis.judge_audit]),
        "rank_agreement": {kind: _rank_agreement(analysis.rank_agreement(kind)) for kind in analysis.kinds},
        **costs_object(analysis.run, prices),
        "commands": [asdict(step) for step in analysis.commands],
    }


def _ceiling(found: Ceiling | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        **_fields(found, "turns", "without_witness", "failing"),
        "misses": [{"dialogue": m.dialogue, "turn": m.turn, "groups": list(m.groups)} for m in found.misses],
        **{name: _finite(value) for name, value in found.metrics.by_name().items()},
    }


def _floor(analysis: RunAnalysis) -> dict[str, Any]:
    return {"floor": _or_reason(lambda: floor_object(analysis.floor))}


def _corrected(analysis: RunAnalysis, summary: ModelSummary) -> dict[str, Any]:
    """Corrected CSR of a model, and the floor that it is corrected for; nothing if the run has no CSR."""
    if "csr" not in summary.metrics.values:
        return {}
    found = analysis.corrected(summary)
    return {
        "csr_corrected": _interval(*(found or (None, None))),
        "floor": _or_reason(lambda: None if analysis.floor is None else best_object(analysis.floor)),
    }


def _rank_agreement(found: Mapping[str, RankAgreement]) -> dict[str, Any]:
    return {
        kind: {
            "dialogues": one.dialogues,
            "models": one.models,
            "values": {model: _finite(value) for model, value in one.values.items()},
            "pearson": _finite(one.pearson),
            "spearman": _finite(one.spearman),
        }
        for kind, one in found.items()
    }


def _comparable(runs: ComparableRuns) -> dict[str, Any]:
    parts = own_parts(runs)
    return {
        "runs": [analysis.name for analysis in runs.analyses],
        "models": list(runs.heads),
        "not_alike": extents_line(runs.heads, runs.summaries),
        **ranks_object(runs.contestants),
        **({"contexts": _or_reason(lambda: effects_object(runs))} if differ_in_context(runs) else {}),
        **({"parts": [_part(grid) for grid in parts]} if parts else {}),
    }


def _part(grid: Grid) -> dict[str, Any]:
    rows = [{"name": name, "cells": [_fields(cell, "value", "aside") for cell in cells]} for name, cells in grid.rows]
    return {**_fields(grid, "name", "title", "first", "note"), "heads": list(grid.heads), "rows": rows}


def _comparison(one: ModelComparison) -> dict[str, Any]:
    paired = one.paired
    return {
        "kind": one.kind,
        "a": _side(one.a, one.labels[0]),
        "b": _side(one.b, one.labels[1]),
        "also_differ": list(one.also),
        "not_alike": pair_line(one.a.summary, one.b.summary),
        "dialogues": paired.dialogues,
        "unit": one.tables[0].cluster or "dialogue",
        "clusters": paired.clusters,
        "left_out": dict(paired.left_out),
        "replayed_at": None if one.replay is None else asdict(one.replay),
        "n": paired.cap,
        "ended_early": paired.early,
        "main": one.lead.name,
        "tests": one.pairs,
        "metrics": {name: _difference(found, one, name) for name, found in _differences(one).items()},
        **({} if one.log_rank is None else {"log_rank": _log_rank(one.log_rank)}),
        **({"contexts": _or_reason(lambda: _contexts(one))} if one.kind == "context" else {}),
        "told_apart": [one.lead.name] if one.told_apart else [],
        "judges": _judges(one),
        "conclusion": conclusion(one),
    }


def _differences(one: ModelComparison) -> dict[str, Difference]:
    shared = one.paired.shared
    return all_differences(one) | ({} if shared is None else {SHARED: shared})


def _difference(found: Difference, one: ModelComparison, name: str) -> dict[str, Any]:
    """One metric; p after correction of the main one alone."""
    return {
        "a": _finite(found.a),
        "b": _finite(found.b),
        "difference": _interval(found.value, found.interval),
        "p": _finite(found.p),
        "p_holm": _finite(one.p) if name == one.lead.name else None,
        "effect": _finite(found.effect),
        **_plan(found.plan),
    }


def _contexts(one: ModelComparison) -> dict[str, Any]:
    """Tokens of both sides, and what A gains and saves against B (or B against A, if A is the full history)."""
    runs = one.side_by_side
    return {"tokens": list(map(size_object, context_sizes(runs))), "effects": effects_object(runs)}


def _plan(plan: PowerPlan) -> dict[str, Any]:
    pairing = plan.pairing
    return {
        "dialogues_needed": None if plan.needed is None else plan.needed.dialogues,
        "dialogues_needed_interval": None if plan.needed is None else _fields(plan.needed, "low", "high"),
        "correlation": _interval(pairing.correlation, pairing.interval),
        "pairing_gain": _finite(pairing.gain),
    }


def _log_rank(found: LogRank) -> dict[str, float | None]:
    return {"statistic": _finite(found.statistic), "p": _finite(found.p)}


def _side(model: ModelAnalysis, label: str) -> dict[str, Any]:
    run = model.of.run
    return {
        "label": label,
        "model": model.name,
        "dialogues": len(Extent.of(model.summary).played),
        "epochs": _fewest_and_most(model.summary),
        "run": folder_name(run.path),
        "settings": shared_settings(run.settings),
        "early_end": _early_end(run),
        "integrity": asdict(model.of.integrity),
    }


def _judges(one: ModelComparison) -> dict[str, Any] | None:
    if one.sensitivity is None:
        return None
    same, shared = one.same_answers
    return {
        "overall": _agreement(one.sensitivity.overall),
        "groups": {group: _agreement(found) for group, found in one.sensitivity.groups.items()},
        "one_sided": dict(one.sensitivity.one_sided),
        "same_answers": same,
        "shared_turns": shared,
    }


def _agreement(found: Agreement) -> dict[str, Any]:
    return {
        **_fields(found, "n", "both", "first_only", "second_only", "neither", "dialogues"),
        "agreed": _interval(found.agreed, found.agreed_interval),
        "kappa": _interval(found.kappa, found.kappa_interval),
    }

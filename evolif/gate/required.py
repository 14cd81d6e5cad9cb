"""Requirements on a figure: at least, or at most, so much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolif.errors import UsageError
from evolif.gate.decision import Decision, Verdict, by_interval, failed_by_edit, figure_text, missing_words, with_unit
from evolif.gate.needed import dialogues_to_decide
from evolif.metrics import Metric, MetricTable, cluster_rows, described
from evolif.report.analysis import ModelAnalysis, RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.runner import STOP_RULE
from evolif.text import plural
from evolif.util.suggestions import did_you_mean

EDITED = "the run was edited after it was written, so its figures count for nothing (see evolif report --verify)"


@dataclass(frozen=True, slots=True)
class Required:
    """What is required of a figure.

    Attributes:
        metric: Its name, such as `isr_at_n`.
        limit: In its unit: a fraction for rates.
        at_most: Whether the figure may not be above the limit, in place of below.
    """

    metric: str
    limit: float
    at_most: bool = False

    def words(self, metric: Metric) -> str:
        """“ISR@20 of at least 80 %”."""
        number = f"{100 * self.limit if metric.unit == 'rate' else self.limit:g}"
        return f"{metric.title} of at {'most' if self.at_most else 'least'} {with_unit(metric, number)}"


def parse_required(text: str, tables: Sequence[MetricTable], *, at_most: bool = False) -> Required:
    """Read `isr_at_n=.8`.

    Args:
        text: A metric and its limit.
        tables: Those of the run.
        at_most: Whether the limit is one from above.

    Raises:
        UsageError: an unknown metric, or a limit that the metric cannot have.
    """
    flag = "--max" if at_most else "--min"
    name, _, number = (part.strip() for part in text.partition("="))
    metrics = described(tables)
    try:
        limit = float(number)
    except ValueError:
        limit = math.nan
    if name not in metrics or not math.isfinite(limit):
        example = next(iter(metrics), "isr_at_n")
        raise UsageError(
            f"{flag} {text[:60]}{did_you_mean(name, metrics)}: it takes a metric and its limit, e.g. {example}=.8 "
            f"(metrics: {', '.join(metrics)})"
        )
    if metrics[name].unit == "rate" and not 0 <= limit <= 1:
        hint = f"; for {limit:g} % write {name}={limit / 100:g}" if 1 < limit <= 100 else ""
        raise UsageError(f"{flag} {text[:60]}: rates are fractions from 0 to 1{hint}")
    return Required(name, limit, at_most)


def decide(run: RunAnalysis, required: Sequence[Required], *, models: Sequence[str] = ()) -> Verdict:
    """Decide requirements for the models of a run.

    A figure passes if its whole 95 % interval lies on the required side, and fails if none of it does.

    Args:
        run: Its analysis.
        required: What is required of each model.
        models: Their names; all but simulated models that know the answers if empty.

    Raises:
        UsageError: the run has no such model or metric.
    """
    decisions = tuple(_decided(model, one) for model in chosen(run, models) for one in required)
    if run.integrity.edited:
        decisions = failed_by_edit(decisions, EDITED)
    return Verdict(run.name, decisions)


def chosen(run: RunAnalysis, names: Sequence[str]) -> tuple[ModelAnalysis, ...]:
    """The models that a gate is about.

    Raises:
        UsageError: the run has no such model.
    """
    for name in names:
        if name not in run.run.models:
            known = run.run.models
            raise UsageError(f"{run.name} has no model {name}{did_you_mean(name, known)}; it has {', '.join(known)}")
    return tuple(map(run.model, names)) if names else ComparableRuns((run,)).contestants.models


def unfinished(model: ModelAnalysis) -> str:
    """Why the figures of a model are not final, as a clause; empty if they are."""
    counts = model.summary.counts
    open_sessions = counts.suspended + counts.running
    unbegun = sum(number for cause, number in model.of.unbegun.items() if cause != STOP_RULE)
    if not open_sessions and not unbegun:
        return ""
    left = [f"{plural(open_sessions, 'session')} not ended"] if open_sessions else []
    left += [f"{plural(unbegun, 'session')} not begun"] if unbegun else []
    return f"the run is not finished ({', '.join(left)}); repeat its evolif evaluate command first"


def _decided(model: ModelAnalysis, required: Required) -> Decision:
    run, summary = model.of, model.summary
    table = next((table for table in run.tables if required.metric in table.ratios), None)
    if table is None:
        raise UsageError(f"{run.name} has no metric {required.metric}; it has {', '.join(described(run.tables))}")
    metric, value = table.metric(required.metric), summary.metrics.value(required.metric)
    interval = summary.intervals.get(required.metric)
    rows = list(cluster_rows(table, model.counted).values())
    bottom = table.places(required.metric)[1]
    clusters = sum(row[bottom] > 0 for row in rows)
    words, told = required.words(metric), figure_text(metric, value, interval)
    draft = Decision(
        model.name, words, metric.name, "undecided", value, interval, required.limit, clusters, None, ""
    )  # fmt: skip
    if missing := unfinished(model):
        return replace(draft, reason=f"{metric.label} is {told}: {missing}")
    outcome = by_interval(interval, required.limit, at_most=required.at_most)
    if outcome != "undecided":
        return replace(draft, outcome=outcome, reason=f"{metric.label} is {told}")
    if value is None:
        return replace(draft, reason=f"{metric.label} is undefined: no dialogue of {model.name} has it")
    draws = {"cap": run.settings.max_turns, "seed": run.seed, "resamples": run.resamples}
    needed = dialogues_to_decide(table, rows, metric.name, required.limit, **draws)
    reason = f"{metric.label} is {told}, which {missing_words(clusters, needed, table.cluster)}"
    return replace(draft, needed=needed, reason=reason)

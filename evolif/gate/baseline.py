"""The requirement of being no worse than a baseline, paired by dialogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolif.errors import UsageError
from evolif.gate.decision import Decision, Outcome, Verdict, by_interval, failed_by_edit, missing_words, with_unit
from evolif.gate.needed import MOST
from evolif.gate.required import EDITED, chosen, unfinished
from evolif.metrics import Difference, Metric
from evolif.metrics.intervals import FEWEST
from evolif.report.analysis import ModelAnalysis, RunAnalysis
from evolif.report.comparison import ModelComparison, all_differences, amount, compare_models
from evolif.util.suggestions import did_you_mean

MARGIN = 2.0
"""The drop that is allowed if nothing else is said: percentage points for rates, else the metric's own unit."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a run is compared with.

    Attributes:
        run: Its analysis.
        margin: The largest drop allowed: percentage points for rates, else the metric's own unit; at least 0.
        metric: What is compared; the headline if empty.
        model: Which of its models the run's only one is compared with; the one of the same name if empty.
    """

    run: RunAnalysis
    margin: float = MARGIN
    metric: str = ""
    model: str = ""


def decide_against(run: RunAnalysis, baseline: Baseline, *, models: Sequence[str] = ()) -> Verdict:
    """Decide whether the models of a run are no worse than those of a baseline.

    It passes if a drop beyond the margin can be excluded: if the whole 95 % interval of the paired difference is above
    minus the margin. It fails if none of it is.

    Args:
        run: Its analysis.
        baseline: What it is compared with.
        models: Of the run; all but simulated models that know the answers if empty.

    Raises:
        UsageError: the two cannot be compared, or it is not clear which models belong together.
    """
    pairs = _pairs(run, baseline, models)
    decisions = tuple(_decided(one, baseline) for one in compare_models(pairs))
    if run.integrity.edited:
        decisions = failed_by_edit(decisions, EDITED)
    elif baseline.run.integrity.edited:
        decisions = failed_by_edit(decisions, EDITED.replace("the run", "the baseline"))
    return Verdict(run.name, decisions)


def _pairs(
    run: RunAnalysis, baseline: Baseline, names: Sequence[str]
) -> list[tuple[ModelAnalysis, ModelAnalysis]]:  # fmt: skip
    mine, other = chosen(run, names), baseline.run
    if run.run.path.resolve() == other.run.path.resolve() and not baseline.model:
        raise UsageError(
            f"--no-worse-than {other.name}: that is the run itself; name an earlier one, or another model of it with "
            "--baseline-model"
        )
    if baseline.model:
        if len(mine) != 1:
            raise UsageError(f"--baseline-model needs one model of {run.name}; choose it with --model")
        return [(mine[0], chosen(other, [baseline.model])[0])]
    theirs = chosen(other, [])
    if len(mine) == len(theirs) == 1:
        return [(mine[0], theirs[0])]
    missing = [model.name for model in mine if model.name not in other.run.models]
    if missing:
        raise UsageError(
            f"the baseline {other.name} has no model {missing[0]}; choose two with --model and --baseline-model (it "
            f"has {', '.join(other.run.models)})"
        )
    return [(model, other.model(model.name)) for model in mine]


def _decided(comparison: ModelComparison, baseline: Baseline) -> Decision:
    metric, found = _difference(comparison, baseline.metric)
    margin = baseline.margin / 100 if metric.unit == "rate" else baseline.margin
    lower_is_better = any(metric.name in table.lower for table in comparison.tables)
    limit = margin if lower_is_better else -margin
    clusters = comparison.paired.clusters
    outcome: Outcome = by_interval(found.interval, limit, at_most=lower_is_better)
    allowed = with_points(metric, f"{baseline.margin:g}")
    words = f"{metric.title} no worse than {_of_baseline(comparison)} by more than {allowed}"
    told = f"the difference in {metric.label} is {_difference_text(metric, found)}"
    draft = Decision(
        comparison.a.name, words, metric.name, "undecided", found.value, found.interval, limit, clusters, None, ""
    )  # fmt: skip
    for side, whose in ((comparison.a, ""), (comparison.b, "baseline: ")):
        if missing := unfinished(side):
            return replace(draft, reason=f"{told}: {whose}{missing}")
    if outcome != "undecided":
        return replace(draft, outcome=outcome, reason=told)
    if found.value is None:
        return replace(draft, reason=f"{told}: no dialogue of both has it")
    needed = _needed(found, limit, clusters)
    reason = f"{told}, which {missing_words(clusters, needed, comparison.tables[0].cluster)}"
    return replace(draft, needed=needed, reason=reason)


def _difference(comparison: ModelComparison, name: str) -> tuple[Metric, Difference]:
    if not name:
        return comparison.lead, comparison.leading
    if name not in comparison.metrics:
        known = comparison.metrics
        raise UsageError(f"--metric {name}{did_you_mean(name, known)}: the runs have {', '.join(known)}")
    return comparison.metrics[name], all_differences(comparison)[name]


def _needed(found: Difference, limit: float, clusters: int) -> int | None:
    if found.value is None or abs(found.value - limit) < 1e-9:
        return None
    number = found.plan.to_show(abs(found.value - limit))
    if number is None:  # all dialogues differ alike, as far as these tell
        return FEWEST if clusters < FEWEST else None
    return max(number, FEWEST) if number <= MOST else None


def _of_baseline(comparison: ModelComparison) -> str:
    model, run = comparison.b.name, comparison.b.of.name
    return f"in {run}" if model == comparison.a.name else f"{model} in {run}"


def _difference_text(metric: Metric, found: Difference) -> str:
    if found.value is None:
        return "undefined"
    ends = found.interval and f" [{', '.join(amount(metric, end) for end in found.interval)}]"
    return f"{with_points(metric, amount(metric, found.value))}{ends or ''}"


def with_points(metric: Metric, text: str) -> str:
    """A difference with its unit."""
    return f"{text} points" if metric.unit == "rate" else with_unit(metric, text)

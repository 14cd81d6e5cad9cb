"""The answer that a report begins with: what models differ by, or how far each gets, and what stands beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf

from evolif.errors import UsageError
from evolif.metrics import Difference, Figures, Interval, Metric, MetricTable
from evolif.report.analysis import ModelAnalysis, RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import ALPHA, ModelComparison, amount, compare_models, p_value
from evolif.report.contexts import ContextEffect, context_effects, differ_in_context, reference_pairs
from evolif.report.floor import with_corrected
from evolif.report.tables import headline, metric_cell, metric_text
from evolif.report.wording import own_fault
from evolif.scenario import Grid, Opening, TableCell
from evolif.text import plural

LENGTH = "edr_len"
"""The metric of the answer where patience ends sessions and a scenario has no figures of its own."""

MOST_PAIRS = 6
"""Up to this many pairs of models, all are compared; beyond that, the best model with every other."""

HOW = "Brackets: 95 % intervals over dialogues. p: a paired permutation test, after Holm’s correction over the metrics."

_UNITS = {"rate": " points", "turns": " turns", "count": ""}
_VALUES = {"rate": " %", "turns": " turns", "count": ""}
_LEADING = (LENGTH, "exhaustion_rate", "isr", "csr")
_MOST_COLUMNS = 3
"""Of the table of references."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a report begins with.

    Attributes:
        sentences: The answer; empty if no session has ended yet.
        how: How its figures are to be read; empty for none.
        grid: The metrics that it is about, with their meanings.
        references: Models that know the answers, and the floor; without rows if there are none.
        figures: Names of figures, in order of preference.
        tables: Names of tables of the scenario's own.
    """

    sentences: tuple[str, ...]
    how: str
    grid: Grid
    references: Grid
    figures: tuple[str, ...]
    tables: tuple[str, ...]


def answer_of(runs: ComparableRuns, comparisons: Sequence[ModelComparison] = ()) -> Answer:
    """The answer of comparable runs.

    Args:
        runs: With their references, which stand apart.
        comparisons: Pairs of models; by default each pair of a few models, or the best of many with every other.
    """
    board = runs.contestants
    own = _opening(board)
    told = compared_sentences(board, comparisons)
    return Answer(
        (own.sentences + told) or standing_sentences(board),
        HOW if any(", p " in sentence for sentence in told) else "",
        _metrics_grid(board, own.metrics),
        reference_grid(runs),
        own.figures or ("survival", "tokens", "headline"),
        own.tables,
    )


def compared_sentences(runs: ComparableRuns, comparisons: Sequence[ModelComparison] = ()) -> tuple[str, ...]:
    """A sentence for each comparison, then one for what each context strategy saves.

    Args:
        runs: References are left out.
        comparisons: Pairs of models; by default those of `selected_comparisons`.
    """
    board = runs.contestants
    try:
        told = tuple(filter(None, map(comparison_sentence, selected_comparisons(board, comparisons))))
    except UsageError:
        told = ()  # NumPy is not installed: a comparison says so where it is requested
    return told + _savings(board)


def standing_sentences(runs: ComparableRuns) -> tuple[str, ...]:
    """How far each model gets."""
    return tuple(filter(None, map(_standing, runs.heads, runs.models)))


def selected_comparisons(runs: ComparableRuns, comparisons: Sequence[ModelComparison]) -> list[ModelComparison]:
    """The requested comparisons whose first model is among these runs; without any request, the default ones."""
    if comparisons:
        return [pair for pair in comparisons if pair.a.of in runs.analyses]
    if differ_in_context(runs):
        return compare_models(reference_pairs(runs.contestants), across="context")
    models = runs.contestants.models
    pairs = list(combinations(models, 2))
    if len(pairs) > MOST_PAIRS:
        found = [model.summary.metrics.value(model.of.headline.name) for model in models]
        best = max(range(len(models)), key=lambda i: -inf if (value := found[i]) is None else value)
        pairs = [(models[best], other) for i, other in enumerate(models) if i != best]
    try:
        return compare_models(pairs)
    except UsageError:
        return []  # for example, the runs differ in the system prompt only: the tables stand alone


def comparison_sentence(pair: ModelComparison) -> str:
    """By how much the better of two models is ahead in the metric of the answer; empty if that is unknown.

    The figures are those of `comparison_grid`: the difference with its interval, and p after Holm's correction.

    Raises:
        UsageError: NumPy (extra `report`) is not installed.
    """
    if not pair.tables:
        return ""
    metric = _metric_of(pair.tables[0], (pair.a, pair.b))
    found = pair.paired.differences.get(metric.name)
    if found is None or found.value is None:
        return ""
    first, second = pair.labels
    less = any(metric.name in table.lower for table in pair.tables)
    if (found.value < 0) is not less:
        first, second = second, first
    told = _ahead(metric, first, second, found)
    if not found.value:
        return told
    if found.p_holm is None or found.p_holm >= ALPHA:
        return f"No significant difference: {told}"
    return told


def _ahead(metric: Metric, first: str, second: str, found: Difference) -> str:
    value = found.value or 0.0
    size = f"{amount(metric, abs(value), signed=False)}{_UNITS[metric.unit]}"
    ends = _ends(metric, found.interval, -1 if value < 0 else 1)
    p = "" if found.p_holm is None else f", p {_equals(p_value(found.p_holm))}"
    if not value:
        return f"{first} and {second} are equal in {metric.label}{ends}{p}."
    if metric.name == LENGTH:
        return f"{first} lasts {size} longer than {second}{ends}{p}."
    return f"{first} is {size} ahead of {second} in {metric.label}{ends}{p}."


def _ends(metric: Metric, interval: Interval | None, sign: int) -> str:
    if interval is None:
        return ""
    low, high = sorted(sign * end for end in interval)
    return f" [{amount(metric, low, signed=False)}, {amount(metric, high, signed=False)}]"


def _equals(p: str) -> str:
    return f"< {p[1:]}" if p.startswith("<") else f"= {p}"


def _metric_of(table: MetricTable, models: Sequence[ModelAnalysis]) -> Metric:
    """Length, where patience decides it; not if the cap does for all of them."""
    capped = all(model.summary.saturated for model in models)
    return table.metric(LENGTH if LENGTH in table.ratios and not capped else table.main)


def _savings(board: ComparableRuns) -> tuple[str, ...]:
    """How many of the tokens each context strategy shows; empty where runs do not differ in it."""
    try:
        effects = [one for one in context_effects(board) if one.rounds is None]
    except UsageError:
        return ()  # tokens are not counted here: the chapter on strategies says so
    return tuple(filter(None, map(_saving, effects)))


def _saving(one: ContextEffect) -> str:
    if one.drop.value is None:
        return ""
    size = f"{abs(one.drop.value):.1f} % {'fewer' if one.drop.value < 0 else 'more'}"
    ends = ""
    if one.drop.interval is not None:
        low, high = sorted((end if one.drop.value >= 0 else -end) for end in one.drop.interval)
        ends = f" [{low:.1f}, {high:.1f}]"
    return f"{one.name} is shown {size} tokens a turn than {one.reference}{ends}."


def _standing(head: str, model: ModelAnalysis) -> str:
    """How far a model gets."""
    if not model.of.tables:
        return ""
    metric, summary = _metric_of(model.of.tables[0], (model,)), model.summary
    value, interval = summary.metrics.value(metric.name), summary.intervals.get(metric.name)
    if value is None:
        return ""
    ends = "" if interval is None else f" [{', '.join(metric_text(metric, end) for end in interval)}]"
    size = f"{metric_text(metric, value)}{_VALUES[metric.unit]}"
    verb = "lasts" if metric.name == LENGTH else f"reaches {metric.label}"
    return f"{head} {verb} {size}{ends}, over {plural(summary.metrics.dialogues, 'session')}."


def _metrics_grid(board: ComparableRuns, names: Sequence[str]) -> Grid:
    """The chosen metrics, else the first ones of patience, or a scenario's own."""
    chosen = names or tuple(_leading(board.tables[0]) if board.tables else ())
    found = headline(board.heads, board.summaries, board.cap, chosen)
    return with_corrected(found, [model.csr_corrected for model in board.models])


def _leading(table: MetricTable) -> list[str]:
    if LENGTH in table.ratios:
        return [name for name in _LEADING if name in table.ratios]
    return [name for name in table.ratios if name not in table.beside]


def reference_grid(runs: ComparableRuns) -> Grid:
    """Models that know the answers, and the best of the answers that follow nothing, each as a row."""
    table = runs.tables[0] if runs.tables else None
    names = [name for name in table.ratios if name not in table.beside][:_MOST_COLUMNS] if table else []
    if LENGTH in names:
        names = [LENGTH, "isr", "csr"]
    metrics = [table.metric(name) for name in names] if table else []
    shown: list[tuple[str, str, Figures]] = [
        (head, "knows the answers", model.summary.metrics)
        for head, model in zip(runs.heads, runs.models, strict=True)
        if model in runs.references
    ]
    several = len(runs.analyses) > 1
    for analysis in runs.analyses:
        shown += _floor(analysis, names, f"floor of {analysis.name}" if several else "floor")
    rows = tuple((name, _cells(metrics, figures)) for name, _, figures in shown)
    meanings = {name: meaning for name, meaning, _ in shown}
    columns = tuple(metric.head for metric in metrics)
    return Grid("references", "For reference, in no comparison", "reference", columns, rows, "", meanings)


def _floor(analysis: RunAnalysis, names: Sequence[str], name: str) -> Iterator[tuple[str, str, Figures]]:
    try:
        found = analysis.floor
    except UsageError:
        return  # the section on the floor says so
    if found is not None and all(found.metrics.value(metric) is not None for metric in names):
        yield name, f"“{found.responder}”, the best of five answers that follow nothing", found.metrics


def _cells(metrics: Sequence[Metric], found: Figures) -> tuple[TableCell, ...]:
    return tuple(metric_cell(metric, found.value(metric.name), None) for metric in metrics)


def _opening(board: ComparableRuns) -> Opening:
    scenario = board.scenario
    try:
        return scenario.opening(board)
    except Exception as fault:
        return Opening((own_fault(scenario, "its opening", fault),))

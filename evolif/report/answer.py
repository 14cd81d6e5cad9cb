"""The answer that a report begins with: what models differ by, or how far each gets, and what stands beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf

from evolif.errors import UsageError
from evolif.metrics import AT_N, Figures, Interval, Metric, MetricTable
from evolif.metrics.shown import metric_text
from evolif.report.analysis import ModelAnalysis, RunAnalysis
from evolif.report.comparable import ComparableRuns, differ_in_feedback, feedback_pairs
from evolif.report.comparison import ModelComparison, compare_models
from evolif.report.conclusions import shared_sentence, verdict_sentence
from evolif.report.contexts import ContextEffect, context_effects, differ_in_context, reference_pairs
from evolif.report.coverage import unit_name
from evolif.report.floor import with_corrected
from evolif.report.standings import best_sentences, pairs_grid, ranking_grid
from evolif.report.tables import headline, metric_cell, plain_names
from evolif.report.wording import own_fault
from evolif.scenario import Grid, Opening, TableCell
from evolif.text import plural

MOST_PAIRS = 6
"""Up to this many pairs of models, all are compared; beyond that, the best model with every other."""

HOW = "Brackets: 95 % intervals over {}. p: the paired test of the same interval."
_CORRECTED = "; models are told apart where it is at most .05 after Holm’s correction over all {} pairs"

_VALUES = {"rate": " %", "turns": " turns", "count": ""}
_LEADING = (AT_N, "isr", "edr_len", "exhaustion_rate", "csr")
_MOST_COLUMNS = 3
"""Of the table of references."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a report begins with.

    Attributes:
        sentences: The answer; empty if no session has ended yet.
        how: How its figures are to be read; empty for none.
        grid: The metrics that it is about, with their meanings.
        standings: The ranking, and the pairs where there are several; without rows where a sentence says it.
        references: Models that know the answers, and the floor; without rows if there are none.
        figures: Names of figures, in order of preference.
        tables: Names of tables of the scenario's own.
    """

    sentences: tuple[str, ...]
    how: str
    grid: Grid
    standings: tuple[Grid, ...]
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
    standings = standing_grids(board, comparisons)
    with_p = any(", p " in sentence for sentence in told) or any(grid.name == "ahead" for grid in standings)
    return Answer(
        (own.sentences + told) or standing_sentences(board),
        _how(board, comparisons) if with_p else "",
        _metrics_grid(board, own.metrics),
        standings,
        reference_grid(runs),
        own.figures or ("survival", "tokens", "headline"),
        own.tables,
    )


def _how(board: ComparableRuns, comparisons: Sequence[ModelComparison]) -> str:
    pairs = max((pair.pairs for pair in selected_comparisons(board, comparisons)), default=1)
    told = HOW.format(unit_name(board.analyses[0].cluster))
    return told if pairs == 1 else f"{told[:-1]}{_CORRECTED.format(pairs)}."


def compared_sentences(runs: ComparableRuns, comparisons: Sequence[ModelComparison] = ()) -> tuple[str, ...]:
    """Who is ahead of whom, and what each context strategy saves.

    A single pair has a sentence with its figures; of several, one sentence names the best, and a table has the figures
    (`standing_grids`).

    Args:
        runs: References are left out.
        comparisons: Pairs of models; by default those of `selected_comparisons`.
    """
    board = runs.contestants
    try:
        pairs = selected_comparisons(board, comparisons)
        verdicts = best_sentences(board, pairs) if len(pairs) > 1 else map(_verdict, pairs)
        told = (*filter(None, verdicts), *filter(None, map(shared_sentence, pairs)))
    except UsageError:
        told = ()  # SciPy is not installed: a comparison says so where it is requested
    return told + tuple(board.at_floor.values()) + _savings(board)


def standing_grids(runs: ComparableRuns, comparisons: Sequence[ModelComparison] = ()) -> tuple[Grid, ...]:
    """The ranking of models, and of several pairs the differences.

    Args:
        runs: References are left out.
        comparisons: As `compared_sentences`.
    """
    board = runs.contestants
    try:
        pairs = selected_comparisons(board, comparisons)
        found = ranking_grid(board), pairs_grid(board, pairs if len(pairs) > 1 else ())
    except UsageError:
        return ()  # SciPy is not installed: a comparison says so where it is requested
    return tuple(grid for grid in found if grid.rows)


def _verdict(pair: ModelComparison) -> str:
    return verdict_sentence(pair) if pair.tables and pair.paired.dialogues else ""


def standing_sentences(runs: ComparableRuns) -> tuple[str, ...]:
    """How far each model gets."""
    found = [told for told in map(_standing, runs.heads, runs.models) if told]
    return (*found, *runs.contestants.at_floor.values())


def selected_comparisons(runs: ComparableRuns, comparisons: Sequence[ModelComparison]) -> list[ModelComparison]:
    """The requested comparisons whose first model is among these runs; without any request, the default ones."""
    if comparisons:
        return [pair for pair in comparisons if pair.a.of in runs.analyses]
    if differ_in_context(runs):
        return compare_models(reference_pairs(runs.contestants), across="context")
    if differ_in_feedback(runs):
        return compare_models(feedback_pairs(runs.contestants), across="feedback")
    board = runs.contestants
    # Those at the floor have a sentence of their own, and are in no correction, as they have no rank.
    above = [model for head, model in zip(board.heads, board.models, strict=True) if head not in board.at_floor]
    models = above if len(above) > 1 else board.models
    pairs = list(combinations(models, 2))
    tests = len(pairs)
    if tests > MOST_PAIRS:
        found = [model.summary.metrics.value(model.of.headline.name) for model in models]
        best = max(range(len(models)), key=lambda i: -inf if (value := found[i]) is None else value)
        pairs = [(models[best], other) for i, other in enumerate(models) if i != best]
    try:
        return compare_models(pairs, tests=tests)
    except UsageError:
        return []  # for example, the runs differ in the system prompt only: the tables stand alone


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
    metric, summary = model.of.headline, model.summary
    value, interval = summary.metrics.value(metric.name), summary.intervals.get(metric.name)
    if value is None:
        return ""
    if metric.name == AT_N:
        return f"{head} {_in_a_row(model, value, interval)}."
    ends = "" if interval is None else f" [{', '.join(metric_text(metric, end) for end in interval)}]"
    size = f"{metric_text(metric, value)}{_VALUES[metric.unit]}"
    sessions, bare = summary.metrics.dialogues, summary.metrics.left_out.get(metric.name, 0)
    over = f"{sessions - bare} of {plural(sessions, 'session')}" if bare else plural(sessions, "session")
    told = f"{head} reaches {metric.label}" if metric.plain is None else f"{head}: {metric.title}"
    return f"{told} {size}{ends}, over {over}."


def _in_a_row(model: ModelAnalysis, value: float, interval: Interval | None) -> str:
    """How many of N requests were satisfied before the user gave up, and how long sessions lasted."""
    caps = {record.cap for record in model.summary.counts.records}
    cap = caps.pop() if len(caps) == 1 else None
    if cap is None:
        ends = "" if interval is None else " [{:.0f}, {:.0f}]".format(*(100 * end for end in interval))
        told = f"satisfied {100 * value:.0f} %{ends} of the requests in a row"
    else:
        ends = "" if interval is None else " [{:.0f}, {:.0f}]".format(*(cap * end for end in interval))
        told = f"satisfied {cap * value:.0f} of {plural(cap, 'request')} in a row{ends}"
    return f"{told}{_lasting(model, cap)}"


def _lasting(model: ModelAnalysis, cap: int | None) -> str:
    try:
        curve = model.survival
    except UsageError:
        return ""  # SciPy is not installed
    told = "" if curve.median is None else f"; half of the sessions ended by turn {curve.median}"
    if cap is None or len(curve.points) < cap:
        return told
    reached = curve.points[cap - 1].probability
    return f"{told}{',' if told else ';'} {100 * reached:.0f} % reached {cap}"


def _metrics_grid(board: ComparableRuns, names: Sequence[str]) -> Grid:
    """The chosen metrics, else the first ones of patience, or a scenario's own."""
    chosen = names or tuple(_leading(board.tables[0]) if board.tables else ())
    found = headline(board.heads, board.summaries, board.cap, chosen)
    return with_corrected(found, [model.csr_corrected for model in board.models])


def _leading(table: MetricTable) -> list[str]:
    if AT_N in table.ratios:
        return [name for name in _LEADING if name in table.ratios]
    return [name for name in table.ratios if name not in table.beside]


def reference_grid(runs: ComparableRuns) -> Grid:
    """Models that know the answers, and the best of the answers that follow nothing, each as a row."""
    table = runs.tables[0] if runs.tables else None
    names = [name for name in table.ratios if name not in table.beside][:_MOST_COLUMNS] if table else []
    if AT_N in names:
        names = [AT_N, "edr_len", "csr"]
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
    spoken = plain_names(metrics)
    return Grid("references", "For reference, in no comparison", "reference", columns, rows, "", meanings, spoken)


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
        return scenario.presentation.opening(board)
    except Exception as fault:
        return Opening((own_fault(scenario, "its opening", fault),))

"""The tables of a report as data; terminal, LaTeX and the page draw them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from evolif.errors import UsageError
from evolif.metrics import (
    AT_N,
    LOAD,
    PROCESS,
    Breakdown,
    Interval,
    Metric,
    PlainName,
    Satisfaction,
    Survival,
    described,
)
from evolif.metrics.breakdown import GROUP
from evolif.metrics.feedback import FEEDBACK_TABLE
from evolif.metrics.shown import interval_text, metric_text
from evolif.report.analysis import ModelSummary
from evolif.report.comparable import FEWEST_MODELS, ComparableRuns
from evolif.report.difficulty import difficulty_grid
from evolif.report.early import marked
from evolif.report.leaderboard import Leaderboard
from evolif.report.ranks import correlation_cell, rank_grids
from evolif.report.seen import seen_grids
from evolif.report.variance import variance_grid
from evolif.report.wording import own_fault
from evolif.scenario import Grid, TableCell, TableRow

TableColumn = TypeVar("TableColumn")
RowKey = TypeVar("RowKey")


def plain_names(metrics: Iterable[Metric]) -> dict[str, PlainName]:
    """For `Grid.plain`: heads of metrics that are abbreviations, with the same in the reader's words."""
    return {metric.head: metric.plain for metric in metrics if metric.plain}


def metric_cell(metric: Metric, value: float | None, interval: Interval | None) -> TableCell:
    """A metric with its interval."""
    if value is None:
        return TableCell()
    return TableCell(metric_text(metric, value), interval_text(metric, interval))


def share_cell(value: float | None, interval: Interval | None, of: int | None = None) -> TableCell:
    """A share in per cent with its interval and the number of observations."""
    if value is None:
        return TableCell()
    aside = _between(interval, lambda end: f"{100 * end:.0f}")
    base = "" if of is None else f"of {of}"
    return TableCell(f"{100 * value:.0f}", f"{aside} {base}".strip())


def _between(interval: Interval | None, show: Callable[[float], str]) -> str:
    return "" if interval is None else f"[{show(interval[0])}–{show(interval[1])}]"


_MILESTONES = (1, 2, 3, 4, 5, 10, 15, 20, 30, 40, 50)
"""Turns at which the survival table reads the curve."""

_BESIDE = (
    "{}: good turns before patience ran out, of all that could be asked; a model that satisfies whatever another does "
    "never has less. EDR depends on the cap. ISR, CSR and REC all are over the turns that were played, so that a model "
    "whose sessions end early can have more. EXH: exhaustion rate, sessions out of patience per 100 judged turns."
)
_FEEDBACK = (
    "Told: requirements that hold after the person said that they were missed. Mended 1st, 2nd: failed turns in which "
    "everything holds after the first repair, and of those that it left after the second. Repairs are turns like any "
    "other, and REC counts those that mend as recoveries."
)
_EXHAUSTION = PROCESS.metric("exhaustion_rate")
_SWEPT = tuple(map(PROCESS.metric, (AT_N, "edr_len", "edr_acc", "rob")))
_MEAN = Metric("mean", "mean", "turns")


def headline(heads: Sequence[str], summaries: Sequence[ModelSummary], cap: int, chosen: Collection[str] = ()) -> Grid:
    """All metrics, or those that are chosen; the label of a length that the cap may have cut names the cap.

    The note says what stands beside the eight metrics.
    """
    rows: list[TableRow] = [("sessions", tuple(TableCell(str(s.metrics.dialogues)) for s in summaries))]
    meanings, spoken, lead = {}, {}, ""
    capped, ends = any(s.counts.censored for s in summaries), [s.early_end for s in summaries]
    for name, metric in described(table for s in summaries for table in s.tables).items():
        if chosen and name not in chosen:
            continue
        cells = (metric_cell(metric, s.metrics.value(name), s.intervals.get(name)) for s in summaries)
        head = f"{metric.head} ≤{cap}" if capped and name == "edr_len" else metric.head
        rows.append((marked(head, name, ends), tuple(cells)))
        lead = metric.label if name == AT_N else lead
        if metric.meaning:
            meanings[rows[-1][0]] = metric.meaning
        if metric.plain:
            spoken[rows[-1][0]] = metric.plain
    note = _BESIDE.format(lead) if lead and not chosen else ""
    if any(FEEDBACK_TABLE.main in s.metrics.values for s in summaries) and not chosen:
        note = f"{note} {_FEEDBACK}".strip()
    return Grid("headline", "", "metric", tuple(heads), tuple(rows), note, meanings, spoken)


def groups(heads: Sequence[str], summaries: Sequence[ModelSummary], requirement: str) -> Grid:
    """Satisfaction per group, without intervals: all that the summaries alone can show."""
    title = f"Satisfied per {requirement} group, of those judged"
    return _satisfaction("groups", title, heads, [s.groups for s in summaries])


def heuristic(heads: Sequence[str], summaries: Sequence[ModelSummary]) -> Grid:
    """The verdicts of word lists on the subjective groups."""
    title = "Subjective groups by the heuristic “lexical” (word lists; not in the metrics above)"
    return _satisfaction("heuristic", title, heads, [s.heuristic for s in summaries])


def groups_with_intervals(runs: ComparableRuns) -> Grid:
    """Satisfaction per group with intervals."""
    return _breakdown(runs, GROUP)


def breakdowns(runs: ComparableRuns) -> Iterator[Grid]:
    """One table per breakdown except that by group; a breakdown with a single key is left out."""
    for by in runs.analyses[0].breakdowns.values():
        if by.title and by.name != GROUP.name:
            grid = _breakdown(runs, by)
            if len(grid.rows) > 1:
                yield grid


def hazard(runs: ComparableRuns) -> Grid:
    """Per turn the share of the sessions still running that end there."""
    columns = [{one.turn: one for one in model.hazard} for model in runs.models]
    rows = _rows(columns, lambda one: share_cell(one.hazard, one.interval, one.at_risk))
    title = "Hazard %: of the sessions still running, the share whose patience is exhausted at the turn"
    return Grid("hazard", title, "turn", runs.heads, rows)


def exhaustion(runs: ComparableRuns) -> Grid:
    """The exhaustion rate over spans of turns, and over all."""
    columns = [{(one.first, one.last): one for one in model.exhaustion_by_turn} for model in runs.models]
    rows = _rows(
        columns, lambda one: metric_cell(_EXHAUSTION, one.rate, one.interval), lambda span: f"{span[0]}–{span[1]}"
    )
    found = ((s.metrics.value("exhaustion_rate"), s.intervals.get("exhaustion_rate")) for s in runs.summaries)
    whole = ("all", tuple(metric_cell(_EXHAUSTION, value, interval) for value, interval in found))
    title = "Exhaustion rate: sessions that ran out of patience per 100 judged turns, by turn"
    return Grid("exhaustion", title, "turns", runs.heads, (*rows, whole) if rows else ())


def survival(runs: ComparableRuns) -> Grid:
    """Median, restricted mean, and the share of sessions that last longer than some turns (Kaplan-Meier)."""
    title = "Survival (Kaplan-Meier)"
    try:
        curves = [model.survival for model in runs.models]
    except UsageError as fault:
        return Grid("survival", title, "turn", (), (), str(fault))
    cap = max((curve.cap for curve in curves), default=0)
    title = f"{title}; sessions still going at the cap of {cap} count up to there"
    rows: list[TableRow] = [
        ("median", tuple(_median(curve) for curve in curves)),
        (f"mean ≤{cap}", tuple(metric_cell(_MEAN, c.restricted_mean, c.restricted_mean_interval) for c in curves)),
    ]
    for turn in (turn for turn in _MILESTONES if turn <= cap):
        rows.append((f"% after {turn}", tuple(_alive(curve, turn) for curve in curves)))
    return Grid("survival", title, "turns", runs.heads, tuple(rows))


def sweep(runs: ComparableRuns) -> Grid:
    """The figures at smaller patience, by replay."""
    columns = [
        {
            (number, point.patience): metric_cell(
                metric, point.metrics.value(metric.name), point.intervals.get(metric.name)
            )
            for point in model.patience_sweep
            for number, metric in enumerate(_SWEPT)
        }
        for model in runs.models
    ]
    rows = _rows(columns, lambda cell: cell, lambda key: _swept(*key))
    keys = {key for column in columns for key in column}
    spoken = {_swept(*key): plain for key in keys if (plain := _SWEPT[key[0]].plain)}
    title = "Patience sweep: the same sessions at smaller patience P"
    return Grid("patience", title, "metric", runs.heads, rows, plain=spoken)


def _swept(number: int, patience: int) -> str:
    return f"{_SWEPT[number].head}, P {patience}"


def rank_agreement(runs: ComparableRuns) -> Iterator[Grid]:
    """How the headline per kind of dialogue agrees with that on all; a kind with a single value is left out."""
    for analysis in runs.analyses:
        if len(analysis.models) < FEWEST_MODELS:
            continue
        for kind in analysis.kinds:
            found = analysis.rank_agreement(kind)
            if len(found) > 1:
                label = analysis.headline.label
                title = f"Rank agreement: models' {label} on dialogues of one {kind} and on all"
                rows = tuple(
                    (name, (TableCell(str(one.dialogues)), *map(correlation_cell, (one.pearson, one.spearman))))
                    for name, one in found.items()
                )
                yield Grid(f"by-{kind}", title, kind, ("dialogues", "Pearson", "Spearman"), rows)


def full_sections(runs: ComparableRuns) -> Iterator[Grid]:
    """Everything beyond the headline, in the order of reading."""
    yield groups_with_intervals(runs)
    yield from seen_grids(runs)
    yield from breakdowns(runs)
    yield difficulty_grid(runs)
    if runs.has_patience:
        yield survival(runs)
        yield hazard(runs)
        yield exhaustion(runs)
        yield sweep(runs)
    yield from rank_grids(runs.contestants)
    yield variance_grid(runs)
    yield from rank_agreement(runs)
    yield from own_parts(runs)


def own_parts(runs: ComparableRuns) -> tuple[Grid, ...]:
    """The sections that the scenario brings; a note for those that it cannot make."""
    scenario = runs.analyses[0].scenario
    try:
        return tuple(scenario.presentation.parts(runs))
    except Exception as fault:
        return (Grid("parts", "", "", (), (), own_fault(scenario, "its part of the report", fault)),)


def why_empty(grid: Grid) -> str:
    """Why a table has no rows, in a sentence; empty if it has some, or says nothing."""
    if grid.rows or not grid.note:
        return ""
    return f"{grid.title}: {grid.note}" if grid.title else grid.note


def published_grid(published: Leaderboard) -> Grid:
    """The published figures as printed, models as rows; show them only under their warning."""
    metrics = list(next(iter(published.models.values())))
    rows = tuple(
        (name, tuple(TableCell(f"{_in_units(PROCESS.metric(m), v):.2f}") for m, v in figures.items()))
        for name, figures in published.models.items()
    )
    title = f"As published: {published.source}"
    shown = tuple(map(PROCESS.metric, metrics))
    return Grid("published", title, "model", tuple(one.head for one in shown), rows, plain=plain_names(shown))


def _in_units(metric: Metric, value: float) -> float:
    return 100 * value if metric.unit == "rate" else value


def _rows(
    columns: Sequence[Mapping[RowKey, TableColumn]],
    cell: Callable[[TableColumn], TableCell],
    name: Callable[[RowKey], str] = str,
) -> tuple[TableRow, ...]:
    """A row per key that any column has, numbers before words; columns without the key have an empty cell."""
    keys = sorted({key for column in columns for key in column}, key=lambda key: (isinstance(key, str), key))
    return tuple(
        (name(key), tuple(cell(column[key]) if key in column else TableCell() for column in columns)) for key in keys
    )


def _breakdown(runs: ComparableRuns, by: Breakdown) -> Grid:
    columns = [{key: one for key, one in model.by(by.name).items() if one.turns} for model in runs.models]
    rows = _rows(columns, lambda one: share_cell(one.csr, one.csr_interval, one.turns))
    title = by.title.replace("constraint", runs.scenario.presentation.requirement) if by in (GROUP, LOAD) else by.title
    return Grid(by.name, title, by.first, runs.heads, rows)


def _satisfaction(name: str, title: str, heads: Sequence[str], models: Sequence[Mapping[str, Satisfaction]]) -> Grid:
    columns = [{group: one for group, one in model.items() if one.judged} for model in models]
    rows = _rows(columns, lambda one: TableCell(f"{100 * one.satisfied / one.judged:.0f} % of {one.judged}"))
    return Grid(name, title, "group", tuple(heads), rows)


def _median(curve: Survival) -> TableCell:
    if curve.median is None:
        return TableCell(f"over {curve.points[-1].turn}") if curve.sessions and curve.points else TableCell()
    ends = curve.median_interval or (None, None)
    low, high = (f"over {curve.points[-1].turn}" if turn is None else str(turn) for turn in ends)
    return TableCell(str(curve.median), "" if ends == (None, None) else f"[{low}–{high}]")


def _alive(curve: Survival, turn: int) -> TableCell:
    if turn >= len(curve.points):
        return TableCell()
    return share_cell(curve.points[turn].probability, curve.points[turn].interval)

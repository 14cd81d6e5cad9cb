"""The data that figures are drawn from; an analysis has computed it all.

Rates are fractions from 0 to 1; the drawings print them in per cent. None stands where a figure is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from evolif.metrics import Interval, Metric, Slice, Survival, described
from evolif.metrics.patience import exhaustion_since
from evolif.metrics.table import Unit
from evolif.report.analysis import ModelAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import ModelComparison, compared_rows
from evolif.report.contexts import TREE, context_sizes, score_of, strategy_base
from evolif.report.difficulty import difficulty, fitting_width
from evolif.report.topic_tree import TopicTree, tree_of
from evolif.scenario import HeatMap


@dataclass(frozen=True, slots=True)
class PlotMark:
    """A value with its interval and the number of observations behind it."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A line: `marks[i]` at `x[i]`, x ascending."""

    name: str
    x: tuple[float, ...]
    marks: tuple[PlotMark, ...]


@dataclass(frozen=True, slots=True)
class SurvivalCurve:
    """A Kaplan–Meier estimate.

    Attributes:
        name: Of the model.
        turns: Whole turns, ascending from 0.
        steps: The share of sessions that last longer than `turns[i]`; its `n` are those at risk there.
        cut: Sessions that stop at `turns[i]` without their patience being exhausted.
        bounds: Where sessions are left out (suspended, withheld): the curves if all had failed, and if all had
            continued.
    """

    name: str
    turns: tuple[int, ...]
    steps: tuple[PlotMark, ...]
    cut: tuple[int, ...]
    bounds: tuple[SurvivalCurve, ...] = ()

    def at_risk(self, turn: int) -> int:
        """Sessions with at least that many turns."""
        return next((mark.n or 0 for at, mark in zip(self.turns, self.steps, strict=True) if at == turn), 0)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rates over rows and columns, or correlations."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], PlotMark]
    signed: bool = False
    """Whether they are correlations, from -1 to 1."""

    def cell(self, row: str, column: str) -> PlotMark:
        """The rate there; an empty mark where there is none."""
        return self.cells.get((row, column), PlotMark(None))


@dataclass(frozen=True, slots=True)
class TokenPoint:
    """What a model reaches under a strategy, and for how many tokens a turn."""

    name: str
    colour: int
    """Which look's: that of its strategy."""
    marker: int
    """Which look's: that of its model; where there is only one, that of its strategy, too."""
    score: PlotMark
    context: PlotMark
    """Tokens that a call was shown besides its query."""
    total: PlotMark
    """The same with the strategy's own calls."""


@dataclass(frozen=True, slots=True)
class PlotPanel:
    """Figures of one kind beside each other: per row (a model) one mark for each series.

    Attributes:
        text: The axis label, with its unit.
        percent: Whether the figures are fractions to be printed in per cent.
        marks: (row, series) to mark.
    """

    text: str
    percent: bool
    marks: Mapping[tuple[str, str], PlotMark] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DifferenceMark:
    """A minus B in one metric."""

    metric: str
    unit: Unit
    mark: PlotMark
    p: float | None = None
    """Corrected for the number of metrics."""

    @property
    def percent(self) -> bool:
        """Whether it is a fraction to be printed in percentage points."""
        return self.unit == "rate"


FEWEST = 5
"""Curves have no point with fewer sessions or turns: each would move it by a fifth or more."""


_MOVES = ("new", "continue", "backtrack")


def mark(value: float | None, interval: Interval | None, n: int | None = None) -> PlotMark:
    """A value with its interval."""
    low, high = interval if interval is not None else (None, None)
    return PlotMark(value, low, high, n)


def matrix_of(found: HeatMap) -> Matrix:
    """What a scenario's heat map shows."""
    cells = {
        (row, column): PlotMark(cell.value, n=cell.of)
        for row, own in found.rows
        for column, cell in zip(found.columns, own, strict=True)
    }
    return Matrix(tuple(row for row, _ in found.rows), found.columns, cells, found.signed)


def pairs(runs: ComparableRuns) -> list[tuple[str, ModelAnalysis]]:
    """Each model with its unique name."""
    return list(zip(runs.heads, runs.models, strict=True))


def survival_curves(runs: ComparableRuns) -> tuple[SurvivalCurve, ...]:
    """Models with at least one counted session, with bounds where sessions are left out."""
    curves = []
    for name, model in pairs(runs):
        if not model.survival.sessions:
            continue
        ends = model.survival_bounds
        bounds = () if ends is None else (_survival(name, ends.failed), _survival(name, ends.succeeded))
        curves.append(replace(_survival(name, model.survival), bounds=bounds))
    return tuple(curves)


def _survival(name: str, estimate: Survival) -> SurvivalCurve:
    points = estimate.points
    return SurvivalCurve(
        name,
        tuple(point.turn for point in points),
        tuple(PlotMark(p.probability, p.low, p.high, p.at_risk) for p in points),
        tuple(point.censored for point in points),
    )


FEWEST_AT_RISK = 30
"""The share of fewer sessions that ends at a turn is chance: from there on the turns are pooled."""


def hazard_curves(runs: ComparableRuns) -> tuple[Curve, ...]:
    """The hazard at each turn that enough sessions have, then the pooled rate of all later turns.

    Empty if no turn of any model has enough.
    """
    if not any(h.at_risk >= FEWEST_AT_RISK for model in runs.models for h in model.hazard):
        return ()
    return tuple(_curve(name, _hazard_marks(model)) for name, model in pairs(runs))


def _hazard_marks(model: ModelAnalysis) -> dict[int, PlotMark]:
    marks = {h.turn: mark(h.hazard, h.interval, h.at_risk) for h in model.hazard if h.at_risk >= FEWEST_AT_RISK}
    late = [h.turn for h in model.hazard if h.at_risk < FEWEST_AT_RISK]
    if late:
        found = exhaustion_since(model.sessions, late[0], model.of.cluster)
        pooled = mark(found.rate, found.interval, found.turns)
        marks |= {late[0]: pooled, late[-1]: pooled}
    return marks


def _curve(name: str, points: Mapping[int, PlotMark]) -> Curve:
    return Curve(name, tuple(points), tuple(points.values()))


def difficulty_curves(runs: ComparableRuns) -> tuple[tuple[Curve, ...], tuple[Curve, ...]]:
    """The share of requirements failed, and the load, over turns; a point stands in the middle of its span."""
    width = fitting_width(runs.models)
    found = [(name, [s for s in difficulty(model, width) if s.turns >= FEWEST]) for name, model in pairs(runs)]
    shares, loads = (
        tuple(
            Curve(
                name,
                tuple((span.first + span.last) / 2 for span in spans),
                tuple(PlotMark(span.share if share else span.load, n=span.turns) for span in spans),
            )
            for name, spans in found
        )
        for share in (True, False)
    )
    return shares, loads


def slice_curves(runs: ComparableRuns, by: str) -> tuple[tuple[Curve, ...], tuple[Curve, ...]]:
    """CSR and ISR over a key that is a number: `depth` or `load`."""
    return _slice_curves(runs, by, _csr), _slice_curves(runs, by, _isr)


def _csr(one: Slice) -> PlotMark:
    return mark(one.csr, one.csr_interval, one.turns)


def _isr(one: Slice) -> PlotMark:
    return mark(one.isr, one.isr_interval, one.turns)


def _slice_curves(runs: ComparableRuns, by: str, to_mark: Callable[[Slice], PlotMark]) -> tuple[Curve, ...]:
    return tuple(
        _curve(name, {k: to_mark(one) for k, one in model.by(by).items() if isinstance(k, int) and one.turns >= FEWEST})
        for name, model in pairs(runs)
    )


def constraint_rates(runs: ComparableRuns, by: str) -> dict[tuple[str, str], PlotMark]:
    """(model, key) to the share of satisfied constraints, for `group` or `mode`; keys never judged left out."""
    return {
        (name, str(key)): mark(one.rate, one.csr_interval, one.judged)
        for name, model in pairs(runs)
        for key, one in model.by(by).items()
        if one.judged
    }


def group_matrix(runs: ComparableRuns) -> Matrix:
    """Model × group."""
    cells = constraint_rates(runs, "group")
    return Matrix(tuple(runs.heads), _keys(key for _, key in cells), cells)


def mode_matrix(runs: ComparableRuns) -> Matrix:
    """Group and mode × model."""
    cells = {(key, name): found for (name, key), found in constraint_rates(runs, "mode").items()}
    return Matrix(_keys(key for key, _ in cells), tuple(runs.heads), cells)


def headline_panels(runs: ComparableRuns) -> tuple[PlotPanel, ...]:
    """A panel per metric."""
    return tuple(
        PlotPanel(
            label_of(metric, runs),
            metric.unit == "rate",
            {
                (name, ""): mark(
                    m.summary.metrics.value(metric.name),
                    m.summary.intervals.get(metric.name),
                    m.summary.metrics.dialogues,
                )
                for name, m in pairs(runs)
            },
        )
        for metric in described(runs.tables).values()
        if not any(metric.name in table.beside for table in runs.tables)
    )


def label_of(metric: Metric, runs: ComparableRuns) -> str:
    """A metric with its unit; a length that the cap may have cut says so."""
    if metric.unit != "turns":
        return f"{metric.label} (%)" if metric.unit == "rate" else metric.label
    cut = metric.name == "edr_len" and any(model.summary.counts.censored for model in runs.models)
    caps = sorted({run.settings.max_turns for run in runs.analyses})
    return f"{metric.label} (turns{f', cap {caps[-1]}' if cut and caps else ''})"


def kind_panel(runs: ComparableRuns, kind: str) -> tuple[PlotPanel, tuple[str, ...]]:
    """The headline per kind of dialogue (one of `RunAnalysis.kinds`), and the kinds."""
    metric = runs.analyses[0].headline
    marks = {
        (name, key): mark(
            figures.metrics.value(metric.name), figures.intervals.get(metric.name), figures.metrics.dialogues
        )
        for name, model in pairs(runs)
        for key, figures in model.figures_by(kind).items()
    }
    return PlotPanel(label_of(metric, runs), metric.unit == "rate", marks), _keys(key for _, key in marks)


def slice_panels(runs: ComparableRuns, by: str) -> tuple[tuple[PlotPanel, PlotPanel], tuple[str, ...]]:
    """CSR and ISR per key that is a word (`formality`, `move`), and the keys."""
    found = {
        (name, str(key)): one for name, model in pairs(runs) for key, one in model.by(by).items() if one.turns
    }  # fmt: skip
    csr = PlotPanel("CSR (%)", True, {place: _csr(one) for place, one in found.items()})
    isr = PlotPanel("ISR (%)", True, {place: _isr(one) for place, one in found.items()})
    keys = _keys(key for _, key in found)
    return (csr, isr), tuple(sorted(keys, key=_MOVES.index)) if set(keys) <= set(_MOVES) else keys


def patience_curves(runs: ComparableRuns, metric: str) -> tuple[Curve, ...]:
    """A metric at each patience from 1 to the run's own."""
    return tuple(
        _curve(
            name,
            {
                point.patience: mark(point.metrics.value(metric), point.intervals.get(metric), point.metrics.dialogues)
                for point in model.patience_sweep
            },
        )
        for name, model in pairs(runs)
    )


def stability_curves(runs: ComparableRuns) -> tuple[Curve, ...]:
    """Pearson and Spearman over sizes of halves, with one standard deviation either side, no further than ±1."""
    points = runs.split_half
    return (
        _curve("Pearson (figures)", {p.size: _around(p.pearson, p.pearson_sd) for p in points}),
        _curve("Spearman (ranks)", {p.size: _around(p.spearman, p.spearman_sd) for p in points}),
    )


def _around(value: float | None, sd: float | None) -> PlotMark:
    if value is None or sd is None:
        return PlotMark(value)
    return PlotMark(value, max(-1.0, value - sd), min(1.0, value + sd))


def differences(comparison: ModelComparison) -> tuple[DifferenceMark, ...]:
    """A minus B per metric."""
    lead = comparison.lead.name
    return tuple(
        DifferenceMark(metric.label, metric.unit, mark(one.value, one.interval), comparison.p if name == lead else None)
        for name, metric, one in compared_rows(comparison)
        if not metric.small
    )


def token_points(runs: ComparableRuns) -> tuple[Metric, list[TokenPoint]] | None:
    """The score and the context tokens of every model that has both; None if the runs have no figures.

    Raises:
        UsageError: the tokens could not be counted.
    """
    scored = score_of(runs)
    if scored is None:
        return None
    metric, points = scored[1], []
    models = list(dict.fromkeys(model.name for model in runs.models))
    strategies = list(dict.fromkeys(model.of.settings.context for model in runs.models))
    for (name, model), size in zip(pairs(runs), context_sizes(runs), strict=True):
        value = model.summary.metrics.value(metric.name)
        if size is not None and value is not None:
            found, score = size.all, mark(value, model.summary.intervals.get(metric.name))
            strategy = strategies.index(model.of.settings.context)
            points.append(
                TokenPoint(
                    name,
                    strategy,
                    models.index(model.name) if len(models) > 1 else strategy,
                    score,
                    mark(found.context.value, found.context.interval),
                    mark(found.total.value, found.total.interval),
                )
            )
    return metric, points


def first_tree(runs: ComparableRuns) -> tuple[str, int, TopicTree] | None:
    """The first dialogue in the figures that was played under the strategy `tree`: model, number, and its trees."""
    for name, model in pairs(runs):
        if strategy_base(model.of.settings.context) != TREE:
            continue
        for session, records in model.of.run.transcripts(model.name):
            if session.ending in ("finished", "censored"):
                drawn = tree_of(records, model.of.scenario)
                if drawn is not None:
                    return name, session.dialogue, drawn
    return None


def _keys(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(keys)))

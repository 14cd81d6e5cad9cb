"""Two models, or one model in two runs, side by side: the figures, and a table of them.

Each part is computed once, on first access. What may be said of them is in `evolif.report.conclusions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from evolif.metrics import Comparison as Pairing
from evolif.metrics import Difference, LogRank, Metric, MetricTable, compare, described, tables_of
from evolif.metrics.agreement import JudgeSensitivity, judge_sensitivity
from evolif.metrics.compare import SHARED_TURNS
from evolif.metrics.feedback import FEEDBACK_TABLE
from evolif.metrics.pairs import holm
from evolif.metrics.replay import replayed
from evolif.metrics.shown import decimals
from evolif.metrics.survival import log_rank
from evolif.report.analysis import ModelAnalysis
from evolif.report.comparable import REPLAYED, ComparableRuns, PairKind, kind_of, setting_of, short_names
from evolif.report.coverage import unit_name
from evolif.report.early import early_note, marked
from evolif.report.pairing import needed_cell
from evolif.report.shown import grid_table
from evolif.report.tables import metric_cell
from evolif.runner import different_fields
from evolif.runner.settings import reweighted_models
from evolif.scenario import Grid, TableCell
from evolif.text.notebook import html_table, one_line, or_else
from evolif.types import Session

ALPHA = 0.05
"""Two models are told apart in the main metric where p is at most this, after a correction if there are more pairs."""


@dataclass(frozen=True, slots=True)
class ComparisonLimits:
    """Where two runs of different patience or cap are cut.

    Attributes:
        patience: The smaller one; None if neither run has any.
        cap: The smaller one, in turns.
    """

    patience: int | None
    cap: int

    @classmethod
    def of(cls, a: ModelAnalysis, b: ModelAnalysis) -> ComparisonLimits | None:
        """What makes the two alike; None if they are."""
        one, other = a.of.settings, b.of.settings
        if not REPLAYED & set(different_fields(one, other)):
            return None
        known = [own.patience for own in (one, other) if own.patience is not None]
        return cls(min(known, default=None), min(one.max_turns, other.max_turns))

    def __str__(self) -> str:
        return f"cap {self.cap}" if self.patience is None else f"patience {self.patience}, cap {self.cap}"


@dataclass(frozen=True)
class ModelComparison:
    """A minus B.

    Attributes:
        a: The first.
        b: The second.
        kind: `models`, or the setting in which two runs of one model differ.
        also: Other settings that differ, as clauses.
        family: All comparisons of a page, which p is corrected over; this one alone if empty.
        tests: How many pairs the page is about, where it compares only some of them; 0 for those of the family.
    """

    a: ModelAnalysis = field(repr=False)
    b: ModelAnalysis = field(repr=False)
    kind: PairKind = "models"
    also: tuple[str, ...] = ()
    family: Sequence[ModelComparison] = field(default=(), repr=False, compare=False)
    tests: int = 0

    def __repr__(self) -> str:
        """The two, and the difference in the main metric once it is computed."""
        return or_else(lambda: one_line(f"ModelComparison {comparison_line(self)}"), "<ModelComparison>")

    def _repr_html_(self) -> str | None:
        """For notebooks, the table of `evolif compare`, once the differences are computed."""
        return or_else(lambda: _html(self), None)

    @property
    def labels(self) -> tuple[str, str]:
        """Short names of the two that differ, for heads of tables; not made safe for a terminal."""
        if self.kind == "context":
            sides = self.a, self.b
            names = short_names([model.of.settings.context for model in sides])
            first, second = (setting_of("context", m.of.settings, n) for m, n in zip(sides, names, strict=True))
            return f"{self.a.name}, {first}", f"{self.b.name}, {second}"
        if self.kind != "models":
            first, second = (setting_of(self.kind, model.of.settings) for model in (self.a, self.b))
            return f"{self.a.name}, {first}", f"{self.b.name}, {second}"
        if self.a.name != self.b.name:
            return self.a.name, self.b.name
        mine, other = self.a.of.name, self.b.of.name
        if mine == other:
            mine, other = "first run", "second run"
        return f"{self.a.name} ({mine})", f"{self.b.name} ({other})"

    @cached_property
    def side_by_side(self) -> ComparableRuns:
        """The two, and no other models of their runs."""
        return _Pair((self.a.of, self.b.of), chosen=(self.a, self.b))

    @cached_property
    def replay(self) -> ComparisonLimits | None:
        """Where both are cut, because their patience or their caps differ; None if they do not."""
        return ComparisonLimits.of(self.a, self.b)

    @cached_property
    def sessions(self) -> tuple[Sequence[Session], Sequence[Session]]:
        """Those of both, cut alike."""
        cut = self.replay
        if cut is None:
            return self.a.sessions, self.b.sessions
        counts = self.a.of.settings.cap_counts
        one, other = (
            replayed(side.sessions, patience=cut.patience, cap=cut.cap, counts=counts) for side in (self.a, self.b)
        )
        return one, other

    @cached_property
    def paired(self) -> Pairing:
        """Per metric the difference with interval, p, effect size and dialogues needed.

        Raises:
            UsageError: SciPy (extra `report`) is not installed.
        """
        return compare(*self.sessions, tables=self.tables)

    @cached_property
    def tables(self) -> tuple[MetricTable, ...]:
        """The metric tables of both."""
        cut = self.replay
        if cut is None:
            return tuple(dict.fromkeys((*self.a.of.tables, *self.b.of.tables)))
        run = self.a.of
        own = run.scenario.table(run.settings.options)
        every = (session for side in self.sessions for session in side)
        return tables_of(own, cut.patience, every, **run.settings.beside, cap=cut.cap)

    @property
    def lead(self) -> Metric:
        """The metric that decides."""
        return self.tables[0].metric(self.tables[0].main)

    @property
    def leading(self) -> Difference:
        """The difference in it."""
        return self.paired.difference(self.lead.name)

    @property
    def pairs(self) -> int:
        """How many pairs p is corrected over."""
        return max(self.tests, len(self.family), 1)

    @cached_property
    def p(self) -> float | None:
        """P of the main metric, by Holm's correction over the family; by Bonferroni's if that is only a part."""
        own = self.leading.p
        if own is None or self.pairs == 1:
            return own
        if self.pairs > len(self.family):
            return min(1.0, self.pairs * own)
        adjusted = holm({str(number): one.leading.p for number, one in enumerate(self.family)})
        return next(adjusted[str(number)] for number, one in enumerate(self.family) if one is self)

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics of both by name."""
        return described(self.tables)

    @cached_property
    def log_rank(self) -> LogRank | None:
        """Of the two survival curves; None without patience.

        Raises:
            UsageError: SciPy (extra `report`) is not installed.
        """
        if any(session.patience is None for side in self.sessions for session in side):
            return None
        return log_rank(*self.sessions, self.tables[0].cluster)

    @cached_property
    def sensitivity(self) -> JudgeSensitivity | None:
        """How far the two judges agree; None if the judge is the same."""
        if self.kind != "judge":
            return None
        return judge_sensitivity(self.a.sessions, self.b.sessions, cluster=self.tables[0].cluster)

    @cached_property
    def same_answers(self) -> tuple[int, int]:
        """Turns with the same answer in both, and turns that both have; judges are compared on these."""
        answers = {
            (session.dialogue, session.epoch, record.turn): hash(record.answer)
            for session, records in self.a.of.run.transcripts(self.a.name)
            for record in records
        }
        shared = [
            answers[key] == hash(record.answer)
            for session, records in self.b.of.run.transcripts(self.b.name)
            for record in records
            if (key := (session.dialogue, session.epoch, record.turn)) in answers
        ]
        return sum(shared), len(shared)

    @property
    def told_apart(self) -> bool:
        """Whether the two differ in the main metric."""
        return self.p is not None and self.p <= ALPHA


@dataclass(frozen=True)
class _Pair(ComparableRuns):
    chosen: tuple[ModelAnalysis, ...] = field(default=(), repr=False)

    @property
    def reference(self) -> int:
        return 1  # the difference is A − B

    @cached_property
    def models(self) -> tuple[ModelAnalysis, ...]:
        return self.chosen


def compare_models(
    pairs: Sequence[tuple[ModelAnalysis, ModelAnalysis]],
    *,
    ablation: str | None = None,
    across: str | None = None,
    tests: int = 0,
) -> list[ModelComparison]:
    """One comparison per pair, p corrected over all of them; nothing is computed yet.

    Runs that differ in patience or cap are cut to the smaller of both.

    Args:
        pairs: First and second of each.
        ablation: `system-prompt` or `judge`, if that is the intended difference.
        across: The intended difference, one of these or `context`, `feedback`, `partner` or `options`.
        tests: How many pairs p is corrected over, where these are only some of them.

    Raises:
        UsageError: judge, benchmark or what the cap counts differ, or more than the intended difference.
    """
    comparisons: list[ModelComparison] = []
    for a, b in pairs:
        same = a.name == b.name and a.of is not b.of
        kind, also = kind_of(a.of.run, b.of.run, same_model=same, ablation=ablation, across=across, replay=True)
        if same and a.of.settings.endpoint(a.name) != b.of.settings.endpoint(b.name):
            also = (*also, "it used different endpoints")
        if same and a.name in reweighted_models(a.of.settings, b.of.settings):
            also = (*also, "its weights differ")
        comparisons.append(ModelComparison(a, b, kind, also, comparisons, tests))
    return comparisons


def all_differences(comparison: ModelComparison) -> dict[str, Difference]:
    """The metrics and the figures beside them, in the order of their tables."""
    found = {**comparison.paired.differences, **comparison.paired.beside}
    return {name: found[name] for name in comparison.metrics}


def comparison_grid(comparison: ModelComparison, *, narrow: bool = False) -> Grid:
    """The metrics of both, and the differences with intervals, p of the first, effect size and what is needed.

    Args:
        comparison: Of two models.
        narrow: Without the intervals of what is needed, so that it fits 80 characters.
    """
    ends = [side.of.early_end for side in (comparison.a, comparison.b)]
    rows = tuple(
        (marked(metric.head, name, ends), _difference_cells(comparison, metric, one, narrow=narrow))
        for name, metric, one in compared_rows(comparison)
    )
    spoken = {
        marked(metric.head, name, ends): metric.plain for name, metric, _ in compared_rows(comparison) if metric.plain
    }
    first, second = comparison.labels
    units = unit_name(comparison.tables[0].cluster)
    note = (
        f"A − B in {_units(comparison)}, with 95 % intervals over {units}. p is that of {comparison.lead.label}"
        f"{_corrected(comparison)}; the other intervals are without correction. d: the mean difference in standard "
        f"deviations (d_z); needed: paired {units} to detect a difference of this size (p ≤ .05, 80 % power)"
    )
    note += "." if narrow else ", with a 95 % interval."
    if comparison.paired.shared is not None:
        note += " ISR shared: ISR on the turns that both were asked, the same load for both."
    if "exhaustion_rate" in comparison.paired.beside:
        note += " EXH: exhaustion rate, sessions out of patience per 100 judged turns."
    note = " ".join(filter(None, (note, early_note(ends))))
    heads = ("A", "B", "A − B", "p", "d", "needed")
    return Grid("comparison", f"A: {first} · B: {second}", "metric", heads, rows, note, plain=spoken)


def compared_rows(comparison: ModelComparison) -> Iterator[tuple[str, Metric, Difference]]:
    """Name, metric and difference of what a table of two models shows: the main metric first.

    Below it stands ISR on shared turns. Of the figures beside the metrics only small rates are shown, and what comes of
    being told where both runs have it.
    """
    found = all_differences(comparison)
    lead = comparison.lead.name
    yield lead, comparison.lead, found[lead]
    if comparison.paired.shared is not None:
        yield SHARED, shared_metric(), comparison.paired.shared
    for name, one in found.items():
        metric = comparison.metrics[name]
        known = name in FEEDBACK_TABLE.ratios and one.value is not None
        if name != lead and (name in comparison.paired.differences or metric.small or known):
            yield name, metric, one


SHARED = "isr_on_shared_turns"
"""The name of ISR on the turns that both were asked, for machines."""


def shared_metric() -> Metric:
    """ISR on the turns that both were asked."""
    return replace(SHARED_TURNS.metric("isr"), name=SHARED)


def _corrected(comparison: ModelComparison) -> str:
    return "" if comparison.pairs == 1 else f", in brackets after correction over {comparison.pairs} pairs"


def _units(comparison: ModelComparison) -> str:
    units = {metric.unit for metric in comparison.metrics.values()}
    named = {"count": "the metric's own unit", "turns": "turns", "rate": "percentage points"}
    return " and ".join(name for unit, name in named.items() if unit in units) or "the metric's own unit"


def _difference_cells(
    comparison: ModelComparison, metric: Metric, one: Difference, *, narrow: bool
) -> tuple[TableCell, ...]:
    between = TableCell()
    if one.value is not None:
        ends = one.interval and f"[{', '.join(amount(metric, end, signed=False) for end in one.interval)}]"
        between = TableCell(amount(metric, one.value), ends or "")
    return (
        metric_cell(metric, one.a, None),
        metric_cell(metric, one.b, None),
        between,
        p_cell(comparison) if metric.name == comparison.lead.name else TableCell(""),
        TableCell() if one.effect is None else TableCell(f"{one.effect:+.2f}"),
        TableCell(needed_cell(one.plan.needed).value) if narrow else needed_cell(one.plan.needed),
    )


def p_cell(comparison: ModelComparison) -> TableCell:
    """P of the main metric, and after correction where there are more pairs."""
    return TableCell(p_value(comparison.leading.p), "" if comparison.pairs == 1 else f"({p_value(comparison.p)})")


def p_value(p: float | None) -> str:
    """A p value as tables print it."""
    if p is None:
        return "–"
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def amount(metric: Metric, value: float, *, signed: bool = True) -> str:
    """A difference as tables print it, in percentage points for rates; zero has no sign."""
    digits = max(1, decimals(100 * value)) if metric.small else 1
    text = f"{100 * value if metric.unit == 'rate' else value:+.{digits}f}"
    if not text.strip("+-0."):
        return text[1:]
    return text if signed else text.removeprefix("+")


def comparison_line(comparison: ModelComparison) -> str:
    """A and B, and the difference in the main metric if it is computed: nothing is computed for it."""
    first, second = comparison.labels
    if "paired" not in vars(comparison):
        return f"{first} − {second}: not computed yet, see `.paired`"
    metric, one = comparison.lead, comparison.leading
    if one.value is None:
        return f"{first} − {second}: {metric.label} undefined"
    ends = f" [{', '.join(amount(metric, end, signed=False) for end in one.interval)}]" if one.interval else ""
    unit = {"rate": " points", "turns": " turns", "count": ""}[metric.unit]
    return f"{first} − {second}: {metric.label} {amount(metric, one.value)}{ends}{unit}, p {p_value(comparison.p)}"


def _html(comparison: ModelComparison) -> str:
    if "paired" not in vars(comparison):
        return html_table(comparison_line(comparison), ("metric", "A", "B", "A − B"), ())
    return grid_table(comparison_grid(comparison, narrow=True))

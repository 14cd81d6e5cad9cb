"""Two models, or one model in two runs, side by side: the figures, a table of them, and conclusions in words.

Each part is computed once, on first access.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from evolif.metrics import Comparison as Pairing
from evolif.metrics import (
    Difference,
    Interval,
    JudgeSensitivity,
    LogRank,
    Metric,
    MetricTable,
    compare,
    described,
    judge_sensitivity,
    log_rank,
)
from evolif.report.analysis import ModelAnalysis
from evolif.report.comparable import ComparableRuns, PairKind, kind_of, setting_of, short_names
from evolif.report.early import early_note, marked
from evolif.report.pairing import needed_cell, needed_clause
from evolif.report.tables import decimals, metric_cell
from evolif.report.wording import saturated_line
from evolif.runner import reweighted_models
from evolif.scenario import Grid, TableCell
from evolif.text import plural

ALPHA = 0.05
"""Two models differ in a metric where p is below this after Holm's correction."""


@dataclass(frozen=True)
class ModelComparison:
    """A minus B.

    Attributes:
        a: The first.
        b: The second.
        kind: `models`, or the setting in which two runs of one model differ.
        also: Other settings that differ, as clauses.
    """

    a: ModelAnalysis = field(repr=False)
    b: ModelAnalysis = field(repr=False)
    kind: PairKind = "models"
    also: tuple[str, ...] = ()

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
    def paired(self) -> Pairing:
        """Per metric the difference with interval, p, Holm's p, effect size and dialogues needed.

        Raises:
            UsageError: NumPy (extra `report`) is not installed.
        """
        return compare(self.a.sessions, self.b.sessions, tables=self.tables, seed=self.a.of.seed)

    @cached_property
    def tables(self) -> tuple[MetricTable, ...]:
        """The metric tables of both."""
        return tuple(dict.fromkeys((*self.a.of.tables, *self.b.of.tables)))

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
        if self.a.of.settings.patience is None or self.b.of.settings.patience is None:
            return None
        return log_rank(self.a.sessions, self.b.sessions)

    @cached_property
    def sensitivity(self) -> JudgeSensitivity | None:
        """How far the two judges agree; None if the judge is the same."""
        if self.kind != "judge":
            return None
        return judge_sensitivity(self.a.sessions, self.b.sessions, seed=self.a.of.seed, resamples=self.a.of.resamples)

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

    @cached_property
    def significant(self) -> dict[str, float]:
        """Metric to difference, where it is significant after Holm's correction."""
        return {
            name: one.value
            for name, one in self.paired.differences.items()
            if one.value is not None and one.p_holm is not None and one.p_holm < ALPHA
        }


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
    pairs: Sequence[tuple[ModelAnalysis, ModelAnalysis]], *, ablation: str | None = None, across: str | None = None
) -> list[ModelComparison]:
    """One comparison per pair; nothing is computed yet.

    Args:
        pairs: First and second of each.
        ablation: `system-prompt` or `judge`, if that is the intended difference.
        across: The intended difference, one of these or `context`, `partner` or `options`.

    Raises:
        UsageError: cap, patience, judge or benchmark differ, or more than the intended difference.
    """
    comparisons = []
    for a, b in pairs:
        same = a.name == b.name and a.of is not b.of
        kind, also = kind_of(a.of.run, b.of.run, same_model=same, ablation=ablation, across=across)
        if same and a.of.settings.endpoint(a.name) != b.of.settings.endpoint(b.name):
            also = (*also, "it used different endpoints")
        if same and a.name in reweighted_models(a.of.settings, b.of.settings):
            also = (*also, "its weights differ")
        comparisons.append(ModelComparison(a, b, kind, also))
    return comparisons


def all_differences(comparison: ModelComparison) -> dict[str, Difference]:
    """The metrics and the figures beside them, in the order of their tables."""
    found = {**comparison.paired.differences, **comparison.paired.beside}
    return {name: found[name] for name in comparison.metrics}


def comparison_grid(comparison: ModelComparison, *, narrow: bool = False) -> Grid:
    """The metrics of both, and the differences with intervals, p, effect size and dialogues needed.

    Args:
        comparison: Of two models.
        narrow: Without the intervals of dialogues needed, so that it fits 80 characters.
    """
    ends = [side.of.early_end for side in (comparison.a, comparison.b)]
    rows = tuple(
        (
            marked(comparison.metrics[name].head, name, ends),
            _difference_cells(comparison.metrics[name], one, narrow=narrow),
        )
        for name, one in all_differences(comparison).items()
        if name in comparison.paired.differences or comparison.metrics[name].small
    )
    first, second = comparison.labels
    note = (
        f"A − B in {_units(comparison)}, with 95 % intervals; p of a paired permutation test, in brackets after "
        "Holm's correction over the metrics; d: the mean difference in standard deviations (d_z); needed: paired "
        "dialogues to detect a difference of this size (p ≤ .05 before Holm, 80 % power)"
    )
    note += "." if narrow else ", with a 95 % interval."
    if "exhaustion_rate" in comparison.paired.beside:
        note += " EXH: exhaustion rate, sessions out of patience per 100 judged turns, outside Holm's correction."
    note = " ".join(filter(None, (note, early_note(ends))))
    heads = ("A", "B", "A − B", "p (Holm)", "d", "needed")
    return Grid("comparison", f"A: {first} · B: {second}", "metric", heads, rows, note)


def _units(comparison: ModelComparison) -> str:
    units = {metric.unit for metric in comparison.metrics.values()}
    named = {"count": "the metric's own unit", "turns": "turns", "rate": "percentage points"}
    return " and ".join(name for unit, name in named.items() if unit in units) or "the metric's own unit"


def _difference_cells(metric: Metric, one: Difference, *, narrow: bool) -> tuple[TableCell, ...]:
    between = TableCell()
    if one.value is not None:
        ends = one.interval and f"[{', '.join(amount(metric, end, signed=False) for end in one.interval)}]"
        between = TableCell(amount(metric, one.value), ends or "")
    return (
        metric_cell(metric, one.a, None),
        metric_cell(metric, one.b, None),
        between,
        TableCell(p_value(one.p), "" if one.p_holm is None else f"({p_value(one.p_holm)})"),
        TableCell("-" if one.effect is None else f"{one.effect:+.2f}"),
        TableCell(needed_cell(one.plan.needed).value) if narrow else needed_cell(one.plan.needed),
    )


# Conclusions that claim no more than the figures support.

_FEW = 2
"""Where no metric differs significantly, the intervals of so many are reported."""


def kind_line(comparison: ModelComparison) -> str:
    """What differs between two runs of one model; empty between models."""
    first, second = comparison.a.of.settings, comparison.b.of.settings
    if comparison.kind == "system-prompt":
        on, off = ("A", "B") if first.system_prompt else ("B", "A")
        equal = "" if comparison.also else ", all else equal"
        return (
            f"System-prompt ablation: {comparison.a.name} with the system prompt ({on}) and without it ({off}){equal}."
        )
    if comparison.kind == "judge":
        same, shared = comparison.same_answers
        answers = (
            "the same answers"
            if same == shared
            else f"only {same} of the {shared} shared turns have the same answer, so the differences include the "
            "model's own randomness; use evolif rejudge to exclude it"
        )
        judges = f"{first.judge} (A) and {second.judge} (B)"
        return f"Judge sensitivity: {comparison.a.name} under the judges {judges}, {answers}."
    if comparison.kind != "models":
        mine, other = setting_of(comparison.kind, first), setting_of(comparison.kind, second)
        equal = "" if comparison.also else ", all else equal"
        return f"Effect of the {comparison.kind}: {comparison.a.name} with {mine} (A) and {other} (B){equal}."
    return ""


def left_out_line(comparison: ModelComparison) -> str:
    """Dialogues that enter no figure of the comparison, and why; empty if there are none."""
    listed = ", ".join(f"{number} {why}" for why, number in comparison.paired.left_out.items())
    return f"Dialogues left out: {listed}." if listed else ""


def no_interval_line(comparison: ModelComparison) -> str:
    """Which differences have no interval, and why; empty if all have one."""
    known = {name: one for name, one in all_differences(comparison).items() if one.value is not None}
    bare = [comparison.metrics[name].label for name, one in known.items() if one.interval is None]
    if not bare:
        return ""
    listed = "" if len(bare) == len(known) else f" in {', '.join(bare)}"
    return (
        f"No interval of A − B{listed}: fewer than six dialogues count for both, so the permutation test behind "
        f"intervals cannot reach p ≤ {ALPHA}."
    )


def saturation_line(comparison: ModelComparison) -> str:
    """That the cap bounds EDR len, for whom; empty if it does not."""
    sides = zip("AB", (comparison.a, comparison.b), strict=True)
    lines = [saturated_line(side, model.summary, model.of.settings.max_turns) for side, model in sides]
    return " ".join(filter(None, lines))


def log_rank_line(comparison: ModelComparison) -> str:
    """The test of the two survival curves; empty without patience."""
    found = comparison.log_rank
    if found is None:
        return ""
    if found.statistic is None or found.p is None:
        return "Log-rank test of the survival curves: nothing to test: no ending distinguishes them."
    longer = "A" if found.statistic < 0 else "B"
    which = f"{longer} lasts longer than expected if they were equal" if found.statistic else "no difference"
    return (
        f"Log-rank test of the survival curves: z {found.statistic:+.2f}, p {p_value(found.p)} ({which}; the test "
        "treats sessions as independent, the table pairs them by dialogue)."
    )


def conclusion(comparison: ModelComparison) -> str:
    """What the comparison shows, and under which conditions."""
    paired = comparison.paired
    if not paired.dialogues:
        return "A and B have no dialogue that counts in both, so they cannot be compared."
    apart = comparison.significant
    where = _where(comparison)
    if apart:
        parts = [_higher(comparison, apart, above=True), _higher(comparison, apart, above=False)]
        rest = len(paired.differences) - len(apart)
        others = f" In the other {rest} the two do not differ significantly." if rest else ""
        return f"{'; '.join(part for part in parts if part)}.{others} {where}"
    return f"{_not_apart(comparison)} {where}"


def few_dialogues_line(comparison: ModelComparison) -> str:
    """A warning that there are too few dialogues for any significant difference; empty if there are enough."""
    paired = comparison.paired
    tests = sum(one.p is not None for one in paired.differences.values())
    if not paired.dialogues or not tests or 2.0 ** (1 - paired.dialogues) * tests < ALPHA:
        return ""
    needed = next(n for n in range(1, 64) if 2.0 ** (1 - n) * tests < ALPHA)
    return (
        f"With {plural(paired.dialogues, 'dialogue')} the permutation test cannot reach p < {ALPHA} in all "
        "metrics after "
        f"Holm's correction, whatever the answers; it needs at least {needed}."
    )


def judges_lines(comparison: ModelComparison) -> Iterator[str]:
    """How far two judges agree; nothing if the judge is the same."""
    found = comparison.sensitivity
    if found is None:
        return
    judged = {group: one for group, one in found.groups.items() if one.n and one.both + one.neither < one.n}
    word = comparison.a.of.scenario.requirement
    if not found.overall.n:
        yield f"No {word} has a verdict from both judges."
    elif not judged:
        every = "the" if found.overall.n == 1 else "all"
        yield f"The two judges agree on {every} {plural(found.overall.n, word)} that both judged."
    for group, one in judged.items():
        kappa = "κ undefined" if one.kappa is None else f"κ {one.kappa:.2f}"
        yield (
            f"{group}: {one.both + one.neither} of {plural(one.n, 'verdict')} agree, {kappa}; satisfied only for A: "
            f"{one.first_only}, only for B: {one.second_only}."
        )
    if found.one_sided:
        listed = ", ".join(f"{group} {number}" for group, number in found.one_sided.items())
        yield f"{word.capitalize()}s with a verdict from only one judge: {listed}."


def p_value(p: float | None) -> str:
    """A p value as tables print it."""
    if p is None:
        return "-"
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def amount(metric: Metric, value: float, *, signed: bool = True) -> str:
    """A difference as tables print it, in percentage points for rates; zero has no sign."""
    digits = max(1, decimals(100 * value)) if metric.small else 1
    text = f"{100 * value if metric.unit == 'rate' else value:+.{digits}f}"
    if not text.strip("+-0."):
        return text[1:]
    return text if signed else text.removeprefix("+")


def _higher(comparison: ModelComparison, apart: Mapping[str, float], *, above: bool) -> str:
    sign = 1 if above else -1
    differences = [
        _size(comparison.metrics[name], comparison.paired.differences[name].interval, value, sign)
        for name, value in apart.items()
        if (value > 0) == above
    ]
    if not differences:
        return ""
    label = comparison.labels[0 if above else 1]
    return f"{'A' if above else 'B'}, {label}, is higher in {', '.join(differences)} (Holm's p < {ALPHA})"


_UNITS = {"rate": " points", "turns": " turns", "count": ""}


def _size(metric: Metric, interval: Interval | None, value: float, sign: int) -> str:
    ends = ""
    if interval is not None:
        low, high = sorted(sign * end for end in interval)
        ends = f" [{amount(metric, low, signed=False)}, {amount(metric, high, signed=False)}]"
    return f"{metric.label} by {amount(metric, sign * value, signed=False)}{ends}{_UNITS[metric.unit]}"


def _not_apart(comparison: ModelComparison) -> str:
    paired = comparison.paired
    sentences = [
        f"Over {plural(paired.dialogues, 'dialogue')} A and B differ significantly in no metric (Holm's p ≥ "
        f"{ALPHA} throughout). "
        "This does not show that they are equal"
    ]
    mains = [table.metric(table.main) for table in comparison.tables]
    ranges = []
    own = {name: comparison.metrics[name] for name in paired.differences}
    for metric in _most_telling(own, mains):
        one = paired.differences[metric.name]
        if one.interval is not None and one.interval[0] < one.interval[1]:
            low, high = (amount(metric, end) for end in one.interval)
            ranges.append(f"{metric.label} may differ by {low} to {high}{_UNITS[metric.unit]}")
    if ranges:
        sentences[0] += ": " + ", ".join(ranges)
    if mains and (needed := needed_clause(paired.differences[mains[0].name].plan, paired.dialogues)):
        sentences.append(f"A difference in {mains[0].label} like the one seen would need {needed}")
    return ". ".join(sentences) + "."


def _most_telling(metrics: Mapping[str, Metric], mains: Sequence[Metric]) -> list[Metric]:
    """The headlines, then the others in their order."""
    return list(dict.fromkeys((*mains, *metrics.values())))[:_FEW]


def _where(comparison: ModelComparison) -> str:
    settings = comparison.a.of.settings
    judge = "" if comparison.kind == "judge" else f", judge {settings.judge}"
    capped = any(model.summary.counts.censored for model in (comparison.a, comparison.b))
    return (
        f"This holds for dialogues drawn in the same way, at {_patience(settings.patience)}cap {settings.max_turns}"
        f"{judge}" + ("; some sessions were cut, so lengths are compared only up to the cut." if capped else ".")
    )


def _patience(patience: int | None) -> str:
    return "" if patience is None else f"patience {patience}, "

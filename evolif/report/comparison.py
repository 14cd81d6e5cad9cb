"""Two models, or one model in two runs, side by side; each part computed once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from evolif.metrics import Comparison as Pairing
from evolif.metrics import Difference, JudgeSensitivity, LogRank, compare, judge_sensitivity, log_rank
from evolif.report.analysis import ModelAnalysis
from evolif.report.comparable import PairKind, kind_of
from evolif.report.tables import LABELS
from evolif.runner import RunSettings

ALPHA = 0.05
"""Below this, after Holm's correction, two models are told apart in a metric."""


@dataclass(frozen=True)
class ModelComparison:
    """A minus B.

    Attributes:
        a: The first.
        b: The second.
        kind: `models`, or the ablation `system-prompt` or `judge` of one model in two runs.
        also: Settings that differ beside it, as clauses.
    """

    a: ModelAnalysis = field(repr=False)
    b: ModelAnalysis = field(repr=False)
    kind: PairKind = "models"
    also: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, str]:
        """Short different names of the two, for heads of tables; not made safe for a terminal."""
        first, second = self.a.of.settings, self.b.of.settings
        if self.kind == "system-prompt":
            return f"{self.a.name}, prompt {_switch(first)}", f"{self.b.name}, prompt {_switch(second)}"
        if self.kind == "judge":
            return f"{self.a.name}, judge {first.judge}", f"{self.b.name}, judge {second.judge}"
        if self.a.name != self.b.name:
            return self.a.name, self.b.name
        mine, other = self.a.of.name, self.b.of.name
        if mine == other:
            mine, other = "first run", "second run"
        return f"{self.a.name} ({mine})", f"{self.b.name} ({other})"

    @cached_property
    def paired(self) -> Pairing:
        """Per metric the difference with interval, p, Holm's p, effect size and dialogues needed.

        Raises:
            UsageError: NumPy (extra `report`) is not installed.
        """
        return compare(self.a.sessions, self.b.sessions, seed=self.a.of.seed, resamples=self.a.of.resamples)

    @cached_property
    def log_rank(self) -> LogRank:
        """Of the two survival curves.

        Raises:
            UsageError: SciPy (extra `report`) is not installed.
        """
        return log_rank(self.a.sessions, self.b.sessions)

    @cached_property
    def sensitivity(self) -> JudgeSensitivity | None:
        """Where the judge makes the difference: how far the two agree."""
        if self.kind != "judge":
            return None
        return judge_sensitivity(self.a.sessions, self.b.sessions, seed=self.a.of.seed, resamples=self.a.of.resamples)

    @cached_property
    def same_answers(self) -> tuple[int, int]:
        """Turns with the same answer in both, of the turns that both have; what a judge is compared on."""
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
    def told_apart(self) -> dict[str, float]:
        """Metric to difference, where it is told from none after Holm's correction."""
        return {
            name: one.value
            for name, one in self.paired.differences.items()
            if one.value is not None and one.p_holm is not None and one.p_holm < ALPHA
        }


def _switch(settings: RunSettings) -> str:
    return "on" if settings.system_prompt else "off"


def compare_models(
    pairs: Sequence[tuple[ModelAnalysis, ModelAnalysis]], *, ablation: str | None = None
) -> list[ModelComparison]:
    """One comparison per pair; nothing is computed yet.

    Args:
        pairs: First and second of each.
        ablation: `system-prompt` or `judge`, where that is to make the difference.

    Raises:
        UsageError: cap, patience, judge or benchmark differ, or more than the ablation.
    """
    made = []
    for a, b in pairs:
        same = a.name == b.name and a.of is not b.of
        kind, also = kind_of(a.of.run, b.of.run, same_model=same, ablation=ablation)
        elsewhere = same and a.of.settings.endpoint(a.name) != b.of.settings.endpoint(b.name)
        made.append(
            ModelComparison(a, b, kind, (*also, *(["it was asked at different addresses"] if elsewhere else [])))
        )
    return made


# What a comparison comes to, in words that claim no more than the figures do.

_ASKED_FIRST = ("rob", "edr_len")
"""The metrics of which the reader is told how much they might differ, where none tells the two apart."""


def kind_line(comparison: ModelComparison) -> str:
    """What makes the difference; empty between models."""
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
            else f"only {same} of the {shared} turns that both have are the same answer, so that the model's own "
            "chance is in the differences; evolif rejudge would keep it out"
        )
        judges = f"{first.judge} (A) and {second.judge} (B)"
        return f"Judge sensitivity: {comparison.a.name} under the judges {judges}, {answers}."
    return ""


def left_out_line(comparison: ModelComparison) -> str:
    """Dialogues that enter no figure of the comparison, and why; empty where there are none."""
    told = ", ".join(f"{number} {why}" for why, number in comparison.paired.left_out.items())
    return f"Dialogues left out: {told}." if told else ""


def log_rank_line(comparison: ModelComparison) -> str:
    """The test of the two survival curves."""
    found = comparison.log_rank
    if found.statistic is None or found.p is None:
        return "Log-rank test of the survival curves: nothing to test, for no ending could tell them apart."
    longer = "A" if found.statistic < 0 else "B"
    which = f"{longer} lasts longer than expected if they were alike" if found.statistic else "no difference"
    return (
        f"Log-rank test of the survival curves: z {found.statistic:+.2f}, p {p_value(found.p)} ({which}; it takes "
        "sessions as independent, the table pairs them by dialogue)."
    )


def conclusion(comparison: ModelComparison) -> str:
    """What may be said, and under which conditions."""
    paired = comparison.paired
    if not paired.dialogues:
        return "A and B share no dialogue that counts in both, so nothing can be said."
    apart = comparison.told_apart
    where = _where(comparison)
    if apart:
        parts = [_higher(comparison, apart, above=True), _higher(comparison, apart, above=False)]
        rest = len(paired.differences) - len(apart)
        others = f" In the other {rest} the two are not told apart." if rest else ""
        return f"{'; '.join(part for part in parts if part)}.{others} {where}"
    return f"{_not_apart(comparison)} {where}"


def few_dialogues_line(comparison: ModelComparison) -> str:
    """That the test could not have found anything, whatever the answers; empty where it could."""
    paired = comparison.paired
    tests = sum(one.p is not None for one in paired.differences.values())
    if not paired.dialogues or not tests or 2.0 ** (1 - paired.dialogues) * tests < ALPHA:
        return ""
    needed = next(n for n in range(1, 64) if 2.0 ** (1 - n) * tests < ALPHA)
    return (
        f"With {paired.dialogues} dialogues the permutation test cannot come below p {ALPHA} in all metrics after "
        f"Holm's correction, whatever the answers; from {needed} on it can."
    )


def judges_lines(comparison: ModelComparison) -> Iterator[str]:
    """How far two judges agree, where they make the difference."""
    found = comparison.sensitivity
    if found is None:
        return
    judged = {group: one for group, one in found.groups.items() if one.n and one.both + one.neither < one.n}
    if not found.overall.n:
        yield "The two judges have no verdict on the same constraint."
    elif not judged:
        yield f"The two agree in all {found.overall.n} verdicts that both came to."
    for group, one in judged.items():
        kappa = "κ undefined" if one.kappa is None else f"κ {one.kappa:.2f}"
        yield (
            f"{group}: {one.both + one.neither} of {one.n} verdicts agree, {kappa}; satisfied for A alone "
            f"{one.first_only}, for B alone {one.second_only}."
        )
    if found.one_sided:
        told = ", ".join(f"{group} {number}" for group, number in found.one_sided.items())
        yield f"Constraints with a verdict of one judge alone: {told}."


def p_value(p: float | None) -> str:
    """A p as tables print it."""
    if p is None:
        return "-"
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def amount(metric: str, value: float, *, signed: bool = True) -> str:
    """A difference as tables print it: turns, or points of per cent; what rounds to nothing has no sign."""
    told = f"{value if metric.startswith('edr') else 100 * value:+.1f}"
    if told in ("+0.0", "-0.0"):
        return "0.0"
    return told if signed else told.removeprefix("+")


def _higher(comparison: ModelComparison, apart: Mapping[str, float], *, above: bool) -> str:
    differences = comparison.paired.differences
    named = [
        _told(name, differences[name], 1 if above else -1) for name, value in apart.items() if (value > 0) == above
    ]
    if not named:
        return ""
    label = comparison.labels[0 if above else 1]
    return f"{'A' if above else 'B'}, {label}, is higher in {', '.join(named)} (Holm's p < {ALPHA})"


def _told(name: str, one: Difference, sign: int) -> str:
    assert one.value is not None  # what is told apart has a difference
    unit = "turns" if name.startswith("edr") else "points"
    ends = ""
    if one.interval is not None:
        low, high = sorted(sign * end for end in one.interval)
        ends = f" [{amount(name, low, signed=False)}, {amount(name, high, signed=False)}]"
    return f"{LABELS[name].removesuffix(' %')} by {amount(name, sign * one.value, signed=False)}{ends} {unit}"


def _not_apart(comparison: ModelComparison) -> str:
    paired = comparison.paired
    sentences = [
        f"Over {paired.dialogues} dialogues no metric tells A and B apart (Holm's p ≥ {ALPHA} throughout). This does "
        "not show that they are alike"
    ]
    ranges = []
    for name in _ASKED_FIRST:
        one = paired.differences[name]
        if one.interval is not None and one.interval[0] < one.interval[1]:
            unit = "turns" if name.startswith("edr") else "points"
            low, high = (amount(name, end) for end in one.interval)
            ranges.append(f"{LABELS[name].removesuffix(' %')} may differ by {low} to {high} {unit}")
    if ranges:
        sentences[0] += ": " + ", ".join(ranges)
    needed = paired.differences["rob"].dialogues_needed
    if needed is not None and needed > paired.dialogues:
        sentences.append(f"A difference in ROB like the one seen would want about {needed} dialogues to be told")
    return ". ".join(sentences) + "."


def _where(comparison: ModelComparison) -> str:
    settings = comparison.a.of.settings
    judge = "" if comparison.kind == "judge" else f", judge {settings.judge}"
    capped = any(model.summary.counts.censored for model in (comparison.a, comparison.b))
    return (
        f"This holds for dialogues drawn as these were, at patience {settings.patience}, cap {settings.max_turns}"
        f"{judge}" + ("; sessions were cut, so that lengths are compared up to there only." if capped else ".")
    )

"""The analysis of a run; each part is computed once, on first access.

Tables, JSON, LaTeX, figures and the page all read it and compute no figures themselves.
"""

from __future__ import annotations

import shlex
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypedDict, TypeVar, cast

from evolif.budget.stop_rule import shown_intervals
from evolif.errors import UsageError
from evolif.judge_audit import JudgeAuditRow, judge_audit_summary
from evolif.metrics import (
    Breakdown,
    Ceiling,
    CorrectedCsr,
    Figures,
    Floor,
    Interval,
    Key,
    Metric,
    MetricFigures,
    MetricTable,
    RankAgreement,
    Satisfaction,
    Slice,
    Survival,
    SweepPoint,
    breakdown,
    corrected_csr,
    counted_sessions,
    is_saturated,
    patience_sweep,
    records_from_sessions,
    satisfaction_by_group,
    sessions_at_cap,
    survival,
    tables_of,
)
from evolif.metrics.breakdown import breakdowns_of, metrics_by
from evolif.metrics.patience import ExhaustionSpan, exhaustion_by_turn
from evolif.metrics.ranks import rank_agreement
from evolif.metrics.relevance import relevance_not_judged
from evolif.metrics.sessions import Bounds, SessionRecords, bounds
from evolif.metrics.survival import Hazard, SurvivalBounds, hazard, survival_bounds
from evolif.metrics.table import figures_with_intervals
from evolif.report.commands import Step, evaluate_step, generate_step
from evolif.report.context_size import ContextSize, context_size
from evolif.report.replays import Lazily, kinds_of, replayed_ceiling, replayed_floor
from evolif.report.shown import MOST_COMPUTED, figures_table, summary_line, summary_table
from evolif.runner import EarlyEnd, Integrity, Run, RunSettings, Spent
from evolif.runner.verify import Verification, verify
from evolif.scenario import Benchmark, Scenario, get_scenario
from evolif.text import plural
from evolif.text.notebook import html_table, one_line, or_else
from evolif.types import DEFAULT_RESAMPLES, CapCounts, Prompt, Session

Found = TypeVar("Found")
TurnId = tuple[int, int]
"""(dialogue, turn)."""


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """Figures, intervals and counts of one model. Rates are fractions, lengths are turns."""

    model: str
    tables: tuple[MetricTable, ...]
    """Of its run."""
    metrics: Figures
    intervals: Mapping[str, Interval | None]
    counts: SessionRecords
    groups: Mapping[str, Satisfaction]
    heuristic: Mapping[str, Satisfaction]
    """The verdicts of the offline judge `lexical` on the subjective groups; never part of the metrics."""
    bounds: Bounds | None
    """The figures if all suspended and withheld sessions had failed, or succeeded; None without them or patience."""
    tokens: int
    empty_answers: int = 0
    """Answers without text, which are judged like any others."""
    cap: int | None = None
    """Of its run, in turns."""
    at_cap: int = 0
    """Counted sessions that the cap ended."""
    early_end: EarlyEnd | None = None
    """The stop rule that ended its run early."""
    relevance_not_judged: int | None = None
    """Answers of which the relevance gate could not tell whether they are about their task; None without a gate."""

    def __repr__(self) -> str:
        """Its model, sessions and first figures, on one line."""
        return or_else(lambda: one_line(summary_line(self)), one_line(f"ModelSummary {self.model}"))

    def _repr_html_(self) -> str | None:
        """For notebooks, a row per metric with its interval."""
        return or_else(lambda: summary_table(self), None)

    @property
    def saturated(self) -> bool:
        """Whether EDR len is bounded by the cap: more than a quarter of the sessions reach it."""
        return "edr_len" in self.metrics.values and is_saturated(self.at_cap, self.metrics.dialogues)


def folder_name(path: Path) -> str:
    """The name of a run's folder, without its path: what every output calls it."""
    return path.resolve().name or "run"


@dataclass(frozen=True)
class RunAnalysis:
    """One run: its models and their shared data.

    Attributes:
        run: The run; it must stay open while the analysis is used, because transcripts are read from it.
        seed: Of every draw.
        resamples: How many draws each interval or band takes that needs some.
        benchmark: The run's benchmark where it is available; needed only for the commands to reproduce the run.
        verify: Whether its answers are judged again by rules.
        ranked_by: The metric that its models are ranked by, where its first table has it; the table's headline if
            empty.
        seen: What its models were trained on, as the scenario names it; empty if nobody asks.
    """

    run: Run
    seed: int = 0
    resamples: int = DEFAULT_RESAMPLES
    benchmark: Benchmark | None = field(default=None, repr=False)
    verify: bool = False
    ranked_by: str = ""
    seen: str = ""

    def __repr__(self) -> str:
        """Its run, on one line; nothing is computed for it."""
        return or_else(
            lambda: one_line(f"RunAnalysis {repr(self.run).strip('<>').removeprefix('Run ')}"), "<RunAnalysis>"
        )

    def _repr_html_(self) -> str | None:
        """For notebooks, the run, and the figures of those models for which they have been computed."""
        models = vars(self).get("models", ())  # asking for them would make them
        known = [model.summary for model in models if model.has_summary]
        return or_else(lambda: (self.run._repr_html_() or "") + figures_table(known), None)

    @property
    def name(self) -> str:
        """The run's folder, without its path."""
        return folder_name(self.run.path)

    @property
    def settings(self) -> RunSettings:
        """The settings of the run."""
        return self.run.settings

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario of the run.

        Raises:
            UsageError: it is not installed.
        """
        return get_scenario(self.settings.scenario)

    @cached_property
    def tables(self) -> tuple[MetricTable, ...]:
        """The tables of its metrics: the scenario's own, and what patience or verdicts give."""
        sessions = (session for model in self.models for session in model.sessions)
        own, settings = self.scenario.table(self.settings.options), self.settings
        return tables_of(own, settings.patience, sessions, **settings.beside, cap=settings.max_turns)

    @property
    def cluster(self) -> str:
        """The label of turns that says which dialogues are resampled together; empty for the dialogue itself."""
        return self.tables[0].cluster if self.tables else ""

    @cached_property
    def headline(self) -> Metric:
        """The metric that its models are ranked by."""
        if not self.tables:
            return Metric("", "figures", "count")
        table = self.tables[0]
        return table.metric(self.ranked_by if self.ranked_by in table.ratios else table.main)

    @cached_property
    def breakdowns(self) -> Mapping[str, Breakdown]:
        """By name, in the order of reports; none in a run without verdicts."""
        return {one.name: one for one in breakdowns_of(self.scenario.breakdowns)}

    @property
    def kinds(self) -> tuple[str, ...]:
        """The breakdowns by which whole dialogues are classified (paper Apps. F, G)."""
        return tuple(name for name, one in self.breakdowns.items() if one.kind)

    @cached_property
    def models(self) -> tuple[ModelAnalysis, ...]:
        """In the order of the run."""
        return tuple(ModelAnalysis(self, model) for model in self.run.models)

    def model(self, name: str) -> ModelAnalysis:
        """The model with that name.

        Raises:
            KeyError: The run has none.
        """
        return {model.name: model for model in self.models}[name]

    @cached_property
    def facts(self) -> Mapping[TurnId, Prompt]:
        """Every turn that was asked, by dialogue and turn; shared by all models and epochs."""
        return {(facts.dialogue, facts.turn): facts for facts in self.run.prompts()}

    @property
    def asked(self) -> Iterable[Prompt]:
        """What breakdowns look up, read when they do: every turn once, or all where the person reacts to answers."""
        return Lazily(lambda: self._asked)

    @cached_property
    def _asked(self) -> tuple[Prompt, ...]:
        reacts = self.settings.feedback != "none"
        return tuple(self.run.prompts() if reacts else self.facts.values())

    @cached_property
    def kinds_of(self) -> Callable[[str], Mapping[int, Key]]:
        """A function from one of `kinds` to the kind of each dialogue."""
        return cache(lambda by: kinds_of(self.run, Lazily(lambda: self.facts.values()), self.breakdowns[by]))

    @cached_property
    def early_end(self) -> EarlyEnd | None:
        """The stop rule that ended the run early; all figures then cover its dialogues only."""
        return self.run.early_end()

    @cached_property
    def integrity(self) -> Integrity:
        """Whether the run's turns are as they were written."""
        return self.run.integrity(afresh=self.verify)

    @cached_property
    def verification(self) -> Verification | None:
        """What judging its answers again by rules found; None if that was not requested.

        Raises:
            UsageError: they were read by other reading rules.
        """
        return verify(self.run) if self.verify else None

    @cached_property
    def suspended(self) -> int:
        """Sessions that have not ended and can be resumed; they are in no figure."""
        return self.run.suspended()

    @cached_property
    def unbegun(self) -> Mapping[str, int]:
        """Sessions that never started, by cause: a budget or a stop rule."""
        return self.run.unbegun()

    @cached_property
    def costs(self) -> tuple[Spent, ...]:
        """Calls and tokens per role and model."""
        return tuple(self.run.costs())

    @cached_property
    def empty_answers(self) -> Mapping[tuple[str, int], int]:
        """Answers without text per model and dialogue."""
        return self.run.empty_answers()

    @cached_property
    def commands(self) -> tuple[Step, ...]:
        """The commands that reproduce the run and this report."""
        report = ["evolif", "report", self.name, "--seed", str(self.seed), "--resamples", str(self.resamples)]
        report += ["--seen", self.seen] if self.seen else []
        return (
            generate_step(self.scenario, self.settings, self.benchmark, self.run.origin()),
            evaluate_step(self.settings, self.early_end, self.name),
            Step(shlex.join(report)),
        )

    @cached_property
    def ceiling(self) -> Ceiling | None:
        """What a perfect responder would reach over the turns asked: their answer keys, replayed without a call.

        None if the scenario has no answer keys.

        Raises:
            UsageError: A checker needs a package that is not installed.
        """
        return replayed_ceiling(self.run, self.scenario, Lazily(lambda: self.facts.values()), afresh=self.verify)

    @property
    def floor(self) -> Floor | None:
        """What answers that follow nothing would reach over the turns asked, replayed without a call.

        None if they cannot be replayed, or nothing would be judged; see `replay_floor`.

        Raises:
            UsageError: They could not be judged.
        """
        if isinstance(self._floor, UsageError):
            raise self._floor
        return self._floor

    @cached_property
    def _floor(self) -> Floor | UsageError | None:
        # A failure is kept, too: it may have taken long.
        try:
            return replayed_floor(self.run, Lazily(lambda: self.facts.values()), afresh=self.verify)
        except UsageError as fault:
            return fault

    def corrected(self, summary: ModelSummary) -> CorrectedCsr | None:
        """CSR of a model of the run between floor and ceiling; None if one of them is unknown."""
        csr = summary.metrics.value("csr")
        if csr is None:
            return None
        try:
            lowest, highest = self.floor, self.ceiling
        except UsageError:
            return None
        if lowest is None or highest is None or highest.is_unknown:
            return None
        return corrected_csr(csr, summary.intervals.get("csr"), lowest.csr, highest.metrics.value("csr"))

    @cached_property
    def judge_audit(self) -> tuple[JudgeAuditRow, ...]:
        """How far people agreed with the judge, all groups first; empty if nobody scored an answer.

        Raises:
            UsageError: The scores and the run do not belong together.
        """
        return tuple(judge_audit_summary(self.run))

    @cached_property
    def rank_agreement(self) -> Callable[[str], Mapping[str, RankAgreement]]:
        """A function from one of `kinds` to the models' headline per kind of dialogue and on all."""
        sessions = {model.name: model.sessions for model in self.models}

        def agreement(kind: str) -> Mapping[str, RankAgreement]:
            if not self.tables:
                return {}
            by, metric = self.breakdowns[kind], self.headline.name
            return rank_agreement(
                sessions, self.asked, by, metric=metric, table=self.tables[0], kinds=self.kinds_of(kind)
            )

        return cache(agreement)

    @cached_property
    def heuristic(self) -> Mapping[str, Mapping[str, Satisfaction]]:
        """Per model the verdicts of the offline judge `lexical` on the subjective groups; never in the metrics."""
        if self.settings.judge != "lexical":
            return {}
        return {model.name: _heuristic(self.run, model.name, self.early_end) for model in self.models}


class _Cap(TypedDict):
    max_turns: int
    counts: CapCounts


@dataclass(frozen=True)
class ModelAnalysis:
    """One model in one run."""

    of: RunAnalysis = field(repr=False)
    name: str

    def __repr__(self) -> str:
        """Its name and run."""
        return or_else(lambda: one_line(f"ModelAnalysis {self.name} in {self.of.name}"), "<ModelAnalysis>")

    def _repr_html_(self) -> str | None:
        """For notebooks, its figures; of many sessions only once they are computed, since that takes long."""
        return or_else(lambda: self._table, None)

    @property
    def _table(self) -> str:
        sessions = len(self.of.settings.dialogues) * self.of.settings.epochs
        if sessions <= MOST_COMPUTED or self.has_summary:
            return summary_table(self.summary)
        note = f"Not computed yet; `.summary` does that, over {plural(sessions, 'session', spec=',')}."
        return html_table(f"{self.name} in {self.of.name}", ("figures",), (), [note])

    @property
    def has_summary(self) -> bool:
        """Whether its figures are computed."""
        return "summary" in vars(self)

    @cached_property
    def _kept(self) -> dict[str, Any]:
        """What its scenario has worked out for a part of a report, and keeps for the others, by names of its own."""
        return {}

    def cached(self, key: str, make: Callable[[], Found]) -> Found:
        """What `make` gives, worked out once; the scenario chooses the keys."""
        if key not in self._kept:
            self._kept[key] = make()
        return cast(Found, self._kept[key])

    @property
    def memo(self) -> dict[str, Any]:
        """Deprecated: `cached` takes its place."""
        warnings.warn("`memo` will go; use `cached(key, make)`", DeprecationWarning, stacklevel=2)
        return self._kept

    @cached_property
    def sessions(self) -> tuple[Session, ...]:
        """All its sessions, regardless of ending; after an early end only those of the stop rule's dialogues."""
        early = self.of.early_end
        # What is kept for figures may be from before an edit, which the figures have to show.
        sessions = self.of.run.sessions(self.name, lazily=not self.of.integrity.edited)
        return tuple(session for session in sessions if early is None or session.dialogue in early.dialogues)

    @cached_property
    def counted(self) -> tuple[Session, ...]:
        """Those that enter the metrics, without turns after exhausted patience."""
        return counted_sessions(self.sessions)

    @cached_property
    def summary(self) -> ModelSummary:
        """The metrics with intervals, satisfaction per group, and counts of what is left out."""
        counts = records_from_sessions(self.sessions, self.of.cluster)
        broken = counts.suspended + counts.running + counts.withheld
        bounded = broken and self.of.settings.patience is not None
        found = figures_with_intervals(self.of.tables, self.counted, cap=self.of.settings.max_turns, **self._draws)
        return ModelSummary(
            model=self.name,
            tables=self.of.tables,
            metrics=found.metrics,
            intervals=shown_intervals(
                found.intervals,
                self.of.early_end,
                self.of.tables,
                self.counted,
                cap=self.of.settings.max_turns,
                **self._draws,
            ),
            counts=counts,
            groups=satisfaction_by_group(self.sessions),
            heuristic=self.of.heuristic.get(self.name, {}),
            bounds=bounds(self.sessions, **self._cap) if bounded else None,
            tokens=self.tokens,
            empty_answers=self.empty_answers,
            cap=self.of.settings.max_turns,
            at_cap=sessions_at_cap(self.sessions, self.of.settings.max_turns),
            early_end=self.of.early_end,
            relevance_not_judged=relevance_not_judged(self.counted) if self.of.settings.relevance else None,
        )

    @property
    def csr_corrected(self) -> CorrectedCsr | None:
        """CSR between floor and ceiling; None if one of them is unknown."""
        return self.of.corrected(self.summary)

    @cached_property
    def empty_answers(self) -> int:
        """How many of its answers have no text."""
        empty = self.of.empty_answers
        return sum(empty.get((self.name, dialogue), 0) for dialogue in {s.dialogue for s in self.sessions})

    @cached_property
    def tokens(self) -> int:
        """Tokens of the model's own calls, prompts and answers."""
        usages = (s.usage for s in self.of.costs if s.role == "target" and s.model == self.name)
        return sum(usage.prompt_tokens + usage.completion_tokens for usage in usages)

    @cached_property
    def context_size(self) -> ContextSize | None:
        """The context tokens of its calls; None if they were not counted.

        Raises:
            UsageError: as `evolif.report.context_size`.
        """
        return context_size(self.of.run, self.name, early=self.of.early_end, benchmark=self.of.benchmark)

    @cached_property
    def by(self) -> Callable[[str], Mapping[Key, Slice]]:
        """A function from the name of one of the run's breakdowns to CSR and ISR with intervals per key.

        Empty for a breakdown that the run does not have.
        """
        of = self.of

        def slices(by: str) -> Mapping[Key, Slice]:
            if by not in of.breakdowns:
                return {}
            return breakdown(self.sessions, of.asked, of.breakdowns[by], cluster=of.cluster)

        return cache(slices)

    @cached_property
    def figures_by(self) -> Callable[[str], Mapping[str, MetricFigures]]:
        """A function from a kind of dialogue, one of `RunAnalysis.kinds`, to the metrics with intervals per value."""
        of = self.of

        def kinds(by: str) -> Mapping[str, MetricFigures]:
            if by not in of.kinds:
                return {}
            return metrics_by(
                self.sessions,
                of.asked,
                of.breakdowns[by],
                tables=of.tables,
                cap=of.settings.max_turns,
                kinds=of.kinds_of(by),
                **self._draws,
            )

        return cache(kinds)

    @cached_property
    def hazard(self) -> tuple[Hazard, ...]:
        """Per judged turn, the share of the sessions still running that end there."""
        return hazard(self.sessions, self.of.cluster)

    @cached_property
    def exhaustion_by_turn(self) -> tuple[ExhaustionSpan, ...]:
        """How often patience runs out per judged turn, over turns 1 to 10, 11 to 20 and so on."""
        return exhaustion_by_turn(self.sessions, self.of.cluster)

    @cached_property
    def survival(self) -> Survival:
        """The Kaplan-Meier curve, up to the cap."""
        return survival(self.sessions, max_turns=self.of.settings.max_turns, cluster=self.of.cluster, **self._draws)

    @cached_property
    def survival_bounds(self) -> SurvivalBounds | None:
        """The curves if all suspended and withheld sessions had failed, or had gone on to the cap; None without any."""
        if self.summary.bounds is None:
            return None
        return survival_bounds(self.sessions, cluster=self.of.cluster, **self._cap, **self._draws)

    @cached_property
    def patience_sweep(self) -> tuple[SweepPoint, ...]:
        """The figures for patience 1, 2, … up to the run's own, exact, by replay; empty without patience."""
        if self.of.settings.patience is None:
            return ()
        cap, cluster = self.of.settings.max_turns, self.of.cluster
        return patience_sweep(
            self.sessions,
            self.of.settings.patience,
            cap=cap,
            cluster=cluster,
            seed=self.of.seed,
            resamples=self.of.resamples,
        )

    @property
    def _cap(self) -> _Cap:
        return {"max_turns": self.of.settings.max_turns, "counts": self.of.settings.cap_counts}

    @property
    def _draws(self) -> dict[str, int]:
        return {"seed": self.of.seed, "resamples": self.of.resamples}


def analyse(
    runs: Iterable[Run],
    *,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    benchmark: Benchmark | None = None,
    verify: bool = False,
    seen: str = "",
) -> list[RunAnalysis]:
    """One analysis per run; nothing is computed yet.

    Args:
        runs: Open for reading.
        seed: Of every draw.
        resamples: How many draws each interval or band takes that needs some.
        benchmark: The runs' benchmark, where it is available.
        verify: Judge their answers again by rules.
        seen: What their models were trained on, as the scenario names it.
    """
    return [RunAnalysis(run, seed, resamples, benchmark, verify, seen=seen) for run in runs]


def summarise(run: Run, *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES) -> list[ModelSummary]:
    """One summary per model, in the order of the run."""
    return [model.summary for model in RunAnalysis(run, seed, resamples).models]


def _heuristic(run: Run, model: str, early: EarlyEnd | None) -> Mapping[str, Satisfaction]:
    satisfied: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for session, records in run.transcripts(model):
        if session.ending not in ("finished", "censored") or (early and session.dialogue not in early.dialogues):
            continue
        for verdict in (verdict for record in records for verdict in record.heuristic):
            satisfied[verdict.group] += bool(verdict.satisfied)
            judged[verdict.group] += 1
    return {group: Satisfaction(satisfied[group], judged[group]) for group in sorted(judged)}

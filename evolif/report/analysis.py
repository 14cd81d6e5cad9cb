"""What there is to tell of a run, each part computed once, when it is first asked for.

Tables, JSON, LaTeX, figures and the page all read this; none of them computes a figure of its own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote

from evolif.budget import judge_models
from evolif.judge_audit import JudgeAuditRow, judge_audit_summary
from evolif.metrics import (
    DEFAULT_RESAMPLES,
    Bounds,
    Ceiling,
    Hazard,
    Interval,
    Key,
    MetricFigures,
    Metrics,
    RankAgreement,
    RankStability,
    Satisfaction,
    SessionRecords,
    Slice,
    Survival,
    SurvivalBounds,
    SweepPoint,
    bootstrap_intervals,
    bounds,
    breakdown,
    ceiling,
    hazard,
    metrics_by,
    patience_sweep,
    process_metrics,
    rank_agreement,
    rank_stability,
    records_from_sessions,
    satisfaction_by_group,
    survival,
    survival_bounds,
)
from evolif.models import strip_credentials
from evolif.runner import EarlyEnd, Run, RunSettings, Spent
from evolif.types import Session, TurnFacts

if TYPE_CHECKING:
    from evolif.instructions import Benchmark


# What is told of one model in one run; tables, JSON and pages all read this.


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """Figures, intervals and counts of one model. Rates are fractions, lengths are turns."""

    model: str
    metrics: Metrics
    intervals: Mapping[str, Interval | None]
    counts: SessionRecords
    groups: Mapping[str, Satisfaction]
    heuristic: Mapping[str, Satisfaction]
    """What the offline judge `lexical` says of the subjective groups; never part of the metrics."""
    bounds: Bounds | None
    """Where sessions were suspended or withheld: the figures if all had failed, or succeeded, from there on."""
    tokens: int


def summarise(run: Run, *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES) -> list[ModelSummary]:
    """One summary per model, in the order of the run."""
    return [model.summary for model in RunAnalysis(run, seed, resamples).models]


def summary_of(
    model: str,
    sessions: Sequence[Session],
    *,
    max_turns: int,
    seed: int,
    resamples: int,
    heuristic: Mapping[str, Satisfaction],
    tokens: int,
) -> ModelSummary:
    """The summary of one model's sessions."""
    counts = records_from_sessions(sessions)
    broken = counts.suspended + counts.running + counts.withheld
    return ModelSummary(
        model=model,
        metrics=process_metrics(counts.records),
        intervals=bootstrap_intervals(counts.records, seed=seed, resamples=resamples),
        counts=counts,
        groups=satisfaction_by_group(sessions),
        heuristic=heuristic,
        bounds=bounds(sessions, max_turns=max_turns) if broken else None,
        tokens=tokens,
    )


# The commands that make a run again, from what it knows of itself: no key, no address with credentials, no folder.

_PACKAGED = ("paper", "objective", "extended")
_RULE = re.compile(r"[a-z_]{1,20}=[0-9.e-]{1,20}")


@dataclass(frozen=True, slots=True)
class Step:
    """One command, quoted for a shell, and what a reader must put in by hand (empty: nothing)."""

    command: str
    note: str = ""


def reproduce(
    run: Run, *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES, benchmark: Benchmark | None = None
) -> tuple[Step, ...]:
    """The commands generate, evaluate and report of a run.

    Args:
        run: The run.
        seed: Of the report's bootstrap.
        resamples: Of the report's bootstrap.
        benchmark: The run's benchmark, where it is at hand; its seed, turns and synthesizers stand there and not in
            the run.
    """
    settings = run.settings
    name = run.path.resolve().name or "RUN"
    report = ["evolif", "report", name, "--seed", str(seed), "--resamples", str(resamples)]
    return (
        _generate(settings, benchmark),
        _evaluate(run, name),
        Step(shlex.join(report)),
    )


def _generate(settings: RunSettings, benchmark: Benchmark | None) -> Step:
    words = ["evolif", "generate", "BENCH", "--profile", settings.profile]
    notes = [] if settings.profile in _PACKAGED else ["the profile is a file of its makers"]
    if benchmark is None:
        words += ["--dialogues", str(max(settings.dialogues, default=1)), "--seed", "SEED"]
        notes.append(
            f"SEED stands in the benchmark's benchmark.json, with what else it was made with (its identity is "
            f"{settings.benchmark}); or name the folder by --bench"
        )
        return Step(_quoted(words), "; ".join(notes))
    spec = benchmark.header.spec
    words += ["--dialogues", str(spec.dialogues), "--turns", str(spec.turns), "--seed", str(spec.seed)]
    if spec.synthesizers != ("template",):
        words += _repeated("--synthesizer", spec.synthesizers)
        notes.append("a chat model's wording comes out differently every time: share the benchmark's folder")
    if spec.checker is not None:
        words += ["--checker", spec.checker]
    notes.append("with the topics and personas of its folder, where they were one's own")
    return Step(_quoted(words), "; ".join(notes))


def _evaluate(run: Run, name: str) -> Step:
    settings = run.settings
    words = ["evolif", "evaluate", "BENCH"]
    words += _repeated("--model", (_asked_at(model, settings.endpoint(model)) for model in settings.models))
    words += list(_judging(settings))
    words += ["--patience", str(settings.patience), "--max-turns", str(settings.max_turns)]
    words += ["--limit", str(len(settings.dialogues))]
    if settings.epochs > 1:
        words += ["--epochs", str(settings.epochs)]
    if not settings.system_prompt:
        words.append("--no-system-prompt")
    for flag, value in (("--temperature", settings.temperature), ("--max-tokens", settings.max_tokens)):
        if value is not None:
            words += [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    words += ["--seed", str(settings.seed)]
    early = run.early_end()
    if early is not None and _RULE.fullmatch(early.rule):
        words += ["--stop-when", early.rule]
    elsewhere = any(settings.endpoints) or any(settings.judge_endpoints)
    note = "where an endpoint of its own wants a key, name the key's variable by &key_env=" if elsewhere else ""
    return Step(_quoted([*words, "--out", name]), note)


def _judging(settings: RunSettings) -> Iterator[str]:
    """The judge's flags, out of the name that the run keeps of it."""
    panel = judge_models(settings)
    if not panel:
        yield from ("--judge", settings.judge)
        return
    for model, endpoint in zip(panel, settings.judge_endpoints, strict=False):
        yield from ("--judge", _asked_at(model, endpoint))
    if len(panel) > 1:
        yield from ("--judge-rule", settings.judge.partition(" of ")[0])


def _asked_at(model: str, endpoint: str) -> str:
    if not endpoint:
        return model
    # Runs keep addresses without user and key; one that was written by another hand is not trusted to.
    return f"{model}?base_url={quote(strip_credentials(endpoint), safe=':/[]')}"


def _repeated(flag: str, values: Iterator[str] | tuple[str, ...]) -> list[str]:
    return [word for value in values for word in (flag, value)]


def _quoted(words: list[str]) -> str:
    return shlex.join(words)


TurnId = tuple[int, int]
"""(dialogue, turn)."""

KINDS = ("synthesizer", "register", "formality")
"""What dialogues are told apart by (paper Apps. F, G)."""

SIZES = (5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500)
"""Dialogues in the subsamples of rank stability; those below the number there are."""

FEWEST_MODELS = 3
"""Below so many models a ranking has no correlation worth the name."""


@dataclass(frozen=True)
class RunAnalysis:
    """One run: its models, and what they share.

    Attributes:
        run: The run, open for reading as long as the analysis is used; transcripts are read from it.
        seed: Of every bootstrap and permutation.
        resamples: Of every bootstrap.
        benchmark: The run's benchmark, where it is at hand; only the commands to reproduce want it.
    """

    run: Run
    seed: int = 0
    resamples: int = DEFAULT_RESAMPLES
    benchmark: Benchmark | None = field(default=None, repr=False)
    _stabilities: dict[str, tuple[RankStability, ...]] = field(default_factory=dict, init=False, repr=False)
    _ranks: dict[tuple[str, str], Mapping[str, RankAgreement]] = field(default_factory=dict, init=False, repr=False)

    @property
    def name(self) -> str:
        """The run's folder, without the way to it."""
        return self.run.path.resolve().name or str(self.run.path)

    @property
    def settings(self) -> RunSettings:
        """What the run was made with."""
        return self.run.settings

    @cached_property
    def models(self) -> tuple[ModelAnalysis, ...]:
        """In the order of the run."""
        return tuple(ModelAnalysis(self, model) for model in self.run.models)

    def model(self, name: str) -> ModelAnalysis:
        """The model of that name.

        Raises:
            KeyError: The run has none.
        """
        return {one.name: one for one in self.models}[name]

    @cached_property
    def facts(self) -> Mapping[TurnId, TurnFacts]:
        """Every asked turn, by dialogue and turn; shared by all models and epochs."""
        return {(facts.dialogue, facts.turn): facts for facts in self.run.facts()}

    @cached_property
    def formality(self) -> Callable[[str], str]:
        """From a query to `formal` or `informal`, each query looked at once."""
        from evolif.text import formality

        return cache(formality)

    @cached_property
    def early_end(self) -> EarlyEnd | None:
        """The stop rule that ended the run early; all figures are then of its dialogues alone."""
        return self.run.early_end()

    @cached_property
    def suspended(self) -> int:
        """Sessions that have not come to an end and can be resumed; they are in no figure."""
        return self.run.suspended()

    @cached_property
    def unbegun(self) -> Mapping[str, int]:
        """Sessions that a budget or a stop rule kept from beginning, by cause."""
        return self.run.unbegun()

    @cached_property
    def costs(self) -> tuple[Spent, ...]:
        """Calls and tokens per role and model."""
        return tuple(self.run.costs())

    @cached_property
    def commands(self) -> tuple[Step, ...]:
        """What makes the run and this report again."""
        return reproduce(self.run, seed=self.seed, resamples=self.resamples, benchmark=self.benchmark)

    @cached_property
    def ceiling(self) -> Ceiling:
        """What a perfect responder would reach over the asked turns: their witnesses, replayed without a call.

        Raises:
            UsageError: A checker wants a package that is not installed.
        """
        return ceiling(self.facts.values(), self.settings.patience)

    @cached_property
    def judge_audit(self) -> tuple[JudgeAuditRow, ...]:
        """How far persons agreed with the judge, all groups first; empty where nobody scored an answer.

        Raises:
            UsageError: What they scored and the run do not belong together.
        """
        return tuple(judge_audit_summary(self.run))

    def rank_stability(self, metric: str = "rob") -> tuple[RankStability, ...]:
        """The models' ranking on fewer dialogues beside that on all; empty with fewer than three models."""
        if metric not in self._stabilities:
            sizes = subsample_sizes(self.models) if len(self.models) >= FEWEST_MODELS else []
            self._stabilities[metric] = (
                rank_stability(self._sessions, sizes, metric=metric, seed=self.seed) if sizes else ()
            )
        return self._stabilities[metric]

    def rank_agreement(self, by: str, metric: str = "rob") -> Mapping[str, RankAgreement]:
        """The models' figures per kind of dialogue (one of `KINDS`) beside those on all."""
        if (by, metric) not in self._ranks:
            self._ranks[by, metric] = rank_agreement(
                self._sessions, self.facts.values(), by, metric=metric, formality=self.formality
            )
        return self._ranks[by, metric]

    @property
    def _sessions(self) -> Mapping[str, Sequence[Session]]:
        return {model.name: model.sessions for model in self.models}

    @cached_property
    def heuristic(self) -> Mapping[str, Mapping[str, Satisfaction]]:
        """Per model what the offline judge `lexical` says of the subjective groups; never part of the metrics."""
        if self.settings.judge != "lexical":
            return {}
        return {model.name: _heuristic(self.run, model.name, self.early_end) for model in self.models}


@dataclass(frozen=True)
class ModelAnalysis:
    """One model in one run."""

    of: RunAnalysis = field(repr=False)
    name: str
    _slices: dict[str, Mapping[Key, Slice]] = field(default_factory=dict, init=False, repr=False)
    _figures: dict[str, Mapping[str, MetricFigures]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def sessions(self) -> tuple[Session, ...]:
        """All its sessions, whatever their ending; where the run ended early, those of the rule's dialogues alone."""
        early = self.of.early_end
        return tuple(s for s in self.of.run.sessions(self.name) if early is None or s.dialogue in early.dialogues)

    @cached_property
    def summary(self) -> ModelSummary:
        """The eight metrics with intervals, satisfaction per group, and counts of what is left out."""
        return summary_of(
            self.name,
            self.sessions,
            max_turns=self.of.settings.max_turns,
            seed=self.of.seed,
            resamples=self.of.resamples,
            heuristic=self.of.heuristic.get(self.name, {}),
            tokens=self.tokens,
        )

    @cached_property
    def tokens(self) -> int:
        """Tokens of the model's own calls, prompts and answers."""
        mine = (s.usage for s in self.of.costs if s.role == "target" and s.model == self.name)
        return sum(usage.prompt_tokens + usage.completion_tokens for usage in mine)

    def by(self, what: str) -> Mapping[Key, Slice]:
        """CSR and ISR with intervals per key of a breakdown, one of `evolif.metrics.BREAKDOWNS`.

        These are `group`, `mode` (`length/words.less_than`), `depth`, `load`, `move`, `operation`, `synthesizer`,
        `register`, `turn`, `formality`.
        """
        if what not in self._slices:
            self._slices[what] = breakdown(
                self.sessions,
                self.of.facts.values(),
                what,
                formality=self.of.formality,
                seed=self.of.seed,
                resamples=self.of.resamples,
            )
        return self._slices[what]

    def figures_by(self, kind: str) -> Mapping[str, MetricFigures]:
        """The eight metrics with intervals per kind of dialogue, one of `KINDS`."""
        if kind not in self._figures:
            self._figures[kind] = metrics_by(
                self.sessions,
                self.of.facts.values(),
                kind,
                formality=self.of.formality,
                seed=self.of.seed,
                resamples=self.of.resamples,
            )
        return self._figures[kind]

    @cached_property
    def hazard(self) -> tuple[Hazard, ...]:
        """Per judged turn, the share of the sessions still running that ends there."""
        return hazard(self.sessions)

    @cached_property
    def survival(self) -> Survival:
        """The Kaplan-Meier curve, up to the cap.

        Raises:
            UsageError: SciPy (extra `report`) is not installed.
        """
        return survival(
            self.sessions, max_turns=self.of.settings.max_turns, seed=self.of.seed, resamples=self.of.resamples
        )

    @cached_property
    def survival_bounds(self) -> SurvivalBounds | None:
        """Where sessions are suspended or withheld: the curves if all had failed, or gone on to the cap.

        Raises:
            UsageError: SciPy (extra `report`) is not installed.
        """
        if self.summary.bounds is None:
            return None
        return survival_bounds(
            self.sessions, max_turns=self.of.settings.max_turns, seed=self.of.seed, resamples=self.of.resamples
        )

    @cached_property
    def patience_sweep(self) -> tuple[SweepPoint, ...]:
        """The figures for patience 1, 2, … up to the run's own, exact, by replay."""
        return patience_sweep(self.sessions, self.of.settings.patience, seed=self.of.seed, resamples=self.of.resamples)


def subsample_sizes(models: Sequence[ModelAnalysis]) -> list[int]:
    """Sizes of subsamples for rank stability, below the number of dialogues there are."""
    dialogues = max((len({s.dialogue for s in model.sessions}) for model in models), default=0)
    return [size for size in SIZES if size < dialogues]


def analyse(
    runs: Iterable[Run],
    *,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    benchmark: Benchmark | None = None,
) -> list[RunAnalysis]:
    """One analysis per run; nothing is computed yet.

    Args:
        runs: Open for reading.
        seed: Of every bootstrap and permutation.
        resamples: Of every bootstrap.
        benchmark: The runs' benchmark, where it is at hand.
    """
    return [RunAnalysis(run, seed, resamples, benchmark) for run in runs]


def _heuristic(run: Run, model: str, early: EarlyEnd | None) -> Mapping[str, Satisfaction]:
    told: dict[str, Satisfaction] = {}
    for session, records in run.transcripts(model):
        if session.ending not in ("finished", "censored") or (early and session.dialogue not in early.dialogues):
            continue
        for verdict in (verdict for record in records for verdict in record.heuristic):
            had = told.get(verdict.group, Satisfaction(0, 0))
            told[verdict.group] = Satisfaction(had.satisfied + bool(verdict.satisfied), had.judged + 1)
    return dict(sorted(told.items()))

"""Which runs may be compared, and the models of comparable runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as data_field
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

from evolif.errors import UsageError
from evolif.metrics import PROCESS, MetricTable, Ranking, RankStability
from evolif.metrics.ranking import ranking
from evolif.metrics.ranks import rank_stability, split_half_stability
from evolif.report.analysis import ModelAnalysis, ModelSummary, RunAnalysis
from evolif.report.at_floor import floor_sentence
from evolif.report.coverage import unit_words
from evolif.runner import Run, RunSettings, different_fields
from evolif.runner.settings import COUNTED
from evolif.scenario import Scenario, get_scenario
from evolif.types import Session
from evolif.util.suggestions import did_you_mean, one_of

PairKind = Literal["models", "context", "feedback", "partner", "options", "system-prompt", "judge"]
"""What makes the difference: the models (or the runs) themselves, or a setting."""

ACROSS: Mapping[PairKind, frozenset[str]] = {
    "context": frozenset({"context", "context_model"}),
    "feedback": frozenset({"feedback"}),
    "partner": frozenset({"partner"}),
    "options": frozenset({"options"}),
    "system-prompt": frozenset({"system_prompt"}),
    "judge": frozenset({"judge"}),
}
"""What two runs of one model may be compared across, and the settings in which they then differ."""
ABLATIONS: tuple[PairKind, ...] = ("system-prompt", "judge")
"""Those that `--ablation` names."""

_DECIDING = frozenset(
    {"benchmark", "profile", "patience", "max_turns", "cap_counts", "reading_rules", "scenario", "own_code"}
    | {"relevance_counts"}.union(*ACROSS.values())
)
"""Settings that determine the figures of every model; sampling is considered part of the model."""

_HARMLESS = frozenset({"seed", "judge_endpoints", "other_endpoints"})
"""Settings that may differ in an ablation that the user asked for: another draw, the same judge elsewhere."""

_SHOWN = 3


REPLAYED = frozenset({"patience", "max_turns"})
"""Settings in which two runs may differ that are compared: both are cut to the smaller one."""


def kind_of(
    a: Run, b: Run, *, same_model: bool, ablation: str | None = None, across: str | None = None, replay: bool = False
) -> tuple[PairKind, tuple[str, ...]]:
    """The kind of a comparison of two runs, and their other differences.

    Args:
        a: One run.
        b: The other, or the same.
        same_model: Whether one model is compared with itself under other settings.
        ablation: One of `ABLATIONS`, if the user named the intended difference.
        across: The same, as one of `ACROSS`.
        replay: Whether the two are cut to the smaller patience and cap, so that they may differ in them.

    Returns:
        The kind, and other different settings that do not forbid a comparison (temperature, seed), as clauses.

    Raises:
        UsageError: judge or benchmark differ, cap or patience without a replay, or more than the intended difference;
            the sentence names it.
    """
    wanted = _wanted(ablation, across)
    fields = _different(a.settings, b.settings)
    wrong = _deciding(a.settings, fields)
    if replay:
        wrong -= REPLAYED
    kind: PairKind = "models"
    for name, own in ACROSS.items():
        # Only the system prompt is found without a request: the others are compared if the user asks for it.
        if same_model and wrong and wrong <= own and name in (wanted, "system-prompt"):
            kind, wrong = name, frozenset()
    besides = fields - _HARMLESS - ACROSS.get(kind, frozenset())
    if wanted is not None and (wanted != kind or besides):
        flag = "--ablation" if across is None else "--across"
        raise UsageError(_not_so(f"{flag} {wanted}", wanted, a.settings, b.settings, fields, same_model=same_model))
    if wrong:
        clauses = "; ".join(_clauses(a.settings, b.settings, wrong))
        raise UsageError(f"these runs cannot be compared: {clauses}. {_advice(wrong, same_model=same_model)}")
    if kind != "options":  # an option may change what is asked
        _refuse_edited(a, b)
    return kind, _clauses(a.settings, b.settings, fields - ACROSS.get(kind, frozenset()))


def _deciding(settings: RunSettings, fields: frozenset[str]) -> frozenset[str]:
    """Those of some different settings that determine figures: the gate only where it counts."""
    return fields & (_DECIDING | {"relevance"} if settings.relevance_counts else _DECIDING)


def deciding_differences(a: RunSettings, b: RunSettings) -> tuple[str, ...]:
    """The settings by which figures of two runs are of different things; empty if they are of the same.

    Returns:
        Names of fields, in the order of `RunSettings`.
    """
    wrong = _deciding(a, _different(a, b))
    return tuple(name for name in RunSettings.model_fields if name in wrong)


def setting_words(field: str, settings: RunSettings) -> str:
    """One setting with its value, in words: “patience 3”, “judge none”."""
    if field == "options":
        return f"options {_options(settings.options)}"
    if field in ("max_turns", "cap_counts"):
        return f"cap of {settings.cap}"
    subject, show = _WORDS.get(field, (field.replace("_", " "), str))
    return f"{subject.removeprefix('the ').partition(' (')[0]} {show(getattr(settings, field))}"


def _wanted(ablation: str | None, across: str | None) -> PairKind | None:
    """The intended difference.

    Raises:
        UsageError: there is no such difference, or two.
    """
    if ablation is not None and across is not None and ablation != across:
        raise UsageError(f"--ablation {ablation} and --across {across} differ; give one of them")
    for name, known, flag in ((across, tuple(ACROSS), "--across"), (ablation, ABLATIONS, "--ablation")):
        for one in known:
            if one == name:
                return one
        if name is not None:
            what = (
                f"unknown ablation “{name}”" if flag == "--ablation" else f"runs are not compared {flag[2:]} “{name}”"
            )
            raise UsageError(f"{what}{did_you_mean(name, known)}; use {one_of(known)}")
    return None


def _different(a: RunSettings, b: RunSettings) -> frozenset[str]:
    fields = frozenset(different_fields(a, b))
    # With a panel every turn is judged, so what the cap counts follows from the judge.
    return fields - {"cap_counts"} if "judge" in fields else fields


def _clauses(a: RunSettings, b: RunSettings, fields: Collection[str]) -> tuple[str, ...]:
    """A clause per setting with its two values."""
    clauses = []
    for field in (name for name in RunSettings.model_fields if name in fields):
        if field == "benchmark":
            clauses.append("they use different benchmarks (specification, topics or personas)")
        elif field == "judge_endpoints":
            clauses.append("the judge used different endpoints")
        elif field == "other_endpoints":
            clauses.append("the partner or the context strategy's model used different endpoints")
        else:
            subject, show = _WORDS.get(field, (f"the setting {field}", str))
            first, second = show(getattr(a, field)), show(getattr(b, field))
            clauses.append(f"{subject} is {first} in the first and {second} in the second")
    return tuple(clauses)


def _advice(wrong: frozenset[str], *, same_model: bool) -> str:
    if wrong == {"judge"}:
        return "Rejudge one run with the judge of the other (evolif rejudge), and compare the result" + (
            "; --ablation judge shows the effect of the judge itself" if same_model else ""
        )
    if wrong == {"system_prompt"}:
        return "Compare two models with the same system prompt; --ablation system-prompt shows its effect on one model"
    for kind in ("context", "feedback", "partner", "options"):
        if wrong <= ACROSS[kind]:
            return f"Compare two models with the same {kind}; --across {kind} shows its effect on one model"
    if wrong == {"patience"}:
        return "evolif report also shows the run with the larger patience at the smaller one (patience sweep)"
    return "Compare runs with the same cap, patience, judge and benchmark"


def _not_so(
    flag: str, wanted: PairKind, a: RunSettings, b: RunSettings, fields: Collection[str], *, same_model: bool
) -> str:
    if not same_model:
        return f"{flag} compares a model with itself; choose a model of both runs with --model"
    clauses = "; ".join(_clauses(a, b, fields)) or "these two have the same settings"
    return f"{flag} needs two runs that differ only in the {wanted.replace('-', ' ')}, but {clauses}"


def setting_of(kind: PairKind, settings: RunSettings, context: str | None = None) -> str:
    """The setting that a comparison is about, in words: “context last:4”.

    Args:
        kind: Of the comparison.
        settings: Of a run.
        context: What its context strategy is called, where its whole name is too long.
    """
    if kind == "options":
        return f"options {_options(settings.options)}"
    if kind == "system-prompt":
        return f"prompt {'on' if settings.system_prompt else 'off'}"
    value = {
        "context": context or settings.context,
        "feedback": settings.feedback,
        "partner": settings.partner or "none",
        "judge": settings.judge,
    }.get(kind, "")
    more = f" ({settings.context_model})" if kind == "context" and settings.context_model else ""
    return f"{kind} {value}{more}"


def _options(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in options.items()) or "by default"


def _refuse_edited(a: Run, b: Run) -> None:
    """Check that both runs asked the same turns: the identity of a benchmark does not cover its wording."""
    if a is b:
        return
    known = {(dialogue, turn): digest for dialogue, turn, digest in a.store.used_turns()}
    edited = [
        f"turn {turn} of dialogue {dialogue}"
        for dialogue, turn, digest in b.store.used_turns()
        if known.get((dialogue, turn), digest) != digest
    ]
    if edited:
        listed = ", ".join(edited[:_SHOWN]) + (f" and {len(edited) - _SHOWN} more" if len(edited) > _SHOWN else "")
        raise UsageError(
            f"these runs cannot be compared: the benchmark was edited between them ({listed})."
            " Evaluate both on the same turns; evolif evaluate --fork NEW keeps the answers that they share"
        )


def _value(value: Any) -> str:
    return "the provider's own" if value is None else str(value)


_WORDS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "scenario": ("the scenario", _value),
    "partner": ("the partner", lambda name: name or "none"),
    "context_model": ("the context strategy's model", lambda name: name or "none"),
    "options": ("the setting of the scenario's options (--set)", _options),
    "relevance": ("the relevance gate", lambda gate: gate or "none"),
    "relevance_counts": ("the counting of relevance", lambda on: "on" if on else "off"),
    "own_code": ("the code of the constraint groups", lambda code: ", ".join(code.values())),
    "profile": ("the profile", _value),
    "judge": ("the judge", _value),
    "patience": ("the patience", lambda patience: "off" if patience is None else str(patience)),
    "max_turns": ("the cap (--max-turns)", _value),
    "cap_counts": ("the unit of the cap", COUNTED.__getitem__),
    "system_prompt": ("the system prompt", lambda on: "on" if on else "off"),
    "context": ("the context strategy", _value),
    "feedback": ("the feedback", _value),
    "temperature": ("the temperature", _value),
    "max_tokens": ("the longest answer (--max-tokens)", _value),
    "seed": ("the sampling seed", _value),
    "reading_rules": ("the edition of the reading rules", _value),
}


SIZES = (5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500)
"""Dialogues in the subsamples of rank stability; only those below the number of dialogues are used."""

LEADING = ("isr", "edr_len", "exhaustion_rate")
"""What models are ranked by besides the headline, where patience ends sessions; otherwise by all their metrics."""

FEWEST_MODELS = 3
"""With fewer models, the correlation of rankings is meaningless."""


def leading(table: MetricTable) -> tuple[str, ...]:
    """The metrics that models are ranked by: the headline first."""
    known = [name for name in LEADING if name in table.ratios]
    return tuple(dict.fromkeys((table.main, *(known or (name for name in table.ratios if name not in table.beside)))))


@dataclass(frozen=True)
class ComparableRuns:
    """Models side by side.

    Attributes:
        analyses: The runs they come from, in the order given.
        why_alone: Why the runs of a report have separate tables; empty if they share one.
    """

    analyses: tuple[RunAnalysis, ...]
    why_alone: str = ""

    @property
    def reference(self) -> int:
        """Which of a model's runs the others are compared with, where none is under the full history."""
        return 0

    @cached_property
    def models(self) -> tuple[ModelAnalysis, ...]:
        """In the order of runs and models."""
        return tuple(model for analysis in self.analyses for model in analysis.models)

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """A unique name per model.

        With its context strategy and how the person reacts where runs differ in that, with its run where two models
        then share a name, and with a number if needed.
        """
        names = [model.name for model in self.models]
        strategies = short_names([model.of.settings.context for model in self.models])
        reactions = [setting_of("feedback", model.of.settings) for model in self.models]
        for told in (strategies, reactions):
            if len(set(told)) > 1:
                names = [f"{name}, {setting}" for name, setting in zip(names, told, strict=True)]
        named = [n if names.count(n) == 1 else f"{n} ({m.of.name})" for n, m in zip(names, self.models, strict=True)]
        return tuple(n if named.count(n) == 1 else f"{n} {named[:i].count(n) + 1}" for i, n in enumerate(named))

    def by_run(self) -> Iterator[tuple[RunAnalysis, Sequence[str], Sequence[ModelSummary]]]:
        """Each run with the unique names and the summaries of its models."""
        named = list(zip(self.heads, self.models, strict=True))
        for analysis in self.analyses:
            own = [(head, model) for head, model in named if model.of is analysis]
            yield analysis, [head for head, _ in own], [model.summary for _, model in own]

    @cached_property
    def references(self) -> tuple[ModelAnalysis, ...]:
        """Simulated models that know the answers; none where there are no others."""
        known = self.scenario.presentation.references
        found = tuple(m for m in self.models if m.name.partition("?")[0] in {f"sim/{name}" for name in known})
        return found if len(found) < len(self.models) else ()

    @cached_property
    def contestants(self) -> ComparableRuns:
        """The same runs without `references`."""
        apart = self.references
        return self.only([model for model in self.models if model not in apart]) if apart else self

    def only(self, models: Iterable[ModelAnalysis]) -> ComparableRuns:
        """The same runs with some of their models."""
        return _Chosen(self.analyses, self.why_alone, tuple(models))

    @cached_property
    def scenario(self) -> Scenario:
        """What the runs played.

        Raises:
            UsageError: it is not installed here.
        """
        return get_scenario(self.analyses[0].settings.scenario)

    @property
    def summaries(self) -> list[ModelSummary]:
        """The summaries of all models."""
        return [model.summary for model in self.models]

    @property
    def cap(self) -> int:
        """The largest number of turns that a session could have."""
        return max(analysis.settings.max_turns for analysis in self.analyses)

    @property
    def has_patience(self) -> bool:
        """Whether exhausted patience ends sessions; only then there are survival curves and a patience sweep."""
        return any(analysis.settings.patience is not None for analysis in self.analyses)

    @cached_property
    def tables(self) -> tuple[MetricTable, ...]:
        """The metric tables of the runs."""
        return tuple(dict.fromkeys(table for analysis in self.analyses for table in analysis.tables))

    @property
    def title_of_metrics(self) -> str:
        """Their metrics, for a title."""
        own = [name for table in self.tables for name in table.ratios]
        return "ISR@N and the eight metrics" if own == list(PROCESS.ratios) else "The metrics"

    @cached_property
    def rank_stability(self) -> tuple[RankStability, ...]:
        """How the ranking by the headline on subsamples agrees with that on all, as in the paper's Table 4.

        A subsample is part of all: `split_half` says whether other dialogues agree. Empty with fewer than three models.
        """
        sizes = [size for size in SIZES if size < self._dialogues]
        if len(self.models) < FEWEST_MODELS or not sizes or not self.tables:
            return ()
        first = self.analyses[0]
        return rank_stability(self._sessions, sizes, metric=first.headline.name, table=self.tables[0], seed=first.seed)

    @cached_property
    def split_half(self) -> tuple[RankStability, ...]:
        """How the rankings by the headline on two halves without a shared dialogue agree.

        Empty with fewer than three models or ten dialogues.
        """
        half = self._dialogues // 2
        if len(self.models) < FEWEST_MODELS or half < SIZES[0] or not self.tables:
            return ()
        sizes = [*(size for size in SIZES if size < half), half]
        return split_half_stability(self._sessions, sizes, table=self.tables[0], seed=self.analyses[0].seed)

    @cached_property
    def ranking(self) -> Ranking | None:
        """The order of the models in the leading metrics, the headline's with intervals; None with fewer than two.

        Models at the floor have no place.

        Raises:
            UsageError: NumPy (extra `report`) is not installed.
        """
        if len(self.models) < 2 or not self.tables:
            return None
        table, first = self.tables[0], self.analyses[0]
        draws = {"seed": first.seed, "resamples": first.resamples}
        names = tuple(dict.fromkeys((first.headline.name, *leading(table))))
        return ranking(self._ranked, table=table, metrics=names, **draws)

    @cached_property
    def at_floor(self) -> Mapping[str, str]:
        """Models that are no better than answers that follow nothing, and so have no rank: name to a sentence."""
        found = {head: floor_sentence(head, model) for head, model in zip(self.heads, self.models, strict=True)}
        return {head: told for head, told in found.items() if told}

    @property
    def _ranked(self) -> Mapping[str, Sequence[Session]]:
        return {head: own for head, own in self._sessions.items() if head not in self.at_floor}

    def units(self, clusters: int, dialogues: int) -> str:
        """How many clusters of dialogues there are, in words: “24 instances (96 dialogues)”, “150 dialogues”."""
        return unit_words(self.analyses[0].cluster, clusters, dialogues)

    @property
    def _sessions(self) -> Mapping[str, Sequence[Session]]:
        return {head: model.sessions for head, model in zip(self.heads, self.models, strict=True)}

    @property
    def _dialogues(self) -> int:
        """The most dialogues that a model has."""
        return max((len({s.dialogue for s in model.sessions}) for model in self.models), default=0)


@dataclass(frozen=True)
class _Chosen(ComparableRuns):
    chosen: tuple[ModelAnalysis, ...] = data_field(default=(), repr=False)

    @cached_property
    def models(self) -> tuple[ModelAnalysis, ...]:
        return self.chosen


def short_names(contexts: Sequence[str]) -> list[str]:
    """Names of context strategies with no more options than it takes to tell them apart: `tree`, `tree?theta=0.5`."""
    bases: dict[str, list[str]] = {}
    for name in dict.fromkeys(contexts):
        bases.setdefault(name.partition("?")[0], []).append(name)
    short = {}
    for base, alike in bases.items():
        options = {name: dict.fromkeys(filter(None, name.partition("?")[2].split("&"))) for name in alike}
        told = {name: [one for one in own if any(one not in other for other in options.values())]
                for name, own in options.items()}  # fmt: skip
        most = max(map(len, told.values()))
        # As few of the options in which they differ as leave no two names alike.
        enough = next((n for n in range(most) if len({tuple(own[:n]) for own in told.values()}) == len(alike)), most)
        for name, own in told.items():
            short[name] = f"{base}?{'&'.join(own[:enough])}" if own[:enough] else base
    return [short[name] for name in contexts]


def differ_in_feedback(runs: ComparableRuns) -> bool:
    """Whether the person reacts in another way in some of the runs."""
    return len({one.settings.feedback for one in runs.analyses}) > 1


def feedback_pairs(runs: ComparableRuns) -> list[tuple[ModelAnalysis, ModelAnalysis]]:
    """Each model with what it is compared with: itself without feedback, or else in its first run."""
    pairs = []
    for name in dict.fromkeys(model.name for model in runs.models):
        own = [model for model in runs.models if model.name == name]
        base = next((model for model in own if model.of.settings.feedback == "none"), own[runs.reference % len(own)])
        pairs += [(model, base) for model in own if model.of.settings.feedback != base.of.settings.feedback]
    return pairs


def told_of_feedback(runs: ComparableRuns) -> str | None:
    """What stands for the setting in a line about all runs; None where they agree."""
    modes = list(dict.fromkeys(analysis.settings.feedback for analysis in runs.analyses))
    return f"feedback {', '.join(modes[:-1])} and {modes[-1]}" if len(modes) > 1 else None


def _check_together(one: Run, other: Run) -> None:
    """Check that two runs may stand side by side.

    They may be compared, or differ in the context strategy alone, or in how the person reacts, or in options that their
    scenario lets stand beside each other.

    Raises:
        UsageError: none of it; says why they cannot be compared.
    """
    try:
        kind_of(one, other, same_model=False)
    except UsageError as fault:
        if _differ_only_beside(one.settings, other.settings):
            return
        if not any(_comparable_across(one, other, setting) for setting in ("context", "feedback")):
            raise fault from None


def _comparable_across(one: Run, other: Run, setting: str) -> bool:
    try:
        kind_of(one, other, same_model=True, across=setting)
    except UsageError:
        return False
    return True


def _differ_only_beside(one: RunSettings, other: RunSettings) -> bool:
    if _different(one, other) & _DECIDING != {"options"}:
        return False
    keys = {key for key in {*one.options, *other.options} if one.options.get(key) != other.options.get(key)}
    return keys <= get_scenario(one.scenario).side_options


def partition_comparable(analyses: Sequence[RunAnalysis]) -> list[tuple[RunAnalysis, ...]]:
    """The runs in groups of which each may stand in one ranking.

    Unlike `group_comparable`, which is for one report, this separates what cannot be compared and keeps the rest
    together, and runs that differ in the context strategy or in the person's reactions are not alike. A run joins the
    first group with all of whose runs it can be compared.

    Args:
        analyses: In the order in which the groups and their runs are returned.
    """
    groups: list[list[RunAnalysis]] = []
    for one in analyses:
        group = next((known for known in groups if all(_is_alike(one.run, other.run) for other in known)), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return list(map(tuple, groups))


def _is_alike(one: Run, other: Run) -> bool:
    if deciding_differences(one.settings, other.settings):
        return False  # before the turns are read
    try:
        kind_of(one, other, same_model=False)
    except UsageError:
        return False
    return True


def group_comparable(analyses: Sequence[RunAnalysis]) -> list[ComparableRuns]:
    """All runs together if they may stand side by side, else each separately.

    Those that stand alone say why.
    """
    try:
        for one, other in combinations(analyses, 2):
            _check_together(one.run, other.run)
    except UsageError as fault:
        return [ComparableRuns((one,), why_alone=str(fault) if one is analyses[0] else "") for one in analyses]
    return [ComparableRuns(tuple(analyses))] if analyses else []

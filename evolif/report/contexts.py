"""Models under several context strategies: tokens, and what each strategy gains and saves, paired by dialogue."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evolif.contexts import FullHistory
from evolif.metrics import FEWEST, Cluster, Interval, Metric, MetricTable, cluster_rows
from evolif.metrics.distributions import student_quantile
from evolif.metrics.intervals import freedom_of, ratio_interval, standard_error
from evolif.metrics.table import clustered
from evolif.report.analysis import ModelAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.context_size import ContextSize
from evolif.scenario import Scenario
from evolif.types import Session

TABLE = "contexts"
"""The name of the table of tokens and own cost; a scenario whose chapters name it always shows it."""
FIGURE = "tokens"
"""The name of the figure of scores against tokens."""
EFFECTS, CLASSES = "context-effects", "context-classes"
"""The names of the tables of gains and savings, over all dialogues and by number of rounds."""

TREE = "tree"
"""The strategy whose decisions make topic trees."""

_Row: TypeAlias = tuple[float, float, float, float, float]
"""Of one dialogue: numerator and denominator of the score, context tokens, these with own ones, turns."""
_Classes: TypeAlias = Sequence[tuple[float, ...]]
"""Sums over the dialogues of each class: those of the strategy, then those of the reference."""
_Clusters: TypeAlias = dict[Cluster, tuple[float, ...]]
"""Of one class of dialogues, cluster to the sums of the strategy, then of the reference."""
_Figure: TypeAlias = Callable[[_Classes], float | None]
_NONE: _Row = (0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Percent:
    """A relative change in per cent; None where it is undefined.

    Its 95 % interval, Student's over clusters with the jackknife, is None with fewer than six, or where all agree.
    """

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class ContextEffect:
    """What a strategy does to one model, over the dialogues that both runs have.

    Attributes:
        name: Of the model under the strategy.
        reference: What it is compared with: the same model under `full`, or else under the first strategy.
        rounds: The class of dialogues; None for all.
        dialogues: How many both have.
        gain: Of the score: 100 × (strategy ÷ reference − 1); a loss is negative.
        drop: Of context tokens a turn; a saving is negative. Over all, classes of rounds count alike.
        total_drop: The same with the tokens of the strategies' own calls.
    """

    name: str
    reference: str
    rounds: int | None
    dialogues: int
    gain: Percent
    drop: Percent
    total_drop: Percent


@dataclass(frozen=True, slots=True)
class ClassScore:
    """The score over dialogues of one number of rounds."""

    value: float | None
    interval: Interval | None = None


def strategy_base(name: str) -> str:
    """The name of a strategy without its parameters."""
    return name.partition("?")[0].partition(":")[0]


def differ_in_context(runs: ComparableRuns) -> bool:
    """Whether the runs have more than one strategy."""
    return len({(one.settings.context, one.settings.context_model) for one in runs.analyses}) > 1


def shows_contexts(runs: ComparableRuns) -> bool:
    """Whether a report tells of strategies: if one is not `full`, or if the scenario is about them."""
    return any(one.settings.context != FullHistory.name for one in runs.analyses) or is_about_contexts(runs.scenario)


def is_about_contexts(scenario: Scenario) -> bool:
    """Whether the scenario's chapters name the table of strategies."""
    return any(TABLE in chapter.tables for chapter in scenario.presentation.chapters)


def context_sizes(runs: ComparableRuns) -> list[ContextSize | None]:
    """Tokens and own cost of each model; runs under `full` get the system text from others, where these know it.

    Raises:
        UsageError: as `evolif.report.context_size`.
    """
    sizes = [model.context_size for model in runs.models]
    known = [size for size in sizes if size is not None and size.has_system]
    found = []
    for model, size in zip(runs.models, sizes, strict=True):
        if size is not None and model.of.settings.system_prompt and not size.has_system:
            told = (size.with_system(other) for other in known)
            size = next((one for one in told if one.has_system), size)
        found.append(size)
    return found


def score_of(runs: ComparableRuns) -> tuple[MetricTable, Metric] | None:
    """What is shown against tokens: the scenario's own headline, else CSR, else the headline; None without figures."""
    if not runs.tables:
        return None
    first = runs.tables[0]
    own = runs.analyses[0].scenario.table(runs.analyses[0].settings.options)
    if own is None:
        for table in runs.tables:
            if "csr" in table.ratios:
                return table, table.metric("csr")
    return first, first.metric(runs.analyses[0].headline.name if first is runs.analyses[0].tables[0] else first.main)


def class_scores(model: ModelAnalysis, size: ContextSize, scored: tuple[MetricTable, Metric]) -> dict[int, ClassScore]:
    """The score of a model by the number of rounds of its dialogues."""
    table, metric = scored
    top, bottom = table.places(metric.name)
    classes = {session.dialogue: session.rounds for session in size.sessions}
    of_class: defaultdict[int, list[Session]] = defaultdict(list)
    for session in model.counted:
        rounds = classes.get(session.dialogue)
        if rounds is not None:
            of_class[rounds].append(session)
    found = {}
    for rounds in sorted(of_class):
        rows = cluster_rows(table, of_class[rounds]).values()
        tops, bottoms = [row[top] for row in rows], [row[bottom] for row in rows]
        value = math.fsum(tops) / math.fsum(bottoms) if any(bottoms) else None
        most = model.of.settings.max_turns if metric.unit == "turns" else None
        found[rounds] = ClassScore(value, ratio_interval(tops, bottoms, rate=metric.unit == "rate", most=most))
    return found


def context_effects(runs: ComparableRuns) -> list[ContextEffect]:
    """What each strategy gains and saves, overall and by the number of rounds; empty with one strategy.

    Raises:
        UsageError: as `evolif.report.context_size`.
    """
    scored = score_of(runs)
    if scored is None or not differ_in_context(runs):
        return []
    sides = {
        id(model): (head, model, size)
        for head, model, size in zip(runs.heads, runs.models, context_sizes(runs), strict=True)
        if size is not None
    }
    found = []
    for one, base in reference_pairs(runs):
        if id(one) in sides and id(base) in sides:
            found += _effects(sides[id(one)], sides[id(base)], scored)
    return found


def reference_pairs(runs: ComparableRuns) -> list[tuple[ModelAnalysis, ModelAnalysis]]:
    """Each model under a strategy with what it is compared with: itself under `full`, or else in its first run."""
    pairs = []
    for name in dict.fromkeys(model.name for model in runs.models):
        own = [model for model in runs.models if model.name == name]
        base = next(
            (model for model in own if model.of.settings.context == FullHistory.name), own[runs.reference % len(own)]
        )
        pairs += [(model, base) for model in own if _context(model) != _context(base)]
    return pairs


def _context(model: ModelAnalysis) -> tuple[str, str]:
    return model.of.settings.context, model.of.settings.context_model


_Side: TypeAlias = tuple[str, ModelAnalysis, ContextSize]


def _effects(one: _Side, base: _Side, scored: tuple[MetricTable, Metric]) -> list[ContextEffect]:
    (name, model, size), (reference, other, base_size) = one, base
    mine, theirs = _rows(model, size, scored), _rows(other, base_size, scored)
    shared = sorted(mine.keys() & theirs.keys())
    if not shared:
        return []
    if size.has_system != base_size.has_system:
        # A system text that only one of the two counts would pass for a difference of the strategies.
        mine, theirs = ({d: _without_tokens(row) for d, row in side.items()} for side in (mine, theirs))
    classes = {session.dialogue: session.rounds for session in base_size.sessions}
    clusters = {session.dialogue: session.cluster for session in base_size.sessions}
    sums: dict[int | None, _Clusters] = {}
    for dialogue in shared:
        own = sums.setdefault(classes.get(dialogue), {})
        before = own.get(clusters[dialogue], (0.0,) * 10)
        row = (*mine[dialogue], *theirs[dialogue])
        own[clusters[dialogue]] = tuple(one + more for one, more in zip(before, row, strict=True))
    numbers = Counter(classes.get(dialogue) for dialogue in shared)
    found = [_effect(name, reference, None, len(shared), list(sums.values()))]
    known = sorted(rounds for rounds in sums if rounds is not None)
    found += [_effect(name, reference, rounds, numbers[rounds], [sums[rounds]]) for rounds in known]
    return found


def _rows(model: ModelAnalysis, size: ContextSize, scored: tuple[MetricTable, Metric]) -> dict[int, _Row]:
    table, metric = scored
    top, bottom = table.places(metric.name)
    scores = cluster_rows(clustered(table, ""), model.counted)
    rows: dict[int, _Row] = {}
    for session in size.sessions:
        if session.dialogue not in scores:
            continue
        _, _, context, total, turns = rows.get(session.dialogue, _NONE)
        score = scores[session.dialogue]
        context += sum(turn.tokens for turn in session.turns)
        total += sum(turn.tokens + turn.own.tokens for turn in session.turns)
        rows[session.dialogue] = (score[top], score[bottom], context, total, turns + len(session.turns))
    return rows


def _without_tokens(row: _Row) -> _Row:
    return row[0], row[1], 0.0, 0.0, row[4]


def _effect(name: str, reference: str, rounds: int | None, dialogues: int, sums: Sequence[_Clusters]) -> ContextEffect:
    return ContextEffect(
        name, reference, rounds, dialogues, *(_percent(figure, sums) for figure in (_gain, _drop, _total_drop))
    )


def _percent(figure: _Figure, classes: Sequence[_Clusters]) -> Percent:
    point = [_total(own.values()) for own in classes]
    value = figure(point)
    if value is None or min(map(len, classes), default=0) < FEWEST:
        return Percent(value)
    without = []
    for cluster in dict.fromkeys(cluster for own in classes for cluster in own):
        left = [
            tuple(one - less for one, less in zip(sums, own.get(cluster, (0.0,) * len(sums)), strict=True))
            for sums, own in zip(point, classes, strict=True)
        ]
        found = figure(left)
        if found is None:
            return Percent(value)
        without.append(found)
    mean = math.fsum(without) / len(without)
    influence = [(len(without) - 1) * (mean - one) for one in without]
    if all(math.isclose(one, 0.0, abs_tol=1e-9) for one in influence):
        return Percent(value)  # an interval of a single point says nothing: all dialogues agree
    half = student_quantile(freedom_of(influence)) * standard_error(influence)
    return Percent(value, (value - half, value + half))


def _total(rows: Iterable[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(map(math.fsum, zip(*rows, strict=True)))


def _gain(classes: _Classes) -> float | None:
    top, bottom, base_top, base_bottom = (math.fsum(row[place] for row in classes) for place in (0, 1, 5, 6))
    if bottom <= 0 or base_bottom <= 0 or base_top <= 0:
        return None
    return 100 * (top / bottom / (base_top / base_bottom) - 1)


def _drop(classes: _Classes) -> float | None:
    return _mean_drop([(row[2], row[4], row[7], row[9]) for row in classes])


def _total_drop(classes: _Classes) -> float | None:
    return _mean_drop([(row[3], row[4], row[8], row[9]) for row in classes])


def _mean_drop(classes: Sequence[tuple[float, float, float, float]]) -> float | None:
    """As `evolif.contexts.act_drop`, from tokens and turns; a class that a resample leaves out is not counted."""
    ratios = [
        tokens / turns / (base / base_turns)
        for tokens, turns, base, base_turns in classes
        if turns > 0 and base_turns > 0 and base > 0
    ]
    return -100 * math.fsum(1 - ratio for ratio in ratios) / len(ratios) if ratios else None

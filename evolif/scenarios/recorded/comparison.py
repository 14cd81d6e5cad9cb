"""Context strategies and memories side by side: the same model, sampling and questions (the paper's memory study).

Every figure has an interval over dialogues. What a strategy itself costs stands apart from the calls of the model.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from evolif.contexts import open_strategy
from evolif.contexts.base import ContextStrategy, Embedder
from evolif.contexts.open import strategy_names
from evolif.errors import (
    AccessError,
    ArgumentError,
    ContextOverflowError,
    JudgeError,
    ModelError,
    UsageError,
    WithheldError,
)
from evolif.judging import Judge, Panel, open_judge
from evolif.models import (
    ChatModel,
    ChatRequest,
    ManagedModel,
    ModelCache,
    ModelOptions,
    ModelRef,
    Reply,
    RequestCache,
    Sampling,
    managed,
    resolve_model,
)
from evolif.models.endpoint import shown
from evolif.runner.clients import cache_place
from evolif.scenarios.recorded.aggregation import parse_aggregation
from evolif.scenarios.recorded.costs import Cost, CountedModel
from evolif.scenarios.recorded.coverage import coverage
from evolif.scenarios.recorded.labels import label_values
from evolif.scenarios.recorded.memories import (
    Memory,
    MemoryStrategy,
    is_memory,
    memory_base,
    memory_names,
    open_memories,
)
from evolif.scenarios.recorded.metrics import metric_name
from evolif.scenarios.recorded.playing import is_off_policy, require_references
from evolif.scenarios.recorded.prompts import shown_labels
from evolif.scenarios.recorded.questions import TEMPLATE, Answered, HistoryView, MemoryView, Questions, RoundsView
from evolif.scenarios.recorded.schema import Dialog, Turn
from evolif.scenarios.recorded.scoring import failure_of, score_turn
from evolif.scenarios.recorded.shared_histories import Ingestion, SharedHistories
from evolif.scenarios.recorded.statistics import bootstrap_interval, paired_difference
from evolif.scenarios.recorded.units import Unit, past
from evolif.util.suggestions import did_you_mean

REFERENCE = "full"
"""The strategy that others are compared with."""
LOCAL_TOKENS = 500
"""The longest answer of a local model, where none is set."""
_OF_QUESTIONS: Mapping[str, Any] = {"turn_stat": "mean", "dialog_stat": "mean", "dataset_level": "turn"}
"""How figures of single questions are averaged."""
Strategy = ContextStrategy | MemoryStrategy
Record = dict[str, Any]


@dataclass(slots=True)
class _Played:
    """What became of the questions under one strategy."""

    strategy: Strategy
    answered: list[tuple[Dialog, Answered]] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    questions: Cost = field(default_factory=Cost)
    """What the strategy spent on questions."""
    answers: Cost = field(default_factory=Cost)
    """What the model under test spent."""
    ingestion: Ingestion | None = None
    """None for context strategies."""
    faults: Counter[str] = field(default_factory=Counter)
    """What could succeed if it were asked again."""

    def unanswered(self, dialog: Dialog, turn: Turn, fault: ModelError) -> None:
        """Add the records of a turn without an answer.

        Raises:
            AccessError: no other call could do better.
        """
        if isinstance(fault, AccessError):
            raise fault
        if not isinstance(fault, ContextOverflowError | WithheldError):
            self.faults[str(fault)] += 1
        kind = "withheld" if isinstance(fault, WithheldError) else "generation"
        self.records += _failed(dialog, turn, kind, str(fault))


async def compare_memories(
    dialogs: Sequence[Dialog],
    strategies: Sequence[str],
    model: ModelRef,
    *,
    judge: Judge | str | ChatModel | Sequence[str | ChatModel] | None = None,
    seed: int = 0,
    aggregate: str = "mean-min-dialog",
    resamples: int = 1000,
    options: ModelOptions | None = None,
    context_model: ModelRef | None = None,
    embedder: Embedder | None = None,
    cache: RequestCache | None = None,
    by: str | None = None,
    templates: Mapping[str, str] | None = None,
    as_released: bool = False,
) -> dict[str, dict[str, Any]]:
    """Put the questions of dialogues to a model under several strategies.

    Args:
        dialogs: With evaluated turns.
        strategies: Names of context strategies (`full`, `last:K`, `tree`, …) and memories (`bm25:K`, `embed:K`,
            plug-ins).
        model: Answers; its name, or an object.
        judge: Scores what rules cannot: a panel, or models; None for nobody.
        seed: Of the resampling, and of simulated models.
        aggregate: How scores become one figure.
        resamples: Draws per interval.
        options: How models are called.
        context_model: What strategies and memories may call, in the role `context`; None for nothing.
        embedder: What makes vectors of texts, for names that name no embedder.
        cache: Keeps the replies of all models by request, so that a comparison that was interrupted pays for none
            twice. A panel that is handed over keeps its own scores.
        by: A label of the dialogues, by whose values figures are broken down.
        templates: Name to text of the judge's templates that came with the dialogues.
        as_released: Whether answers are scored as UniDial-EvalKit's release does.

    Returns:
        By strategy, as named: `score`, `difference` (to `full`, where that is compared too), `hit@1`, `hit@5`,
        `hit@10`, `recall` and `context_tokens`, each `{point, lo, hi}` or None; `ingestion` (None for context
        strategies), `queries` and `answers` with calls, tokens and seconds; `coverage`; `faults`, how often a model or
        a judge could not be reached, by reason; `name` with all parameters; `template`, the version of how snippets are
        shown; `records`, from which the figures are. Hits and recall are None for context strategies, which rank
        nothing. With `by`, `by_label` has `score`, hits, `recall`, `questions` and `dialogues` for each value.

    Raises:
        ArgumentError: no dialogue or strategy, one given twice, a dialogue that cannot be played off-policy, or a label
            that no dialogue has.
        UsageError: a strategy, memory or model cannot be opened; an extra is not installed.
        AccessError: the model refuses the key.
    """
    asked = _checked(dialogs)
    if by is not None and not any(by in label_values(dialog.dialog_labels) for dialog in asked):
        known = sorted({name for dialog in asked for name in label_values(dialog.dialog_labels)})
        raise ArgumentError(f"no dialogue has the label {by}{did_you_mean(by, known)}; labels are {', '.join(known)}")
    stats = dict(zip(("turn_stat", "dialog_stat", "dataset_level"), parse_aggregation(aggregate), strict=True))
    chosen = options or ModelOptions(seed=seed)
    async with AsyncExitStack() as opened:
        kept = _Kept(cache)
        models = await _context_models(context_model, chosen, opened, kept)
        entries = _opened(strategies, models, embedder)
        target = kept.of(await _client(model, chosen, opened), cache_place(model, chosen.base_url))
        panel = await _panel(judge, chosen, opened, kept)
        scoring = _Scoring(panel, dict(templates or {}), as_released)
        table = _Comparison(asked, target, _sampling(model, chosen), scoring)
        played = {name: await table.play(strategy) for name, strategy in entries.items()}
    full = next((one.records for one in played.values() if one.strategy.name == REFERENCE), None)
    figures = _Figures(asked, full, stats, seed, resamples, by)
    return {name: figures.of(one) for name, one in played.items()}


def _checked(dialogs: Sequence[Dialog]) -> list[Dialog]:
    """The dialogues with a question, each of which can be played."""
    ids = [dialog.dialog_id for dialog in dialogs]
    twice = next((number for number in ids if ids.count(number) > 1), None) if len(set(ids)) < len(ids) else None
    if twice is not None:
        raise ArgumentError(f"the dialog_id {twice} is given twice; give every dialogue an id of its own")
    asked = [dialog for dialog in dialogs if any(turn.evaluated for turn in dialog.dialog_turns)]
    if not asked:
        raise ArgumentError("no dialogue has an evaluated turn, so there is no question; set do_eval on one")
    for dialog in asked:
        if is_off_policy(dialog):
            require_references(dialog)
    return asked


def _opened(names: Sequence[str], models: Mapping[str, ChatModel], embedder: Embedder | None) -> dict[str, Strategy]:
    if isinstance(names, str) or not names:
        raise ArgumentError("name at least one strategy, in a list: full, last:4, bm25:10")
    opened: dict[str, Strategy] = {}
    for name in names:
        strategy = open_any(name, models=models, embedder=embedder)
        twice = next((other for other, one in opened.items() if one.name == strategy.name), None)
        if twice is not None or name in opened:
            raise ArgumentError(f"the strategy {strategy.name} is named twice; name each once")
        opened[name] = strategy
    return opened


def open_any(name: str, *, models: Mapping[str, ChatModel] | None = None, embedder: Embedder | None = None) -> Strategy:
    """Open a context strategy or a memory by its name.

    Raises:
        UsageError: there is neither, a parameter is out of range, or a plug-in cannot be loaded.
    """
    if is_memory(name):
        return open_memories(
            name, models={role: CountedModel(one) for role, one in (models or {}).items()}, embedder=embedder
        )
    if memory_base(name) not in {memory_base(known) for known in strategy_names()}:
        known = (*strategy_names(), *memory_names())
        near = did_you_mean(memory_base(name), [memory_base(one) for one in known])
        raise UsageError(f"unknown strategy “{shown(name, '')}”{near}; there are {', '.join(known)}")
    return open_strategy(name, models=models, embedder=embedder)


async def _client(model: ModelRef, options: ModelOptions, opened: AsyncExitStack) -> ManagedModel:
    """A model's client; one that is opened here is closed with the stack."""
    client = resolve_model(model, options)
    if isinstance(model, str):
        opened.push_async_callback(client.aclose)
    return client


async def _context_models(
    model: ModelRef | None, options: ModelOptions, opened: AsyncExitStack, kept: _Kept
) -> dict[str, ChatModel]:
    if model is None:
        return {}
    return {"context": kept.of(await _client(model, options, opened), cache_place(model, options.base_url))}


async def _panel(judge: Any, options: ModelOptions, opened: AsyncExitStack, kept: _Kept) -> Panel | None:
    if judge is None or isinstance(judge, Panel):
        return judge
    named = [judge] if isinstance(judge, str) or not isinstance(judge, Sequence) else list(judge)
    # A judge is asked the same again where its reply could not be read.
    given = [one if isinstance(one, str) else kept.of(one, "", repeats=True) for one in named]
    called = replace(options, base_url=None)  # which is that of the model under test

    def opener(name: str) -> ManagedModel:
        return kept.of(resolve_model(name, called), cache_place(name, None), repeats=True)

    made = open_judge(given, opener=opener)
    if made is None:
        return None
    if not isinstance(made, Panel):
        raise UsageError(f"the judge {made.name} gives no scores; name a model as judge")
    opened.push_async_callback(made.aclose)
    return made


def _sampling(model: ModelRef, options: ModelOptions) -> Sampling:
    return options.sampling(model, local=Sampling(max_tokens=LOCAL_TOKENS))


@dataclass(frozen=True, slots=True)
class _Kept:
    """Models whose replies are kept, where there is a cache."""

    cache: RequestCache | None

    def of(self, model: ChatModel, place: str, *, repeats: bool = False) -> ManagedModel:
        """The model with its cache; simulated ones cost nothing and have none.

        Args:
            model: The model.
            place: Its address without user, key and query.
            repeats: Whether it may deliberately be asked the same again.
        """
        if self.cache is None or model.name.startswith("sim/"):
            return managed(model)
        asked = managed(model)
        cached = _CachedModel(asked, ModelCache(self.cache, model.name, place, repeats=repeats))
        return managed(cached, asked.connections)


class _CachedModel:
    """A model whose answers are kept; implements `ChatModel`."""

    def __init__(self, model: ChatModel, cache: ModelCache) -> None:
        self._model = model
        self._cache = cache
        self.name, self.connections = model.name, model.connections

    async def complete(self, request: ChatRequest) -> Reply:
        """The kept answer, or else the model's."""
        return await self._cache.complete(request, lambda: self._model.complete(request))

    async def aclose(self) -> None:
        """Release the model's connections."""
        await self._model.aclose()


@dataclass(frozen=True, slots=True)
class _Scoring:
    """How answers are scored."""

    panel: Panel | None
    templates: Mapping[str, str]
    as_released: bool


class _Comparison:
    """Plays all dialogues under one strategy after the other."""

    def __init__(self, dialogs: Sequence[Dialog], model: ChatModel, sampling: Sampling, scoring: _Scoring) -> None:
        self._dialogs = {dialog.dialog_id: dialog for dialog in dialogs}
        self._model = model
        self._sampling = sampling
        self._scoring = scoring
        self._histories = {number: _history(dialog) for number, dialog in self._dialogs.items()}

    async def play(self, strategy: Strategy) -> _Played:
        """Play every dialogue once."""
        played = _Played(strategy)
        try:
            await (self._with_memories if isinstance(strategy, MemoryStrategy) else self._with_contexts)(played)
        except BaseExceptionGroup as group:
            raise _first(group) from None
        order = {number: place for place, number in enumerate(self._dialogs)}
        played.records.sort(key=lambda record: order[record["dialog_id"]])  # within a dialogue the order stays
        return played

    async def _with_contexts(self, played: _Played) -> None:
        places = asyncio.Semaphore(self._model.connections)
        strategy = played.strategy
        assert not isinstance(strategy, MemoryStrategy)

        async def one(number: int) -> None:
            async with places:
                await self._dialogue(played, number, RoundsView(strategy, played.questions))

        async with asyncio.TaskGroup() as tasks:
            for number in self._dialogs:
                tasks.create_task(one(number))

    async def _with_memories(self, played: _Played) -> None:
        strategy = played.strategy
        assert isinstance(strategy, MemoryStrategy)

        async def use(number: int, memory: Memory) -> None:
            ingested = len(self._histories[number])
            view = MemoryView(memory, strategy.k, ingested, shared.ingestion.cost, played.questions)
            await self._dialogue(played, number, view)

        def failed(number: int, fault: ModelError) -> None:
            dialog = self._dialogs[number]
            first = next(turn for turn in dialog.dialog_turns if turn.evaluated)
            played.unanswered(dialog, first, fault)

        shared = SharedHistories(self._histories, strategy.new, use, failed, self._model.connections)
        played.ingestion = shared.ingestion
        await shared.play()

    async def _dialogue(self, played: _Played, number: int, view: HistoryView) -> None:
        dialog = self._dialogs[number]
        templates = self._scoring.templates
        questions = Questions(dialog, view, self._model, self._sampling, played.answers, templates)
        stopped = await questions.ask()
        for answered in questions.answered:
            played.answered.append((dialog, answered))
            played.records.extend(await self._scored(played, dialog, answered))
        if stopped is not None:
            played.unanswered(dialog, *stopped)

    async def _scored(self, played: _Played, dialog: Dialog, answered: Answered) -> list[Record]:
        try:
            judgement = await score_turn(
                answered.prompt,
                answered.answer,
                answered.messages,
                self._scoring.panel,
                as_released=self._scoring.as_released,
            )
        except JudgeError as fault:
            played.faults[str(fault)] += 1
            return _failed(dialog, answered.turn, "judge", str(fault))
        records = []
        for score in judgement.scores:
            why = failure_of(score)
            details = {} if why is None else {"failure": why[0], "reason": why[1]}
            records.append(_record(dialog, answered.turn, score.name, score.value, {**details, **_flags(answered)}))
        return records


def _history(dialog: Dialog) -> tuple[Unit, ...]:
    """The units before the first question, which are the same under every strategy."""
    turns = dialog.dialog_turns
    first = next(place for place, turn in enumerate(turns) if turn.evaluated)
    return tuple(each.unit for each in past([(turn, turn.text) for turn in turns[:first]]).rounds)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """One of the faults in a group; the others came with it."""
    fault: BaseException = group
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    return fault


def _failed(dialog: Dialog, turn: Turn, kind: str, reason: str) -> list[Record]:
    names = (metric_name(entry.class_name, entry.args) for entry in turn.eval_config.metrics)
    return [_record(dialog, turn, name, None, {"failure": kind, "reason": reason}) for name in names]


def _flags(answered: Answered) -> dict[str, bool]:
    found = {"empty": not answered.answer.strip(), "cut": answered.cut}
    return {name: True for name, holds in found.items() if holds}


def _record(dialog: Dialog, turn: Turn, name: str, score: float | None, details: Mapping[str, Any]) -> Record:
    return {
        "dialog_id": dialog.dialog_id,
        "turn_id": turn.turn_id,
        "metric_name": name,
        "score": score,
        "details": dict(details),
        "dialog_labels": dialog.dialog_labels,
        "turn_labels": shown_labels(turn),
    }


class _Figures:
    """The figures of strategies, from their records."""

    def __init__(
        self,
        dialogs: Sequence[Dialog],
        full: Sequence[Record] | None,
        stats: Mapping[str, str],
        seed: int,
        resamples: int,
        by: str | None = None,
    ) -> None:
        self._by = by
        self._dialogs = dialogs
        self._full = full
        self._stats: dict[str, Any] = dict(stats)
        self._draws: dict[str, Any] = {"seed": seed, "resamples": resamples}

    def of(self, played: _Played) -> dict[str, Any]:
        """The figures of one strategy."""
        asked = len(played.answered)
        difference = None
        if self._full is not None and played.records is not self._full:
            difference = paired_difference(played.records, self._full, **self._stats, **self._draws)
        return {
            "name": played.strategy.name,
            "score": bootstrap_interval(played.records, **self._stats, **self._draws),
            "difference": difference,
            **self._retrieved(played.answered),
            "context_tokens": self._mean(played.answered, [one.tokens for _, one in played.answered]),
            "ingestion": None if played.ingestion is None else played.ingestion.figures(asked),
            "queries": {"count": asked, **played.questions.figures(asked)},
            "answers": {
                "count": asked,
                "empty": sum(not one.answer.strip() for _, one in played.answered),
                "cut": sum(one.cut for _, one in played.answered),
                "cached": sum(one.cached for _, one in played.answered),
                **played.answers.figures(asked),
            },
            "coverage": coverage(self._dialogs, played.records),
            "faults": dict(played.faults.most_common()),
            "template": None if played.ingestion is None else TEMPLATE,
            "records": played.records,
            **({} if self._by is None else {"by_label": self._by_label(played, self._by)}),
        }

    def _by_label(self, played: _Played, column: str) -> dict[str, dict[str, Any]]:
        """The figures of each value of a label."""
        values: dict[str, set[int]] = {}
        for dialog in self._dialogs:
            for value in label_values(dialog.dialog_labels).get(column, ()):
                values.setdefault(value, set()).add(dialog.dialog_id)
        found = {}
        for value, ids in sorted(values.items()):
            records = [record for record in played.records if record["dialog_id"] in ids]
            answered = [(dialog, one) for dialog, one in played.answered if dialog.dialog_id in ids]
            score = bootstrap_interval(records, **self._stats, **self._draws)
            found[value] = {
                "score": score,
                **self._retrieved(answered),
                "questions": len(answered),
                "dialogues": len({dialog.dialog_id for dialog, _ in answered}),
            }
        return found

    def _retrieved(self, answered: Sequence[tuple[Dialog, Answered]]) -> dict[str, dict[str, float] | None]:
        return {
            name: self._mean(answered, [one.retrieval.get(name) for _, one in answered])
            for name in ("hit@1", "hit@5", "hit@10", "recall")
        }

    def _mean(
        self, answered: Sequence[tuple[Dialog, Answered]], values: Sequence[float | None]
    ) -> dict[str, float] | None:
        """The mean over all questions that have a value; one value per question, in order."""
        records = [
            {"dialog_id": dialog.dialog_id, "turn_id": one.turn.turn_id, "metric_name": "", "score": value}
            for (dialog, one), value in zip(answered, values, strict=True)
        ]
        return bootstrap_interval(records, **_OF_QUESTIONS, **self._draws)

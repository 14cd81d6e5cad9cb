"""A dialogue played inside Inspect: the session is the runner's own, and only the calls are Inspect's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from evolif.config import EvalConfig
from evolif.contexts import open_strategy
from evolif.errors import ContextOverflowError, UsageError, WithheldError
from evolif.inspect.messages import to_inspect
from evolif.judging import open_judge
from evolif.metrics import tables_of
from evolif.models import ChatRequest, ModelRef, Reply, as_list, spec_of
from evolif.runner import RunSettings, SessionKey, plan
from evolif.runner.clients import ClientFactory, is_panel
from evolif.runner.metering import AllowAll
from evolif.runner.records import EndEntry, SessionState, StoreEntry, TurnEntry, VerdictEntry
from evolif.runner.session import RunContext, SessionRunner
from evolif.runner.settings import partner_of
from evolif.runner.shutdown import Shutdown
from evolif.scenario import Benchmark, Environment, Services, get_scenario, options_of
from evolif.types import JudgedTurn, Message, Session, Usage

_CONNECTIONS = 256
"""Calls of one model at a time; Inspect has limits of its own."""


class InspectModel:
    """A model of Inspect as one of ours; implements `ChatModel`.

    Args:
        model: An `inspect_ai.model.Model`.
    """

    connections = _CONNECTIONS

    def __init__(self, model: Any) -> None:
        self._model = model
        self.name = str(model)
        self.fault: Exception | None = None
        """What the last call that failed has raised."""
        self.output: Any = None
        """The last `ModelOutput`."""

    async def complete(self, request: ChatRequest) -> Reply:
        """Have Inspect generate an answer; sampling is as `inspect eval` says, but for the scenario's longest answer.

        Raises:
            ContextOverflowError: the conversation is too long for the model.
            WithheldError: a content filter withheld the answer.
        """
        from inspect_ai.model import GenerateConfig

        longest = request.sampling.max_tokens
        config = GenerateConfig() if longest is None else GenerateConfig(max_tokens=longest)
        try:
            output = await self._model.generate([to_inspect(one) for one in request.messages], config=config)
        except Exception as fault:
            self.fault = fault
            raise
        self.output = output
        if output.stop_reason == "model_length":
            raise ContextOverflowError(f"{self.name}: the conversation is longer than the model's context")
        if output.stop_reason == "content_filter":
            raise WithheldError(f"{self.name}: a content filter withheld the answer")
        usage = output.usage
        return Reply(
            output.completion,
            truncated=output.stop_reason == "max_tokens",
            usage=Usage() if usage is None else _usage(usage),
            served_by=output.model,
        )

    async def aclose(self) -> None:
        """Inspect closes its models."""


def _usage(usage: Any) -> Usage:
    """All tokens of the prompt, since Inspect counts those of its provider's cache apart, and of the answer."""
    cached = usage.input_tokens_cache_read or 0
    asked = int(usage.input_tokens + cached + (usage.input_tokens_cache_write or 0))
    return Usage(asked, usage.output_tokens, cached, min(usage.reasoning_tokens or 0, usage.output_tokens))


@dataclass(slots=True)
class Recorder:
    """Keeps what a session would store."""

    turns: dict[int, TurnEntry] = field(default_factory=dict)
    end: EndEntry | None = None
    changed: Callable[[], None] = lambda: None
    """Called when a turn was added or judged."""
    fault: BaseException | None = None
    """What `changed` has raised: a limit of Inspect."""

    async def __call__(self, *entries: StoreEntry) -> None:
        """Keep the entries."""
        for entry in entries:
            if isinstance(entry, TurnEntry):
                self.turns[entry.prompt.turn] = entry
            elif isinstance(entry, VerdictEntry):
                self.turns[entry.turn] = replace(self.turns[entry.turn], judgement=entry.judgement)
            elif isinstance(entry, EndEntry):
                self.end = entry
        try:
            self.changed()
        except Exception as fault:
            self.fault = fault
            raise


@dataclass(frozen=True, slots=True)
class TaskSession:
    """A session that was played."""

    session: Session
    messages: tuple[Message, ...]
    """What the model under test was asked and said, as later calls show it in full."""
    output: Any
    """The last output of Inspect's model; None if it never answered."""


Watch = Callable[[TaskSession], None]
"""Gets what was played so far, whenever a turn was answered or judged."""


CUT = "cut"
"""The cause of a session that a limit of Inspect, or its user, ended in the middle; `reason` says which."""


def cut_short(session: Session, why: str) -> Session:
    """A session that was ended from outside, as far as its turns are judged.

    Args:
        session: What was played.
        why: What ended it, in a few words.
    """
    return replace(session, ending="censored", cause=CUT, reason=f"cut by Inspect: {why}")


class Player:
    """Plays the dialogues of a benchmark by models of Inspect.

    Args:
        bench: The benchmark; its dialogues are extended as long as a model keeps up.
        config: How it is played; `models` is replaced.
        open_model: Opens what `config` names as judge, partner or context model.
    """

    def __init__(self, bench: Benchmark, config: EvalConfig, open_model: Callable[[str], Any]) -> None:
        self.bench = bench
        self._config = config
        self._open_model = open_model
        self._opened: dict[str, tuple[EvalConfig, RunSettings, Environment]] = {}

    async def play(self, model: Any, dialogue: int, epoch: int, watch: Watch = lambda played: None) -> TaskSession:
        """Play one dialogue.

        Args:
            model: An `inspect_ai.model.Model`.
            dialogue: Which one.
            epoch: Its repetition, from 1.
            watch: Told after each turn; what it raises ends the dialogue.

        Raises:
            Exception: what a call raised, as Inspect raised it.
            UsageError: the session cannot be played.
        """
        seat = InspectModel(model)
        config, settings, environment = self._open(seat)
        factory = ClientFactory(config, AllowAll(), Shutdown(), None, settings.scenario, settings.parameters)
        [seats] = factory.seats([seat], partner_of(self.bench, config))
        others = {} if config.context_model is None else {"context": factory.context_model(config.context_model)}
        key, recorder = SessionKey(seat.name, dialogue, epoch), Recorder()

        def so_far() -> TaskSession:
            messages = _messages(recorder, environment, dialogue, settings)
            return TaskSession(_session(recorder, key, settings), messages, seat.output)

        recorder.changed = lambda: watch(so_far())
        context = RunContext(
            settings, environment, open_strategy(settings.context, models=others), recorder, _unobserved, Shutdown()
        )
        await SessionRunner(context, key, seats, SessionState(1)).play()
        played = so_far()
        if recorder.fault is not None or played.session.ending in (None, "suspended"):
            fault = recorder.fault or seat.fault
            raise fault or UsageError(played.session.reason or "the session was stopped")
        return played

    def headline(self) -> str:
        """The main metric of what is played; empty without figures."""
        config = self._config.model_copy(
            update={"models": (InspectModel("inspect/model"),), "judges": ("none",), "context_model": None}
        )
        settings = plan(self.bench, config.model_copy(update={"context": "full"}))
        own = get_scenario(settings.scenario).table(settings.options)
        tables = tables_of(own, settings.patience, **settings.beside)
        return tables[0].main if tables else ""

    def settings(self, model: Any) -> RunSettings:
        """The settings of a run of this model."""
        return self._open(InspectModel(model))[1]

    def _open(self, seat: InspectModel) -> tuple[EvalConfig, RunSettings, Environment]:
        """How the model's dialogues are played; opened once, since sessions share what is written on the spot."""
        if seat.name not in self._opened:
            config = self._config.model_copy(
                update={
                    "models": (seat,),
                    "judges": tuple(self._reachable(judge) for judge in self._config.judges),
                    "partner": self._reachable(self._config.partner),
                    "context_model": self._reachable(self._config.context_model),
                }
            )
            settings = plan(self.bench, config)
            scenario = get_scenario(settings.scenario)
            factory = ClientFactory(config, AllowAll(), Shutdown(), None, scenario.name)
            judges = {spec_of(judge): judge for judge in config.judges}
            named = list(judges)
            opener = {name: factory.judge(judge) for name, judge in judges.items()} if is_panel(named) else {}
            services = Services(
                judge=open_judge(named, rule=config.judge_rule, opener=opener.__getitem__),
                config=config,
                max_turns=settings.most_turns,
                dialogues=settings.dialogues,
                meter=factory.author,
                relevance=settings.gate,
                reading_rules=settings.reading_rules,
                patience=settings.patience,
                feedback=settings.feedback,
            )
            play = options_of(scenario.play, settings.options, scenario.name)
            self._opened[seat.name] = config, settings, scenario.environment(self.bench, play, services)
        return self._opened[seat.name]

    def _reachable(self, model: ModelRef | None) -> ModelRef | None:
        """A model of Inspect where one is named; ours have names without an endpoint."""
        if not isinstance(model, str) or model in _OURS or model.startswith("sim/"):
            return model
        return InspectModel(self._open_model(model))


_OURS = frozenset({"none", "lexical", "self", "scripted"})
"""Words that may stand for a judge or a partner, and are no models."""


def config_of(judge: str | list[str] = "none", **settings: Any) -> EvalConfig:
    """How a task is played, from the arguments of a task.

    Raises:
        UsageError: a setting does not fit.
    """
    from pydantic import ValidationError

    from evolif.util.resources import complaint

    try:
        return EvalConfig(models=("inspect/model",), judges=tuple(as_list(judge)), **settings)
    except ValidationError as fault:
        raise UsageError(complaint(fault, "the task")) from None


def _unobserved(event: object) -> None:
    pass


def _session(recorder: Recorder, key: SessionKey, settings: RunSettings) -> Session:
    turns = tuple(
        JudgedTurn(
            entry.prompt.turn,
            () if entry.judgement is None else entry.judgement.verdicts,
            entry.prompt.labels,
            () if entry.judgement is None else entry.judgement.scores,
            entry.prompt.seat,
        )
        for _, entry in sorted(recorder.turns.items())
        if entry.judgement is not None or recorder.end is not None  # one that is not judged yet is in no figure
    )
    end = recorder.end
    ending, cause, reason = (None, "", "") if end is None else (end.ending, end.cause, end.reason)
    return Session(
        key.model, key.dialogue, key.epoch, settings.patience, ending, reason, turns, cause, cap=settings.max_turns
    )


def _messages(
    recorder: Recorder, environment: Environment, dialogue: int, settings: RunSettings
) -> tuple[Message, ...]:
    told: list[Message] = []
    system = environment.system(dialogue, "target") if settings.system_prompt else ""
    if system:
        told.append(Message("system", system))
    for _, entry in sorted(recorder.turns.items()):
        if entry.prompt.seat == "target":
            told += [*entry.prompt.messages, Message("assistant", entry.answer.text)]
    return tuple(told)

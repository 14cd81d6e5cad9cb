"""One dialogue played in this process by a model of the caller's, as Inspect and trainers do it.

The session is the runner's own: prompts, partner, verdicts, patience and cap are those of `evolif evaluate`. Nothing is
stored; whoever plays keeps what comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from evolif.config import EvalConfig
from evolif.contexts import open_strategy
from evolif.errors import ArgumentError, UsageError
from evolif.judging import open_judge
from evolif.metrics import tables_of
from evolif.models import ChatModel, ChatRequest, ModelRef, Reply, spec_of
from evolif.runner.clients import ClientFactory, NamedModel, is_panel
from evolif.runner.events import Event, SessionKey
from evolif.runner.lengths import most_judged
from evolif.runner.metering import AllowAll
from evolif.runner.records import EndEntry, SessionState, StoreEntry, TurnEntry, VerdictEntry
from evolif.runner.session import RunContext, SessionRunner
from evolif.runner.settings import RunSettings, partner_of, plan
from evolif.runner.shutdown import Shutdown
from evolif.scenario import Benchmark, Environment, Services, get_scenario, options_of
from evolif.types import End, JudgedTurn, Message, Session


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn of the model under test as it was played."""

    turn: int
    """From 1, over all seats."""
    shown: tuple[Message, ...]
    """New since the model last spoke."""
    answer: str
    """As received."""
    truncated: bool
    """Whether the answer stopped at its longest length."""


@dataclass(frozen=True, slots=True)
class PlayedSession:
    """A session, as far as it was played."""

    session: Session
    system: str
    """What the model was told before anything else; empty for nothing."""
    turns: tuple[PlayedTurn, ...]
    """Those of the model under test; one more than the session has of its seat while the last is being judged."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the model under test was asked and said, as later calls show it in full."""
        told = [Message("system", self.system)] if self.system else []
        for one in self.turns:
            told += [*one.shown, Message("assistant", one.answer)]
        return tuple(told)


Watch = Callable[[PlayedSession], None]
"""Gets what was played so far, whenever a turn was answered or judged; what it raises ends the dialogue."""
Reachable = Callable[[ModelRef], ModelRef]
"""The model that a name stands for where the caller opens models itself."""


_NOBODY = "nobody/model"
"""The model under test where none is called."""


def unwatched(played: PlayedSession) -> None:
    """For callers that wait for the end."""


def as_named(model: ModelRef) -> ModelRef:
    """For callers whose models are those of evolif."""
    return model


class Player:
    """Plays the dialogues of a benchmark, one at a time or many at once.

    Args:
        bench: The benchmark; its dialogues are extended as long as a model keeps up.
        config: How it is played; `models` is replaced.
        reachable: Gives judges, partner and context model, by what `config` calls them.
        has_patience: Whether failed turns end a dialogue, as `config` or the benchmark says. Without, it goes on to
            the cap or to its own end.

    Example:
        ```python
        player = Player(evolif.load_benchmark("my-bench"), EvalConfig(models=("policy/name",), max_turns=4))
        played = await player.play(policy, dialogue=1)
        ```
    """

    def __init__(
        self, bench: Benchmark, config: EvalConfig, reachable: Reachable = as_named, *, has_patience: bool = True
    ) -> None:
        self.bench = bench
        self._has_patience = has_patience
        self._config = config
        self._reachable = reachable
        self._opened: dict[str, tuple[EvalConfig, RunSettings, Environment]] = {}

    async def play(self, model: ChatModel, dialogue: int, epoch: int = 1, watch: Watch = unwatched) -> PlayedSession:
        """Play one dialogue.

        Args:
            model: The model under test; several calls may be under way at once.
            dialogue: Which one.
            epoch: Its repetition, from 1.
            watch: Told after each turn.

        Raises:
            Exception: what a call of the model raised, or `watch`.
            UsageError: the session cannot be played.
        """
        seat = _Remembering(model)
        config, settings, environment = self._open(model)
        factory = ClientFactory(config, AllowAll(), Shutdown(), None, settings.scenario, settings.parameters)
        [seats] = factory.seats([seat], partner_of(self.bench, config))
        others = {} if config.context_model is None else {"context": factory.context_model(config.context_model)}
        key = SessionKey(seat.name, dialogue, epoch)
        system = environment.system(dialogue, "target") if settings.system_prompt else ""
        recorder = _Recorder(key, settings, system, watch)
        strategy = open_strategy(settings.context, models=others)
        context = RunContext(settings, environment, strategy, recorder, _unobserved, Shutdown())
        await SessionRunner(context, key, seats, SessionState(1)).play()
        played = recorder.so_far()
        if recorder.fault is not None or played.session.ending in (None, "suspended"):
            fault = recorder.fault or seat.fault
            raise fault or UsageError(played.session.reason or "the session was stopped")
        return played

    async def opening(self, dialogue: int) -> tuple[Message, ...]:
        """What a model is sent first: the system text, if there is one, and the first prompt.

        Args:
            dialogue: Which one.

        Raises:
            ArgumentError: it has no turn of the model under test at its beginning.
            UsageError: something is missing that its prompts need.
        """
        _, settings, environment = self._open(NamedModel(_NOBODY))
        prompt = await environment.prompt(dialogue, ())
        if isinstance(prompt, End) or prompt.seat != "target":
            raise ArgumentError(f"dialogue {dialogue} does not begin with a turn of the model under test")
        system = environment.system(dialogue, "target") if settings.system_prompt else ""
        return (*([Message("system", system)] if system else []), *prompt.messages)

    def headline(self) -> str:
        """The main metric of what is played; empty without figures."""
        config = self._config.model_copy(
            update={"models": (NamedModel(_NOBODY),), "judges": ("none",), "context_model": None, "context": "full"}
        )
        settings = plan(self.bench, config)
        own = get_scenario(settings.scenario).table(settings.options)
        tables = tables_of(own, settings.patience, **settings.beside)
        return tables[0].main if tables else ""

    def settings(self, model: ChatModel) -> RunSettings:
        """The settings of a run of this model.

        Raises:
            UsageError: the benchmark cannot be played so.
        """
        return self._open(model)[1]

    def _open(self, seat: ChatModel) -> tuple[EvalConfig, RunSettings, Environment]:
        """How the model's dialogues are played; opened once, since sessions share what is written on the spot."""
        if seat.name not in self._opened:
            reach = self._reachable
            partner, context_model = self._config.partner, self._config.context_model
            config = self._config.model_copy(
                update={
                    "models": (seat,),
                    "judges": tuple(reach(judge) for judge in self._config.judges),
                    "partner": None if partner is None else reach(partner),
                    "context_model": None if context_model is None else reach(context_model),
                }
            )
            settings = plan(self.bench, config)
            if not self._has_patience:
                settings = settings.model_copy(update={"patience": None})
            self._opened[seat.name] = config, settings, self._environment(config, settings)
        return self._opened[seat.name]

    def _environment(self, config: EvalConfig, settings: RunSettings) -> Environment:
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
        return scenario.environment(self.bench, options_of(scenario.play, settings.options, scenario.name), services)


class _Remembering:
    """A model that remembers what its last failed call raised: the runner stores only a sentence of it."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name = model.name
        self.connections = model.connections
        self.fault: Exception | None = None

    async def complete(self, request: ChatRequest) -> Reply:
        try:
            return await self._model.complete(request)
        except Exception as fault:
            self.fault = fault
            raise

    async def aclose(self) -> None:
        """The caller closes its model."""


@dataclass(slots=True)
class _Recorder:
    """Keeps what a run would store of a session."""

    key: SessionKey
    settings: RunSettings
    system: str
    watch: Watch
    turns: dict[int, TurnEntry] = field(default_factory=dict)
    end: EndEntry | None = None
    fault: BaseException | None = None
    """What `watch` has raised."""

    async def __call__(self, *entries: StoreEntry) -> None:
        """Keep the entries."""
        for entry in entries:
            if isinstance(entry, TurnEntry):
                self.turns[entry.prompt.turn] = entry
            elif isinstance(entry, VerdictEntry):
                self.turns[entry.turn] = replace(self.turns[entry.turn], judgement=entry.judgement)
            elif isinstance(entry, EndEntry):
                self.end = entry
        if self.watch is unwatched:
            return
        try:
            self.watch(self.so_far())
        except Exception as fault:
            self.fault = fault
            raise

    def so_far(self) -> PlayedSession:
        """What was played."""
        entries = [entry for _, entry in sorted(self.turns.items())]
        turns = tuple(
            PlayedTurn(one.prompt.turn, one.prompt.messages, one.answer.text, one.answer.truncated)
            for one in entries
            if one.prompt.seat == "target"
        )
        return PlayedSession(self._session(entries), self.system, turns)

    def _session(self, entries: list[TurnEntry]) -> Session:
        turns = tuple(
            JudgedTurn(
                entry.prompt.turn,
                () if entry.judgement is None else entry.judgement.verdicts,
                entry.prompt.labels,
                () if entry.judgement is None else entry.judgement.scores,
                entry.prompt.seat,
            )
            for entry in entries
            if entry.judgement is not None or self.end is not None  # one that is not judged yet is in no figure
        )
        key, settings, end = self.key, self.settings, self.end
        ending, cause, reason = (None, "", "") if end is None else (end.ending, end.cause, end.reason)
        cap = most_judged(settings, [one.judged for one in turns if one.seat == "target"].count(()))
        return Session(key.model, key.dialogue, key.epoch, settings.patience, ending, reason, turns, cause, cap=cap)


def _unobserved(event: Event) -> None:
    pass

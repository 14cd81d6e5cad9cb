"""A process of a Ray cluster: it plays sessions and sends the run a request for everything only the run may do.

Only the run writes the store, creates turns, calls judges and decides on calls. A session never waits for two things at
once, so each request has one reply. No key is in any message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from evolif.config import EvalConfig
from evolif.contexts import open_strategy
from evolif.errors import InternalError
from evolif.judging import Criterion, Judgement, JudgeRecord, open_judge
from evolif.models import spec_of
from evolif.runner.bounds import RequestSize
from evolif.runner.clients import ClientFactory, is_panel
from evolif.runner.events import Event, SessionKey
from evolif.runner.ledger import charge
from evolif.runner.metering import AllowAll, Deny, PlannedCall, Wait
from evolif.runner.records import SessionState, StoreEntry
from evolif.runner.session import RunContext, Seats, SessionRunner
from evolif.runner.settings import RunSettings
from evolif.runner.shutdown import Shutdown
from evolif.scenario import Environment, Services, get_scenario, options_of
from evolif.text import Reading
from evolif.types import End, Exchange, Prompt, Seat, Spent, Usage, Verdict


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """What a process needs before its first session."""

    settings: RunSettings
    config: EvalConfig
    """Its models are the given names; they may name a key's variable but never contain the key. Its partner is the one
    that the run found."""
    has_policy: bool
    """Whether the run decides on every call."""


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """Make entries durable before the session goes on."""

    entries: tuple[StoreEntry, ...]


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """The next prompt of the session. The run knows what was said: it stored it."""


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """The judgement on an answer, which is stored already."""

    turn: int


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A decision on a call; its messages stay here."""

    call: PlannedCall


@dataclass(frozen=True, slots=True)
class Finished:
    """The session ended, or the run is being stopped."""

    fault: Exception | None


@dataclass(frozen=True, slots=True)
class WorkerRequest:
    """A session's request, with what happened since its last one."""

    body: StoreRequest | PromptRequest | JudgeRequest | CallRequest | Finished
    events: tuple[Event, ...] = ()
    finished_calls: tuple[Usage | None, ...] = ()
    """Usage of finished admitted calls, in order."""


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """The result of a request, and which models are stopped."""

    value: Any = None
    fault: Exception | None = None
    cause: Exception | None = None
    """The fault's `__cause__`, which pickling would lose."""
    spent: tuple[Spent, ...] = ()
    all_stopped: bool = False
    stopped_models: frozenset[str] = frozenset()


@dataclass(slots=True)
class Channel:
    """Passes a session's requests to the run and returns the replies."""

    systems: Mapping[Seat, str]
    requests: asyncio.Queue[WorkerRequest] = field(default_factory=asyncio.Queue)
    reply: asyncio.Future[WorkerReply] | None = None
    events: list[Event] = field(default_factory=list)
    finished_calls: list[Usage | None] = field(default_factory=list)

    def post(self, body: StoreRequest | PromptRequest | JudgeRequest | CallRequest | Finished) -> None:
        """Send a request without waiting for the reply."""
        self.requests.put_nowait(WorkerRequest(body, tuple(self.events), tuple(self.finished_calls)))
        self.events, self.finished_calls = [], []

    async def request(self, body: StoreRequest | PromptRequest | JudgeRequest | CallRequest) -> Any:
        """Send a request and return the run's result; raises the run's fault."""
        self.reply = asyncio.get_running_loop().create_future()
        self.post(body)
        reply = await self.reply
        charge(reply.spent)
        if reply.fault is not None:
            raise reply.fault from reply.cause
        return reply.value


_channel: ContextVar[Channel] = ContextVar("_channel")


async def _write(*entries: StoreEntry) -> None:
    await _channel.get().request(StoreRequest(entries))


class JudgeElsewhere:
    """Stands for the run's panel; implements `Judge`."""

    name = "panel of the run"
    endpoints: tuple[str, ...] = ()

    async def assess(self, criterion: Criterion, reading: Reading) -> Verdict | JudgeRecord:
        """Never called: a judgement that needs the panel is requested from the run."""
        raise InternalError("a judge was called in a process that has none")

    async def aclose(self) -> None:
        """Nothing to release."""


class RemoteEnvironment(Environment):
    """Prompts and judges' verdicts come from the run; rules are checked here.

    Args:
        environment: The scenario's, without a benchmark.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def system(self, dialogue: int, seat: Seat) -> str:
        """As the run sent it with the session."""
        return _channel.get().systems[seat]

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        """The run's prompt."""
        prompt: Prompt | End = await _channel.get().request(PromptRequest())
        return prompt

    def recalled(self, prompt: Prompt, past: Sequence[Exchange]) -> Sequence[Exchange]:
        return self._environment.recalled(prompt, past)

    def given(self, prompt: Prompt) -> str | None:
        return self._environment.given(prompt)

    def heard(self, prompt: Prompt, answer: str) -> str:
        return self._environment.heard(prompt, answer)

    def asks_a_judge(self, prompt: Prompt) -> bool:
        return self._environment.asks_a_judge(prompt)

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """By rules here, or by the run's judge."""
        if not self.asks_a_judge(prompt):
            return await self._environment.score(prompt, answer, past, stored)
        judgement: Judgement = await _channel.get().request(JudgeRequest(prompt.turn))
        return judgement


class RemotePolicy:
    """The run's policy; implements `CallPolicy`."""

    def __init__(self) -> None:
        self._decisions: dict[int, Deny | None] = {}

    def admit(self, call: PlannedCall) -> Deny | Wait | None:
        """Wait for the run's decision, then return it."""
        if id(call) in self._decisions:
            return self._decisions.pop(id(call))
        return Wait(self._fetch(call))

    async def _fetch(self, call: PlannedCall) -> None:
        bare = replace(call.request, messages=(), prompt=None)
        sent = replace(call, request=bare, size=RequestSize.of(call.request))
        self._decisions[id(call)] = await _channel.get().request(CallRequest(sent))

    def record(self, call: PlannedCall, usage: Usage | None) -> None:
        """Send the usage with the next request."""
        _channel.get().finished_calls.append(usage)


class Worker:
    """Plays the sessions that the run assigns to this process, with keys from its own environment."""

    def __init__(self, worker: WorkerConfig) -> None:
        self._shutdown = Shutdown()
        settings, config = worker.settings, worker.config
        policy = RemotePolicy() if worker.has_policy else AllowAll()
        factory = ClientFactory(config, policy, self._shutdown, None, settings.scenario, settings.parameters)
        seats = factory.seats(config.models, config.partner)
        self._seats: dict[str, Seats] = dict(zip(settings.models, seats, strict=True))
        named = {} if config.context_model is None else {"context": factory.context_model(config.context_model)}
        strategy = open_strategy(settings.context, models=named)
        judges = [spec_of(judge) for judge in config.judges]
        judge = JudgeElsewhere() if is_panel(judges) else open_judge(judges)
        scenario = get_scenario(settings.scenario)
        options = options_of(scenario.play, settings.options, scenario.name)
        rules = settings.reading_rules
        services = Services(judge=judge, relevance=settings.gate, reading_rules=rules, feedback=settings.feedback)
        environment = RemoteEnvironment(scenario.environment(None, options, services))
        self._context = RunContext(settings, environment, strategy, _write, self._observe, self._shutdown)
        self._channels: dict[SessionKey, Channel] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self, key: SessionKey, state: SessionState, systems: Mapping[Seat, str]) -> WorkerRequest:
        """Begin or resume a session; returns its first request.

        Args:
            key: The session.
            state: As stored; the only message that carries what was said.
            systems: What each seat is told before anything else.
        """
        channel = self._channels[key] = Channel(systems)
        task = asyncio.create_task(self._play(key, state, channel))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await channel.requests.get()

    async def resume(self, key: SessionKey, reply: WorkerReply) -> WorkerRequest:
        """Pass a session the reply to its request; returns its next request."""
        if reply.all_stopped:
            self._shutdown.stop_all()
        for model in reply.stopped_models:
            self._shutdown.stop_model(model)
        channel = self._channels[key]
        assert channel.reply is not None
        channel.reply.set_result(reply)
        request = await channel.requests.get()
        if isinstance(request.body, Finished):
            del self._channels[key]
        return request

    async def _play(self, key: SessionKey, state: SessionState, channel: Channel) -> None:
        _channel.set(channel)
        fault: Exception | None = None
        try:
            await SessionRunner(self._context, key, self._seats[key.model], state).play()
        except Exception as error:
            fault = error
        channel.post(Finished(fault))

    def _observe(self, event: Event) -> None:
        _channel.get().events.append(event)

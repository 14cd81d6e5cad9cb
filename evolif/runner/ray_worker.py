"""A process of a Ray cluster: it plays sessions and sends the run a request for everything only the run may do.

Only the run writes the store, creates turns, calls judges and decides on calls. A session never waits for two things at
once, so each request has one reply. No key is in any message.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from evolif.config import EvalConfig
from evolif.instructions import has_subjective, judge_turn
from evolif.judging import Judgement, open_judge
from evolif.models import spec_of
from evolif.runner.clients import ClientFactory, is_panel
from evolif.runner.events import Event, SessionKey
from evolif.runner.metering import AllowAll, Deny, PlannedCall, Wait, charge
from evolif.runner.records import SessionState, StoreEntry
from evolif.runner.scenario import FullHistory
from evolif.runner.session import RunContext, SessionRunner
from evolif.runner.settings import RunSettings
from evolif.runner.shutdown import Shutdown
from evolif.turns import Turn
from evolif.types import Spent, Usage


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """What a process needs before its first session."""

    settings: RunSettings
    config: EvalConfig
    """Its models are the given names; they may name a key's variable but never contain the key."""
    has_policy: bool
    """Whether the run decides on every call."""


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """Make entries durable before the session goes on."""

    entries: tuple[StoreEntry, ...]


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A turn of a dialogue."""

    dialogue: int
    number: int


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """The judges' verdicts on an answer."""

    turn: Turn
    answer: str


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A decision on a call."""

    call: PlannedCall


@dataclass(frozen=True, slots=True)
class Finished:
    """The session ended, or the run is being stopped."""

    fault: Exception | None


@dataclass(frozen=True, slots=True)
class WorkerRequest:
    """A session's request, with what happened since its last one."""

    body: StoreRequest | TurnRequest | JudgeRequest | CallRequest | Finished
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

    requests: asyncio.Queue[WorkerRequest] = field(default_factory=asyncio.Queue)
    reply: asyncio.Future[WorkerReply] | None = None
    events: list[Event] = field(default_factory=list)
    finished_calls: list[Usage | None] = field(default_factory=list)

    def post(self, body: StoreRequest | TurnRequest | JudgeRequest | CallRequest | Finished) -> None:
        """Send a request without waiting for the reply."""
        self.requests.put_nowait(WorkerRequest(body, tuple(self.events), tuple(self.finished_calls)))
        self.events, self.finished_calls = [], []

    async def request(self, body: StoreRequest | TurnRequest | JudgeRequest | CallRequest) -> Any:
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


class RemoteScenario:
    """Turns and judges' verdicts come from the run; rules are checked here."""

    def __init__(self, worker: WorkerConfig) -> None:
        judges = [spec_of(judge) for judge in worker.config.judges]
        self._has_panel = is_panel(judges)
        self._judge = None if self._has_panel else open_judge(judges)

    async def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """The run's turn."""
        turn: Turn | None = await _channel.get().request(TurnRequest(dialogue, number))
        return turn

    def asks_a_judge(self, turn: Turn) -> bool:
        """True if there is a panel and a subjective constraint."""
        return self._has_panel and has_subjective(turn.constraints)

    async def score(self, turn: Turn, answer: str) -> Judgement:
        """The verdicts on an answer."""
        if not self.asks_a_judge(turn):
            return await judge_turn(turn.constraints, answer, self._judge)
        judgement: Judgement = await _channel.get().request(JudgeRequest(turn, answer))
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
        self._decisions[id(call)] = await _channel.get().request(CallRequest(call))

    def record(self, call: PlannedCall, usage: Usage | None) -> None:
        """Send the usage with the next request."""
        _channel.get().finished_calls.append(usage)


class Worker:
    """Plays the sessions that the run assigns to this process, with keys from its own environment."""

    def __init__(self, worker: WorkerConfig) -> None:
        self._shutdown = Shutdown()
        factory = ClientFactory(worker.config, RemotePolicy() if worker.has_policy else AllowAll(), self._shutdown)
        models = zip(worker.settings.models, worker.config.models, strict=True)
        self._targets = {name: factory.target(model) for name, model in models}
        scenario = RemoteScenario(worker)
        self._context = RunContext(worker.settings, scenario, FullHistory(), _write, self._observe, self._shutdown)
        self._channels: dict[SessionKey, Channel] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self, key: SessionKey, state: SessionState) -> WorkerRequest:
        """Begin or resume a session; returns its first request."""
        channel = self._channels[key] = Channel()
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
            await SessionRunner(self._context, key, self._targets[key.model], state).play()
        except Exception as error:
            fault = error
        channel.post(Finished(fault))

    def _observe(self, event: Event) -> None:
        _channel.get().events.append(event)

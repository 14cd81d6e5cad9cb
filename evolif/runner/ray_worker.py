"""One process of a cluster: plays sessions, and writes a request for whatever it may not do itself."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from evolif.judging import Judgement, judge_turn, open_judge
from evolif.models import ChatModel, spec_of
from evolif.runner.clients import ClientFactory, is_panel
from evolif.runner.config import EvalConfig
from evolif.runner.events import Event, SessionKey, Spent
from evolif.runner.metering import AllowAll, CallPolicy, Deny, PlannedCall, Wait, charge
from evolif.runner.records import SessionState, StoreEntry
from evolif.runner.scenario import FullHistory
from evolif.runner.session import RunContext, SessionRunner
from evolif.runner.settings import RunSettings
from evolif.runner.shutdown import Shutdown
from evolif.types import Turn, Usage

# What a session that is played in another process writes to the run, and what it is told back.
#
# A session never waits for two things at once, so each request has one answer. Keys are in none of them.


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """What a process has to know before its first session."""

    settings: RunSettings
    config: EvalConfig
    """Its models by their names as they were given, which tell the variable of a key and not the key."""
    gated: bool
    """Whether the run asks for every call to be let through."""


@dataclass(frozen=True, slots=True)
class StoreRequest:
    """Entries that are to be durable before the session goes on."""

    entries: tuple[StoreEntry, ...]


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """The next turn of a dialogue."""

    dialogue: int
    number: int


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """An answer that only the run's judges can tell."""

    turn: Turn
    answer: str


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A call that is about to be made."""

    call: PlannedCall


@dataclass(frozen=True, slots=True)
class Finished:
    """The session is at its end, or the run is being stopped."""

    fault: Exception | None


SessionRequest = StoreRequest | TurnRequest | JudgeRequest | CallRequest | Finished


@dataclass(frozen=True, slots=True)
class WorkerRequest:
    """One wish, and what happened since the last request."""

    wish: SessionRequest
    events: tuple[Event, ...] = ()
    told: tuple[Usage | None, ...] = ()
    """Of the calls that were let through and are over."""


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """What became of a wish, and who is to stop."""

    value: Any = None
    fault: Exception | None = None
    cause: Exception | None = None
    """The fault's own, which pickling would lose."""
    spent: tuple[Spent, ...] = ()
    everybody: bool = False
    barred: frozenset[str] = frozenset()


@dataclass(slots=True)
class Channel:
    """A session's correspondence."""

    requests: asyncio.Queue[WorkerRequest] = field(default_factory=asyncio.Queue)
    answer: asyncio.Future[WorkerReply] | None = None
    events: list[Event] = field(default_factory=list)
    told: list[Usage | None] = field(default_factory=list)

    def post(self, wish: SessionRequest) -> None:
        """Send a request with everything since the last one."""
        self.requests.put_nowait(WorkerRequest(wish, tuple(self.events), tuple(self.told)))
        self.events, self.told = [], []

    async def ask(self, wish: SessionRequest) -> Any:
        """What the run has to say to a wish; raises what it met."""
        self.answer = asyncio.get_running_loop().create_future()
        self.post(wish)
        answer = await self.answer
        charge(answer.spent)
        if answer.fault is not None:
            raise answer.fault from answer.cause
        return answer.value


_channel: ContextVar[Channel] = ContextVar("_channel")


class DistantScenario:
    """Turns come from the run, which alone words missing ones; rules are checked here, judges are asked there."""

    def __init__(self, worker: WorkerConfig) -> None:
        judges = [spec_of(judge) for judge in worker.config.judges]
        self._has_calls = is_panel(judges)
        self._judge = None if self._has_calls else open_judge(judges)

    async def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """The run's turn."""
        turn: Turn | None = await _channel.get().ask(TurnRequest(dialogue, number))
        return turn

    def asks_a_judge(self, turn: Turn) -> bool:
        """Where a panel is named and a constraint is subjective."""
        from evolif.constraints import get_group

        return self._has_calls and any(get_group(c.group).subjective for c in turn.constraints)

    async def score(self, turn: Turn, answer: str) -> Judgement:
        """The verdicts on an answer."""
        if not self.asks_a_judge(turn):
            return await judge_turn(turn.constraints, answer, self._judge)
        judgement: Judgement = await _channel.get().ask(JudgeRequest(turn, answer))
        return judgement


class DistantGate:
    """The run's own policy, asked by request."""

    def __init__(self) -> None:
        self._said: dict[int, Deny | None] = {}

    def admit(self, call: PlannedCall) -> Deny | Wait | None:
        """Wait for the run's word, then pass it on."""
        if id(call) in self._said:
            return self._said.pop(id(call))
        return Wait(self._fetch(call))

    async def _fetch(self, call: PlannedCall) -> None:
        self._said[id(call)] = await _channel.get().ask(CallRequest(call))

    def record(self, call: PlannedCall, usage: Usage | None) -> None:
        """Goes with the next request."""
        _channel.get().told.append(usage)


async def _write(*entries: StoreEntry) -> None:
    await _channel.get().ask(StoreRequest(entries))


class Player:
    """Plays the sessions that the run gives it. The keys of its models are in its own environment."""

    def __init__(self, worker: WorkerConfig) -> None:
        self._shutdown = Shutdown()
        policy: CallPolicy = DistantGate() if worker.gated else AllowAll()
        opener = ClientFactory(worker.config, policy, self._shutdown)
        models = zip(worker.settings.models, worker.config.models, strict=True)
        self._targets: dict[str, ChatModel] = {name: opener.target(model) for name, model in models}
        scenario = DistantScenario(worker)
        self._context = RunContext(worker.settings, scenario, FullHistory(), _write, self._observe, self._shutdown)
        self._channels: dict[SessionKey, Channel] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self, key: SessionKey, state: SessionState) -> WorkerRequest:
        """Take up a session where the store left it; its first request."""
        channel = self._channels[key] = Channel()
        task = asyncio.create_task(self._play(key, state, channel))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await channel.requests.get()

    async def go_on(self, key: SessionKey, answer: WorkerReply) -> WorkerRequest:
        """Tell a session what became of its wish; its next request."""
        self.obey(answer)
        channel = self._channels[key]
        assert channel.answer is not None
        channel.answer.set_result(answer)
        request = await channel.requests.get()
        if isinstance(request.wish, Finished):
            del self._channels[key]
        return request

    def obey(self, answer: WorkerReply) -> None:
        """Stop whom the run has stopped."""
        if answer.everybody:
            self._shutdown.stop_all()
        for model in answer.barred:
            self._shutdown.stop_model(model)

    async def _play(self, key: SessionKey, state: SessionState, channel: Channel) -> None:
        _channel.set(channel)
        fault: Exception | None = None
        try:
            await SessionRunner(self._context, key, self._targets[key.model], state).play()
        except Exception as met:
            fault = met
        channel.post(Finished(fault))

    def _observe(self, event: Event) -> None:
        _channel.get().events.append(event)

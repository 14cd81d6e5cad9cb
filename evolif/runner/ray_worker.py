"""One process of a cluster: plays sessions, and writes a letter for whatever it may not do itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from evolif.judging import Judgement, judge_turn, open_judge
from evolif.models import ChatModel, open_model
from evolif.runner.clients import Calling, Opener, is_panel
from evolif.runner.events import Event, SessionKey, Spent
from evolif.runner.metering import Gate, Later, OpenGate, PlannedCall, Stop, charge
from evolif.runner.records import Entry, SessionState
from evolif.runner.scenario import FullHistory
from evolif.runner.session import SessionRunner, Stage
from evolif.runner.settings import RunSettings
from evolif.runner.shutdown import Stopper
from evolif.types import Turn, Usage

# What a session that is played in another process writes to the run, and what it is told back.
#
# A session never waits for two things at once, so each letter has one answer. Keys are in none of them.


@dataclass(frozen=True, slots=True)
class Errand:
    """What a process has to know before its first session."""

    settings: RunSettings
    specs: Mapping[str, str]
    """Per model its name as it was given, which tells the variable of its key and not the key."""
    calling: Calling
    judges: tuple[str, ...]
    gated: bool
    """Whether the run asks for every call to be let through."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Entries that are to be durable before the session goes on."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class TurnWanted:
    """The next turn of a dialogue."""

    dialogue: int
    number: int


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer that only the run's judges can tell."""

    turn: Turn
    answer: str


@dataclass(frozen=True, slots=True)
class CallPlanned:
    """A call that is about to be made."""

    call: PlannedCall


@dataclass(frozen=True, slots=True)
class Over:
    """The session is at its end, or the run is being stopped."""

    fault: Exception | None


Wish = Kept | TurnWanted | Judged | CallPlanned | Over


@dataclass(frozen=True, slots=True)
class Letter:
    """One wish, and what happened since the last letter."""

    wish: Wish
    events: tuple[Event, ...] = ()
    told: tuple[Usage | None, ...] = ()
    """Of the calls that were let through and are over."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a wish, and who is to stop."""

    value: Any = None
    fault: Exception | None = None
    cause: Exception | None = None
    """The fault's own, which pickling would lose."""
    spent: tuple[Spent, ...] = ()
    everybody: bool = False
    barred: frozenset[str] = frozenset()


@dataclass(slots=True)
class Line:
    """A session's correspondence."""

    letters: asyncio.Queue[Letter] = field(default_factory=asyncio.Queue)
    answer: asyncio.Future[Answer] | None = None
    events: list[Event] = field(default_factory=list)
    told: list[Usage | None] = field(default_factory=list)

    def post(self, wish: Wish) -> None:
        """Send a letter with everything since the last one."""
        self.letters.put_nowait(Letter(wish, tuple(self.events), tuple(self.told)))
        self.events, self.told = [], []

    async def ask(self, wish: Wish) -> Any:
        """What the run has to say to a wish; raises what it met."""
        self.answer = asyncio.get_running_loop().create_future()
        self.post(wish)
        answer = await self.answer
        charge(answer.spent)
        if answer.fault is not None:
            raise answer.fault from answer.cause
        return answer.value


_line: ContextVar[Line] = ContextVar("_line")


class DistantScenario:
    """Turns come from the run, which alone words missing ones; rules are checked here, judges are asked there."""

    def __init__(self, errand: Errand) -> None:
        self._has_calls = is_panel(errand.judges)
        self._judge = None if self._has_calls else open_judge(errand.judges)

    async def next_turn(self, dialogue: int, number: int) -> Turn | None:
        """The run's turn."""
        turn: Turn | None = await _line.get().ask(TurnWanted(dialogue, number))
        return turn

    def asks_a_judge(self, turn: Turn) -> bool:
        """Where a panel is named and a constraint is subjective."""
        from evolif.constraints import get_group

        return self._has_calls and any(get_group(c.group).subjective for c in turn.constraints)

    async def score(self, turn: Turn, answer: str) -> Judgement:
        """The verdicts on an answer."""
        if not self.asks_a_judge(turn):
            return await judge_turn(turn.constraints, answer, self._judge)
        judgement: Judgement = await _line.get().ask(Judged(turn, answer))
        return judgement


class DistantGate:
    """The run's own gate, asked by letter."""

    def __init__(self) -> None:
        self._said: dict[int, Stop | None] = {}

    def ask(self, call: PlannedCall) -> Stop | Later | None:
        """Wait for the run's word, then pass it on."""
        if id(call) in self._said:
            return self._said.pop(id(call))
        return Later(self._fetch(call))

    async def _fetch(self, call: PlannedCall) -> None:
        self._said[id(call)] = await _line.get().ask(CallPlanned(call))

    def tell(self, call: PlannedCall, usage: Usage | None) -> None:
        """Goes with the next letter."""
        _line.get().told.append(usage)


async def _keep(*entries: Entry) -> None:
    await _line.get().ask(Kept(entries))


class Player:
    """Plays the sessions that the run gives it. The keys of its models are in its own environment."""

    def __init__(self, errand: Errand) -> None:
        self._stopper = Stopper()
        gate: Gate = DistantGate() if errand.gated else OpenGate()
        opener = Opener(errand.calling, gate, self._stopper, open_model)
        self._targets: dict[str, ChatModel] = {name: opener.target(spec) for name, spec in errand.specs.items()}
        scenario = DistantScenario(errand)
        self._stage = Stage(errand.settings, scenario, FullHistory(), _keep, self._observe, self._stopper)
        self._lines: dict[SessionKey, Line] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self, key: SessionKey, state: SessionState) -> Letter:
        """Take up a session where the store left it; its first letter."""
        line = self._lines[key] = Line()
        task = asyncio.create_task(self._play(key, state, line))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await line.letters.get()

    async def go_on(self, key: SessionKey, answer: Answer) -> Letter:
        """Tell a session what became of its wish; its next letter."""
        self.obey(answer)
        line = self._lines[key]
        assert line.answer is not None
        line.answer.set_result(answer)
        letter = await line.letters.get()
        if isinstance(letter.wish, Over):
            del self._lines[key]
        return letter

    def obey(self, answer: Answer) -> None:
        """Stop whom the run has stopped."""
        if answer.everybody:
            self._stopper.bar_everybody()
        for model in answer.barred:
            self._stopper.bar(model)

    async def _play(self, key: SessionKey, state: SessionState, line: Line) -> None:
        _line.set(line)
        fault: Exception | None = None
        try:
            await SessionRunner(self._stage, key, self._targets[key.model], state).play()
        except Exception as met:
            fault = met
        line.post(Over(fault))

    def _observe(self, event: Event) -> None:
        _line.get().events.append(event)

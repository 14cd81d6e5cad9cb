"""What the process that plays a run says of this moment, stored in the run's file for other shells to read."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from pydantic import TypeAdapter, ValidationError

from evolif.errors import EvolifError
from evolif.models import Waiting
from evolif.runner.events import (
    CallsInFlight,
    Event,
    Observer,
    RunStarted,
    SessionEnded,
    SessionKey,
    SessionStarted,
    TurnStored,
)
from evolif.runner.shutdown import Shutdown

LIVE = "live"
"""The key of the note in the run's file."""
PULSE = 1.0
"""Seconds between two notes."""
SILENCE = 30.0
"""Seconds without a note after which the process is taken to be gone, or stopped."""
_LATELY = 400
"""Turns of a model whose mean duration is its pace: calls become slower as conversations grow."""
_MOST_SECONDS = 1e9
"""No duration is longer; a larger one was edited."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How one model's sessions get on since the command began."""

    alive: int
    """Sessions under way."""
    left: int
    """Sessions that have not ended, those under way included."""
    turns: int
    """Turns of the model under test."""
    seconds: float | None
    """Mean seconds from one turn of a session to the next lately, with judges and waits; None before the first."""


@dataclass(frozen=True, slots=True)
class Live:
    """What goes on in the process that plays a run."""

    told: float
    """When, in seconds since 1970."""
    paces: Mapping[str, Pace]
    """Per model."""
    calls: tuple[CallsInFlight, ...] = ()
    held: tuple[tuple[str, Waiting], ...] = ()
    """Per model, calls that wait for a repeat or until their endpoint takes calls again."""
    repeats: tuple[tuple[str, str, int], ...] = ()
    """(model, reason, number) of the repeats since the command began."""
    length: float | None = None
    """Mean turns of a dialogue that patience does not end; None if only the cap ends it."""

    @property
    def is_silent(self) -> bool:
        """Whether the note is so old that the process is likely gone."""
        return time.time() - self.told > SILENCE

    @property
    def rate(self) -> float | None:
        """Turns of models under test per second; None before the first."""
        known = [pace.alive / pace.seconds for pace in self.paces.values() if pace.seconds]
        return sum(known) if known else None

    def dump(self) -> str:
        """As the run stores it."""
        return json.dumps(asdict(self), ensure_ascii=False)


_LIVE = TypeAdapter(Live)
OVER = "null"
"""What stands in its place when no process plays the run."""


def read_live(text: str) -> Live | None:
    """The note of a stored run; None if there is none, or if it was edited."""
    try:
        live = _LIVE.validate_json(text)
    except ValidationError:
        return None
    seconds = (pace.seconds or 0.0 for pace in live.paces.values())
    waits = (one.seconds for _, one in live.held)
    numbers = (
        live.told / 10,
        live.length or 0.0,
        *seconds,
        *waits,
        *(one for call in live.calls for one in (call.longest, call.timeout or 0.0)),
    )
    return live if all(isfinite(one) and 0 <= one < _MOST_SECONDS for one in numbers) else None


@dataclass(slots=True)
class _Progress:
    """What was seen of one model."""

    left: int
    turns: int = 0
    since: dict[SessionKey, float] = field(default_factory=dict)
    """When the turn under way began, per session."""
    lately: deque[float] = field(default_factory=lambda: deque(maxlen=_LATELY))
    cold: set[SessionKey] = field(default_factory=set)
    """Sessions whose first turn began before any had ended: it loads libraries, weights and caches besides."""
    first: list[float] = field(default_factory=list)
    """Seconds of those turns, the pace as long as there is no other."""


class LiveObserver:
    """Counts events on their way to another observer.

    Args:
        shutdown: Knows the calls in flight.
        observe: Receives all events.
        length: See `Live.length`.
    """

    def __init__(self, shutdown: Shutdown, observe: Observer, length: float | None) -> None:
        self._shutdown = shutdown
        self._observe = observe
        self._length = length
        self._models: dict[str, _Progress] = {}

    def __call__(self, event: Event) -> None:
        """Count an event and pass it on."""
        if isinstance(event, RunStarted):
            left = {model: number - event.ended.get(model, 0) for model, number in event.sessions.items()}
            self._models = {model: _Progress(number) for model, number in left.items()}
        elif isinstance(event, SessionStarted | TurnStored | SessionEnded) and event.key.model in self._models:
            self._count(self._models[event.key.model], event)
        self._observe(event)

    def _count(self, model: _Progress, event: SessionStarted | TurnStored | SessionEnded) -> None:
        now = time.monotonic()
        if isinstance(event, SessionEnded):
            model.left -= 1
            model.since.pop(event.key, None)
        elif isinstance(event, SessionStarted):
            model.since[event.key] = now
            if not model.turns:
                model.cold.add(event.key)
        elif event.seat == "target":
            model.turns += 1
            turns = model.first if event.key in model.cold else model.lately
            turns.append(now - model.since.get(event.key, now))
            model.cold.discard(event.key)
            model.since[event.key] = now

    def now(self) -> Live:
        """The note of this moment; only within the event loop."""
        repeats = Counter[tuple[str, str]]()
        for model, reason, number in self._shutdown.repeats():
            repeats[model, reason] += number
        return Live(
            round(time.time(), 1),
            {name: _pace(model) for name, model in self._models.items()},
            self._shutdown.in_flight(),
            self._shutdown.held(0.0),
            tuple((*who, number) for who, number in repeats.items()),
            self._length,
        )


def _pace(model: _Progress) -> Pace:
    known = model.lately or model.first
    mean = sum(known) / len(known) if known else None
    return Pace(len(model.since), max(0, model.left), model.turns, mean)


async def with_pulse(main: Coroutine[Any, Any, None], observer: LiveObserver, tell: Callable[[str], None]) -> None:
    """Await `main`, and tell every few seconds what goes on; a note that cannot be stored is left out."""

    async def beat() -> None:
        while True:
            with suppress(EvolifError):
                tell(observer.now().dump())
            await asyncio.sleep(PULSE)

    pulse = asyncio.create_task(beat())
    try:
        await main
    finally:
        pulse.cancel()
        await asyncio.gather(pulse, return_exceptions=True)
        with suppress(EvolifError):
            tell(OVER)

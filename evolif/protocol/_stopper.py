"""What keeps further turns from being asked: a person, a disk, a key; and how long what is in flight may still take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from evolif.protocol._events import Awaited, Role
from evolif.protocol._turnstile import NotAskedError

GRACE = 20.0
"""Seconds that calls in flight get after a stop was asked for, since they are paid. What takes longer is asked again on
resuming. Schedulers send SIGKILL half a minute after SIGTERM."""
LOCAL_GRACE = 2.0
"""The same for a model on this machine, which nobody is paid for and whose answer may take minutes."""


@dataclass(frozen=True, slots=True)
class _Call:
    grace: float
    role: Role
    model: str
    began: float


class Stopper:
    """Ctrl-C once: finish the turns in flight and stop. Twice: stop at once."""

    def __init__(self) -> None:
        self.asked = False
        """By a person, or whoever sends SIGTERM."""
        self.fault: Exception | None = None
        """What made going on impossible for everybody, for example a full disk."""
        self._everybody = False
        self._barred: set[str] = set()
        self._in_flight: dict[asyncio.Timeout, _Call] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._asked_at = 0.0

    def __call__(self, model: str) -> bool:
        """Whether no further turn of a model may be asked."""
        return self.everybody or model in self._barred

    @property
    def everybody(self) -> bool:
        """Whether no further turn of any model may be asked."""
        return self.asked or self._everybody or self.fault is not None

    @property
    def barred(self) -> frozenset[str]:
        """Models of which nothing more is asked."""
        return frozenset(self._barred)

    def bar(self, model: str) -> bool:
        """Ask nothing more of a model; says whether this is news."""
        news = model not in self._barred
        self._barred.add(model)
        return news

    def bar_everybody(self) -> bool:
        """Ask nothing more, for what all sessions need is gone; says whether this is news."""
        news, self._everybody = not self._everybody, True
        return news

    def ask(self) -> None:
        """Stop, from any thread: calls in flight are given up when their grace is over."""
        self.asked = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._bound_calls)

    @asynccontextmanager
    async def within(self, grace: float, role: Role, model: str) -> AsyncIterator[None]:
        """Await a call, and after a stop so many seconds of it at most.

        Args:
            grace: The seconds.
            role: In whose name the model is asked.
            model: `provider/name`.

        Raises:
            NotAskedError: it was given up.
        """
        loop = self._loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(None) as bound:
                self._in_flight[bound] = _Call(grace, role, model, loop.time())
                if self.asked:
                    bound.reschedule((self._asked_at or loop.time()) + grace)
                try:
                    yield
                finally:
                    del self._in_flight[bound]
        except TimeoutError:
            if bound.expired():
                raise NotAskedError(None) from None
            raise

    def _bound_calls(self) -> None:
        self._asked_at = asyncio.get_running_loop().time()
        for bound, call in self._in_flight.items():
            bound.reschedule(self._asked_at + call.grace)

    def awaited(self) -> tuple[Awaited, ...]:
        """What is in flight, per role and model; called in the loop."""
        now, found = asyncio.get_running_loop().time(), dict[tuple[Role, str], list[float]]()
        for call in self._in_flight.values():
            found.setdefault((call.role, call.model), []).append(now - call.began)
        return tuple(Awaited(*who, len(waits), max(waits)) for who, waits in found.items())

"""Time limits that a pause of the machine extends: a closed lid, SIGSTOP, a busy loop.

While the process is stopped, the clock goes on and answers arrive in the sockets. Afterwards every timer is due at
once, and asyncio's own limits would throw away what has not been read yet. Those here notice the jump of the clock.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from weakref import WeakKeyDictionary

_TICK = 0.25
"""Seconds between two looks at the clock."""
_JUMP = 1.0
"""Seconds by which a look must be late to count as a stall; a busy loop is late by less."""
_LATE = 0.05
"""Seconds by which a limit's own timer must be late for what has arrived to be read first."""
_READING_TIME = 2.0
"""Seconds that a call gets for that, once."""
_SHORT = 1e-3
"""Seconds that no timer is worth: a loop's timers are early by less."""


class _Watch:
    """Looks at the clock of the running event loop while any call is under way in it."""

    def __init__(self) -> None:
        self.stalled = 0.0
        """Seconds of all stalls so far."""
        self._due = 0.0
        self._calls = 0
        self._timer: asyncio.TimerHandle | None = None

    def enter(self) -> None:
        self._calls += 1
        if self._timer is None:
            self._look_later(asyncio.get_running_loop().time())

    def leave(self) -> None:
        self._calls -= 1

    def look(self) -> float:
        """The time now, after any stall is counted."""
        now = asyncio.get_running_loop().time()
        if self._timer is not None and now - self._due > _JUMP:
            self.stalled += now - self._due
            self._timer.cancel()
            self._look_later(now)
        return now

    def _tick(self) -> None:
        now = self.look()
        if self._due <= now:
            self._timer = None
            if self._calls:
                self._look_later(now)

    def _look_later(self, now: float) -> None:
        self._due = now + _TICK
        self._timer = asyncio.get_running_loop().call_at(self._due, self._tick)


_watches: WeakKeyDictionary[asyncio.AbstractEventLoop, _Watch] = WeakKeyDictionary()


def _watch() -> _Watch:
    loop = asyncio.get_running_loop()
    watch = _watches.get(loop)
    if watch is None:
        watch = _watches[loop] = _Watch()
    return watch


def awake_time() -> float:
    """A clock in seconds that stands still during stalls, as far as calls were under way to notice them."""
    watch = _watch()
    return watch.look() - watch.stalled


class TimeLimit:
    """Limits a block like `asyncio.timeout`, but to so many seconds awake; raises `TimeoutError` if they are over.

    Args:
        seconds: Of the limit.
    """

    __slots__ = ("_due", "_ends", "_reads", "_seconds", "_timeout", "_timer", "_watch")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timeout = asyncio.timeout(None)
        self._reads = False

    async def __aenter__(self) -> None:
        self._watch = _watch()
        await self._timeout.__aenter__()
        self._watch.enter()
        self._due = self._watch.look() + self._seconds
        self._ends = self._due - self._watch.stalled
        """On the clock that stands still."""
        self._timer = asyncio.get_running_loop().call_at(self._due, self._check)

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._watch.leave()
        await self._timeout.__aexit__(kind, fault, trace)

    def _check(self) -> None:
        """The time is over, unless some of it was a stall."""
        now = self._watch.look()
        due, self._due = self._due, self._ends + self._watch.stalled
        if not self._reads and now - due > _LATE:
            self._reads, self._due = True, max(self._due, now + _READING_TIME)
        if now < self._due - _SHORT:
            self._timer = asyncio.get_running_loop().call_at(self._due, self._check)
        else:
            self._timeout.reschedule(now)

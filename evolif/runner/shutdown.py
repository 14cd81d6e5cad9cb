"""What keeps further turns from being asked: a person, a disk, a key; and how long what is in flight may still take."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from evolif.runner.events import Awaited, Observer, Role, StillWaiting
from evolif.runner.metering import CallDeniedError

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


class Shutdown:
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
                raise CallDeniedError(None) from None
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


# Runs a loop that Ctrl-C and SIGTERM stop cleanly: once, the turns in flight are finished; twice, at once.

_LAST = 2.0
"""Seconds after the calls' own grace in which sessions write down where they are; then everything is cancelled."""


def run_interruptibly(main: Coroutine[Any, Any, None], shutdown: Shutdown, on_stop: Callable[[], None]) -> None:
    """Run to the end; raises `KeyboardInterrupt` after a stop that was asked for by Ctrl-C or SIGTERM."""

    async def guarded() -> None:
        with _signals(shutdown, on_stop):
            await main

    if _inside_a_loop():
        _run_in_thread(guarded(), shutdown)
    else:
        asyncio.run(guarded())
    if shutdown.asked:
        raise KeyboardInterrupt


def _inside_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_in_thread(main: Coroutine[Any, Any, None], shutdown: Shutdown) -> None:
    """A notebook runs an event loop of its own, in which no other can run; so ours gets a thread."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(asyncio.run, main)
        try:
            future.result()
        except KeyboardInterrupt:
            shutdown.ask()
            future.result()


@contextmanager
def _signals(shutdown: Shutdown, on_stop: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def handle() -> None:
        if shutdown.asked:
            task.cancel()
            return
        shutdown.ask()
        waiting.append(loop.call_later(GRACE + _LAST, task.cancel))
        on_stop()  # last: it may fail, say on a terminal that is gone

    waiting: list[asyncio.TimerHandle] = []
    installed = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, handle)
        except (NotImplementedError, ValueError, RuntimeError):
            continue  # not the main thread, or a platform without: the default handling stays
        installed.append(number)
    try:
        yield
    except asyncio.CancelledError:
        if shutdown.asked:
            raise KeyboardInterrupt from None
        raise
    finally:
        for timer in waiting:
            timer.cancel()
        for number in installed:
            loop.remove_signal_handler(number)


# A sign of life every few seconds while sessions are played: long answers are no reason to show nothing.

EVERY = 10.0
"""Seconds."""


async def with_heartbeat(main: Coroutine[Any, Any, None], shutdown: Shutdown, observe: Observer) -> None:
    """Await `main`, telling an observer now and then what is in flight."""
    beating = asyncio.create_task(_beat(shutdown, observe))
    try:
        await main
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)


async def _beat(shutdown: Shutdown, observe: Observer) -> None:
    while True:
        await asyncio.sleep(EVERY)
        observe(StillWaiting(shutdown.awaited()))

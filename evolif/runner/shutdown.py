"""How a run stops (Ctrl-C, SIGTERM, a fault), how long calls in flight may still take, and signs of life until then."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar

from evolif.models import ManagedModel, Waiting
from evolif.runner.events import CallsInFlight, Observer, StillWaiting
from evolif.runner.metering import CallDeniedError
from evolif.types import Role

GRACE = 20.0
"""Seconds that calls in flight get after a stop, since they are paid. A call that takes longer is repeated on resuming.
Schedulers send SIGKILL half a minute after SIGTERM."""
LOCAL_GRACE = 2.0
"""The same for a model on this machine, which costs nothing and may take minutes to answer."""
_LAST_WRITES = 2.0
"""Seconds after the calls' grace in which sessions write their state; then everything is cancelled."""
HEARTBEAT = 10.0
"""Seconds between two signs of life."""


class Shutdown:
    """Ctrl-C once: finish the turns in flight and stop. Twice: stop at once."""

    def __init__(self) -> None:
        self.requested = False
        """By Ctrl-C or SIGTERM."""
        self.fault: Exception | None = None
        """A fatal fault for all sessions, for example a full disk."""
        self._all_stopped = False
        self._stopped_models: set[str] = set()
        self._in_flight: dict[asyncio.Timeout, _Bounded] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._requested_at = 0.0
        self._clients: list[ManagedModel] = []

    def watch(self, client: ManagedModel) -> None:
        """Include a client in `held`."""
        self._clients.append(client)

    def held(self, least: float | None = None) -> tuple[tuple[str, Waiting], ...]:
        """Calls that are held back, with their models; only within the event loop.

        Args:
            least: Seconds from which on a wait counts; by default long enough to say so.
        """
        least = HEARTBEAT if least is None else least
        found = ((client.name, one) for client in self._clients for one in client.limit.waiting())
        return tuple((name, one) for name, one in found if one.seconds >= least)

    def repeats(self) -> Iterator[tuple[str, str, int]]:
        """(model, reason, number) of the attempts that were repeated."""
        return (
            (client.name, reason, number) for client in self._clients for reason, number in client.limit.repeats.items()
        )

    def stopped(self, model: str) -> bool:
        """Whether no further turn of a model may be played."""
        return self.all_stopped or model in self._stopped_models

    @property
    def all_stopped(self) -> bool:
        """Whether no further turn of any model may be played."""
        return self.requested or self._all_stopped or self.fault is not None

    @property
    def stopped_models(self) -> frozenset[str]:
        """The models that were stopped individually."""
        return frozenset(self._stopped_models)

    def stop_model(self, model: str) -> bool:
        """Play no further turn of a model; False if already stopped."""
        first = model not in self._stopped_models
        self._stopped_models.add(model)
        return first

    def stop_all(self) -> bool:
        """Play no further turn of any model; False if already stopped."""
        first, self._all_stopped = not self._all_stopped, True
        return first

    def request(self) -> None:
        """Stop, from any thread: calls in flight are given up when their grace is over."""
        self.requested = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._limit_calls)

    def within(self, grace: float, role: Role, client: ManagedModel) -> _Bounded:
        """Wrap a call: after a stop it may take `grace` more seconds, and is then given up (`CallDeniedError`)."""
        loop = self._loop = asyncio.get_running_loop()
        return _Bounded(self, grace, role, client, loop.time())

    def enter(self, timeout: asyncio.Timeout, call: _Bounded) -> None:
        """A call begins."""
        self._in_flight[timeout] = call
        if self.requested:
            timeout.reschedule((self._requested_at or call.began) + call.grace)

    def leave(self, timeout: asyncio.Timeout) -> None:
        """A call is over."""
        del self._in_flight[timeout]

    def _limit_calls(self) -> None:
        self._requested_at = asyncio.get_running_loop().time()
        for timeout, call in self._in_flight.items():
            timeout.reschedule(self._requested_at + call.grace)

    def in_flight(self) -> tuple[CallsInFlight, ...]:
        """The calls in flight per role and model; only within the event loop."""
        now, found = asyncio.get_running_loop().time(), dict[tuple[Role, str], list[_Bounded]]()
        for call in self._in_flight.values():
            found.setdefault((call.role, call.client.name), []).append(call)
        return tuple(_in_flight(*who, calls, now) for who, calls in found.items())


def _in_flight(role: Role, model: str, calls: list[_Bounded], now: float) -> CallsInFlight:
    oldest = min(calls, key=lambda call: call.began)
    client, longest = oldest.client, now - oldest.began
    return CallsInFlight(role, model, len(calls), longest, oldest.attempt, client.most_attempts, client.timeout)


class _Bounded:
    """The context of one call. A class, since a generator costs more than the rest of it."""

    __slots__ = ("_shutdown", "_timeout", "attempt", "began", "client", "grace", "role")

    def __init__(self, shutdown: Shutdown, grace: float, role: Role, client: ManagedModel, began: float) -> None:
        self._shutdown = shutdown
        self._timeout = asyncio.timeout(None)
        self.grace, self.role, self.client, self.began = grace, role, client, began
        self.attempt = 1

    def again(self) -> None:
        """Another attempt is made."""
        self.attempt += 1

    async def __aenter__(self) -> _Bounded:
        await self._timeout.__aenter__()
        self._shutdown.enter(self._timeout, self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._shutdown.leave(self._timeout)
        try:
            await self._timeout.__aexit__(kind, fault, trace)
        except TimeoutError:
            raise CallDeniedError(None) from None


def run_interruptibly(main: Coroutine[Any, Any, None], shutdown: Shutdown, on_stop: Callable[[], None]) -> None:
    """Run `main` in an event loop that Ctrl-C and SIGTERM stop: once, turns in flight are finished; twice, at once.

    Raises:
        KeyboardInterrupt: after such a stop.
    """

    async def guarded() -> None:
        with _signals(shutdown, on_stop):
            await main

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(guarded())
    else:
        _run_in_thread(guarded(), shutdown)
    if shutdown.requested:
        raise KeyboardInterrupt


T = TypeVar("T")


def run_to_end(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine from synchronous code; in a thread of its own if an event loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, main).result()


def _run_in_thread(main: Coroutine[Any, Any, None], shutdown: Shutdown) -> None:
    """A notebook already runs an event loop, and a thread can run only one, so this one gets its own thread."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(asyncio.run, main)
        try:
            future.result()
        except KeyboardInterrupt:
            shutdown.request()
            future.result()


@contextmanager
def _signals(shutdown: Shutdown, on_stop: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def handle() -> None:
        if shutdown.requested:
            task.cancel()
            return
        shutdown.request()
        timers.append(loop.call_later(GRACE + _LAST_WRITES, task.cancel))
        on_stop()  # last: it may fail, for example on a terminal that is gone

    timers: list[asyncio.TimerHandle] = []
    installed = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, handle)
        except (NotImplementedError, ValueError, RuntimeError):
            continue  # not the main thread, or not supported on this platform: the default handling stays
        installed.append(number)
    try:
        yield
    except asyncio.CancelledError:
        if shutdown.requested:
            raise KeyboardInterrupt from None
        raise
    finally:
        for timer in timers:
            timer.cancel()
        for number in installed:
            loop.remove_signal_handler(number)


async def with_heartbeat(main: Coroutine[Any, Any, None], shutdown: Shutdown, observe: Observer) -> None:
    """Await `main`, and report every few seconds which calls are in flight, so that long answers do not look stuck."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(HEARTBEAT)
            observe(StillWaiting(shutdown.in_flight(), shutdown.held()))

    heartbeat = asyncio.create_task(beat())
    try:
        await main
    finally:
        heartbeat.cancel()
        await asyncio.gather(heartbeat, return_exceptions=True)

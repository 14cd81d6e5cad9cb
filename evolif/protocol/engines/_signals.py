"""Runs a loop that Ctrl-C and SIGTERM stop cleanly: once, the turns in flight are finished; twice, at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from evolif.protocol._stopper import GRACE, Stopper

_LAST = 2.0
"""Seconds after the calls' own grace in which sessions write down where they are; then everything is cancelled."""


def run_interruptibly(main: Coroutine[Any, Any, None], stopper: Stopper, on_stop: Callable[[], None]) -> None:
    """Run to the end; raises `KeyboardInterrupt` after a stop that was asked for by Ctrl-C or SIGTERM."""

    async def guarded() -> None:
        with _signals(stopper, on_stop):
            await main

    if _inside_a_loop():
        _run_in_thread(guarded(), stopper)
    else:
        asyncio.run(guarded())
    if stopper.asked:
        raise KeyboardInterrupt


def _inside_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_in_thread(main: Coroutine[Any, Any, None], stopper: Stopper) -> None:
    """A notebook runs an event loop of its own, in which no other can run; so ours gets a thread."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(asyncio.run, main)
        try:
            future.result()
        except KeyboardInterrupt:
            stopper.ask()
            future.result()


@contextmanager
def _signals(stopper: Stopper, on_stop: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def handle() -> None:
        if stopper.asked:
            task.cancel()
            return
        stopper.ask()
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
        if stopper.asked:
            raise KeyboardInterrupt from None
        raise
    finally:
        for timer in waiting:
            timer.cancel()
        for number in installed:
            loop.remove_signal_handler(number)

"""The asyncio engine: per model, as many workers as connections; a worker plays one session after the other.

A session's turns follow each other, so sessions side by side are requests in flight: the limit on workers is the limit
on connections. A worker keeps its session to the end, which also keeps a small local model's prompt cache warm.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from evolif.models import ChatModel
from evolif.protocol._session import SessionKey, SessionRunner, Stage


class Stopper:
    """Ctrl-C once: finish the turns in flight and stop. Twice: stop at once."""

    def __init__(self) -> None:
        self.asked = False
        """By the user."""
        self.fault: Exception | None = None
        """What made going on impossible, for example a full disk."""

    def __call__(self) -> bool:
        """Whether no further turn may be asked."""
        return self.asked or self.fault is not None


async def play_all(
    stage: Stage,
    models: Mapping[str, ChatModel],
    sessions: list[SessionKey],
    connections: Callable[[ChatModel], int],
    stopper: Stopper,
) -> None:
    """Play every session; a fault inside one never touches the others.

    Raises:
        EvolifError: what no session could survive. The other turns in flight were finished before, for they are paid.
    """
    queues = {name: iter([key for key in sessions if key.model == name]) for name in models}
    try:
        async with asyncio.TaskGroup() as group:
            for name, model in models.items():
                for _ in range(connections(model)):
                    group.create_task(_worker(stage, model, queues[name], stopper))
    finally:
        await asyncio.gather(*(model.aclose() for model in models.values()), return_exceptions=True)
    if stopper.fault is not None:
        raise stopper.fault


async def _worker(stage: Stage, model: ChatModel, queue: Iterator[SessionKey], stopper: Stopper) -> None:
    for key in queue:
        if stopper():
            return
        try:
            await SessionRunner(stage, key, model).play()
        except Exception as fault:
            stopper.fault = stopper.fault or fault
            return


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
            stopper.asked = True
            future.result()


@contextmanager
def _signals(stopper: Stopper, on_stop: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def handle() -> None:
        if stopper.asked and task is not None:
            task.cancel()
        else:
            stopper.asked = True
            on_stop()

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
        for number in installed:
            loop.remove_signal_handler(number)

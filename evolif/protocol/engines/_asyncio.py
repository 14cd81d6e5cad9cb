"""The asyncio engine: per model, as many workers as connections; a worker plays one session after the other.

A session's turns follow each other, so sessions side by side are requests in flight: the limit on workers is the limit
on connections. A worker keeps its session to the end, which also keeps a small local model's prompt cache warm.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from evolif.models import ChatModel
from evolif.protocol._session import SessionKey, SessionRunner, Stage


class Stopper:
    """Ctrl-C once: finish the turns in flight and stop. Twice: stop at once."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        """Whether the run was asked to stop."""
        return self.asked


async def play_all(
    stage: Stage,
    models: Mapping[str, ChatModel],
    sessions: list[SessionKey],
    connections: Callable[[ChatModel], int],
) -> None:
    """Play every session; a fault inside one never touches the others."""
    tasks = []
    for name, model in models.items():
        queue = iter([key for key in sessions if key.model == name])
        tasks += [_worker(stage, model, queue) for _ in range(connections(model))]
    try:
        async with asyncio.TaskGroup() as group:
            for task in tasks:
                group.create_task(task)
    except BaseExceptionGroup as faults:
        # The first is told; the store holds every finished turn.
        raise faults.exceptions[0] from None
    finally:
        await asyncio.gather(*(model.aclose() for model in models.values()), return_exceptions=True)


async def _worker(stage: Stage, model: ChatModel, queue: Iterator[SessionKey]) -> None:
    for key in queue:
        if stage.should_stop():
            return
        await SessionRunner(stage, key, model).play()


def run_interruptibly(main: Coroutine[Any, Any, None], stopper: Stopper, on_stop: Callable[[], None]) -> None:
    """Run to the end; raises `KeyboardInterrupt` after a stop that was asked for by Ctrl-C or SIGTERM."""

    async def guarded() -> None:
        with _signals(stopper, on_stop):
            await main

    asyncio.run(guarded())
    if stopper.asked:
        raise KeyboardInterrupt


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

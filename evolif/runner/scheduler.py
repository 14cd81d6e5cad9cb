"""The asyncio engine: sessions run side by side, each in its own task.

The turns of a session are sequential, so it has at most one request in flight; the model's connection limit
(`evolif.models.managed`) controls the number of requests. Once started, a session is played to its end, which keeps the
prompt cache of a small local model warm.
"""

from __future__ import annotations

import asyncio
import gc
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager

from evolif.runner.events import SessionKey
from evolif.runner.session import RunContext, Seats, SessionRunner
from evolif.runner.store import RunStore

MOST_ALIVE = 10_000
"""Maximum concurrent sessions over all models; below that, they are as many as their models can take together."""


class SessionScheduler:
    """Chooses the next session to start, from the model with the fewest alive.

    Args:
        queues: Per model, its sessions in order.
        limits: Per model, how many sessions may be alive at once.
        most: The same for all models together.
    """

    def __init__(
        self, queues: Mapping[str, Iterator[SessionKey]], limits: Mapping[str, int], most: int = MOST_ALIVE
    ) -> None:
        self._queues = dict(queues)
        self._limits = limits
        self._most = most
        self._alive = dict.fromkeys(queues, 0)

    @property
    def alive(self) -> int:
        """Sessions taken and not yet given back."""
        return sum(self._alive.values())

    def take(self) -> SessionKey | None:
        """The next session; None if none is left or no more may be alive."""
        while self.alive < self._most:
            open_models = [model for model in self._queues if self._alive[model] < self._limits[model]]
            if not open_models:
                return None
            model = min(open_models, key=lambda name: self._alive[name])
            key = next(self._queues[model], None)
            if key is None:
                del self._queues[model]
                continue
            self._alive[model] += 1
            return key
        return None

    def give_back(self, key: SessionKey) -> None:
        """A session is no longer alive."""
        self._alive[key.model] -= 1

    @property
    def limits(self) -> Mapping[str, int]:
        """Per model, how many sessions may be alive at once."""
        return self._limits

    def hand_over(self) -> dict[str, deque[SessionKey]]:
        """All sessions that were not taken, per model, for whoever deals them out instead."""
        left = {model: deque(queue) for model, queue in self._queues.items()}
        self._queues.clear()
        return left

    def close(self, model: str) -> None:
        """Start no more sessions of a model."""
        self._queues.pop(model, None)


async def play_here(
    context: RunContext, seats: Mapping[str, Seats], scheduler: SessionScheduler, store: RunStore
) -> None:
    """Play every session in this process; `seats` says who speaks, per model under test.

    Raises:
        EvolifError: what no session can survive.
    """
    await play_all(
        context, scheduler, lambda key: SessionRunner(context, key, seats[key.model], store.state(key)).play()
    )


async def play_all(
    context: RunContext, scheduler: SessionScheduler, play: Callable[[SessionKey], Awaitable[None]]
) -> None:
    """Play every session by `play`; a session's fault does not affect the others.

    Raises:
        EvolifError: a fatal fault, raised once the other turns in flight are finished, since they are paid.
    """
    shutdown, ended = context.shutdown, asyncio.Event()

    async def play_one(key: SessionKey) -> None:
        try:
            await play(key)
        except Exception as fault:
            shutdown.fault = shutdown.fault or fault
        finally:
            scheduler.give_back(key)
            ended.set()

    async with asyncio.TaskGroup() as group:
        while True:
            while not shutdown.all_stopped and (key := scheduler.take()) is not None:
                if shutdown.stopped(key.model):
                    scheduler.give_back(key)
                    scheduler.close(key.model)
                else:
                    group.create_task(play_one(key))
            if not scheduler.alive:
                break
            ended.clear()
            await ended.wait()
    if shutdown.fault is not None:
        raise shutdown.fault


_THRESHOLDS = (20_000, 20, 20)


@contextmanager
def calm_collector() -> Iterator[None]:
    """Collect garbage cycles less often; the settings of the process are restored.

    Objects loaded before the first call stay to the end, and turns create hardly any cycles; but by default the
    collector runs after every 700 new objects, dozens of times per turn with an SDK, and each time it traverses the
    long conversations. Measured by `benchmarks/side_by_side.py`: this takes a tenth of the processor time of a run
    (docs/performance.md).
    """
    before = gc.get_threshold()
    if not gc.isenabled() or before[0] > _THRESHOLDS[0]:
        yield
        return
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()

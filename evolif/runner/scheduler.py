"""The asyncio engine: sessions side by side, each its own task.

A session's turns follow each other, so sessions alive are at most requests in flight; how many of these there are is
the model's own limit (`evolif.models.with_limits`). A session is kept to its end, which also keeps a small local
model's prompt cache warm.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager

from evolif.models import ChatModel
from evolif.runner.events import SessionKey
from evolif.runner.records import SessionState
from evolif.runner.session import RunContext, SessionRunner

# Which session begins next: bounded per model and in all, the model with the fewest alive first.

MOST_ALIVE = 512
"""Sessions alive side by side, whatever the number of models: each holds a conversation in memory."""


class SessionScheduler:
    """One queue of sessions per model.

    Args:
        queues: Per model, its sessions in order; read as they are begun.
        limits: Per model, how many may be alive at once.
        most: How many of all models together.
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
        """Sessions taken and not given back."""
        return sum(self._alive.values())

    def take(self) -> SessionKey | None:
        """The next session; None where there is none, or no room."""
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

    def close(self, model: str) -> None:
        """Begin no further session of a model."""
        self._queues.pop(model, None)


Recall = Callable[[SessionKey], SessionState]
"""What the store has of a session."""


async def play_here(
    context: RunContext, models: Mapping[str, ChatModel], scheduler: SessionScheduler, recall: Recall
) -> None:
    """Play every session in this process.

    Args:
        context: What they share.
        models: The models under test, by their names.
        scheduler: The sessions.
        recall: What the store has of a session.

    Raises:
        EvolifError: what no session could survive.
    """
    await play_all(context, scheduler, lambda key: SessionRunner(context, key, models[key.model], recall(key)).play())


async def play_all(
    context: RunContext, scheduler: SessionScheduler, one: Callable[[SessionKey], Awaitable[None]]
) -> None:
    """Play every session; a fault inside one never touches the others.

    Args:
        context: What they share.
        scheduler: The sessions.
        one: Plays a session.

    Raises:
        EvolifError: what no session could survive. The other turns in flight were finished before, for they are paid.
    """
    shutdown, ended = context.shutdown, asyncio.Event()

    async def play(key: SessionKey) -> None:
        try:
            await one(key)
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
                    group.create_task(play(key))
            if not scheduler.alive:
                break
            ended.clear()
            await ended.wait()
    if shutdown.fault is not None:
        raise shutdown.fault


# Python's cycle collector, called less often while a run is played.
#
# What is loaded before the first call stays to the end, and a turn leaves hardly a cycle behind; but the collector's
# default of a look after every 700 new objects means dozens of looks a turn with an SDK at work, and each time the
# long conversations are walked through again. Measured by `benchmarks/side_by_side.py`: it takes a tenth of the
# processor time of a run (docs/performance.md).

_THRESHOLDS = (20_000, 20, 20)


@contextmanager
def calm_collector() -> Iterator[None]:
    """Collect seldom; the settings of the process are put back."""
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

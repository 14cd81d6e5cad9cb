"""The asyncio engine: sessions side by side, each its own task.

A session's turns follow each other, so sessions alive are at most requests in flight; how many of these there are is
the model's own limit (`evolif.models.with_limits`). A session is kept to its end, which also keeps a small local
model's prompt cache warm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from evolif.models import ChatModel
from evolif.protocol._events import SessionKey
from evolif.protocol._session import SessionRunner, Stage
from evolif.protocol.engines._lanes import Lanes
from evolif.protocol.store import SessionState

Recall = Callable[[SessionKey], SessionState]
"""What the store has of a session."""


async def play_here(stage: Stage, models: Mapping[str, ChatModel], lanes: Lanes, recall: Recall) -> None:
    """Play every session in this process.

    Args:
        stage: What they share.
        models: The models under test, by their names.
        lanes: The sessions.
        recall: What the store has of a session.

    Raises:
        EvolifError: what no session could survive.
    """
    await play_all(stage, lanes, lambda key: SessionRunner(stage, key, models[key.model], recall(key)).play())


async def play_all(stage: Stage, lanes: Lanes, one: Callable[[SessionKey], Awaitable[None]]) -> None:
    """Play every session; a fault inside one never touches the others.

    Args:
        stage: What they share.
        lanes: The sessions.
        one: Plays a session.

    Raises:
        EvolifError: what no session could survive. The other turns in flight were finished before, for they are paid.
    """
    stopper, ended = stage.stopper, asyncio.Event()

    async def play(key: SessionKey) -> None:
        try:
            await one(key)
        except Exception as fault:
            stopper.fault = stopper.fault or fault
        finally:
            lanes.give_back(key)
            ended.set()

    async with asyncio.TaskGroup() as group:
        while True:
            while not stopper.everybody and (key := lanes.take()) is not None:
                if stopper(key.model):
                    lanes.give_back(key)
                    lanes.close(key.model)
                else:
                    group.create_task(play(key))
            if not lanes.alive:
                break
            ended.clear()
            await ended.wait()
    if stopper.fault is not None:
        raise stopper.fault

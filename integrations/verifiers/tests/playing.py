"""What the tests share: a scripted server, and rollouts of the environment against it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "models"))
from server import Answer, Seen, Server, ok, serving

TEXTS = ["A short answer. It has two sentences.", "- one\n- two\n- three", "# Title\n\n**bold** 12.", "say: hello"]
AT_A_TIME = 16
"""Rollouts at the same time."""


def answering(seen: Seen) -> Answer:
    """One of the texts, whichever the conversation decides."""
    told = json.dumps([[message["role"], message["content"]] for message in seen.body["messages"]])
    return ok(TEXTS[int(hashlib.sha256(told.encode()).hexdigest(), 16) % len(TEXTS)])


@contextmanager
def scripted(first: Callable[[Seen], Answer | None] = lambda seen: None) -> Iterator[Server]:
    """A server whose answers the conversation decides, unless `first` has one."""
    with serving(ok(), answering=lambda seen: first(seen) or answering(seen)) as server:
        yield server


def requests_of(server: Server) -> list[str]:
    """What the server was asked since the last call, whatever the order."""
    asked = sorted(json.dumps(seen.body, sort_keys=True) for seen in server.seen)
    server.seen.clear()
    return asked


def environment(taskset: dict[str, Any], **env: Any) -> vf.Env:
    return vf.load_environment(vf.resolve_env_config({"taskset": {"id": "evolif-verifiers", **taskset}, **env}))


def rollouts(
    env: vf.Env,
    url: str,
    times: int = 1,
    tasks: Iterable[vf.Task] | None = None,
    key_var: str = "NO_KEY",
    **sampling: Any,
) -> list[vf.Episode]:
    """The tasks, by default all of the environment, each so many times, as a trainer runs them in its process."""
    context = vf.ModelContext(
        model="tiny",
        client=vf.EvalClientConfig(base_url=url, api_key_var=key_var),
        sampling=vf.SamplingConfig(**sampling),
    )

    async def run() -> list[vf.Episode]:
        slots = [slot for task in (env.taskset if tasks is None else tasks) for slot in env.slots(task, times)]
        gate = asyncio.Semaphore(AT_A_TIME)
        async with env.serving():
            return await asyncio.gather(*(env.run_slot(slot, context, gate) for slot in slots))

    return asyncio.run(run())

"""The small local model as the policy of a rollout, end to end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from playing import environment, rollouts

from evolif.gym import Rollout
from evolif.models import weight_path
from evolif.models.local import LlamaServer, ServerSettings

NAME = "smollm2-135m"
LONGEST = 8
"""Tokens of an answer."""


@contextmanager
def served() -> Iterator[LlamaServer]:
    """The model behind an endpoint, in a loop of its own, which the rollouts' loops do not end."""
    ready, over = Event(), Event()
    found: list[LlamaServer] = []

    async def serve() -> None:
        server = await LlamaServer.start(ServerSettings(weight_path(NAME), NAME, context=4096, threads=2))
        found.append(server)
        ready.set()
        await asyncio.to_thread(over.wait)
        await server.stop()

    thread = Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        while not ready.wait(0.1):
            assert thread.is_alive(), "the local model could not be started"
        yield found[0]
    finally:
        over.set()
        thread.join()


def test_the_local_model_plays_a_dialogue(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xllamacpp", reason="the extra local is not installed")
    if not weight_path(NAME).exists():
        pytest.skip(f"the weights of {NAME} are not here: evolif models fetch {NAME}")
    options = {"turns": 2, "profile": "objective", "definitions": "query"}  # with a short system text
    env = environment({"dialogues": 1, "max_turns": 2, "options": options})
    with served() as server:
        monkeypatch.setenv("LOCAL_KEY", server.key)
        [episode] = rollouts(env, server.base_url, key_var="LOCAL_KEY", max_tokens=LONGEST, temperature=0.0)
    assert episode.ok, episode.errors
    [trace] = episode.traces
    rollout = Rollout.model_validate(trace.state.rollout)
    assert len(rollout.turns) == 2 and all(turn.answer and turn.truncated for turn in rollout.turns)
    assert 0 <= trace.reward <= 1 and trace.num_output_tokens == 2 * LONGEST and trace.num_branches == 1

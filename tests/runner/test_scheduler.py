"""Which session begins next: fair over models, bounded per model and in all."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ExhaustedError
from evolif.models import ChatRequest, Reply
from evolif.runner import SessionKey, evaluate
from evolif.runner.clients import Clients
from evolif.runner.scheduler import SessionScheduler


def queue(model: str, sessions: int) -> list[SessionKey]:
    return [SessionKey(model, dialogue, 1) for dialogue in range(1, sessions + 1)]


def lanes(limits: dict[str, int], sessions: int = 50, most: int = 512) -> SessionScheduler:
    return SessionScheduler({model: iter(queue(model, sessions)) for model in limits}, limits, most)


def taken(some: SessionScheduler) -> list[SessionKey]:
    return list(iter(some.take, None))


def test_models_take_turns_until_each_has_its_limit() -> None:
    keys = taken(lanes({"a": 3, "b": 1, "c": 2}))
    assert [key.model for key in keys] == ["a", "b", "c", "a", "c", "a"]
    assert [key.dialogue for key in keys if key.model == "a"] == [1, 2, 3]


def test_room_that_is_scarce_is_shared_evenly() -> None:
    assert Counter(key.model for key in taken(lanes({"a": 200, "b": 200, "c": 3}, most=11))) == {"a": 4, "b": 4, "c": 3}


def test_a_model_that_has_finished_leaves_its_room_to_the_others() -> None:
    some = SessionScheduler({"a": iter(queue("a", 1)), "b": iter(queue("b", 9))}, {"a": 9, "b": 9}, 4)
    first = taken(some)
    assert Counter(key.model for key in first) == {"a": 1, "b": 3}
    some.give_back(first[0])
    assert some.take() == SessionKey("b", 4, 1) and some.take() is None


def test_a_closed_lane_begins_nothing() -> None:
    some = lanes({"a": 2, "b": 2})
    some.close("a")
    assert {key.model for key in taken(some)} == {"b"}


@given(
    st.dictionaries(st.sampled_from("abcd"), st.tuples(st.integers(1, 5), st.integers(0, 12)), min_size=1),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_every_session_is_taken_once_and_no_bound_is_crossed(
    models: dict[str, tuple[int, int]], most: int, chance: object
) -> None:
    some = SessionScheduler(
        {m: iter(queue(m, n)) for m, (_, n) in models.items()}, {m: k for m, (k, _) in models.items()}, most
    )
    alive: list[SessionKey] = []
    seen: list[SessionKey] = []
    while True:
        fresh = taken(some)
        alive += fresh
        seen += fresh
        assert len(alive) == some.alive <= most
        assert all(n <= models[m][0] for m, n in Counter(key.model for key in alive).items())
        if not alive:
            break
        some.give_back(alive.pop(chance.randrange(len(alive))))
    assert sorted((k.model, k.dialogue) for k in seen) == sorted(
        (m, d) for m, (_, n) in models.items() for d in range(1, n + 1)
    )


class Crowd:
    """Answers nobody before so many wait."""

    name = "own/crowd"
    connections = 1

    def __init__(self, most: int) -> None:
        self.most, self.waiting = most, 0
        self.full = asyncio.Event()

    async def complete(self, request: ChatRequest) -> Reply:
        self.waiting += 1
        if self.waiting == self.most:
            self.full.set()
        await self.full.wait()
        return Reply("The sea.")

    async def aclose(self) -> None:
        pass


def test_as_many_sessions_as_connections_are_under_way(bench: Path, tmp_path: Path) -> None:
    crowd = Crowd(700)
    run = evaluate(bench, crowd, tmp_path / "run", epochs=175, max_turns=1, max_connections=700)
    assert crowd.waiting == 700 == len(run.sessions())
    run.close()


class Remote:
    """A client of so many connections that is never called."""

    def __init__(self, connections: int) -> None:
        self.connections = connections


def clients(judges: int = 0, **models: int) -> Clients:
    seats = {name.replace("_", "/"): {"target": Remote(most)} for name, most in models.items()}
    return Clients(cast(Any, seats), cast(Any, {"openai/j": Remote(judges)} if judges else {}))


def test_sessions_follow_the_connections_of_the_models() -> None:
    assert clients(openai_a=5000, openai_b=300, local_c=1).limits(partner=False) == {
        "openai/a": 5000,
        "openai/b": 300,
        "local/c": 1,
    }
    assert clients(200, openai_a=50, local_c=1).limits(partner=False) == {"openai/a": 100, "local/c": 1}
    assert clients(openai_a=50).limits(partner=True) == {"openai/a": 100}


def test_connections_are_those_of_models_elsewhere_and_of_their_sessions() -> None:
    assert clients(sim_a=16, local_b=1).connections(100) == 0
    assert clients(200, openai_a=500, openai_b=500).connections(700) == 700 + 200
    assert clients(200, openai_a=500).connections(20) == 20 + 20


def limits_in(process: str) -> str:
    """What a process prints that may open 256 files."""
    text = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (128, 256))\n{process}"
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout


def test_the_limit_of_open_files_is_raised_as_far_as_it_may_be() -> None:
    pytest.importorskip("resource")
    told = limits_in(
        "from evolif.util.resource_limits import connections_that_fit as fit\n"
        "print(fit(100), resource.getrlimit(resource.RLIMIT_NOFILE)[0], fit(5000))"
    )
    assert told.split() == ["100", "200", "156"]


def test_more_connections_than_files_are_refused_with_the_way_out(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolif.runner.run.connections_that_fit", lambda wanted: min(wanted, 150))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with pytest.raises(ExhaustedError, match=r"400 connections .* the 150 .* lower --max-connections"):
        evaluate(bench, "openai/m", tmp_path / "run", epochs=100, max_connections=600)

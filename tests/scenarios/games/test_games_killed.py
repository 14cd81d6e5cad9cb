"""A run of games with two live models is killed, and resumed: no stored turn of either is asked for again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from chat_server import chat_server

from evolif.runner import evaluate, load_run
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.games.scenario import played

pytest.importorskip("tokenizers")
pytest.importorskip("wordllama")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there")

INSTANCES, TURNS, CONNECTIONS = 4, (4, 8), 2
CALLS = INSTANCES * sum(TURNS)


class Server:
    """Counts what both models are asked; the same prompt gets the same text, which no other prompt gets."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    def answer(self, body: dict[str, Any]) -> str:
        told = "\n".join(message["content"] for message in body["messages"])
        with self._lock:
            self.asked[body["model"], told] += 1
        time.sleep(0.02)
        return f"I am {body['model']} and was told {len(told)} characters."


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    scenario = get_scenario("games")
    told = {"game": "names", "n": "9", "turns": [str(turns) for turns in TURNS]}
    scenario.generate(tmp_path / "bench", options_of(scenario.spec, told, "games"), dialogues=INSTANCES, seed=4)
    return tmp_path / "bench"


@pytest.fixture
def server() -> Iterator[tuple[Server, str, str]]:
    brain = Server()
    with chat_server(brain.answer) as url:
        yield brain, f"openai/one?base_url={url}", f"openai/other?base_url={url}"


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize(("player", "history"), [(0, "transcript"), pytest.param(1, "chat", marks=pytest.mark.slow)])
def test_a_killed_game_goes_on_where_it_was(
    bench: Path, server: tuple[Server, str, str], tmp_path: Path, player: int, history: str
) -> None:
    brain, one, other = server
    options = {"player": player, "history": history}
    command: list[object] = [sys.executable, "-m", "evolif", "evaluate", bench, "-m", one, "--partner", other]
    command += ["--out", tmp_path / "run", "--max-connections", CONNECTIONS, "--display", "none"]
    command += [word for key, value in options.items() for word in ("--set", f"{key}={value}")]
    env = {key: value for key, value in os.environ.items() if not key.startswith(("EVOLIF_", "OPENAI_"))}
    process = subprocess.Popen([str(word) for word in command], env=env, stdout=subprocess.DEVNULL)
    while brain.asked.total() < CALLS // 2 and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=30) == -signal.SIGKILL
    with closing(load_run(tmp_path / "run")) as run:
        kept = sum(len(records) for _, records in run.transcripts("openai/one"))
    assert 0 < kept < CALLS
    time.sleep(0.1)  # a request that was sent may still be read
    killed = brain.asked.copy()
    in_flight = killed.total() - kept
    assert {model for model, _ in killed} == {"one", "other"}

    with closing(evaluate(bench, one, tmp_path / "run", partner=other, options=options)) as run:
        dialogues = list(played(run, "openai/one"))
        assert {session.cause for session in run.sessions("openai/one")} == {"no_answer"}
    assert [len(dialogue["turns"]) for dialogue in dialogues] == list(TURNS) * INSTANCES
    # Every turn has a prompt of its own; one that was asked twice was in flight when the run died.
    assert len(brain.asked) == CALLS
    twice = {key for key, number in brain.asked.items() if number > 1}
    assert all(brain.asked[key] == 2 and killed[key] == 1 for key in twice)
    assert len(twice) == in_flight <= 2 * CONNECTIONS
    names = ["openai/one", "openai/other"]
    assert all(dialogue["pair"] == (names if player == 0 else names[::-1]) for dialogue in dialogues)
    for dialogue in dialogues:
        assert all(
            turn["text"].startswith(f"I am {dialogue['pair'][turn['player']].removeprefix('openai/')} and")
            for turn in dialogue["turns"]
        )

"""A machine that pauses while answers are under way: SIGSTOP for twice the timeout, then SIGCONT."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from fast_server import Asked, Served, fast_server
from lives import nursery

from evolif.runner import load_run
from evolif.scenarios.instructions import InstructionBenchmark, generate

pytestmark = pytest.mark.slow

SESSIONS, TURNS, TIMEOUT = 20, 6, 1.5


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    return generate(
        tmp_path_factory.mktemp("pauses") / "bench", dialogues=SESSIONS, turns=TURNS, seed=9, profile="objective"
    )


def test_no_call_is_repeated_whose_answer_had_arrived(bench: InstructionBenchmark, tmp_path: Path) -> None:
    def brain(asked: Asked) -> Served:
        return Served(asked.turn.witness or "", delay=0.4)

    began = time.monotonic()
    with fast_server(bench, brain) as server, nursery() as lives:
        lives.begin(
            str(bench.path),
            f"openai/m?base_url={server.url}",
            str(tmp_path / "run"),
            max_turns=TURNS,
            max_connections=SESSIONS,
            timeout=TIMEOUT,
        )
        assert server.wait_for(2 * SESSIONS + SESSIONS // 2, 60)
        lives.pause()
        time.sleep(2 * TIMEOUT)
        lives.go_on()
        assert lives.end() == 0
        assert len(server.asked) == SESSIONS * TURNS == len(set(server.asked))
    assert time.monotonic() - began < 60
    run = load_run(tmp_path / "run")
    assert all(s.ending == "censored" and all(all(t.judged) for t in s.turns) for s in run.sessions())
    assert sum(len(s.turns) for s in run.sessions()) == SESSIONS * TURNS and not run.faults()
    run.close()

"""The program is interrupted, over a real client and a local server; nothing finished is asked again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import chat_server

from evolif import load_benchmark
from evolif.report import summarise
from evolif.report.json import report_object
from evolif.runner import evaluate, load_run
from evolif.scenarios.instructions import InstructionBenchmark, generate

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there")

DIALOGUES, TURNS = 4, 12


class Server:
    """Knows the benchmark; satisfies two turns of three, always the same ones, and counts what it is asked."""

    def __init__(self, bench: InstructionBenchmark) -> None:
        self.delay = 0.0
        self.asked: list[tuple[int, int]] = []
        self._turns = {(d, t.query): t for d in bench.dialogues() for t in bench.turns(d)}
        self._first = {bench.turns(d)[0].query: d for d in bench.dialogues()}
        self._lock = threading.Lock()

    def answer(self, body: dict[str, Any]) -> str:
        queries = [m["content"] for m in body["messages"] if m["role"] == "user"]
        turn = self._turns[self._first[queries[0]], queries[-1]]
        assert turn.turn == len(queries)
        with self._lock:
            self.asked.append((turn.dialogue, turn.turn))
        time.sleep(self.delay)
        return (turn.witness or "") if zlib.crc32(turn.query.encode()) % 3 else "No."


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("kill") / "bench"
    generate(root, dialogues=DIALOGUES, turns=TURNS, seed=12, profile="objective")
    return root


@pytest.fixture
def server(bench: Path) -> Iterator[tuple[Server, str]]:
    brain = Server(load_benchmark(bench))
    with chat_server(brain.answer) as url:
        yield brain, f"openai/m?base_url={url}"


def figures(run_folder: Path) -> dict[str, Any]:
    run = load_run(run_folder)
    [model] = report_object([(run, summarise(run, resamples=50))])["models"]
    run.close()
    return model


def stored(run_folder: Path) -> set[tuple[int, int]]:
    run = load_run(run_folder)
    turns = {(s.dialogue, r.turn) for s, records in run.transcripts("openai/m") for r in records}
    found = run.integrity()
    run.close()
    assert (found.sealed, found.not_sealed, found.edited) == (len(turns), 0, ())
    return turns


@pytest.fixture
def reference(server: tuple[Server, str], bench: Path, tmp_path: Path) -> tuple[dict[str, Any], list[tuple[int, int]]]:
    """The figures of a run that nobody disturbed, and what it asked."""
    brain, model = server
    evaluate(bench, model, tmp_path / "whole", max_turns=TURNS).close()
    asked, brain.asked = sorted(brain.asked), []
    assert len(asked) == len(set(asked)) > 20
    return figures(tmp_path / "whole"), asked


def start(bench: Path, model: str, out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "evolif", "evaluate", str(bench), "-m", model, "--out", str(out)]
    command += ["--max-turns", str(TURNS), "--max-connections", "3", "--max-retries", "0"]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("EVOLIF_", "OPENAI_"))}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(brain: Server, count: int, process: subprocess.Popen[str]) -> None:
    while len(brain.asked) < count and process.poll() is None:
        time.sleep(0.005)


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupted_run_ends_its_turns_in_flight_and_goes_on_as_if_nothing_had_been(
    server: tuple[Server, str], bench: Path, tmp_path: Path, reference: Any, number: int
) -> None:
    brain, model = server
    brain.delay = 0.08
    process = start(bench, model, tmp_path / "run")
    wait_for(brain, 7, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "run the same command to continue" in err and "Traceback" not in err
    assert stored(tmp_path / "run") == set(brain.asked)
    brain.delay = 0.0
    evaluate(bench, model, tmp_path / "run", max_turns=TURNS).close()
    assert (figures(tmp_path / "run"), sorted(brain.asked)) == reference


@pytest.mark.slow
def test_a_second_ctrl_c_stops_at_once_and_loses_only_what_was_in_flight(
    server: tuple[Server, str], bench: Path, tmp_path: Path, reference: Any
) -> None:
    brain, model = server
    process = start(bench, model, tmp_path / "run")
    wait_for(brain, 5, process)
    brain.delay = 20.0
    wait_for(brain, len(brain.asked) + 1, process)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "Stopping" not in (line := process.stderr.readline()):
        assert line, "the first Ctrl-C was not answered"
    process.send_signal(signal.SIGINT)
    assert process.wait(15) == 130
    process.communicate()
    before = stored(tmp_path / "run")
    brain.delay, brain.asked = 0.0, []
    evaluate(bench, model, tmp_path / "run", max_turns=TURNS).close()
    assert not before & set(brain.asked)
    assert figures(tmp_path / "run") == reference[0]

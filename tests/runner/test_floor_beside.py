"""Floor and ceiling of a large run, worked out by a process beside it: as replayed, and nothing depends on it."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fast_server import Asked, FastServer, Served, fast_server

from evolif.metrics import Ceiling
from evolif.report import RunAnalysis
from evolif.runner import Run, evaluate, floor_beside, load_run
from evolif.runner.floor import replay_floor
from evolif.runner.floor_work import stored_ceiling, stored_floor
from evolif.scenarios.instructions import InstructionBenchmark, generate


def answering(asked: Asked) -> Served:
    return Served(asked.turn.witness or "" if asked.turn.dialogue % 2 else "no", delay=0.02)


@pytest.fixture
def made(tmp_path: Path) -> InstructionBenchmark:
    return generate(tmp_path / "made", dialogues=6, turns=8, seed=3, profile="objective")


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every run has a process beside it; all that were started."""
    started: list[subprocess.Popen[bytes]] = []
    start = floor_beside._start

    def noted(root: Path) -> subprocess.Popen[bytes] | None:
        process = start(root)
        assert process is not None
        started.append(process)
        return process

    monkeypatch.setattr(floor_beside, "MIN_TURNS", 1)
    monkeypatch.setattr(floor_beside, "_cores", lambda: 2)
    monkeypatch.setattr(floor_beside, "_start", noted)
    return started


def play(bench: InstructionBenchmark, server: FastServer, out: Path, **settings: Any) -> Run:
    return evaluate(bench, f"openai/m?base_url={server.url}", out, **{"max_turns": 6, **settings})


def replayed(run: Run) -> Ceiling | None:
    return RunAnalysis(run, verify=True).ceiling


def outcomes(found: Ceiling) -> list[Any]:
    return [
        (one.model, one.dialogue, one.epoch, one.ending, [all(turn.judged) for turn in one.turns if turn.judged])
        for one in found.sessions
    ]


@pytest.mark.slow
def test_what_the_process_finds_is_what_is_replayed(
    made: InstructionBenchmark, tmp_path: Path, processes: list[subprocess.Popen[bytes]]
) -> None:
    with fast_server(made, answering) as server, closing(play(made, server, tmp_path / "run")) as run:
        stored, floor = stored_floor(run.store), replay_floor(run.settings, run.prompts())
        assert stored is not None and stored == floor and dict(stored.sessions).keys() == dict(floor.sessions).keys()
        highest, again = stored_ceiling(run.store), replayed(run)
        assert highest is not None and again is not None
        assert replace(highest, sessions=()) == replace(again, sessions=())
        assert outcomes(highest) == outcomes(again) and highest.metrics.values == again.metrics.values
    assert [process.returncode for process in processes] == [0]


@pytest.mark.slow
def test_a_run_that_grows_gets_those_of_all_its_turns(
    made: InstructionBenchmark, tmp_path: Path, processes: list[subprocess.Popen[bytes]]
) -> None:
    with fast_server(made, answering) as server:
        play(made, server, tmp_path / "run", limit=2).close()
        with closing(play(made, server, tmp_path / "run")) as run:
            assert stored_floor(run.store) == replay_floor(run.settings, run.prompts()) is not None
            highest = stored_ceiling(run.store)
            assert highest is not None and highest.turns == len(list(run.prompts()))


@pytest.mark.sampled
@pytest.mark.parametrize("of_it", ["killed", "silent", "wrong", "none"])
def test_a_process_that_fails_costs_only_its_work(
    made: InstructionBenchmark,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    processes: list[subprocess.Popen[bytes]],
    of_it: str,
) -> None:
    start = floor_beside._start

    def failing(root: Path) -> subprocess.Popen[bytes] | None:
        if of_it == "none":
            return None
        if of_it == "killed":
            process = start(root)
            assert process is not None
            process.kill()
            return process
        code = "import time; time.sleep(60)" if of_it == "silent" else "input(); print('[1, 2')"
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe)

    monkeypatch.setattr(floor_beside, "_start", failing)
    monkeypatch.setattr(floor_beside, "LONGEST", 0.3)
    with fast_server(made, answering) as server, closing(play(made, server, tmp_path / "run")) as run:
        assert run.store.noted("floor") == run.store.noted("ceiling") == ""
        assert {session.ending for session in run.sessions()} <= {"finished", "censored"}
        analysis = RunAnalysis(run)
        assert analysis.floor == replay_floor(run.settings, run.prompts()) is not None
        assert analysis.ceiling == replayed(run) is not None


@pytest.mark.sampled
@pytest.mark.parametrize(
    "edit",
    [
        lambda note: "[]",
        lambda note: "{",
        lambda note: json.dumps({**json.loads(note), "key": "0"}),
        lambda note: json.dumps({**json.loads(note), "turns": "many"}),
        lambda note: json.dumps({**json.loads(note), "sessions": [[1, "12", None]]}),
        lambda note: json.dumps({**json.loads(note), "misses": [[1]]}),
        lambda note: note.replace('"csr": ', '"csr": 1e999, "x": '),
    ],
)
def test_a_ceiling_that_was_edited_is_not_believed(
    made: InstructionBenchmark, tmp_path: Path, processes: list[subprocess.Popen[bytes]], edit: Callable[[str], str]
) -> None:
    with fast_server(made, answering) as server:
        play(made, server, tmp_path / "run", limit=2).close()
    with closing(sqlite3.connect(tmp_path / "run" / "run.sqlite")) as file, file:
        (note,) = file.execute("SELECT value FROM run WHERE key = 'ceiling'").fetchone()
        file.execute("UPDATE run SET value = ? WHERE key = 'ceiling'", (edit(note),))
    with closing(load_run(tmp_path / "run")) as run:
        assert stored_ceiling(run.store) is None
        assert RunAnalysis(run).ceiling == replayed(run)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are not listed in /proc")
def test_the_process_ends_with_a_run_that_is_killed(made: InstructionBenchmark, tmp_path: Path) -> None:
    with fast_server(made, answering) as server:
        play(made, server, tmp_path / "run", limit=1).close()
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from evolif.runner.floor_beside import FloorBeside\n"
        "print(FloorBeside(Path(sys.argv[1]))._process.pid, flush=True)\n"
        "time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "run")], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        beside = int(run.stdout.readline())
        run.send_signal(signal.SIGKILL)
    until = time.monotonic() + 30
    while is_alive(beside) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(beside)


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # nobody may be there to wait for it


@pytest.mark.slow
def test_small_runs_plugins_and_one_core_have_no_process(made: InstructionBenchmark, tmp_path: Path) -> None:
    with fast_server(made, answering) as server, closing(play(made, server, tmp_path / "run")) as run:
        small = run.settings
        large = small.model_copy(update={"dialogues": tuple(range(1, 301))})
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(floor_beside, "_cores", lambda: 2)
            assert floor_beside.is_worth_it(large) and not floor_beside.is_worth_it(small)
            assert not floor_beside.is_worth_it(large.model_copy(update={"own_code": {"rhyme": "1"}}))
            assert not floor_beside.is_worth_it(large.model_copy(update={"scenario": "theirs"}))
            patch.setattr(floor_beside, "_cores", lambda: 1)
            assert not floor_beside.is_worth_it(large)

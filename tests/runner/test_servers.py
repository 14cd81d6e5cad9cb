"""Whole evaluations by the real SDK against a server that dies, comes back, stalls, or knows no such key."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from fast_server import Asked, Served, fast_server
from typer.testing import CliRunner

from evolif import load_benchmark
from evolif.cli import app
from evolif.runner import Event, Run, SessionEnded, evaluate, load_run
from evolif.runner import clients as _opened
from evolif.runner.events import TurnStored
from evolif.scenarios.instructions import InstructionBenchmark

ALL = [(d, n) for d in (1, 2, 3, 4) for n in range(1, 9)]


@pytest.fixture
def longer(bench: Path) -> InstructionBenchmark:
    made = load_benchmark(bench)
    made.extend(8)
    return made


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def good(asked: Asked) -> Served:
    return Served(asked.turn.witness or "")


def endings(run: Run) -> list[tuple[int, str | None, int]]:
    return [(s.dialogue, s.ending, len(s.turns)) for s in run.sessions()]


@pytest.mark.slow
def test_a_server_that_dies_suspends_and_when_it_is_back_nothing_is_asked_twice(
    longer: InstructionBenchmark, tmp_path: Path
) -> None:
    asked: list[tuple[int, int]] = []
    dying = Served(fault="reset")

    def mortal(request: Asked) -> Served:
        if len(asked) >= 7:  # fewer than one session has turns, so none can have ended
            return dying
        asked.append((request.turn.dialogue, request.turn.turn))
        return good(request)

    settings: dict[str, Any] = {"max_turns": 8, "max_connections": 2, "max_retries": 0}
    with fast_server(longer, mortal) as server:
        url, port = server.url, int(server.url.split(":")[2].split("/")[0])
        run = evaluate(longer, f"openai/m?base_url={url}", tmp_path / "run", **settings)
    assert run.suspended() == 4 and sum(n for *_, n in endings(run)) == 7
    run.close()
    run = evaluate(longer, f"openai/m?base_url={url}", tmp_path / "run", **settings)  # nobody listens there now
    assert run.suspended() == 4 and "could not be reached" in run.reasons()[0][1]
    run.close()
    with fast_server(longer, good, port) as server:
        run = evaluate(longer, f"openai/m?base_url={url}", tmp_path / "run", **settings)
        assert sorted(asked + server.asked) == ALL
    assert endings(run) == [(d, "censored", 8) for d in (1, 2, 3, 4)]
    run.close()


def test_a_stop_waits_for_turns_in_flight_only_so_long(
    longer: InstructionBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_opened, "GRACE", 0.2)
    stalled = threading.Semaphore(0)

    def slow(asked: Asked) -> Served:
        if asked.turn.turn < 3:
            return good(asked)
        stalled.release()
        return Served("too late", delay=3600.0)

    def interrupt() -> None:
        for _ in range(2):  # both that are in flight
            stalled.acquire(timeout=60)
        os.kill(os.getpid(), signal.SIGINT)

    with fast_server(longer, slow) as server:
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            evaluate(longer, f"openai/m?base_url={server.url}", tmp_path / "run", max_turns=8, max_connections=2)
    run = load_run(tmp_path / "run")
    assert endings(run) == [(1, None, 2), (2, None, 2), (3, None, 0), (4, None, 0)]
    run.close()


# The command


def evolif(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="evolif")


def test_a_wrong_key_is_one_sentence_and_exit_code_3_and_the_other_model_ends(
    longer: InstructionBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-verysecret-0123456789")
    with fast_server(longer, lambda _: Served(status=401)) as server:
        model = f"openai/m?base_url={server.url}&key_env=MY_KEY"
        told = evolif(
            "evaluate", longer.path, "-m", model, "-m", "sim/perfect", "--out", tmp_path / "r", "--max-turns", 8
        )
        assert len(server.asked) <= 4
    assert told.exit_code == 3 and "verysecret" not in told.output
    assert told.stderr.count("openai/m gets no more requests") == 1 and "check the key in MY_KEY" in told.stderr
    assert "4 sessions are suspended" in told.stderr
    run = load_run(tmp_path / "r")
    assert [s.ending for s in run.sessions("sim/perfect")] == ["censored"] * 4
    assert len(run.faults()) == 1
    run.close()


@pytest.mark.slow
def test_a_complete_run_says_so_and_exits_0_without_key_and_model(
    longer: InstructionBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-verysecret-0123456789")
    with fast_server(longer, good) as server:
        model = f"openai/m?base_url={server.url}&key_env=MY_KEY"
        command = ("evaluate", longer.path, "-m", model, "--out", tmp_path / "r", "--max-turns", 8)
        assert evolif(*command).exit_code == 0
    monkeypatch.delenv("MY_KEY")
    again = evolif(*command)
    assert again.exit_code == 0 and "is complete" in again.stderr and "CSR" in again.stdout
    more = evolif(*command, "--epochs", 2)
    assert more.exit_code == 2 and "MY_KEY" in more.stderr


@pytest.mark.slow
def test_a_fork_by_the_command(longer: InstructionBenchmark, tmp_path: Path) -> None:
    command = ("evaluate", longer.path, "-m", "sim/steady", "--out", tmp_path / "r", "--max-turns", 8)
    assert evolif(*command).exit_code == 0
    assert "start a new run from the shared part with --fork NEW" in " ".join(
        evolif(*command, "--patience", 2).stderr.split()
    )
    forked = evolif(*command, "--patience", 2, "--fork", tmp_path / "new")
    assert forked.exit_code == 0 and "sessions of" in forked.stderr and "is complete" in forked.stderr
    old, new = load_run(tmp_path / "r"), load_run(tmp_path / "new")
    assert (old.settings.patience, new.settings.patience) == (3, 2)
    assert sum(len(s.turns) for s in new.sessions()) <= sum(len(s.turns) for s in old.sessions())
    old.close()
    new.close()


def test_events_of_a_run_tell_all_there_is_to_show(longer: InstructionBenchmark, tmp_path: Path) -> None:
    seen: list[Event] = []
    with fast_server(longer, lambda asked: Served(good(asked).text, delay=0.002)) as server:
        evaluate(
            longer, f"openai/m?base_url={server.url}", tmp_path / "r", max_turns=8, limit=1, observe=seen.append
        ).close()
    turns = [event for event in seen if isinstance(event, TurnStored)]
    assert [t.turn for t in turns] == list(range(1, 9)) and all(t.seconds > 0 for t in turns)
    assert sum(s.usage.prompt_tokens for t in turns for s in t.spent) == 80
    assert isinstance(seen[-1], SessionEnded)

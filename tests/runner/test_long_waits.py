"""An endpoint that asks to wait for minutes: who is stopped, what the command says, and what resuming costs."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from fast_server import Asked, Served, fast_server
from scripted import Scripted
from typer.testing import CliRunner

from evolif.cli import app
from evolif.errors import ModelError
from evolif.models import ManagedModel, managed, waits
from evolif.runner import Event, evaluate, load_run, shutdown
from evolif.runner.events import ModelStopped
from evolif.scenarios.instructions import InstructionBenchmark, generate

SESSIONS, TURNS = 100, 10
LATER = Served(status=429, retry_after=300)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    return generate(
        tmp_path_factory.mktemp("waits") / "bench", dialogues=SESSIONS, turns=TURNS, seed=9, profile="objective"
    )


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pauses before a call tries are a twentieth as long."""
    kept = waits.RetryPolicy.__init__
    monkeypatch.setattr(waits.RetryPolicy, "__init__", lambda *a, **k: kept(*a, **{"pause": 0.25, **k}))


def evolif(bench: InstructionBenchmark, url: str, *arguments: object) -> Any:
    words = ("evaluate", bench.path, "-m", f"openai/m?base_url={url}", "--max-turns", TURNS, *arguments)
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="evolif")


def good(asked: Asked) -> Served:
    return Served(asked.turn.witness or "")


@pytest.mark.slow
def test_one_429_of_300_s_among_a_thousand_calls_suspends_one_session(
    bench: InstructionBenchmark, tmp_path: Path
) -> None:
    def brain(asked: Asked) -> Served:
        return LATER if (asked.turn.dialogue, asked.turn.turn, asked.before) == (40, 5, 0) else good(asked)

    with fast_server(bench, brain) as server:
        began = time.monotonic()
        told = evolif(bench, server.url, "-o", tmp_path / "r")
        assert time.monotonic() - began < 60
        assert told.exit_code == 3 and "1 session is suspended" in told.stderr
        with_mend = " ".join(told.stderr.split())
        assert "run the same command to resume it, later or with a longer --wait" in with_mend
        assert "retry after 300 s; waits of more than 120 s are not accepted" in with_mend
        assert len(server.asked) == SESSIONS * TURNS - 5
        again = evolif(bench, server.url, "-o", tmp_path / "r")
    assert again.exit_code == 0 and len(server.asked) == SESSIONS * TURNS + 1


@pytest.mark.slow
def test_a_model_that_tells_every_call_so_is_stopped_and_goes_on_later(
    bench: InstructionBenchmark, tmp_path: Path
) -> None:
    spent = False

    def brain(asked: Asked) -> Served:
        nonlocal spent
        spent = spent or len(server.asked) == 300
        return LATER if spent else good(asked)

    with fast_server(bench, brain) as server:
        began = time.monotonic()
        told = evolif(bench, server.url, "-o", tmp_path / "r", "--max-connections", 10, "--display", "plain")
        assert time.monotonic() - began < 60
        assert told.exit_code == 3 and len(server.asked) < 300 + 20
        assert told.stderr.count("openai/m gets no more requests") == 1
        assert "as every call is told; waits of more than 120 s are not accepted" in " ".join(told.stderr.split())
        server.brain = good
        assert evolif(bench, server.url, "-o", tmp_path / "r").exit_code == 0
    run = load_run(tmp_path / "r")
    assert all(session.ending == "censored" and len(session.turns) == TURNS for session in run.sessions())
    assert all(all(turn.judged) for session in run.sessions() for turn in session.turns)
    run.close()


@pytest.mark.slow
def test_told_to_wait_it_waits_and_says_who_why_and_until_when(
    bench: InstructionBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutdown, "HEARTBEAT", 0.2)

    def brain(asked: Asked) -> Served:
        return Served(status=429, retry_after=2) if 100 < len(server.asked) <= 120 else good(asked)

    arguments = ("--max-connections", 10, "--display", "plain", "--limit", 30)
    with fast_server(bench, brain) as server:
        began = time.monotonic()
        told = evolif(bench, server.url, "-o", tmp_path / "r", "--wait", 3, *arguments)
        assert 2 < time.monotonic() - began < 60
    assert told.exit_code == 0 and len(server.asked) == 30 * TURNS + 20
    reason = r"\(its endpoint asked for that: status 429\)"
    assert re.search(rf"openai/m: \d+ calls? waits? until \d\d:\d\d:\d\d {reason}", told.stderr)


def test_a_judge_that_tells_every_call_so_stops_all_sessions_and_no_answer_is_lost(
    paper_bench: Path, tmp_path: Path
) -> None:
    later = ModelError("judge: 429; retry after 300 s.", retryable=True, pushed_back=True, retry_after=300)
    judge = Scripted(lambda request: later, connections=2, name="fake/judge")
    panel = ManagedModel(judge, managed(judge).limit, waits.RetryPolicy(pause=0.02))
    seen: list[Event] = []
    began = time.monotonic()
    model = Scripted(lambda request: "No.", connections=4)
    run = evaluate(paper_bench, model, tmp_path / "r", judge=panel, epochs=10, max_turns=9, observe=seen.append)
    assert time.monotonic() - began < 20
    [stop] = [event for event in seen if isinstance(event, ModelStopped)]
    assert stop.model == "the judge" and "as every call is told" in stop.reason
    assert run.suspended() == 40 and len(judge.asked) < 20
    assert sum(len(run.store.turns(number)) for number, _ in run.store.sessions()) == len(model.asked)
    run.close()

"""What a run without a terminal says while it waits."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import get_args

import pytest
from rich.console import Console
from rich.live import Live as RichLive

from evolif.budget import load_prices, quotes_of, snapshot
from evolif.cli import progress as _display
from evolif.cli.progress import watching
from evolif.models import Waiting
from evolif.report.terminal import status_lines
from evolif.runner import Event, Live, RunStore, SessionEnded, SessionKey, evaluate, load_run
from evolif.runner.events import CallsInFlight, StillWaiting, TurnStored
from evolif.runner.live import Pace, read_live
from evolif.scenarios.instructions import generate
from evolif.types import Ending, Role


def test_every_role_that_makes_calls_is_awaited_by_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    roles: list[Role] = [role for role in get_args(Role) if role != "runner"]
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    with watching("plain", ["a/b"], 1) as watcher:
        monkeypatch.setattr("time.monotonic", lambda: 140.0)
        watcher(StillWaiting(tuple(CallsInFlight(role, f"a/{role}", 2, 40.0) for role in roles)))
    said = capsys.readouterr().err
    assert "2 partner's answers from a/partner (40 s)" in said and "2 notes from a/context (40 s)" in said
    assert all(f" from a/{role} (40 s)" in said for role in roles)


def test_who_waits_why_and_until_when_is_said_at_once_and_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_800_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    with watching("plain", ["a/b"], 1) as watcher:
        for past in (0, 10, 20):
            now = 1_800_000_000.0 + past
            watcher(StillWaiting((), (("a/b", Waiting(12, 90.0 - past, "its endpoint asked for that")),)))
        assert capsys.readouterr().err == f"a/b: 12 calls wait until {_clock(90)} (its endpoint asked for that)\n"
        now += 100
        watcher(StillWaiting((), (("a/b", Waiting(1, 100_000.0, "the pause before a repeat")),)))
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now + 100_000))
    assert capsys.readouterr().err == f"a/b: 1 call waits until {moment} (the pause before a repeat)\n"


def _clock(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(1_800_000_000.0 + seconds))


def test_a_run_without_a_terminal_says_how_much_time_is_left_and_on_one_what_it_waits_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generate(tmp_path / "bench", dialogues=2, turns=4, seed=8, profile="objective")
    stopped = threading.Event()

    def stop(event: Event) -> None:
        """Look at the run in the middle of it, as the display does."""
        if isinstance(event, TurnStored) and event.turn == 3 and not stopped.is_set():
            stopped.set()
            with closing(RunStore.open(tmp_path / "run", read_only=True)) as store:
                live = read_live(store.noted("live"))
            assert live is not None
            calls = (CallsInFlight("judge", "openai/y", 2, 31.0),)
            held = (("openai/y", Waiting(1, 90.0, "the pause before a repeat: status 503")),)
            paces = {"sim/perfect": Pace(1, 2, 3, 600.0)}
            shown.append(replace(live, paces=paces, calls=calls, held=held, repeats=(("openai/y", "status 503", 3),)))

    shown: list[Live] = []
    evaluate(tmp_path / "bench", "sim/perfect", tmp_path / "run", max_turns=4, max_connections=1, observe=stop).close()
    with closing(load_run(tmp_path / "run", read_only=True)) as run:
        status = snapshot(run, quotes_of(run.settings, load_prices()))
    status = replace(status, live=shown[0], models=(replace(status.models[0], turns_left=5.0, seconds_left=2700.0),))
    _display._PlainRun(tmp_path / "run", load_prices())._show(status)
    assert capsys.readouterr().err == "about 45 min left: 8 turns so far, about 5 more turns\n"
    lines = list(status_lines(status))
    assert "; 6.0 turns/h, about 45 min left" in lines[1]
    assert lines[2] == "Waiting for 2 verdicts from openai/y (31 s)."
    assert lines[3].startswith("openai/y: 1 call waits until ") and lines[3].endswith("repeat: status 503)")
    assert lines[4:] == ["Repeated requests: openai/y 3 × status 503."]
    out = StringIO()
    with RichLive(console=Console(file=out, force_terminal=True, width=200), auto_refresh=False) as table:
        _display.LiveWatcher(table, tmp_path / "run", load_prices())._show(status)
    told = " ".join(out.getvalue().split())
    assert all(line in told for line in lines[2:]) and "about 45 min left" in told


def test_a_wait_names_the_attempt_its_timeout_and_the_flag(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    with watching("plain", ["a/b"], 1) as watcher:
        monkeypatch.setattr("time.monotonic", lambda: 740.0)
        watcher(StillWaiting((CallsInFlight("target", "a/b", 10, 634.0, 3, 6, 120.0),)))
    said = capsys.readouterr().err
    assert said == (
        "0 turns so far; waiting for 10 answers from a/b (634 s; attempt 3 of 6, each up to 120 s, see --timeout)\n"
    )


@pytest.mark.slow
def test_a_run_against_a_server_that_hangs_says_which_attempt_it_waits_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("evolif.runner.shutdown.HEARTBEAT", 0.05)
    monkeypatch.setattr(_display, "_QUIET", 0.0)
    bench = generate(tmp_path / "bench", dialogues=1, turns=2, seed=1, profile="objective")
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and never answers
        model = f"openai/x?base_url=http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with watching("plain", ["openai/x"], 1) as watcher:
            run = evaluate(bench, model, tmp_path / "run", observe=watcher, timeout=0.4, max_retries=1)
    said = capsys.readouterr().err
    assert "attempt 1 of 2, each up to 0.4 s, see --timeout" in said
    assert "attempt 2 of 2, each up to 0.4 s, see --timeout" in said
    run.close()


def test_the_same_fault_of_many_sessions_is_one_line_with_a_count(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(dialogue: int, ending: Ending, cause: str, reason: str) -> SessionEnded:
        return SessionEnded(SessionKey("a/b", dialogue, 1), 0, 3, ending, cause, reason)

    with watching("plain", ["a/b"], 60) as watcher:
        for dialogue in range(1, 51):
            watcher(ended(dialogue, "suspended", "provider", "unknown host name"))
        watcher(ended(51, "suspended", "provider", "status 500"))
        watcher(ended(52, "finished", "patience", "patience exhausted"))
        watcher(ended(53, "finished", "patience", "patience exhausted"))
        watcher(StillWaiting(()))
        watcher(ended(54, "suspended", "provider", "status 500"))
    assert capsys.readouterr().err.splitlines() == [
        "a/b  dialogue 1: suspended at turn 0 (unknown host name)",
        "a/b  dialogue 51: suspended at turn 0 (status 500)",
        "a/b  dialogue 52: finished at turn 0 (patience exhausted)",
        "a/b  dialogue 53: finished at turn 0 (patience exhausted)",
        "a/b: 49 more sessions suspended (unknown host name)",
        "a/b: 1 more session suspended (status 500)",
    ]

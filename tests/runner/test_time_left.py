"""The time left during runs against a slow server, and what else a run says of itself while it is played."""

from __future__ import annotations

import json
import random
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from fast_server import Asked, Brain, Served, fast_server
from scripted import Scripted
from typer.testing import CliRunner

from evolif.budget import RunStatus, earlier_sessions, load_prices, quotes_of, snapshot
from evolif.cli import app
from evolif.errors import EvolifError
from evolif.metrics.terms import outcomes_of
from evolif.report import live_lines
from evolif.runner import Event, evaluate, load_run
from evolif.runner import live as _live
from evolif.runner.events import TurnStored
from evolif.runner.live import read_live
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.instructions import InstructionBenchmark, generate

CALL = 0.2
"""Seconds of every answer."""


@pytest.fixture(scope="module")
def slow_bench(tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    return generate(tmp_path_factory.mktemp("slow") / "bench", dialogues=24, turns=8, seed=21, profile="objective")


def failing(share: float) -> Brain:
    def answer(asked: Asked) -> Served:
        drawn = random.Random(f"{asked.turn.dialogue} {asked.turn.turn}").random()
        return Served("" if drawn < share else asked.turn.witness or "", delay=CALL)

    return answer


def look(root: Path) -> RunStatus:
    with closing(load_run(root, read_only=True)) as run:
        return snapshot(run, quotes_of(run.settings, load_prices()))


class Reader:
    """Reads the status of a run again and again, as another shell would."""

    def __init__(self, root: Path) -> None:
        self.seen: list[tuple[float, RunStatus]] = []
        self._root = root
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._read)

    def __enter__(self) -> Reader:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _read(self) -> None:
        while not self._over.wait(CALL / 4):
            try:
                self.seen.append((time.monotonic(), look(self._root)))
            except EvolifError:
                continue  # the run has not begun


def misjudged(bench: InstructionBenchmark, folder: Path, share: float) -> list[tuple[float, float | None, float]]:
    """Looks from a tenth of a run on at which the time left was not within a factor of two: share, said, true."""
    begun: list[float] = []  # when calls were made: loading the SDK takes longer than one of them
    brain = failing(share)

    def answer(asked: Asked) -> Served:
        begun.append(time.monotonic())
        return brain(asked)

    with fast_server(bench, answer) as server, Reader(folder) as reader:
        model = f"openai/m?base_url={server.url}"
        evaluate(bench, model, folder, max_turns=8, max_connections=6, patience=3).close()
        end = time.monotonic()
    began = begun[0]
    read = [((at - began) / (end - began), status.seconds_left, end - at) for at, status in reader.seen]
    later = [one for one in read if 0.1 <= one[0] <= 0.75 and one[2] < end - began - 2 * CALL]
    assert len(later) > 5
    # The tenth of a short run is over before its first answer; nothing is exact to less than a call.
    return [
        (at, left, truth)
        for at, left, truth in later
        if left is None or not truth / 2 - CALL <= left <= truth * 2 + CALL
    ]


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("share", [*(pytest.param(share, marks=pytest.mark.slow) for share in (0.05, 0.5)), 1.0])
def test_the_time_left_is_within_a_factor_of_two_after_a_tenth_of_the_run(
    slow_bench: InstructionBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    monkeypatch.setattr(_live, "PULSE", CALL / 4)
    # A machine that was busy with something else for a moment gets another chance.
    assert any(not misjudged(slow_bench, tmp_path / f"run-{attempt}", share) for attempt in range(3))


@pytest.mark.slow
def test_the_time_left_is_that_of_the_slowest_model_and_known_to_nobody_once_the_run_is_over(
    slow_bench: InstructionBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_live, "PULSE", CALL / 4)
    with fast_server(slow_bench, failing(0.0)) as server, Reader(tmp_path / "run") as reader:
        models = ["sim/perfect", f"openai/m?base_url={server.url}"]
        evaluate(slow_bench, models, tmp_path / "run", max_turns=5, limit=4, max_connections=2).close()
    known = [status for _, status in reader.seen if status.seconds_left is not None]
    assert known
    for status in known:
        fast, slow = status.models
        assert fast.seconds_left is not None and status.seconds_left == slow.seconds_left
    over = look(tmp_path / "run")
    assert over.live is None and over.seconds_left is None and over.turns_left == 0


@pytest.mark.slow
def test_earlier_runs_of_the_same_model_beside_a_run_say_how_long_its_sessions_last(
    slow_bench: InstructionBenchmark, tmp_path: Path
) -> None:
    for folder, model, patience in (
        ("a", "sim/perfect", 3), ("b", "sim/forgetful", 3), ("c", "sim/perfect", 2), ("d", "sim/perfect", 3)
    ):  # fmt: skip
        evaluate(slow_bench, model, tmp_path / folder, max_turns=3, limit=2, patience=patience).close()
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "run.sqlite").write_bytes(b"no run")
    with closing(load_run(tmp_path / "a", read_only=True)) as run:
        found = earlier_sessions(run)
    with closing(load_run(tmp_path / "d", read_only=True)) as run:
        shown = {
            model: [(one.dialogue, one.ending, list(outcomes_of(one))) for one in own] for model, own in found.items()
        }
        own = [(one.dialogue, one.ending, list(outcomes_of(one))) for one in run.sessions("sim/perfect")]
        assert shown == {"sim/perfect": own} and own


@pytest.mark.slow
def test_calls_in_flight_repeats_and_pauses_are_seen_from_another_shell(
    slow_bench: InstructionBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_live, "PULSE", 0.02)
    told: list[tuple[str, dict[str, object]]] = []
    limited = threading.Event()

    def busy(asked: Asked) -> Served:
        if asked.turn.turn == 2 and asked.before == 0:
            limited.set()
            return Served(status=503, retry_after=1)
        return Served(asked.turn.witness or "", delay=0.4)

    def shell() -> None:
        assert limited.wait(20)
        time.sleep(0.3)
        runner = CliRunner()
        lines = runner.invoke(app, ["status", str(tmp_path / "run")]).stdout
        told.append((lines, json.loads(runner.invoke(app, ["status", str(tmp_path / "run"), "--json"]).stdout)))

    other = threading.Thread(target=shell)
    other.start()
    with fast_server(slow_bench, busy) as server:
        evaluate(slow_bench, f"openai/m?base_url={server.url}", tmp_path / "run", max_turns=3, limit=1).close()
    other.join()
    [(lines, data)] = told
    assert "Waiting for 1 answer from openai/m (" in lines
    assert "openai/m: 1 call waits until " in lines and "(its endpoint asked for that: status 503)" in lines
    assert "Repeated requests: openai/m 1 × status 503." in lines
    assert " turns/s, about " in lines and " left\n" in lines
    live = data["live"]
    assert isinstance(live, dict) and live["repeats"] == [["openai/m", "status 503", 1]]
    assert data["seconds_left"] and data["turns_per_second"]
    assert server.url.removeprefix("http://").removesuffix("/v1") not in lines + json.dumps(live)


def test_a_run_whose_process_is_gone_says_so_and_promises_nothing(
    slow_bench: InstructionBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    observer = _live.LiveObserver.now

    def keep(self: _live.LiveObserver) -> _live.Live:
        notes.append(observer(self).dump())
        return observer(self)

    monkeypatch.setattr(_live.LiveObserver, "now", keep)
    evaluate(slow_bench, "sim/perfect", tmp_path / "run", max_turns=2, limit=2).close()
    live = read_live(notes[0])
    assert live is not None and live.paces["sim/perfect"].left == 2
    assert list(live_lines(live)) == []
    monkeypatch.setattr(time, "time", lambda: live.told + 3 * 3600)
    assert list(live_lines(live)) == [
        "No sign of life from the process that plays this run for 3.0 h. If it was killed, the same command resumes "
        "the run."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "{",
        "[]",
        '{"told": "now", "paces": {}}',
        '{"told": 1e999, "paces": {}}',
        '{"told": 1, "paces": {"m": {"alive": 1, "left": 1, "turns": 1, "seconds": -1}}}',
        '{"told": 1, "paces": {}, "held": [["m", {"calls": 1, "seconds": 1e300, "reason": "r"}]]}',
    ],
)
def test_an_edited_note_of_the_moment_is_none(text: str) -> None:
    assert read_live(text) is None


def test_without_patience_the_time_left_follows_from_the_length_of_the_dialogues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_live, "PULSE", 0.01)
    scenario = get_scenario("games")
    spec = options_of(scenario.spec, {"game": "names", "n": 9, "turns": [8]}, scenario.name)
    bench = scenario.generate(tmp_path / "games", spec, dialogues=3, seed=3)
    seen: list[RunStatus] = []

    def watch(event: Event) -> None:
        if isinstance(event, TurnStored) and event.seat == "target":
            seen.append(look(tmp_path / "run"))

    options = {"tokenizer": "regex"}
    model = Scripted(lambda _: "Hello.")
    evaluate(bench, model, tmp_path / "run", partner="self", options=options, max_connections=1, observe=watch).close()
    assert seen[-1].live is not None and seen[-1].live.length == 4
    left = [status.turns_left for status in seen]
    assert left == pytest.approx([3 * 4 - number for number in range(1, 13)], abs=1)  # a session ends after its turn

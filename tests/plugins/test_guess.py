"""A game of two seats, `guess.py`: a model against a scripted partner, and against itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from chat_server import chat_server
from typer.testing import Result

from evolif import evaluate, load_run
from evolif.models import ChatRequest, Reply
from evolif.types import Message, Usage

GAMES = 12
Run = Callable[..., Result]


@pytest.fixture
def games(run: Run) -> Path:
    """Some games, each with its number."""
    run("generate", "games", "--scenario", "guess", "--dialogues", GAMES, "--seed", 4)
    return Path("games")


class Player:
    """Takes either seat as the simulated players do, and remembers its requests."""

    connections = 4

    def __init__(self, name: str, gives_up: bool = False) -> None:
        self.name = name
        self.asked: list[ChatRequest] = []
        self._gives_up = gives_up

    async def complete(self, request: ChatRequest) -> Reply:
        from guess import play

        self.asked.append(request)
        assert request.prompt is not None
        if self._gives_up and request.prompt.turn == 5:
            return Reply("Enough.", usage=Usage(10, 1))
        return Reply(play(request.prompt, request), usage=Usage(10, 1))

    async def aclose(self) -> None:
        pass


def played(folder: str | Path) -> list[tuple[object, ...]]:
    """Every answer of a run, and how its games ended."""
    run = load_run(folder)
    found: list[tuple[object, ...]] = []
    for model in run.models:
        for session, records in run.transcripts(model):
            seats = [(r.turn, r.prompt.seat, r.prompt.query, r.answer, r.judged.scores) for r in records]
            found.append((session.dialogue, session.ending, session.cause, seats))
    run.close()
    return found


def test_a_model_plays_against_the_scripted_partner(run: Run, games: Path, figures: Any) -> None:
    run("evaluate", games, "-m", "sim/halver", "--out", "run")
    [model] = figures("run")["models"]
    assert model["found"]["value"] == 1 and 3 < model["guesses"]["value"] <= 5
    assert {(ending, cause) for _, ending, cause, _ in played("run")} == {("finished", "right")}
    assert "csr" not in model and "edr_len" not in model
    shown = run("report", "run", "--full", "--resamples", 50).stdout
    assert "Found %" in shown and "partner sim/keeper" in shown


def test_the_guesses_are_those_of_the_target_alone(run: Run, games: Path, figures: Any) -> None:
    run("evaluate", games, "-m", "sim/halver", "--out", "run")
    guesses = [sum(seat == "target" for _, seat, *_ in turns) for *_, turns in played("run")]
    [model] = figures("run")["models"]
    assert model["guesses"]["value"] == pytest.approx(sum(guesses) / GAMES)
    run("evaluate", games, "-m", "sim/halver", "--out", "short", "--max-turns", 2)
    counted = [[seat for _, seat, *_ in turns] for _, ending, _, turns in played("short") if ending == "censored"]
    assert counted and {seats.count("target") for seats in counted} == {2}


@pytest.mark.parametrize("self_play", [False, True])
def test_calls_of_the_partner_are_booked_as_the_partners(games: Path, self_play: bool) -> None:
    target, keeper = Player("test/target"), Player("test/keeper")
    run = evaluate(games, target, "run", partner="self" if self_play else keeper)
    costs = {(one.role, one.model): (one.calls, one.usage.tokens) for one in run.costs()}
    run.close()
    partner = target if self_play else keeper
    calls = Counter(seat for *_, turns in played("run") for _, seat, *_ in turns)
    assert costs == {
        ("target", "test/target"): (calls["target"], 11 * calls["target"]),
        ("partner", partner.name): (calls["partner"], 11 * calls["partner"]),
    }
    assert len(target.asked) == calls["target"] + (calls["partner"] if self_play else 0)
    assert Counter(request.prompt.seat for request in partner.asked if request.prompt)["partner"] == calls["partner"]


def test_self_play_gives_what_two_models_give(games: Path) -> None:
    evaluate(games, Player("test/target"), "two", partner=Player("test/keeper")).close()
    evaluate(games, Player("test/target"), "self", partner="self").close()
    assert played("two") == played("self")


def test_each_seat_is_told_its_own_and_no_context_cuts_that(games: Path) -> None:
    target, keeper = Player("test/target"), Player("test/keeper")
    evaluate(games, target, "run", partner=keeper, context="last:1").close()
    secrets = {d: json.loads((games / f"dialogues/{d:04}.jsonl").read_text())["secret"] for d in range(1, GAMES + 1)}
    for request in target.asked + keeper.asked:
        assert request.prompt is not None
        system, *rest = request.messages
        if request.prompt.seat == "target":
            assert system.role == "system" and system.content.startswith("Guess my number from 1 to 31.")
            assert rest[-1].content in ("Begin.", "higher", "lower")
        else:
            assert system == Message(
                "system", f"Your number is {secrets[request.prompt.dialogue]}. Reply “higher”, “lower” or “right”."
            )
            assert rest[-1].content.isdecimal()
        own_turns = (request.prompt.turn - 1) // 2
        assert [m.role for m in rest] == ["user", "assistant", "user"][2 - 2 * min(own_turns, 1) :]
    long = [r for r in target.asked if r.prompt is not None and r.prompt.turn >= 5]
    assert long and all(r.messages[1].content != "Begin." for r in long)
    assert {r.messages[2].content for r in long} <= {str(number) for number in range(32)}, "heard, not the whole answer"


def test_the_score_is_on_the_seat_that_ended_the_game(games: Path, figures: Any) -> None:
    evaluate(games, Player("test/target", gives_up=True), "run", partner=Player("test/keeper")).close()
    scored = set()
    for _, _, cause, turns in played("run"):
        [(seat, scores)] = [(seat, scores) for _, seat, _, _, scores in turns if scores]
        assert turns[-1][-1] == scores
        scored.add((cause, seat, scores[0].value))
    assert scored == {("right", "partner", 1.0), ("enough", "target", 0.0)}
    [model] = figures("run")["models"]
    assert 0 < model["found"]["value"] < 1


def test_exports_and_pages_tell_the_seats_apart(run: Run, games: Path) -> None:
    run("evaluate", games, "-m", "sim/halver", "--out", "run")
    run("export", "run", "run.jsonl")
    rows = [json.loads(line) for line in Path("run.jsonl").read_text(encoding="utf-8").splitlines()]
    assert Counter(row["seat"] for row in rows) == Counter(seat for *_, turns in played("run") for _, seat, *_ in turns)
    run("report", "run", "--html", "run.html", "--resamples", 50)
    assert "sim/keeper" in Path("run.html").read_text(encoding="utf-8")


def test_partners_are_compared_only_when_that_is_asked_for(run: Run, games: Path, refused: Any) -> None:
    evaluate(games, "sim/halver", "scripted").close()
    evaluate(games, "sim/halver", "self", partner="self").close()
    assert "--across partner" in refused("compare", "scripted", "self")
    assert "Found %" in run("compare", "scripted", "self", "--across", "partner", "--resamples", 50).stdout


class Server:
    """Plays both seats over HTTP, by the rules of the simulated players; answers no more after some requests."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.waiting: Counter[str] = Counter()
        self.left = 1_000_000
        self._lock = threading.Lock()
        self._released = threading.Event()

    def answer(self, body: dict[str, Any]) -> str:
        from guess import halve

        request = json.dumps([body["model"], body["messages"]])
        with self._lock:
            self.asked.append(request)
            self.left -= 1
            late = self.left < 0
            if late:
                self.waiting[request] += 1
        if late:
            self._released.wait(30)
        time.sleep(0.002)
        messages = [Message(m["role"], m["content"]) for m in body["messages"]]
        if not messages[0].content.startswith("Your number is "):
            return f"I say {halve(messages)}."
        guess, secret = int(messages[-1].content), int(messages[0].content.split()[3].strip("."))
        return "Higher." if guess < secret else "Lower." if guess > secret else "Right."

    def release(self) -> None:
        """Answer again."""
        self.left = 1_000_000
        self._released.set()


@contextmanager
def serving() -> Iterator[tuple[Server, str]]:
    brain = Server()
    with chat_server(brain.answer, brain.release) as url:
        yield brain, f"openai/NAME?base_url={url}"


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there")
@pytest.mark.parametrize("self_play", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_after_a_kill_exactly_what_was_in_flight_is_asked_again(
    games: Path, python: Callable[..., subprocess.Popen[str]], figures: Any, self_play: bool
) -> None:
    with serving() as (server, url):
        partner = "self" if self_play else url.replace("NAME", "keeper")
        words: tuple[object, ...] = ("-m", "evolif", "evaluate", games, "-m", url.replace("NAME", "m"))
        words += ("--partner", partner, "--max-connections", 3, "--max-retries", 0)
        whole = python(*words, "--out", "whole")
        assert whole.communicate(timeout=60) and whole.returncode == 0
        undisturbed, server.asked = Counter(server.asked), []

        server.left = undisturbed.total() // 2
        killed = python(*words, "--out", "run")
        before = -1
        while before < len(server.asked) or not server.waiting.total():  # until every session waits for an answer
            before = len(server.asked)
            assert killed.poll() is None
            time.sleep(0.4)
        killed.send_signal(signal.SIGKILL)
        killed.communicate(timeout=20)
        in_flight = Counter(server.waiting)
        assert 3 <= in_flight.total() <= 6
        assert load_run("run").suspended() > 0

        server.release()
        resumed = python(*words, "--out", "run")
        assert resumed.communicate(timeout=60) and resumed.returncode == 0
        assert Counter(server.asked) - undisturbed == in_flight and not undisturbed - Counter(server.asked)
    assert played("run") == played("whole")
    assert figures("run")["models"] == figures("whole")["models"]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="the extra ray is not installed")
def test_a_cluster_plays_the_same_games(games: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
    for name in ("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "RAY_USAGE_STATS_ENABLED"):
        monkeypatch.setenv(name, "0")
    import ray

    init = ray.init
    monkeypatch.setattr(ray, "init", lambda *given, **named: init(*given, num_cpus=2, **named))
    evaluate(games, "sim/halver", "alone").close()
    for out, partner in (("spread", None), ("self", "self")):
        run = evaluate(games, "sim/halver", out, engine="ray", partner=partner)
        costs = {(one.role, one.calls) for one in run.costs()}
        assert run.faults() == [] and played(out) == played("alone")
        run.close()
        alone = load_run("alone")
        assert costs == {(one.role, one.calls) for one in alone.costs()}
        alone.close()

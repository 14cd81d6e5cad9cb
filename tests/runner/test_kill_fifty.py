"""Killed 50 times at random moments within one run: nothing finished is asked again, and the figures are the same."""

from __future__ import annotations

import random
import signal
import sqlite3
import sys
import time
import zlib
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from fast_server import Asked, FastServer, Served, fast_server
from lives import Nursery, nursery

from evolif.runner import Run, evaluate, load_run
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.types import Usage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there")

KILLS, DIALOGUES, TURNS, CONNECTIONS = 50, 16, 16, 4
BUDGET = 10**12
"""Tokens, far more than are needed: every call is then reserved before it is made."""
SETTINGS = {"max_turns": TURNS, "max_connections": CONNECTIONS, "max_retries": 0}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    root = tmp_path_factory.mktemp("fifty") / "bench"
    return generate(root, dialogues=DIALOGUES, turns=TURNS, seed=12, profile="objective")


class Brain:
    """Four answers of five are good, always the same ones; none is immediate, so that some are in flight."""

    def __init__(self) -> None:
        self.left = 10_000
        """Requests that still get an answer; the others wait for one in vain."""

    def __call__(self, asked: Asked) -> Served:
        self.left -= 1
        good = zlib.crc32(asked.turn.query.encode()) % 5
        return Served((asked.turn.witness or "") if good else "No.", delay=0.004 if self.left >= 0 else 3600.0)


def outcome(run: Run) -> list[tuple[int, str | None, list[tuple[bool, ...]]]]:
    told = [(s.dialogue, s.ending, [t.judged for t in s.turns]) for s in run.sessions()]
    run.close()
    return told


def stored(folder: Path) -> set[tuple[int, int]]:
    if not (folder / "run.sqlite").exists():
        return set()
    try:
        run = load_run(folder)
    except Exception:  # killed before it had begun
        return set()
    turns = {(s.dialogue, turn.turn) for s in run.sessions() for turn in s.turns}
    edited = run.integrity().edited
    run.close()
    assert edited == ()
    return turns


class Lives:
    """One run, killed again and again; checks each life by what it asked."""

    def __init__(self, server: FastServer, nursery: Nursery, bench: InstructionBenchmark, folder: Path) -> None:
        self._server = server
        self._nursery = nursery
        self._arguments = (str(bench.path), f"openai/m?base_url={server.url}", str(folder))
        self._folder = folder
        self._highest: Counter[int] = Counter()
        self.asked: Counter[tuple[int, int]] = Counter()

    def live(self, die_after: int | None, delay: float = 0.0) -> int:
        """One life; dies so many seconds after so many requests. Returns its exit code."""
        done, before = stored(self._folder), len(self._server.asked)
        self._server.brain.left = 10_000 if die_after is None else die_after
        self._nursery.begin(*self._arguments, **SETTINGS, budget_tokens=BUDGET)
        if die_after is not None:
            assert self._server.wait_for(before + die_after, 60)
            time.sleep(delay)
            self._nursery.kill()
        code = self._nursery.end()
        asked = Counter(self._server.asked[before:])
        for dialogue, turn in self._server.asked[before:]:
            assert turn >= self._highest[dialogue], "a turn was asked again although the one after it had begun"
            self._highest[dialogue] = turn
        assert not done & asked.keys(), "a finished turn was asked again"
        assert not asked or max(asked.values()) == 1, "a turn was asked twice in one life"
        self.asked.update(asked)
        return code


@pytest.mark.slow
def test_fifty_kills_lose_only_what_was_in_flight(bench: InstructionBenchmark, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with fast_server(bench, Brain()) as server, nursery() as forks:
        whole = outcome(evaluate(bench, f"openai/m?base_url={server.url}", tmp_path / "whole", **SETTINGS))
        turns = set(server.asked)
        assert len(server.asked) == len(turns) > 150
        server.asked.clear()
        lives, chance = Lives(server, forks, bench, folder), random.Random(50)
        for _ in range(KILLS):
            # From the first moment, before the store is there, to some answers later, and then anywhere within a turn.
            assert lives.live(chance.choice([0, 1, 1, 2, 3, 4, 5]), chance.random() * 0.02) == -signal.SIGKILL
        assert len(stored(folder)) < len(turns)
        assert lives.live(None) == 0
    assert outcome(load_run(folder)) == whole and stored(folder) == turns == lives.asked.keys()
    with closing(sqlite3.connect(folder / "run.sqlite")) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    [spent], calls = load_run(folder).costs(), lives.asked.total()
    assert load_run(folder).store.under_way() == []
    assert spent.usage == Usage(10 * len(turns), 5 * len(turns))
    # Every call that the server got is in the ledger, and no more than those that were about to be made with it. A
    # call whose usage is unknown was under way at a kill.
    assert calls <= spent.calls <= calls + KILLS * CONNECTIONS
    assert spent.calls - spent.unknown == len(turns) and 0 < spent.unknown <= KILLS * CONNECTIONS
    # A turn is asked once more for each kill that met it in flight, and no kill can meet more than the connections.
    assert 0 < lives.asked.total() - len(turns) <= KILLS * CONNECTIONS

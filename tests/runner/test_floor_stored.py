"""The floor is worked out while a run waits for answers, and stored with it; the same to the last digit as replayed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fast_server import Asked, FastServer, Served, fast_server
from scripted import Scripted, good_but

from evolif.report import RunAnalysis
from evolif.runner import Run, evaluate, load_run
from evolif.runner.floor import replay_floor
from evolif.runner.floor_work import stored_floor
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.types import Prompt


def answering(asked: Asked) -> Served:
    """Right in every second dialogue, so that sessions are of different lengths."""
    return Served(asked.turn.witness or "" if asked.turn.dialogue % 2 else "no", delay=0.02)


def make(folder: Path) -> None:
    generate(folder, dialogues=6, turns=8, seed=3, profile="objective")


@pytest.fixture
def made(tmp_path: Path, copied: Callable[..., Path]) -> InstructionBenchmark:
    return InstructionBenchmark(copied(make, tmp_path / "made"))


def play(bench: InstructionBenchmark, server: FastServer, out: Path, **settings: Any) -> Run:
    return evaluate(bench, f"openai/m?base_url={server.url}", out, **{"max_turns": 6, **settings})


def hold_equal(run: Run) -> None:
    prompts = list(run.prompts())
    stored, replayed = stored_floor(run.store, prompts), replay_floor(run.settings, prompts)
    assert stored is not None and replayed is not None
    assert stored == replayed and repr(stored) == repr(replayed)
    assert RunAnalysis(run).floor == replayed
    # A part of the turns has another floor, which is replayed.
    assert stored_floor(run.store, prompts[:-1]) is None


@pytest.mark.slow
def test_the_stored_floor_is_the_replayed_one(made: InstructionBenchmark, tmp_path: Path) -> None:
    with fast_server(made, answering) as server, closing(play(made, server, tmp_path / "run")) as run:
        hold_equal(run)


@pytest.mark.slow
def test_a_run_that_grows_gets_the_floor_of_all_its_turns(made: InstructionBenchmark, tmp_path: Path) -> None:
    with fast_server(made, answering) as server:
        play(made, server, tmp_path / "run", limit=2).close()
        first = load_run(tmp_path / "run")
        before = stored_floor(first.store, first.prompts())
        first.close()
        with closing(play(made, server, tmp_path / "run")) as run:
            hold_equal(run)
            after = stored_floor(run.store, run.prompts())
    assert before is not None and after is not None and before.turns < after.turns


def test_the_floor_of_a_benchmark_is_worked_out_once_for_all_models(made: InstructionBenchmark, tmp_path: Path) -> None:
    models = [Scripted(good_but({2, 3, 4}), name="fake/a"), Scripted(good_but(set()), name="fake/b")]
    with closing(evaluate(made, models, tmp_path / "run", max_turns=6, epochs=2)) as run:
        hold_equal(run)


def test_a_simulated_model_is_never_waited_for(made: InstructionBenchmark, tmp_path: Path) -> None:
    with closing(evaluate(made, "sim/steady", tmp_path / "run", max_turns=6)) as run:
        assert stored_floor(run.store, run.prompts()) is None and run.store.noted("floor") == ""
        assert RunAnalysis(run).floor == replay_floor(run.settings, run.prompts())


class Judging:
    """Cannot judge by rules alone, so that no floor is worked out."""

    closed = 0

    def asks_a_judge(self, prompt: Prompt) -> bool:
        return True

    async def aclose(self) -> None:
        self.closed += 1


def test_what_judges_is_closed_where_the_floor_is_given_up(
    made: InstructionBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judging = Judging()
    monkeypatch.setattr("evolif.runner.floor_work.open_judging", lambda settings: judging)
    with fast_server(made, answering) as server, closing(play(made, server, tmp_path / "run")) as run:
        assert run.store.noted("floor") == ""
    assert judging.closed == 1


@pytest.mark.sampled
@pytest.mark.parametrize(
    "edit",
    [
        lambda note: "",
        lambda note: "[]",
        lambda note: "{",
        lambda note: json.dumps({**json.loads(note), "key": "0"}),
        lambda note: json.dumps({**json.loads(note), "responder": "nobody"}),
        lambda note: json.dumps({**json.loads(note), "turns": "many"}),
        lambda note: json.dumps({**json.loads(note), "responders": {"yes": {"values": {"csr": "1"}}}}),
        lambda note: note.replace('"csr": ', '"csr": 1e999, "x": '),
    ],
)
def test_a_note_that_was_edited_is_not_believed(made: InstructionBenchmark, tmp_path: Path, edit: Any) -> None:
    with fast_server(made, answering) as server:
        play(made, server, tmp_path / "run").close()
    with closing(sqlite3.connect(tmp_path / "run" / "run.sqlite")) as file, file:
        (note,) = file.execute("SELECT value FROM run WHERE key = 'floor'").fetchone()
        file.execute("UPDATE run SET value = ? WHERE key = 'floor'", (edit(note),))
    with closing(load_run(tmp_path / "run")) as run:
        assert stored_floor(run.store, run.prompts()) is None
        assert RunAnalysis(run).floor == replay_floor(run.settings, run.prompts())


def test_the_settings_and_their_hash_know_nothing_of_it(made: InstructionBenchmark, tmp_path: Path) -> None:
    with fast_server(made, answering) as server, closing(play(made, server, tmp_path / "run")) as run:
        assert "floor" not in run.settings.model_dump_json()
        with closing(sqlite3.connect(tmp_path / "run" / "run.sqlite")) as file:
            (stored,) = file.execute("SELECT value FROM run WHERE key = 'hash'").fetchone()
        assert stored == run.settings.hash()

"""The commands that a report prints make the same benchmark and the same run again."""

from __future__ import annotations

import shlex
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evolif import evaluate, load_run
from evolif.cli import app
from evolif.report import analyse
from evolif.runner import RunStore
from evolif.runner.provenance import read_origin

SETS = {
    "objective": ["--profile", "objective", "--turns", "3"],
    "queries": ["--profile", "extended", "--turns", "2", "--definitions", "query"],
    "shifts": ["--scenario", "shifts", "--set", "rounds=10,15"],
    "games": ["--scenario", "games", "--set", "game=names", "--set", "turns=2,4"],
}


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file() and p.name != ".lock"}


def run(words: list[str]) -> None:
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output


@pytest.mark.sampled
@pytest.mark.parametrize("name", SETS)
def test_the_printed_commands_make_the_same_bytes(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(["generate", "bench", "--dialogues", "4", "--seed", "23", *SETS[name]])
    before = contents(Path("bench"))  # playing adds turns where they are missing
    model = "sim/scripted" if name == "games" else "sim/steady"
    evaluate("bench", models=[model], out="run", max_turns=3, limit=3, seed=5)
    with closing(load_run("run")) as stored:
        generate_step, evaluate_step, _ = analyse([stored])[0].commands
        told = [(turn.query, turn.answer) for _, turns in stored.transcripts(model) for turn in turns]
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    run(shlex.split(generate_step.command)[1:])
    assert contents(Path("BENCH")) == before
    run(shlex.split(evaluate_step.command)[1:])
    with closing(load_run("run")) as again:
        assert [(turn.query, turn.answer) for _, turns in again.transcripts(model) for turn in turns] == told


def test_a_run_stores_the_whole_specification(tmp_path: Path) -> None:
    run(["generate", str(tmp_path / "bench"), "--dialogues", "2", "--turns", "2", "--seed", "23"])
    evaluate(tmp_path / "bench", models=["sim/steady"], out=tmp_path / "run", max_turns=2, limit=1)
    with closing(load_run(tmp_path / "run")) as stored:
        origin = stored.origin()
    assert origin is not None and origin.spec["seed"] == 23 and origin.spec["profile"]["name"] == "everyday"
    assert origin.words[:4] == ("--profile", "everyday", "--dialogues", "2")


def test_runs_of_earlier_versions_say_what_is_missing(tmp_path: Path) -> None:
    run(["generate", str(tmp_path / "bench"), "--dialogues", "1", "--turns", "2", "--seed", "23"])
    evaluate(tmp_path / "bench", models=["sim/steady"], out=tmp_path / "run", max_turns=2)
    store = RunStore.open(tmp_path / "run")
    store._connection.execute("DELETE FROM run WHERE key = 'origin'")
    store._connection.commit()
    store.close()
    with closing(load_run(tmp_path / "run")) as stored:
        assert stored.origin() is None
        step = analyse([stored])[0].commands[0]
    assert "--seed SEED" in step.command and "pass the benchmark's folder with --bench" in step.note


@pytest.mark.parametrize("text", ["", "{", "[]", '{"words": 3, "notes": []}', '{"words": []}', "[" * 100_000])
def test_an_edited_specification_is_none(text: str) -> None:
    assert read_origin(text) is None

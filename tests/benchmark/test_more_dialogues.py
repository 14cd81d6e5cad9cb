"""A benchmark grows in dialogues: the same bytes as one made with so many, and the same benchmark to its runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evolif import evaluate, load_benchmark, load_run
from evolif.cli import app
from evolif.scenarios.instructions import generate
from evolif.scenarios.instructions.generation import grow

SCENARIOS = {
    "instructions": ["--turns", "2"],
    "shifts": ["--scenario", "shifts"],
    "games": ["--scenario", "games", "--set", "game=names", "--set", "turns=2"],
}


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file() and p.name != ".lock"}


def run(*words: object, code: int = 0) -> Result:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


def make(out: Path, scenario: str, dialogues: int) -> None:
    run("generate", out, "--dialogues", dialogues, "--seed", 7, *SCENARIOS[scenario])


@pytest.mark.sampled
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("verb", ["generate", "extend"])
def test_a_grown_set_equals_one_made_with_as_many(tmp_path: Path, scenario: str, verb: str) -> None:
    make(tmp_path / "whole", scenario, 6)
    make(tmp_path / "grown", scenario, 5)
    before = load_benchmark(tmp_path / "grown").identity
    if verb == "generate":
        make(tmp_path / "grown", scenario, 6)
    else:
        assert "1 dialogue added; it now has 6" in run("extend", tmp_path / "grown", "--dialogues", 6).output
    assert contents(tmp_path / "grown") == contents(tmp_path / "whole")
    assert load_benchmark(tmp_path / "grown").identity == before


@pytest.mark.slow
def test_fifty_dialogues_grow_to_sixty(tmp_path: Path) -> None:
    generate(tmp_path / "whole", dialogues=60, turns=3, seed=11, profile="objective")
    grow(generate(tmp_path / "grown", dialogues=50, turns=3, seed=11, profile="objective"), 60)
    assert contents(tmp_path / "grown") == contents(tmp_path / "whole")


def test_growth_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    make(tmp_path / "whole", "instructions", 6)
    make(tmp_path / "grown", "instructions", 4)
    (tmp_path / "grown/dialogues/0005.jsonl").write_bytes((tmp_path / "whole/dialogues/0005.jsonl").read_bytes())
    run("extend", tmp_path / "grown", "--dialogues", 6)
    assert contents(tmp_path / "grown") == contents(tmp_path / "whole")


def test_a_run_grows_with_its_benchmark(tmp_path: Path) -> None:
    make(tmp_path / "bench", "instructions", 2)
    evaluate(tmp_path / "bench", models=["sim/steady"], out=tmp_path / "run", max_turns=2)
    run("extend", tmp_path / "bench", "--dialogues", 3)
    evaluate(tmp_path / "bench", models=["sim/steady"], out=tmp_path / "run", max_turns=2)
    assert load_run(tmp_path / "run").settings.dialogues == (1, 2, 3)


def test_fewer_dialogues_remove_nothing(tmp_path: Path) -> None:
    make(tmp_path / "bench", "instructions", 3)
    before = contents(tmp_path / "bench")
    told = run("extend", tmp_path / "bench", "--dialogues", 2, code=2).output
    assert "already has 3 dialogues; to use 2 of them, play them with --limit 2" in told
    assert contents(tmp_path / "bench") == before


@pytest.mark.sampled
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_set_of_an_earlier_version_keeps_its_identity_and_its_size(tmp_path: Path, scenario: str) -> None:
    make(tmp_path / "bench", scenario, 2)
    file = tmp_path / "bench/benchmark.json"
    header = json.loads(file.read_text("utf-8"))
    del header["grows"]
    file.write_text(json.dumps(header, ensure_ascii=False, indent=1) + "\n", "utf-8")
    now = load_benchmark(tmp_path / "bench").identity
    header["spec"]["dialogues"] += 1
    file.write_text(json.dumps(header, ensure_ascii=False, indent=1) + "\n", "utf-8")
    assert load_benchmark(tmp_path / "bench").identity != now  # as those versions worked it out
    told = run("extend", tmp_path / "bench", "--dialogues", 9, code=2).output
    assert "cannot get more" in told and "generate a new folder with the same seed" in told


def test_something_has_to_be_asked_for(tmp_path: Path) -> None:
    make(tmp_path / "bench", "shifts", 1)
    assert "give one of them" in run("extend", tmp_path / "bench", code=2).output
    assert "add dialogues with --dialogues N" in run("extend", tmp_path / "bench", "--turns", 3, code=2).output

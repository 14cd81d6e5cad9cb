"""`evolif audit`: own benchmarks, the shape for machines, the table for people, exit codes."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import evolif
from evolif.cli import app

TURN_KEYS = ["file", "dialogue", "turn", "status", "conflict", "reason", "description_matches", "query_findings"]


def make(folder):
    evolif.generate(folder, dialogues=3, turns=12, seed=11, profile="paper")


@pytest.fixture
def bench(tmp_path, copied):
    return copied(make, tmp_path / "bench")


def run(*arguments, **environment):
    return CliRunner().invoke(app, ["audit", *map(str, arguments)], env={"COLUMNS": "120", **environment})


def rewrite(bench, number, change):
    path = bench / "dialogues" / "0001.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    data = json.loads(lines[number - 1])
    change(data)
    lines[number - 1] = json.dumps(data, ensure_ascii=False)
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.slow
def test_an_own_benchmark_is_satisfiable_throughout(bench):
    before = {path: path.read_bytes() for path in bench.rglob("*.json*")}
    result = run(bench, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert list(told) == ["turns", "summary"]
    assert len(told["turns"]) == 36
    for turn in told["turns"]:
        assert list(turn) == TURN_KEYS
        assert turn["status"] == "satisfiable"
        assert (turn["conflict"], turn["reason"], turn["query_findings"]) == ([], "", [])
        assert turn["description_matches"] is True
    assert told["turns"][0]["file"] == "dialogues/0001.jsonl"
    assert told["summary"]["status"] == {"satisfiable": 36, "awkward": 0, "impossible": 0, "undecided": 0}
    assert told["summary"]["witnesses"] == {"stored": 36, "failing": 0}
    assert told["summary"]["moves"]["new"] >= 3
    assert {path: path.read_bytes() for path in bench.rglob("*.json*")} == before
    alone = run(bench / "dialogues" / "0002.jsonl", "--json")
    assert alone.exit_code == 0
    assert json.loads(alone.stdout)["summary"]["turns"] == 12


def test_without_stored_witnesses_they_are_built(bench):
    for number in range(1, 13):
        rewrite(bench, number, lambda data: data.pop("witness"))
    assert run(bench).exit_code == 0


@pytest.mark.slow
def test_a_stored_witness_that_fails_is_a_finding(bench):
    rewrite(bench, 1, lambda data: data.update(constraints=[{
        "group": "forbidden", "params": {"keywords": ["harbour"]},
        "description": "The word harbour must not occur.",
    }], witness="At the harbour."))  # fmt: skip
    result = run(bench, "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["turns"][0]["status"] == "satisfiable"
    assert told["turns"][0]["reason"].startswith("the stored witness fails: forbidden: ")
    assert told["summary"]["witnesses"]["failing"] == 1
    assert "the stored witness fails" in " ".join(run(bench).stdout.replace("│", " ").split())


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("constraints", "status"),
    [
        (
            [
                {"group": "start_with", "params": {"mode": "keyword", "value": "app store"}},
                {"group": "forbidden", "params": {"keywords": ["app"]}},
            ],
            "impossible",
        ),
        ([{"group": "existence", "params": {"counts": {"a b": 9, "c d": 9, "e f": 9}}}], "awkward"),
    ],
)
def test_impossible_and_awkward_turns_are_findings(bench, constraints, status):
    described = [{**c, "description": evolif.check([c], "x")[0].expected} for c in constraints]
    rewrite(bench, 2, lambda data: data.update(constraints=described))
    result = run(bench, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["turns"][1]["status"] == status
    shown = run(bench)
    assert shown.exit_code == 1
    assert status in shown.stdout


def test_an_empty_description_is_a_finding(bench):
    rewrite(bench, 1, lambda data: data["constraints"][0].update(description=""))
    result = run(bench)
    assert result.exit_code == 1
    assert "Descriptions that do not state" in result.stdout


def test_a_broken_line_is_named(bench):
    rewrite(bench, 3, lambda data: data.update(constraints=[{"group": "bullets", "params": {"count": "many"}}]))
    result = run(bench)
    assert result.exit_code == 2
    assert "0001.jsonl, line 3: " in result.stderr
    rewrite(bench, 3, lambda data: data.update(constraints=7))
    assert run(bench).exit_code == 2


def test_a_folder_that_is_none_is_wrong_usage(tmp_path):
    assert run(tmp_path / "absent").exit_code == 2
    assert run(tmp_path).exit_code == 2


def test_foreign_text_does_not_reach_the_terminal_as_it_is(tmp_path):
    evil = "\x1b[31m\u202e[bold]x"
    line = {"turn": 1, "active_topic": 1, "instructions": [{"id": evil, "args": {}, "description": ""}]}
    (tmp_path / "snapshots_1.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    shown = run(tmp_path)
    assert shown.exit_code == 0
    assert "\x1b[31m" not in shown.stdout
    assert "\u202e" not in shown.stdout
    assert "[bold]" in shown.stdout
    half = json.dumps(line).replace("u202e", "ud800")
    (tmp_path / "snapshots_1.jsonl").write_text(half + "\n", encoding="utf-8")
    refused = run(tmp_path)  # half a surrogate pair is no text
    assert refused.exit_code == 2
    assert "snapshots_1.jsonl, line 1: " in refused.stderr

"""`evolif export` and `evolif import`: sentences for people, JSON for machines, exit codes."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import evolif
from evolif.cli import app
from evolif.exchange import canary_of


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return evolif.generate(tmp_path_factory.mktemp("verbs") / "b", dialogues=2, turns=3, seed=30, profile="objective")


def run(*arguments, **environment):
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "200", **environment})


@pytest.mark.slow
def test_there_and_back(bench, tmp_path):
    result = run("export", bench.path, tmp_path / "b.jsonl")
    assert result.exit_code == 0, result.output
    assert "6 turns of a benchmark as jsonl, without witnesses" in result.stdout
    assert canary_of(bench.identity) in result.stdout
    result = run("import", tmp_path / "b.jsonl", tmp_path / "back")
    assert result.exit_code == 0, result.output
    assert "6 turns in 2 dialogues" in result.stdout and "satisfiable 6" in result.stdout
    assert "100.0 % have a witness" in result.stdout and "no script" not in result.stdout


def test_machines_read_json(bench, tmp_path):
    told = json.loads(run("export", bench.path, tmp_path / "d", "--format", "evolif-dialogs", "--json").stdout)
    assert told["rows"] == 6 and told["format"] == "evolif-dialogs" and told["with_witness"] is False
    told = json.loads(run("import", tmp_path / "d", tmp_path / "back", "--json").stdout)
    assert told["ceiling"] == 1 and told["turns"] == 6 and told["extendable"] is True
    assert told["status"] == {"satisfiable": 6, "awkward": 0, "impossible": 0, "undecided": 0}


def test_a_foreign_file_says_what_it_is(tmp_path):
    entries = [{"id": "forbidden", "args": ["tea"]}, {"id": "existence", "args": {"tea": 2}}]
    line = {"turn": 1, "active_topic": 3, "user_query": "No tea, and tea twice.", "instructions": entries}
    (tmp_path / "dialog_1.jsonl").write_text(json.dumps(line), encoding="utf-8")
    result = run("import", tmp_path / "dialog_1.jsonl", tmp_path / "b")
    assert result.exit_code == 0, result.output
    assert "impossible 1" in result.stdout and "0.0 % have a witness" in result.stdout
    assert "several constraints change" in result.stdout and "no script" in result.stdout
    refused = run("extend", tmp_path / "b", "--turns", "3")
    assert refused.exit_code == 2 and "cannot be extended" in refused.stderr


def test_wrong_use_is_a_sentence(bench, tmp_path):
    for arguments, told in (
        (("export", bench.path, tmp_path / "x"), "--format"),
        (("export", bench.path, tmp_path / "x", "--format", "xml"), "unknown"),
        (("export", tmp_path, tmp_path / "x.jsonl"), "neither a benchmark nor a run"),
        (("import", tmp_path / "none", tmp_path / "x"), "does not exist"),
        (("import", bench.path, tmp_path / "x"), "is already a benchmark"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2 and told in result.stderr
        assert "Traceback" not in result.output

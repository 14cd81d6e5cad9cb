"""Groups of the user's own, out of a module that only the user names."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import evolif
from evolif import UsageError
from evolif.cli import app
from evolif.runner import load_run
from evolif.scenarios.instructions.constraints import get_group

MODULE = """
from typing import Literal

from pydantic import TypeAdapter

from evolif.scenarios.instructions.constraints import Group, ParamsModel


class Params(ParamsModel):
    mode: Literal["words"]
    words: int


class Postscript(Group):
    name = "postscript"
    adapter = TypeAdapter(Params)
    data = {
        "pool": {"words": [3, 4, 5, 6]},
        "say": {"words": {"any": ["close with a paragraph of “P.S.” and exactly {words} words"]}},
        "drop": {"words": ["the postscript of {words} words"]},
        "describe": {"words": "The last paragraph is “P.S.” and exactly {words} words."},
    }

    def draw(self, stream, context):
        return {"mode": "words", "words": stream.choice(context.pool["words"])}

    def fulfil(self, text, params, fmt):
        return text + "\\n\\nP.S. " + " ".join(["so"] * params["words"])

    def check(self, params, reading):
        last = reading.body.rsplit("\\n", 1)[-1].strip()
        found = len(last.removeprefix("P.S.").split()) if last.startswith("P.S.") else 0
        return self.verdict(found == params["words"], f"{params['words']} words after P.S.", str(found))


GROUPS = [Postscript]
"""
CONSTRAINT = {"group": "postscript", "params": {"mode": "words", "words": 3}}


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Also keeps what a command sets from the tests that follow.
    monkeypatch.setenv("EVOLIF_CONSTRAINTS", "")
    path = tmp_path / "my_groups.py"
    path.write_text(MODULE, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_group_of_ones_own_is_generated_witnessed_evaluated_and_reported(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CliRunner()
    bench, named = str(tmp_path / "b"), ["--constraints", str(module)]
    shape = ["--dialogues", "6", "--turns", "20", "--seed", "5", "--profile", "objective"]
    made = run.invoke(app, ["generate", bench, *shape, *named])
    assert made.exit_code == 0, made.output
    lines = [
        json.loads(line)
        for file in sorted((tmp_path / "b/dialogues").iterdir())
        for line in file.read_text().splitlines()
    ]
    mine = [line for line in lines if any(c["group"] == "postscript" for c in line["constraints"])]
    assert len(mine) >= 5
    assert any("P.S." in line["query"] for line in lines)
    monkeypatch.setenv("EVOLIF_CONSTRAINTS", str(module))
    changed = [line for line in lines if line["operation"]["group"] == "postscript"]
    assert changed and [f for line in changed for f in evolif.check_query(line, line["query"])] == []
    assert all(v.satisfied for line in mine for v in evolif.check(line["constraints"], line["witness"]))
    options = ["-m", "sim/perfect", "--max-turns", "20", "--display", "none", *named]
    asked = run.invoke(app, ["evaluate", bench, *options, "--out", str(tmp_path / "r")])
    assert asked.exit_code == 0, asked.output
    told = run.invoke(app, ["report", str(tmp_path / "r"), "--json", "-", *named])
    [model] = json.loads(told.stdout)["models"]
    assert model["groups"]["postscript"] == {"satisfied": len(mine), "judged": len(mine)}
    assert model["rob"]["value"] == 1


def test_the_variable_names_modules_too(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="use --constraints"):
        get_group("postscript")
    monkeypatch.setenv("EVOLIF_CONSTRAINTS", str(module))
    [good] = evolif.check([CONSTRAINT], "Text.\n\nP.S. one two three")
    [bad] = evolif.check([CONSTRAINT], "Text.\n\nP.S. one two")
    assert (good.satisfied, bad.satisfied, bad.found) == (True, False, "2")


@pytest.mark.slow
def test_a_benchmark_with_such_a_group_is_refused_without_its_module(module: Path, tmp_path: Path) -> None:
    run, bench = CliRunner(), str(tmp_path / "b")
    shape = ["--dialogues", "1", "--turns", "3", "--seed", "5", "--profile", "objective"]
    assert run.invoke(app, ["generate", bench, *shape, "--constraints", str(module)]).exit_code == 0
    told = run.invoke(app, ["audit", bench, "--constraints", ""])
    assert told.exit_code == 2
    assert "postscript" in told.output and "--constraints" in told.output


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "cannot be loaded"),
        ("import nothing_of_that_name", "cannot be loaded"),
        ("X = 1", "needs GROUPS"),
        ("GROUPS = []", "needs GROUPS"),
        ("GROUPS = [1]", "needs GROUPS"),
        (MODULE.replace('"postscript"', '"bullets"'), "the group “bullets” already exists"),
        (MODULE.replace("[Postscript]", "[Postscript, Postscript]"), "the group “postscript” already exists"),
    ],
)
def test_modules_that_will_not_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, told: str) -> None:
    path = tmp_path / "groups.py"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("EVOLIF_CONSTRAINTS", str(path))
    with pytest.raises(UsageError, match=told):
        get_group("postscript")


SHAPE = ["--dialogues", "1", "--turns", "3", "--seed", "5", "--profile", "objective"]
PLAY = ["-m", "sim/perfect", "--max-turns", "3", "--display", "none"]
MARKED = "import pathlib; pathlib.Path(__file__ + '.ran').touch()\n" + MODULE


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["run.yaml", "run.toml"])
def test_a_configuration_file_names_no_code(module: Path, tmp_path: Path, name: str) -> None:
    module.write_text(MARKED, encoding="utf-8")
    key = "constraints = '{}'" if name.endswith("toml") else "constraints: {}"
    (tmp_path / name).write_text(key.format(module), encoding="utf-8")
    config = ["--config", str(tmp_path / name)]
    for verb in (["generate", str(tmp_path / "b"), *SHAPE], ["report", str(tmp_path)], ["status", str(tmp_path)]):
        told = CliRunner().invoke(app, [*verb, *config])
        assert told.exit_code == 2
        assert "cannot name code to load" in told.stderr and len(told.stderr.splitlines()) == 1
    assert not (tmp_path / "b").exists() and not (tmp_path / "my_groups.py.ran").exists()
    assert (
        CliRunner().invoke(app, ["generate", str(tmp_path / "b"), *SHAPE, "--constraints", str(module)]).exit_code == 0
    )
    assert (tmp_path / "my_groups.py.ran").exists()


def test_a_configuration_file_may_name_the_constraints_to_check(tmp_path: Path) -> None:
    (tmp_path / "asked.json").write_text(json.dumps([{"group": "length", "params": {"mode": "max_words", "words": 9}}]))
    (tmp_path / "a.txt").write_text("One two.")
    (tmp_path / "c.yaml").write_text(f"constraints: {tmp_path / 'asked.json'}")
    told = CliRunner().invoke(app, ["check", str(tmp_path / "a.txt"), "--config", str(tmp_path / "c.yaml")])
    assert "cannot name code" not in told.output


@pytest.mark.slow
def test_own_code_is_told_and_recorded_with_its_digest(module: Path, tmp_path: Path) -> None:
    run, bench, out = CliRunner(), str(tmp_path / "b"), tmp_path / "r"
    digest = hashlib.sha256(module.read_bytes()).hexdigest()[:16]
    code = f"my_groups.py (SHA-256 {digest})"
    made = run.invoke(app, ["generate", bench, *SHAPE, "--constraints", str(module)])
    assert f"Your own constraint groups postscript: code of {code}." in made.stderr
    assert json.loads((tmp_path / "b/benchmark.json").read_text())["own_code"] == {"postscript": code}
    played = run.invoke(app, ["evaluate", bench, *PLAY, "--out", str(out), "--constraints", str(module)])
    assert played.exit_code == 0
    stored = load_run(out)
    assert stored.settings.own_code == {"postscript": code}
    stored.close()
    assert run.invoke(app, ["report", str(out), "--html", str(tmp_path / "p.html")]).exit_code == 0
    assert digest in (tmp_path / "p.html").read_text()


@pytest.mark.slow
def test_a_run_is_not_resumed_with_other_code(module: Path, tmp_path: Path) -> None:
    run, bench, out = CliRunner(), str(tmp_path / "b"), str(tmp_path / "r")
    named = ["--constraints", str(module)]
    run.invoke(app, ["generate", bench, *SHAPE, *named])
    assert run.invoke(app, ["evaluate", bench, *PLAY, "--out", out, *named]).exit_code == 0
    edited = tmp_path / "edited" / "my_groups.py"
    edited.parent.mkdir()
    edited.write_text(MODULE.replace("found == params", "found != params"), encoding="utf-8")
    told = run.invoke(app, ["evaluate", bench, *PLAY, "--out", out, "--epochs", "2", "--constraints", str(edited)])
    assert told.exit_code == 2
    assert "the code of your own constraint groups was postscript=my_groups.py (SHA-256 " in told.stderr


@pytest.mark.slow
def test_code_that_a_benchmark_does_not_use_is_not_recorded(module: Path, tmp_path: Path) -> None:
    run, bench = CliRunner(), str(tmp_path / "b")
    assert run.invoke(app, ["generate", bench, *SHAPE, "--constraints", ""]).exit_code == 0
    named = ["--constraints", str(module)]
    assert run.invoke(app, ["evaluate", bench, *PLAY, "--out", str(tmp_path / "r"), *named]).exit_code == 0
    assert "own_code" not in json.loads((tmp_path / "b/benchmark.json").read_text())
    with_none = load_run(tmp_path / "r")
    assert with_none.settings.own_code == {}
    assert "own_code" not in with_none.settings.model_dump()  # so that runs without any keep their hash
    with_none.close()


def test_the_digest_is_of_the_code_that_ran(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiled file beside the source is ignored: only its time and size say that it belongs to the source."""
    import importlib.util
    import os
    import py_compile

    py_compile.compile(str(module))
    evil = MODULE.replace("found == params", "found != params")
    when = module.stat().st_mtime_ns
    module.write_text(evil, encoding="utf-8")
    os.utime(module, ns=(when, when))
    assert Path(importlib.util.cache_from_source(str(module))).exists()
    monkeypatch.setenv("EVOLIF_CONSTRAINTS", str(module))
    [verdict] = evolif.check([CONSTRAINT], "Text.\n\nP.S. one two three")
    assert verdict.satisfied is False

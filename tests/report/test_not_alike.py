"""Models that did not play the same are said to be so, in every output that sets them side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evolif import evaluate, generate
from evolif.cli import app

SAID = "sim/steady: 2 dialogues, each once; sim/forgetful: 4 dialogues, each 3 times."
COMPARED = "A 2 dialogues, each once; B 4 dialogues, each 3 times. Compared: only the 2 dialogues that both have"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    generate("bench", dialogues=5, turns=2, seed=3, profile="objective")
    return tmp_path


def command(*words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--resamples", "20"])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def unescaped(name: str) -> str:
    text = " ".join(Path(name).read_text(encoding="utf-8").split())
    return text.replace("{-}", "-").replace(r"\_", "_")


@pytest.mark.slow
def test_every_output_says_who_played_what(place: Path) -> None:
    evaluate("bench", models=["sim/steady"], out="one", max_turns=2, limit=2)
    evaluate("bench", models=["sim/forgetful"], out="many", max_turns=2, limit=4, epochs=3)
    told = command("report", "one", "many", "--json", "r.json", "--html", "r.html", "--latex", "r.tex")
    assert SAID in told and "ranking uses only the 2 dialogues that all of them have" in told
    assert SAID in unescaped("r.html") and SAID in unescaped("r.tex")
    shown = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert SAID in shown["boards"][0]["not_alike"]
    assert [(one["dialogues"], one["epochs"]) for one in shown["models"]] == [
        (2, {"fewest": 1, "most": 1}),
        (4, {"fewest": 3, "most": 3}),
    ]
    files = ["--json", "c.json", "--html", "c.html", "--latex", "c.tex"]
    assert COMPARED in command("compare", "one", "many", *files)
    assert COMPARED in unescaped("c.html") and COMPARED in unescaped("c.tex")
    [one] = json.loads(Path("c.json").read_text(encoding="utf-8"))["comparisons"]
    assert COMPARED in one["not_alike"] and (one["b"]["dialogues"], one["b"]["epochs"]["most"]) == (4, 3)


@pytest.mark.slow
def test_models_of_one_run_may_differ_too(place: Path) -> None:
    evaluate("bench", models=["sim/steady"], out="run", max_turns=2, limit=2)
    evaluate("bench", models=["sim/forgetful"], out="run", max_turns=2, limit=3, epochs=2)
    assert "sim/steady: 2 dialogues, each once; sim/forgetful: 3 dialogues, each twice." in command("report", "run")


@pytest.mark.slow
def test_those_that_played_the_same_need_no_word(place: Path) -> None:
    evaluate("bench", models=["sim/steady", "sim/forgetful"], out="run", max_turns=2, limit=2, epochs=2)
    assert "Not played alike" not in command("report", "run") + command("compare", "run")

"""Context tokens of a run: what was counted while it was played, and what follows from what is stored."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from runs_by_hand import make_run
from talk_scenario import MODEL, SYSTEM, install, make_talk
from typer.testing import CliRunner

from evolif.cli import app
from evolif.contexts import count_tokens, tokenizer_name
from evolif.report import analyse
from evolif.report.comparable import group_comparable
from evolif.report.json import analysis_object
from evolif.runner import Run

QUERY = "Say it again."
SESSIONS = {1: "finished:0 0 0", 2: "censored:1"}
installed = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")


def read(run: Run) -> Any:
    """The models of a run, as machines read them."""
    with_figures = analysis_object(group_comparable(analyse([run], resamples=20)))
    run.close()
    return with_figures["models"]


def full(*words: object) -> str:
    told = CliRunner().invoke(app, ["report", *map(str, words), "--full", "--resamples", "20"])
    assert told.exit_code == 0, told.output
    return " ".join(told.stdout.split())


@installed
def test_the_whole_conversation_is_counted_from_what_is_stored(tmp_path: Path) -> None:
    answers = {"sim/a": "A short answer.", "sim/b": "A much longer answer, with many more words than the other."}
    run = make_run(tmp_path / "r", dict.fromkeys(answers, SESSIONS), query=QUERY, answers=answers)
    for model, answer in zip(read(run), answers.values(), strict=True):
        a_round = count_tokens(QUERY) + count_tokens(answer)
        # Dialogue 1 shows none, one and two rounds; dialogue 2 none.
        assert model["context_tokens"] == {
            "mean": (0 + a_round + 2 * a_round + 0) / 4,
            "low": None,
            "high": None,
            "turns": 4,
            "tokenizer": tokenizer_name(),
            "has_system": False,
            "total": {"mean": (0 + a_round + 2 * a_round + 0) / 4, "low": None, "high": None},
            "own": dict.fromkeys(
                ("calls", "prompt_tokens", "completion_tokens", "embedded", "seconds", "fallbacks"), 0
            ),
            "by_rounds": {},
        }
    told = full(tmp_path / "r")
    assert f"by the tokenizer {tokenizer_name()}: sim/a " in told and "The system text is not included" in told
    assert "tokenizer" not in CliRunner().invoke(app, ["report", str(tmp_path / "r"), "--resamples", "20"]).stdout


@installed
def test_a_session_that_is_in_no_figure_is_not_counted(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"sim/a": {1: "finished:0 0 0", 2: "suspended:1 1 1 1"}}, query=QUERY)
    [model] = read(run)
    assert model["context_tokens"]["turns"] == 3


@installed
def test_a_seat_is_shown_its_own_rounds_as_they_were_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    [model] = read(make_talk(tmp_path / "r", dialogues=1))
    first = count_tokens(SYSTEM) + count_tokens("An earlier word.")
    second = first + count_tokens("Question 1") + count_tokens("a bright thing")
    assert model["context_tokens"]["mean"] == (first + second) / 2
    assert model["model"] == MODEL and model["context_tokens"]["turns"] == 2


@installed
def test_other_strategies_are_counted_while_they_play(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"sim/a": SESSIONS}, context="last:1")
    assert read(run)[0]["context_tokens"] is None
    assert "Context tokens were not counted while the run was played" in full(tmp_path / "r")
    with closing(sqlite3.connect(tmp_path / "r" / "run.sqlite")) as file, file:
        file.execute("UPDATE turn SET context_tokens = 100 * turn WHERE session = 1")
    told = full(tmp_path / "r")
    assert "│ context tokens │ 200 │" in told and "system text" not in told


@pytest.mark.slow
@installed
def test_with_the_benchmark_the_system_text_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (
        ["generate", "bench", "--dialogues", "2", "--turns", "2", "--seed", "1", "--profile", "objective"],
        ["evaluate", "bench", "-m", "sim/steady", "-o", "r", "--max-turns", "2"],
        ["evaluate", "bench", "-m", "sim/steady", "-o", "bare", "--max-turns", "2", "--no-system-prompt"],
    ):
        assert CliRunner().invoke(app, words).exit_code == 0

    def mean(*words: str) -> Any:
        told = CliRunner().invoke(app, ["report", *words, "--json", "-", "--resamples", "20"])
        return json.loads(told.stdout)["models"][0]["context_tokens"]

    from evolif import load_benchmark
    from evolif.scenarios.instructions.system import system_text

    without, known = mean("r"), mean("r", "--bench", "bench")
    assert (
        known["mean"] - without["mean"] == count_tokens(system_text(load_benchmark("bench").header))
        and known["has_system"]
    )
    assert mean("bare", "--bench", "bench")["mean"] == mean("bare")["mean"]
    assert "system text" not in full("r", "--bench", "bench")


def test_without_the_extra_the_report_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    tokenizer_name.cache_clear()
    [model] = read(make_run(tmp_path / "r", {"sim/a": SESSIONS}))
    assert model["context_tokens"] is None
    assert "Context tokens are not counted: that needs the extra contexts" in full(tmp_path / "r")
    tokenizer_name.cache_clear()

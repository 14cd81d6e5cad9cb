"""`evolif merge`: what it prints, and the sentence of each refusal."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.cli import app

PLAY = ("evaluate", "bench", "-m", "sim/steady", "-m", "sim/forgetful", "--max-turns", "2", "--display", "none")


def evolif(*arguments: str, **env: str) -> Any:
    return CliRunner().invoke(app, list(arguments), env=env, prog_name="evolif")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of 4 dialogues, and its halves as two machines played them."""
    root, before = tmp_path_factory.mktemp("halves"), Path.cwd()
    os.chdir(root)
    try:
        for command in (
            ("generate", "bench", "--dialogues", "4", "--turns", "3", "--seed", "1"),
            (*PLAY, "--dialogues", "1-2", "--out", "here"),
            (*PLAY, "--dialogues", "3-4", "--out", "there"),
        ):
            assert evolif(*command).exit_code == 0
    finally:
        os.chdir(before)
    return root


@pytest.fixture(autouse=True)
def _inside(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shared)


def test_two_halves_are_one_run(tmp_path: Path) -> None:
    out = tmp_path / "my whole"
    told = evolif("merge", "there", "here", "--out", str(out))
    assert told.exit_code == 0 and told.stderr == ""
    assert told.stdout.splitlines() == [
        f"{out}: 8 sessions, 16 turns.",
        "  here: 4 sessions, 8 turns",
        "  there: 4 sessions, 8 turns",
        "Next:",
        f"  evolif report '{out}'",
    ]
    again = evolif("merge", "here", "there", "-o", str(out))
    assert again.exit_code == 0
    assert again.stdout.splitlines()[:2] == [
        f"{out} was merged from exactly these runs before; nothing to do.",
        f"{out}: 8 sessions, 16 turns.",
    ]
    complete = evolif(*PLAY, "--out", str(out))
    assert complete.exit_code == 0 and f"{out} is complete: every session has ended" in complete.stderr


def test_what_is_left_and_what_is_there_twice_is_told(tmp_path: Path) -> None:
    play = (*PLAY[:2], "-m", "sim/perfect", *PLAY[6:])
    assert evolif(*play, "--dialogues", "2-3", "--out", str(tmp_path / "more")).exit_code == 0
    told = evolif("merge", "here", str(tmp_path / "more"), "here/../here", "--out", str(tmp_path / "all"))
    assert "all: 6 sessions, 12 turns." in told.stdout and "several" not in told.stdout
    left = "3 sessions of 9 have not ended; evolif evaluate with the settings of the runs and --out"
    assert left in told.stdout and told.exit_code == 0
    both = evolif("merge", str(tmp_path / "all"), "here", "--out", str(tmp_path / "again"))
    assert "Sessions that are in several of these, and count once: 4." in both.stdout


def test_for_machines(tmp_path: Path) -> None:
    out, file = tmp_path / "whole", tmp_path / "told.json"
    evolif("merge", "here", "there", "--out", str(out), "--json", str(file))
    wanted = {
        "run": str(out),
        "is_new": True,
        "models": ["sim/steady", "sim/forgetful"],
        "dialogues": 4,
        "epochs": 1,
        "sessions": 8,
        "turns": 16,
        "sessions_in_several": 0,
        "sessions_not_ended": 0,
        "sessions_not_begun": {},
        "shards": [{"run": "here", "sessions": 4, "turns": 8}, {"run": "there", "sessions": 4, "turns": 8}],
    }
    assert json.loads(file.read_text(encoding="utf-8")) == wanted
    again = evolif("merge", "here", "there", "--out", str(out), "--json", "-")
    assert json.loads(again.stdout) == {**wanted, "is_new": False}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("here", "nowhere", "--out", "new"), "evolif: nowhere is not a run"),
        (("here", "bench", "--out", "new"), "evolif: bench is not a run: it is a benchmark"),
        (("here", "--out", "here"), "evolif: here is one of the runs that are merged; name a new folder"),
        (("here", "--out", "bench"), "evolif: bench already exists; choose another folder"),
        (("here", "--out", "there"), "evolif: there holds a run already, which was not made from exactly these"),
        (("here", "there"), "evolif: "),
        (("--out", "new"), "evolif: "),
    ],
)
def test_every_refusal_is_one_sentence(arguments: tuple[str, ...], told: str) -> None:
    result = evolif("merge", *arguments)
    assert result.exit_code == 2 and result.stderr.startswith(told)
    assert len(result.stderr.splitlines()) == 1 and not Path("new").exists()

"""`evolif board`: a command of its own, a group of subcommands, and options on either side of the runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer
from board_runs import GOOD, MIDDLING, POOR, Made, over
from typer.testing import CliRunner

from evolif.cli import app
from evolif.cli.app import Verb
from evolif.cli.board import _BuildsByDefault, build

TWO = {"sim/a": over(GOOD), "sim/b": over(MIDDLING)}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOLIF_RESAMPLES", "50")


def evolif(*words: str, code: int = 0) -> Any:
    result = CliRunner().invoke(app, list(words), prog_name="evolif")
    assert result.exit_code == code, result.output
    return result


def title(folder: str = "board") -> str:
    return str(json.loads(Path(folder, "board.json").read_text(encoding="utf-8"))["title"])


@pytest.mark.parametrize(
    "words",
    [
        ("one", "two", "--out", "there", "--title", "Ours"),
        ("--out", "there", "--title", "Ours", "one", "two"),
        ("one", "-o", "there", "two", "--title", "Ours"),
        ("build", "one", "two", "--out", "there", "--title", "Ours"),
    ],
)
def test_options_stand_on_either_side_of_runs(run: Made, words: tuple[str, ...]) -> None:
    run("one", TWO)
    run("two", {"sim/c": over(POOR)}, patience=2)
    told = evolif("board", *words).stdout.splitlines()
    assert told[0] == f"Board: {Path('there/index.html')}, 3 models in 2 columns"
    assert told[1:3] == ["  instructions paper, patience 3: 2 models", "  instructions paper, patience 2: 1 model"]
    assert title("there") == "Ours" and not Path("board").exists()


def test_without_runs_those_of_the_board_are_read_again(run: Made) -> None:
    first = run("one", TWO)
    shutil.copytree(first, "board/runs/accepted")
    assert "2 models in 1 column" in evolif("board").stdout
    assert title() == "Models compared"
    shutil.copytree(run("two", {"sim/c": over(POOR)}), "board/runs/second")
    assert "3 models in 1 column" in evolif("board", "--out", "board").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "has no runs; name some: evolif board RUN... --out board"),
        (("nowhere",), "nowhere is not a run"),
        (("--titel", "x"), "did you mean --title?"),
        (("one", "--resamples", "0"), "--resamples"),
    ],
)
def test_mistakes_are_one_sentence(words: tuple[str, ...], said: str) -> None:
    told = evolif("board", *words, code=2).stderr
    assert said in told and len(told.splitlines()) == 1


def test_the_help_is_that_of_building_and_names_other_commands() -> None:
    """A group of our kind with one more command: both are in its help, and each first word leads where it should."""
    seen: list[str] = []
    group = typer.Typer(cls=_BuildsByDefault)
    group.command("build", cls=Verb)(build)

    @group.command("other", cls=Verb)
    def other(name: str) -> None:
        """Do something else."""
        seen.append(name)

    told = CliRunner().invoke(group, ["--help"], prog_name="board").stdout
    assert told.startswith("Usage: board [OPTIONS] [RUN...]") and "--title TEXT" in told
    assert told.index("--title") < told.index("Commands:") < told.index("\n  other")
    assert "Do something else." in told and "build  " not in told
    assert CliRunner().invoke(group, ["other", "x"]).exit_code == 0 and seen == ["x"]
    assert "nowhere is not a run" in str(CliRunner().invoke(group, ["nowhere", "other"]).exception)


def test_help_after_a_run_is_that_of_building() -> None:
    assert "Usage: evolif board build [OPTIONS] [RUN...]" in evolif("board", "one", "--help").stdout
    assert "Usage: evolif board [OPTIONS] [RUN...]" in evolif("board", "-h").stdout

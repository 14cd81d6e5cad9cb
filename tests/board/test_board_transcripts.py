"""The transcripts of a board's pairs, side by side: a page each, linked, bounded, and replaced with the board."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evolif.board import transcripts
from evolif.board.submissions import add_run
from evolif.cli import app
from evolif.runner import evaluate
from evolif.scenarios.instructions import generate

SKILLS = ("steady", "forgetful", "steady?skill=.7")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("transcripts")
    bench = generate(root / "bench", dialogues=2, turns=3, seed=3, profile="objective")
    for number, skill in enumerate(SKILLS):
        evaluate(bench, [f"sim/{skill}"], root / f"run{number}", max_turns=3).close()
    return root


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(shutil.copytree(made, tmp_path / "here"))
    return Path()


def board(*words: str) -> Result:
    result = CliRunner().invoke(app, ["board", *words, "--out", "board", "--resamples", "20"])
    assert result.exit_code == 0, result.output
    return result


def linked() -> list[str]:
    return [pair["transcripts"] for pair in json.loads(Path("board/board.json").read_text(encoding="utf-8"))["pairs"]]


def test_every_pair_has_a_page_that_the_board_links_to(here: Path) -> None:
    result = board("run0", "run1", "run2", "--transcripts")
    assert "Transcripts: board/transcripts, 3 pages of 3 pairs" in result.stdout
    links = linked()
    assert len(set(links)) == 3 and all(re.fullmatch(r"transcripts/[\w-]+-\d{3}\.html", link) for link in links)
    pairs = json.loads(Path("board/board.json").read_text(encoding="utf-8"))["pairs"]
    for pair in pairs:
        text = (here / "board" / pair["transcripts"]).read_text(encoding="utf-8").replace("<wbr>", "")
        assert f'<span class="who">{pair["a"]}' in text and f'<span class="who">{pair["b"]}' in text
    assert json.dumps(links[0]).strip('"') in Path("board/index.html").read_text(encoding="utf-8")


def test_pages_of_an_earlier_board_go_and_nothing_else(here: Path) -> None:
    board("run0", "run1", "run2", "--transcripts")
    mine = here / "board" / "transcripts" / "mine-001.html"
    mine.write_text("<title>My own</title>")
    board("run0", "run1", "--transcripts")
    left = {path.name for path in (here / "board" / "transcripts").iterdir()}
    assert left == {"mine-001.html", *(Path(link).name for link in linked())} and len(linked()) == 1
    board("run0", "run1")
    assert linked() == [""]


def test_their_number_is_bounded_and_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "MOST_PAGES", 2)
    assert "2 pages of 3 pairs" in board("run0", "run1", "run2", "--transcripts").stdout
    assert sorted(map(bool, linked())) == [False, True, True]


def test_a_run_that_is_handed_in_gets_its_pages_where_the_board_has_some(here: Path) -> None:
    assert add_run(here / "run0", here / "board").is_taken and add_run(here / "run1", here / "board").is_taken
    assert linked() == [""]
    board("--transcripts")
    assert add_run(here / "run2", here / "board").is_taken
    assert all(linked()) and len(linked()) == 3

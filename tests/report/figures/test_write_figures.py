"""Figures in a folder, with their captions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as Tree

import pytest

from evolif.errors import OutsideError
from evolif.report import RunAnalysis
from evolif.report.comparison import ModelComparison
from evolif.report.figures import catalogue as _catalogue
from evolif.report.figures import write_figures
from evolif.scenarios.instructions.presentation import NOT_COMPARABLE

Analysed = Callable[..., RunAnalysis]

WORDS = ("5545550", "555000", "5453000", "15555", "000", "5051500000", "555555", "4444", "53000", "5505000")


@pytest.mark.slow
def test_each_figure_comes_as_svg_and_png_and_in_the_index(analysed: Analysed, tmp_path: Path) -> None:
    written = write_figures([analysed({"a": WORDS, "b": WORDS[::-1]})], tmp_path / "new" / "figures")
    root = tmp_path / "new" / "figures"
    assert written[-1] == root / "figures.md"
    assert sorted(written) == sorted(root.iterdir())
    index = written[-1].read_text(encoding="utf-8")
    assert NOT_COMPARABLE in index and "n = 10 sessions of each model." in index
    for file in written[:-1]:
        assert file.name in index
        if file.suffix == ".svg":
            Tree.fromstring(file.read_text(encoding="utf-8"))
            assert file.with_suffix(".png").read_bytes().startswith(b"\x89PNG\r\n")
    assert {file.stem for file in written} >= {"headline", "survival", "groups", "comparison", "figures"}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three figures instead of all: where files go is the same for each."""
    kept = {name: made for name, made in _catalogue._FIGURES.items() if name in ("stability", "registers", "patience")}
    monkeypatch.setattr(_catalogue, "_FIGURES", kept)


@pytest.mark.usefixtures("few")
def test_what_there_is_none_of_is_said_and_an_old_file_of_it_goes(analysed: Analysed, tmp_path: Path) -> None:
    for name in ("stability.svg", "stability.png", "mine.svg"):
        (tmp_path / name).write_text("old", encoding="utf-8")
    write_figures([analysed({"a": WORDS})], tmp_path)
    assert not (tmp_path / "stability.svg").exists() and not (tmp_path / "stability.png").exists()
    assert (tmp_path / "mine.svg").read_text(encoding="utf-8") == "old"
    assert "No figure: Rank stability needs at least three models" in (tmp_path / "figures.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_runs_that_cannot_be_compared_have_folders_of_their_own(analysed: Analysed, tmp_path: Path) -> None:
    runs = [analysed({"a": WORDS}), analysed({"b": WORDS}, benchmark="other", path=Path("run `x`"))]
    written = write_figures(runs, tmp_path)
    assert {file.parent.name for file in written} == {"run-1", "run-2", tmp_path.name}
    index = (tmp_path / "figures.md").read_text(encoding="utf-8")
    assert "## Run 2: run \\`x\\`" in index and "(run-2/patience.svg)" in index


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_runs_that_can_be_compared_share_their_figures(analysed: Analysed, tmp_path: Path) -> None:
    write_figures([analysed({"a": WORDS}), analysed({"b": WORDS})], tmp_path)
    patience = (tmp_path / "patience.svg").read_text(encoding="utf-8")
    assert ">a</text>" in patience and ">b</text>" in patience


@pytest.mark.usefixtures("few")
@pytest.mark.slow
def test_several_comparisons_are_numbered(analysed: Analysed, tmp_path: Path) -> None:
    run = analysed({"a": WORDS, "b": WORDS[::-1], "c": WORDS})
    pairs = [ModelComparison(run.model("a"), run.model(other)) for other in "bc"]
    names = [file.name for file in write_figures([run], tmp_path, comparisons=pairs)]
    assert {"comparison.svg", "comparison-2.svg"} <= set(names)


def test_a_folder_that_cannot_be_made_is_named(analysed: Analysed, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutsideError, match="figures cannot be written"):
        write_figures([analysed({"a": WORDS})], tmp_path / "file")


def test_no_run_is_an_index_alone(tmp_path: Path) -> None:
    assert write_figures([], tmp_path) == [tmp_path / "figures.md"]

"""Reports that tell kinds of requirements which a model was trained on from those that were held out."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from runs_by_hand import make_run
from typer.testing import CliRunner

from evolif.cli import app
from evolif.metrics import MetricTable
from evolif.metrics.pairs import pair_test
from evolif.report import RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.seen import seen_grids, seen_kinds

# A letter at the start is on the side train, one at the end on the side test; the emotion is not judged.
SESSIONS = {dialogue: f"finished:1{end} {start}1 1? 10" for dialogue, (start, end) in enumerate(
    [("1", "0"), ("0", "1"), ("1", "1"), ("1", "0"), ("0", "0"), ("1", "0"), ("1", "1")], start=1
)}  # fmt: skip
CLUSTERS = {
    "seen": [(4, 4), (3, 4), (4, 4), (4, 4), (3, 4), (4, 4), (4, 4)],
    "unseen": [(1, 3), (2, 3), (2, 3), (1, 3), (1, 3), (1, 3), (2, 3)],
}
"""Per dialogue the turns in which the requirement holds, of those in which it is judged."""
TABLE = MetricTable(("accuracy", "turns"), lambda _: (), {"csr": ("accuracy", "turns")})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("seen") / "run"
    make_run(path, {"openai/m": SESSIONS}, witness=None).close()
    return path


def test_the_figures_are_those_worked_out_by_hand(folder: Path) -> None:
    from evolif.runner import load_run

    with closing(load_run(folder)) as run:
        found = seen_kinds(RunAnalysis(run, seen="train").models[0])
        turned = seen_kinds(RunAnalysis(run, seen="test").models[0])
        assert seen_kinds(RunAnalysis(run).models[0]) is None
        [grid] = seen_grids(ComparableRuns((RunAnalysis(run, seen="train"),)))
        assert list(seen_grids(ComparableRuns((RunAnalysis(run),)))) == []
    assert found is not None and turned is not None
    assert {key: (one.satisfied, one.judged) for key, one in found.slices.items()} == {
        key: tuple(map(sum, zip(*own, strict=True))) for key, own in CLUSTERS.items()
    }
    expected = pair_test(TABLE, CLUSTERS["seen"], CLUSTERS["unseen"], "csr")
    assert found.difference == pytest.approx(26 / 28 - 10 / 21)
    assert found.test == expected and expected.interval is not None
    assert turned.difference == pytest.approx(-found.difference)
    names = [name for name, _ in grid.rows]
    assert names == ["seen", "unseen", "seen − unseen"]
    low, high = expected.interval
    assert grid.rows[2][1][0].value == f"{100 * found.difference:+.1f}"
    assert grid.rows[2][1][0].aside == f"[{100 * low:+.1f} to {100 * high:+.1f}]"


def test_too_few_dialogues_have_no_interval(tmp_path: Path) -> None:
    with closing(make_run(tmp_path / "few", {"openai/m": {1: "finished:10 11"}})) as run:
        found = seen_kinds(RunAnalysis(run, seen="train").models[0])
        [grid] = seen_grids(ComparableRuns((RunAnalysis(run, seen="train"),)))
    assert found is not None and (found.difference, found.test.interval) == (0.5, None)
    assert grid.rows[-1][1][0].aside == "too few dialogues"


def test_one_side_alone_has_no_difference(tmp_path: Path) -> None:
    with closing(make_run(tmp_path / "one", {"openai/m": {1: "finished:1 0"}})) as run:
        found = seen_kinds(RunAnalysis(run, seen="train").models[0])
        [grid] = seen_grids(ComparableRuns((RunAnalysis(run, seen="train"),)))
    assert found is not None and list(found.slices) == ["seen"] and found.difference is None
    assert [name for name, _ in grid.rows] == ["seen"] and "one side only" in grid.note


def test_terminal_json_and_page_say_it(folder: Path, tmp_path: Path) -> None:
    run, page = CliRunner().invoke, tmp_path / "page.html"
    told = run(app, ["report", str(folder), "--seen", "train", "--json", "-"])
    assert told.exit_code == 0, told.output
    [model] = json.loads(told.stdout)["models"]
    assert model["seen"]["trained_on"] == "train"
    assert [one["key"] for one in model["seen"]["by"]] == ["seen", "unseen"]
    assert model["seen"]["csr_difference"]["value"] == pytest.approx(26 / 28 - 10 / 21)
    assert model["seen"]["csr_difference"]["low"] < model["seen"]["csr_difference"]["high"]
    without = json.loads(run(app, ["report", str(folder), "--json", "-"]).stdout)
    assert "seen" not in without["models"][0]
    shown = run(app, ["report", str(folder), "--seen", "train", "--html", str(page)])
    assert "seen − unseen" in shown.stdout and "seen − unseen" in page.read_text(encoding="utf-8")


def test_wrong_sides_are_refused_in_a_sentence(folder: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    unknown = run(app, ["report", str(folder), "--seen", "trian"])
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert "there is no split “trian” (did you mean train?); use train or test" in unknown.stderr
    bench = str(tmp_path / "games")
    made = run(app, ["generate", bench, "--scenario", "games", "--dialogues", "1", "--seed", "1"])
    assert made.exit_code == 0, made.output
    played = run(app, ["evaluate", bench, "-m", "sim/floor", "--out", str(tmp_path / "g"), "--limit", "1"])
    assert played.exit_code == 0, played.output
    other = run(app, ["report", str(tmp_path / "g"), "--seen", "train"])
    assert other.exit_code == 2 and "the scenario games are not split" in other.stderr

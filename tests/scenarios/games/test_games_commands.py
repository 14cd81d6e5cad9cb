"""Games on the command line: settings, seats, what reports hold and exports leave out."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from evolif.cli import app
from evolif.scenarios.games import generate

INSTANCES = 6


def evolif(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="evolif", env={"COLUMNS": "200"})


def done(*arguments: str) -> None:
    result = evolif(*arguments)
    assert result.exit_code == 0, result.output


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of names with two turn budgets."""
    path = tmp_path_factory.mktemp("games") / "bench"
    settings = ["--set", "game=names", "--set", "n=9", "--set", "turns=2,8"]
    done("generate", str(path), "--scenario", "games", *settings, "--dialogues", str(INSTANCES), "--seed", "7")
    return path


@pytest.fixture(scope="module")
def exported(folder: Path) -> list[dict[str, Any]]:
    path = folder.parent / "bench.jsonl"
    done("export", str(folder), str(path))
    return lines_of(path)


def evaluated(folder: Path, out: Path, *options: str) -> dict[str, Any]:
    """The report of one model."""
    done("evaluate", str(folder), "--out", str(out), *options)
    done("report", str(out), "--json", str(out) + ".json")
    (model,) = json.loads(Path(str(out) + ".json").read_text(encoding="utf-8"))["models"]
    return dict(model)


def test_dialogues_count_instances(exported: list[dict[str, Any]]) -> None:
    assert Counter(row["turns"] for row in exported) == {2: INSTANCES, 8: INSTANCES}
    assert Counter(row["number"] for row in exported) == dict.fromkeys(range(INSTANCES), 2)


def test_budgets_share_their_instances(exported: list[dict[str, Any]]) -> None:
    by_number: dict[int, list[Any]] = {}
    for row in exported:
        by_number.setdefault(row["number"], []).append((row["private"], row["seed"], row["settings"]))
    assert all(first == second for first, second in by_number.values())


def test_an_export_leaves_keys_out_unless_asked(folder: Path, exported: list[dict[str, Any]], tmp_path: Path) -> None:
    assert not any({"answer", "proof"} & set(row) for row in exported)
    done("export", str(folder), str(tmp_path / "with.jsonl"), "--with-witness")
    for row in lines_of(tmp_path / "with.jsonl"):
        made = generate("names", row["number"], seed=row["seed"], n=9)
        assert [row["answer"], row["proof"]] == [made["answer"], made["proof"]]
        assert row["private"] == made["private"]


@pytest.mark.parametrize(
    "settings",
    [
        ["game=names", "turns=2,3"],
        ["game=names", "turns=0"],
        ["game=go"],
        ["game=names", "n=10"],
        ["game=names", "gap=8"],
        ["game=scenes", "modality=smell"],
    ],
    ids=" ".join,
)
def test_settings_that_do_not_fit_are_a_usage_error(tmp_path: Path, settings: list[str]) -> None:
    options = [word for setting in settings for word in ("--set", setting)]
    result = evolif("generate", str(tmp_path / "bench"), "--scenario", "games", *options, "--dialogues", "2")
    assert result.exit_code == 2
    assert not (tmp_path / "bench").exists()


def test_turns_are_2_4_8_and_16_unless_set(tmp_path: Path) -> None:
    done(
        "generate",
        str(tmp_path / "bench"),
        "--scenario",
        "games",
        "--set",
        "game=names",
        "--dialogues",
        "2",
        "--seed",
        "7",
    )
    done("export", str(tmp_path / "bench"), str(tmp_path / "bench.jsonl"))
    rows = lines_of(tmp_path / "bench.jsonl")
    assert Counter(row["turns"] for row in rows) == {2: 2, 4: 2, 8: 2, 16: 2}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("model", "partner"),
    [("guess-and-check", "self"), ("scripted", "self"), ("floor", "sim/scripted"), ("guess-and-check", "scripted")],
)
def test_a_report_has_accuracy_by_turns_and_its_gain(folder: Path, tmp_path: Path, model: str, partner: str) -> None:
    pytest.importorskip("tokenizers", reason="needs the extra `games`")
    report = evaluated(folder, tmp_path / "run", "-m", f"sim/{model}", "--partner", partner)
    by_turns = report["by_turns"]
    assert set(by_turns) == {"2", "8"}
    assert report["gain"] == pytest.approx(by_turns["8"] - by_turns["2"])
    assert report["accuracy"]["value"] == pytest.approx((by_turns["2"] + by_turns["8"]) / 2)
    assert sum(report["reasons"].values()) == 2 * INSTANCES
    assert report["reasons"].get("correct", 0) == pytest.approx(report["accuracy"]["value"] * 2 * INSTANCES)


def test_the_scripted_pair_solves_names_where_all_rows_fit(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="needs the extra `games`")
    report = evaluated(folder, tmp_path / "run", "-m", "sim/scripted", "--partner", "self", "--set", "tokens=2048")
    assert report["by_turns"] == {"2": 1.0, "8": 1.0}


@pytest.mark.sampled
@pytest.mark.parametrize("option", ["tokens=64", "words_factor=0.5", "history=chat", "hold_answers=true"])
def test_options_are_taken(folder: Path, tmp_path: Path, option: str) -> None:
    pytest.importorskip("tokenizers", reason="needs the extra `games`")
    report = evaluated(folder, tmp_path / "run", "-m", "sim/guess-and-check", "--partner", "self", "--set", option)
    assert sum(report["reasons"].values()) == 2 * INSTANCES


@pytest.mark.parametrize("option", ["tokens=0", "words_factor=-1", "history=diary", "hold_answers=perhaps", "turn=3"])
def test_other_options_are_a_usage_error(folder: Path, tmp_path: Path, option: str) -> None:
    result = evolif(
        "evaluate", str(folder), "-m", "sim/floor", "--partner", "self", "--out", str(tmp_path / "run"), "--set", option
    )
    assert result.exit_code == 2


def test_a_run_is_exported_without_keys(folder: Path, tmp_path: Path) -> None:
    """No turn of a run holds the proof; what a model was shown and said is all there is."""
    pytest.importorskip("tokenizers", reason="needs the extra `games`")
    evaluated(folder, tmp_path / "run", "-m", "sim/guess-and-check", "--partner", "self")
    done("export", str(tmp_path / "run"), str(tmp_path / "run.jsonl"))
    rows = lines_of(tmp_path / "run.jsonl")
    assert rows and all("proof" not in row and isinstance(row.get("answer", ""), str) for row in rows)
    assert {row["turn_budget"] for row in rows} == {2, 8}

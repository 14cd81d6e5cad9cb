"""Several benchmarks side by side: the table, the correlations, and memories by label."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.errors import ArgumentError, InputError, UsageError
from evolif.scenarios.recorded import compare_memories
from evolif.scenarios.recorded.across import correlation_figure, correlations_across, read_benchmarks, table_across
from tests.recorded_dialogs import Scripted, answer, dialog, entry, turn


def record(number: int, score: Any, **labels: Any) -> dict[str, Any]:
    return {"dialog_id": number, "turn_id": 1, "metric_name": "recall", "score": score, "details": {},
            "dialog_labels": labels, "turn_labels": {}}  # fmt: skip


def put(folder: Path, *records: dict[str, Any], dialogs: int = 0) -> None:
    (folder / "eval_details").mkdir(parents=True)
    (folder / "eval_details" / "0.json").write_text(json.dumps(list(records)))
    for number in range(dialogs):
        (folder / "generated").mkdir(exist_ok=True)
        metrics = [entry("recall")] if number < len(records) else []
        talk = dialog(number, turn(0, "user", "Hi"), answer(1, *metrics))
        (folder / "generated" / f"{number}.json").write_text(json.dumps(talk.written()))


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """Two benchmarks with three models; the third has only one."""
    for benchmark, scores in {"maths": (0.2, 0.4, 0.6), "memory": (0.9, 0.6, None)}.items():
        for model, score in zip("abc", scores, strict=True):
            if score is not None:
                records = [record(n, score, kind="x" if n % 2 else "y") for n in range(8)]
                put(tmp_path / benchmark / model, *records, dialogs=10 if benchmark == "maths" else 0)
    return tmp_path


def test_the_table_has_each_score_the_mean_and_what_tells_models_apart(outputs: Path) -> None:
    table = table_across(read_benchmarks([outputs]))
    assert [one["name"] for one in table["benchmarks"]] == ["maths", "memory"]
    maths = table["benchmarks"][0]
    assert maths["models"]["b"] == {
        "mean": 0.4, "lo": 0.4, "hi": 0.4, "count": 8, "expected": 10, "unscored_turns": 2,
    }  # fmt: skip
    assert maths["discriminability"] == pytest.approx(0.408248)
    assert table["benchmarks"][1]["models"]["a"]["expected"] is None, "without dialogues nobody knows"
    assert table["models"]["a"]["mean"] == pytest.approx(0.55)
    # Of the other benchmark nobody knows how many there would be.
    assert (table["models"]["a"]["count"], table["models"]["a"]["expected"]) == (16, 18)
    assert table["models"]["c"] == {
        "mean": None, "lo": None, "hi": None, "count": 8, "expected": 10, "benchmarks_scored": 1,
    }  # fmt: skip


def test_the_row_of_means_shows_how_much_is_scored_as_its_cells_do(outputs: Path) -> None:
    shown = CliRunner().invoke(app, ["unidial", "table", str(outputs)]).stdout.splitlines()
    [maths, mean] = [line for line in shown if line.startswith(("maths ", "mean of benchmarks "))]
    assert all(cell in maths for cell in ("20.0 of 8/10", "40.0 of 8/10", "60.0 of 8/10"))
    assert mean.split() == ["mean", "of", "benchmarks", "55.0", "of", "16/18", "50.0", "of", "16/18", "-"]


def test_without_any_dialogues_nobody_knows_what_a_mean_would_be_over(tmp_path: Path) -> None:
    put(tmp_path / "one" / "m", record(0, 1))
    assert table_across(read_benchmarks([tmp_path]))["models"]["m"]["expected"] is None


def test_the_interval_of_the_mean_takes_benchmarks_as_independent(tmp_path: Path) -> None:
    for benchmark in ("one", "two"):
        put(tmp_path / benchmark / "m", *(record(n, n % 2) for n in range(50)))
    table = table_across(read_benchmarks([tmp_path]), seed=1)
    [one, two] = [own["models"]["m"] for own in table["benchmarks"]]
    half = ((one["mean"] - one["lo"]) ** 2 + (two["mean"] - two["lo"]) ** 2) ** 0.5 / 2
    assert table["models"]["m"]["lo"] == pytest.approx(0.5 - half)
    assert table["models"]["m"]["lo"] > one["lo"]


def test_correlations_go_over_benchmarks_and_their_parts(outputs: Path) -> None:
    found = correlations_across(read_benchmarks([outputs]))
    assert found["benchmarks"]["pairs"] == [("maths", "memory", -1.0)]
    names = {name for pair in found["sub_dimensions"]["pairs"] for name in pair[:2]}
    assert names == {"maths/kind:x", "maths/kind:y", "memory/kind:x", "memory/kind:y"}
    assert "fewer than 8" in found["sub_dimensions"]["warning"]
    drawn = correlation_figure(found)
    assert drawn.title == "Rank correlation of sub-dimensions"
    assert correlation_figure(found, "benchmarks").title == "Rank correlation of benchmarks"
    assert drawn.rows[0][0] == "1 maths/kind:x" and [cell.value for cell in drawn.rows[0][1]] == [1, 1, -1, -1]


def test_folders_that_look_like_numbers_keep_their_names(outputs: Path) -> None:
    (outputs / "maths").rename(outputs / "2024")
    (outputs / "memory").rename(outputs / "!1")
    found = correlations_across(read_benchmarks([outputs]))
    assert found["benchmarks"]["pairs"] == [("!1", "2024", -1.0)]
    assert [name for name, _ in correlation_figure(found, "benchmarks").rows] == ["1 !1", "2 2024"]


def test_no_correlation_is_a_sentence(tmp_path: Path) -> None:
    put(tmp_path / "one" / "m", record(0, 1))
    found = correlations_across(read_benchmarks([tmp_path]))
    with pytest.raises(UsageError, match=r"no correlation is defined.*two labels"):
        correlation_figure(found)
    with pytest.raises(UsageError, match=r"no correlation is defined.*two benchmarks"):
        correlation_figure(found, "benchmarks")


def test_folders_are_given_singly_or_together(outputs: Path) -> None:
    apart = read_benchmarks([outputs / "memory", outputs / "maths"])
    assert [one.name for one in apart] == ["memory", "maths"]
    with pytest.raises(UsageError, match="two folders are called maths"):
        read_benchmarks([outputs, outputs / "maths"])
    (outputs / "none").mkdir()
    with pytest.raises(InputError, match="no results in it"):
        read_benchmarks([outputs / "none"])
    with pytest.raises(InputError, match="not a folder"):
        read_benchmarks([outputs / "nowhere"])


def test_memories_are_broken_down_by_a_label() -> None:
    talks = [
        dialog(
            number,
            turn(0, "user", f"My boat is called {name}."),
            turn(1, "assistant", "Fine."),
            turn(2, "user", "What is my boat called?"),
            answer(3, entry("recall"), reference=name, reference_document=[0]),
            dialog_labels={"kind": kind},
        )
        for number, (name, kind) in enumerate([("Mia", "short"), ("Ada", "short"), ("Otto von Bay", "long")])
    ]
    model = Scripted(lambda request: "Mia" if "Mia" in str(request.messages) else "Otto")
    found = asyncio.run(compare_memories(talks, ["full", "bm25:3"], model, by="kind"))
    for name in ("full", "bm25:3"):
        own = found[name]["by_label"]
        assert list(own) == ["long", "short"]
        assert own["short"]["score"]["point"] == 0.5 and own["long"]["score"]["point"] == pytest.approx(1 / 3)
        assert (own["short"]["questions"], own["short"]["dialogues"]) == (2, 2)
    assert found["bm25:3"]["by_label"]["long"]["hit@1"]["point"] == 1.0
    assert found["full"]["by_label"]["long"]["hit@1"] is None
    assert "by_label" not in asyncio.run(compare_memories(talks, ["full"], model))["full"]
    with pytest.raises(ArgumentError, match=r"no dialogue has the label kinds.*labels are kind"):
        asyncio.run(compare_memories(talks, ["full"], model, by="kinds"))

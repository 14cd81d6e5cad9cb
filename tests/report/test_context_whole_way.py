"""The whole way on generated dialogues: every strategy played by the reader, and all of it in one report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.contexts import tokenizer_name

pytestmark = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
STRATEGIES = ("full", "last:2", "retrieval:3", "summary:1", "tree")


def run(*words: object) -> str:
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("shifts")
    run("generate", place / "bench", "--scenario", "shifts", "--dialogues", 8, "--seed", 3)
    for number, name in enumerate(STRATEGIES):
        words = ("-m", "sim/reader", "-o", place / str(number), "--context", name, "--set", "replies=scripted")
        run("evaluate", place / "bench", *words)
    runs = [place / str(number) for number in range(len(STRATEGIES))]
    files = ("--json", place / "r.json", "--html", place / "r.html", "--figures", place / "f")
    text = run("report", *runs, "--full", "--resamples", 50, *files)
    (place / "r.txt").write_text(" ".join(text.split()), encoding="utf-8")
    return place


def models(folder: Path) -> dict[str, Any]:
    data = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    return dict(zip(STRATEGIES, data["models"], strict=True))


@pytest.mark.slow
def test_the_ceiling_of_a_strategy_is_what_the_reader_reaches_under_it(folder: Path) -> None:
    # Worked out from the stored turns alone, it sees the calls as they were.
    for name, model in models(folder).items():
        assert model["reader"]["ceiling"]["value"] == pytest.approx(model["tcr"]["value"]), name
        assert model["reader"]["difference"]["value"] == pytest.approx(0)
    assert models(folder)["full"]["tcr"]["value"] == 1
    assert models(folder)["last:2"]["tcr"]["value"] < 0.9


@pytest.mark.slow
def test_shares_of_the_final_call_add_up(folder: Path) -> None:
    for name, model in models(folder).items():
        recall = {key: share["value"] for key, share in model["recall"].items()}
        assert recall["full"] + recall["summary"] + recall["absent"] == pytest.approx(1)
        has_summaries = name in ("summary:1", "tree")
        assert (recall["summary"] > 0) == has_summaries and (recall["absent"] > 0) == (
            name in ("last:2", "retrieval:3")
        )
    assert models(folder)["full"]["recall"]["kept_value"]["value"] == 1


def test_failures_are_what_tcr_lacks(folder: Path) -> None:
    for model in models(folder).values():
        failures = {key: share["value"] for key, share in model["failures"].items()}
        unmet = failures.pop("unmet")
        assert sum(failures.values()) == pytest.approx(unmet) == 1 - model["tcr_micro"]["value"]


def test_only_the_tree_decides(folder: Path) -> None:
    decided = {name: model["decisions"]["topic_accuracy"]["value"] for name, model in models(folder).items()}
    assert [name for name, value in decided.items() if value is not None] == ["tree"]


def test_sizes_have_classes(folder: Path) -> None:
    for model in models(folder).values():
        assert list(model["act"]["by_rounds"]) == ["10", "15", "20", "25"] == list(model["tcr"]["by_rounds"])
        assert model["act"]["value"] == model["context_tokens"]["mean"]
        assert model["total_tokens"]["value"] == model["context_tokens"]["total"]["mean"]
    full, last = (models(folder)[name]["act"]["value"] for name in ("full", "last:2"))
    assert last < full / 2


def test_terminal_page_and_figures_tell_all(folder: Path) -> None:
    text = (folder / "r.txt").read_text(encoding="utf-8")
    for title in (
        "Context strategies: score, tokens a turn, and own cost",
        "What the strategies do to TCR and context tokens, in % of sim/reader, full",
        "The same by the number of rounds",
        "Unmet goals by reason, per 100 goals",
        "What the final call shows of the turns that goals come from, in %",
        "TCR and the ceiling of the strategy, in %",
        "Decisions against the gold, in %",
    ):
        assert title in text
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert page.count('<svg class="topic-tree"') == 8
    assert '"contexts"' in page and "TCR against tokens" in page and "Why goals fail" in page
    assert {f"{name}.svg" for name in ("tokens", "tree", "failures")} <= {
        file.name for file in (folder / "f").iterdir()
    }

"""Reports on broadcasts: figures are those of the pinned functions, from whole matches, with what they leave out."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from recorded_dialogs import Scripted, report
from rich.console import Console

from evolif.benchmark import open_benchmark
from evolif.errors import ModelError
from evolif.report import analyse, write_page
from evolif.report.comparable import group_comparable
from evolif.report.terminal import print_runs
from evolif.runner import Run, evaluate
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.broadcast import category_score, dialogue, game_accuracy, overall
from evolif.scenarios.broadcast.checklist import needs_judge
from evolif.scenarios.broadcast.sessions import NEEDS_JUDGE
from evolif.scenarios.broadcast.verdicts import group_of
from evolif.types import CREDIT, Session

SCENARIO = get_scenario("broadcast")
STEADY = "sim/steady?skill=.5"


def made(folder: Path, dialogues: int, **options: Any) -> Any:
    SCENARIO.generate(folder, options_of(SCENARIO.spec, options, "broadcast"), dialogues=dialogues, seed=5)
    return open_benchmark(folder)


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A dialogue of each task."""
    return made(tmp_path_factory.mktemp("broadcast") / "bench", 4)


def accuracy_of(session: Session) -> Mapping[str, float | None]:
    """By the pinned function, from what a run stores."""
    scores = {turn.turn: score.value for turn in session.turns for score in turn.scores if score.name == CREDIT}
    return game_accuracy(scores, [turn.turn for turn in session.turns if turn.labels["kind"] == "M"])


def text_of(run: Run) -> str:
    console = Console(file=io.StringIO(), width=100)
    [runs] = group_comparable(analyse([run], resamples=20))
    print_runs(runs, console, full=True)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_figures_are_those_of_the_pinned_functions(four: Any, tmp_path: Path) -> None:
    with closing(evaluate(four, STEADY, tmp_path / "run")) as run:
        found, sessions = report(run), list(run.sessions(STEADY))
    own = {str(session.turns[0].labels["task"]): accuracy_of(session) for session in sessions}
    categories = {task: category_score([one["accuracy"]]) for task, one in own.items()}
    assert list(categories) == ["IF", "CR", "IR", "TS"]
    for task, value in categories.items():
        assert found[task.lower()]["value"] == pytest.approx(value)
    assert found["overall"]["value"] == pytest.approx(overall(categories))
    assert found["accuracy"]["value"] == pytest.approx(fmean(categories.values()))
    assert found["math"]["value"] == pytest.approx(own["TS"]["math_accuracy"])
    assert found["original"]["value"] == pytest.approx(fmean(one["original_accuracy"] or 0 for one in own.values()))
    assert all(found[name].keys() == {"value", "low", "high"} for name in ("overall", "if", "cr", "ir", "ts", "math"))
    assert found["overall"]["low"] is None, "no interval over one dialogue a category"
    whole = sum(len(session.turns) for session in sessions)
    judged = found["accuracy_by"]["subtask"]
    assert sum(one["of"] for one in judged.values()) < whole and judged["TS, problem"]["of"] == 12


@pytest.mark.slow
def test_categories_come_from_whole_matches_and_process_metrics_from_cut_ones(four: Any, tmp_path: Path) -> None:
    with closing(evaluate(four, STEADY, tmp_path / "run")) as run:
        patient = report(run)
    with closing(evaluate(four, STEADY, tmp_path / "other", patience=1)) as run:
        hasty = report(run)
    for name in ("overall", "if", "cr", "ir", "ts", "math", "accuracy_by", "pile_up"):
        assert patient[name] == hasty[name]
    assert hasty["edr_len"]["value"] < patient["edr_len"]["value"]


def test_what_a_benchmark_does_not_have_is_no_row(tmp_path: Path) -> None:
    bench = made(tmp_path / "bench", 1, task=["CR"], sport=["hockey"])
    with closing(evaluate(bench, "sim/reader", tmp_path / "run")) as run:
        found, text = report(run), text_of(run)
    assert not {"if", "ir", "ts", "math"} & found.keys() and found["cr"]["value"] == found["overall"]["value"] == 1.0
    assert "CR %" in text and "IF %" not in text and "Problems %" not in text
    assert "sim/reader reaches 100 % in CR (context retrieval) over 1 dialogue." in text
    assert "not judged (does" not in text


@pytest.mark.parametrize("chunks", [None, 10])
def test_points_that_only_a_judge_decides_on_are_known(chunks: int | None) -> None:
    turns = dialogue("IF", "hockey", 0, seed=5, chunks=chunks)["turns"]
    judged = {group_of(item): item["weight"] for turn in turns for item in turn["checklist"] if needs_judge(item)}
    assert judged == NEEDS_JUDGE


def test_a_suspended_dialogue_is_left_out_and_counted(four: Any, tmp_path: Path) -> None:
    def answer(request: Any) -> Any:
        # Messages of instruction following alone ask for tags.
        return ModelError("the endpoint is down") if "[Tag A]" in request.messages[0].content else "I see."

    with closing(evaluate(four, Scripted(answer), tmp_path / "run")) as run:
        found, text = report(run), text_of(run)
    assert found["suspended"] == 1 and found["matches"] == 3 and found["matches_broken_off"] == 0
    assert "if" not in found and found["cr"]["value"] == 0.0
    assert "over 3 dialogues: CR 0, IR 0, TS 0; of the problems in between it solves 0 %." in " ".join(text.split())


def test_a_match_that_the_cap_ends_is_in_no_category(four: Any, tmp_path: Path) -> None:
    with closing(evaluate(four, "sim/perfect", tmp_path / "run", max_turns=14)) as run:
        found, text = report(run), text_of(run)
    assert found["matches"] + found["matches_broken_off"] == 4 and found["matches_broken_off"] > 0
    assert "if" not in found and "broke off" in text


def test_a_run_that_stops_at_patience_has_no_category(four: Any, tmp_path: Path) -> None:
    options = {"stop_at_patience": "true"}
    with closing(evaluate(four, STEADY, tmp_path / "run", options=options)) as run:
        found, text = report(run), text_of(run)
    assert not {"overall", "accuracy", "if", "cr", "ir", "ts", "math", "accuracy_by"} & found.keys()
    assert "so there are no category scores" in " ".join(text.split()) and "Accuracy" not in text


@pytest.mark.slow
def test_variants_are_compared_in_pairs_by_the_evidence_of_both(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="NumPy is not installed")
    bench = made(tmp_path / "bench", 4, pair_retrieval="true", sport=["hockey"])
    with closing(evaluate(bench, "sim/reader", tmp_path / "run", context="last:6")) as run:
        found, text = report(run), text_of(run)
    [pair] = found["ablation"]
    assert (pair["measure"], pair["variant"], pair["reference"], pair["matches"]) == (
        "target",
        "interval",
        "anchored",
        2,
    )
    # The reader finds the target in both or in none: what it is shown decides.
    assert 0 < pair["base"]["value"] == pair["value"]["value"] < 1 and pair["difference"]["value"] == 0
    assert "sim/reader, last:6, interval against anchored: target 0 points over 2 matches" in " ".join(text.split())


@pytest.mark.slow
def test_the_page_has_the_chapters_and_folds_the_rows(four: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    with closing(evaluate(four, STEADY, tmp_path / "run")) as run:
        write_page(analyse([run], resamples=20), tmp_path / "p.html")
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    for chapter in ("categories", "distance", "survival", "groups", "patience"):
        assert f'<section id="{chapter}"' in text or f'id="{chapter}"' in text
    assert "accuracy-by-distance" in text and "accuracy-by-turn" in text and "MARS-Bench" in text
    rows = sum(len(line["query"]) for number in four.dialogues() for line in four.lines(number))
    folded = text.split('<details class="folded">')[1:]
    shown = sum(len(part.partition("</details>")[0]) for part in folded)
    assert len(folded) > 60 and shown > rows / 2, "what is folded is most of what was said"

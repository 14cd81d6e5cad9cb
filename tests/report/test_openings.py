"""What each scenario begins its page with: its own sentence and figure, and not how long patience lasts."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import RECALL, Scripted, answer, bench_of, dialog, turn

from evolif.benchmark import open_benchmark
from evolif.report import analyse, write_page
from evolif.report.answer import Answer, answer_of
from evolif.report.comparable import group_comparable
from evolif.runner import Run, evaluate
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.games.accuracy_tables import gain_table
from evolif.scenarios.games.results import outcomes_of

Make = Callable[..., Run]


def generated(folder: Path, name: str, dialogues: int, **options: Any) -> Any:
    scenario = get_scenario(name)
    spec = options_of(scenario.spec, options, name)
    scenario.generate(folder / "bench", spec, dialogues=dialogues, seed=7)
    return open_benchmark(folder / "bench")


def opened(*runs: Run) -> tuple[Any, Answer]:
    [board] = group_comparable(analyse(runs, resamples=50))
    return board, answer_of(board)


def first_screen(path: Path, *runs: Run) -> str:
    write_page(analyse(runs, resamples=50), path)
    text = path.read_text(encoding="utf-8")
    return text[text.index("<main>") : text.index("</section>")]


@pytest.mark.slow
def test_a_game_tells_what_turns_gain(tmp_path: Path) -> None:
    bench = generated(tmp_path, "games", 8, n=9, turns=[2, 4, 8])
    with closing(evaluate(bench, ["sim/scripted"], tmp_path / "run", options={"tokenizer": "regex"})) as run:
        board, found = opened(run)
        [row] = gain_table(outcomes_of(board.models[0].counted))
        [sentence] = found.sentences
        assert re.match(r"sim/scripted gets \d+ % of the games right with 2 turns and \d+ % with 8: ", sentence)
        told = f"{100 * row['gain']:.0f} points [{100 * row['low']:.0f}, {100 * row['high']:.0f}]".replace("-", "−")
        assert told in sentence
        first = first_screen(tmp_path / "p.html", run)
    assert "<b>Accuracy against turns.</b>" in first and "games with the right answer" in first
    assert first.count("<svg") == 1 and "EDR" not in first


@pytest.mark.slow
def test_a_broadcast_tells_its_categories(tmp_path: Path) -> None:
    bench = generated(tmp_path, "broadcast", 8)
    with closing(evaluate(bench, ["sim/steady", "sim/perfect"], tmp_path / "run")) as run:
        _, found = opened(run)
        [sentence] = found.sentences
        listed = r"IF \d+, CR \d+, IR \d+, TS \d+"
        assert re.match(rf"sim/steady reaches \d+ % .*overall over 8 dialogues: {listed}", sentence)
        first = first_screen(tmp_path / "p.html", run)
    assert "CR context retrieval" in first and first.count("<svg") == 1
    assert "EDR" not in first and 'th scope="row">sim/perfect' in first


@pytest.mark.slow
def test_shifts_tell_the_rate_against_tokens(tmp_path: Path) -> None:
    bench = generated(tmp_path, "shifts", 8, rounds=[10])
    with (
        closing(evaluate(bench, ["sim/reader"], tmp_path / "full")) as full,
        closing(evaluate(bench, ["sim/reader"], tmp_path / "last", context="last:2")) as last,
    ):
        _, found = opened(full, last)
        compared, saved = found.sentences
        ahead = r"full is ahead of sim/reader, context last:2 in TCR by [\d.]+ \[[\d.]+, [\d.]+\] points"
        assert re.search(ahead, compared)
        assert re.match(r"sim/reader, last:2 is shown [\d.]+ % fewer tokens a turn than sim/reader, full", saved)
        first = first_screen(tmp_path / "p.html", full, last)
    assert "TCR against tokens" in first and "goals met by the final answer" in first and "EDR" not in first


@pytest.mark.slow
def test_recorded_dialogues_tell_the_score(tmp_path: Path) -> None:
    talks = [
        dialog(number, turn(1, "user", "say"), answer(2, RECALL, reference="a b c"), dialog_labels={"kind": kind})
        for number, kind in enumerate("abababab", 1)
    ]
    models = [Scripted(lambda request: "a"), Scripted(lambda request: "a b c")]
    models[0].name, models[1].name = "fake/short", "fake/whole"
    with closing(evaluate(bench_of(tmp_path, *talks), models, tmp_path / "run")) as run:
        _, found = opened(run)
        [sentence] = found.sentences
        assert sentence.startswith("fake/whole is ahead of fake/short in Score mean-min-dialog by 66.7 [")
        first = first_screen(tmp_path / "p.html", run)
    assert "Score by label of the dialogue" in first and "EDR" not in first


def test_a_broadcast_that_stopped_tells_how_long_patience_lasts(tmp_path: Path) -> None:
    bench = generated(tmp_path, "broadcast", 4, task=["CR"])
    options = {"stop_at_patience": True}
    with closing(evaluate(bench, ["sim/steady"], tmp_path / "run", options=options)) as run:
        _, found = opened(run)
    assert found.tables == () and found.figures[0] == "survival"
    assert re.fullmatch(r"sim/steady satisfied \d+ % of the requests in a row.*\.", found.sentences[0])

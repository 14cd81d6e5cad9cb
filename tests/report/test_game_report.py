"""The report on games: accuracy between floor and ceiling, what haste costs, what is said, and what players see."""

from __future__ import annotations

import dataclasses
import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.benchmark import open_benchmark
from evolif.cli import app
from evolif.errors import UsageError
from evolif.report import analyse
from evolif.report.comparable import group_comparable
from evolif.runner import evaluate, load_run
from evolif.scenario import LineChart, get_scenario, options_of
from evolif.scenario.presentation import Grid, HeatMap
from evolif.scenarios.games import generate
from evolif.scenarios.games.cells import counted, points_cell, row_name
from evolif.scenarios.games.play_charts import proposals_chart
from evolif.scenarios.games.play_tables import endings_grid, information_grid, language_grid, proposals_grid, usage_grid
from evolif.scenarios.games.report import game_figures, game_grids
from evolif.scenarios.games.sessions import GameColumn, instance_exhibits
from evolif.scenarios.games.talk import has_apology, information_of, talk_of

SCENARIO = get_scenario("games")
NAMES = generate("names", 0, seed=1, n=9)
REGEX = {"tokenizer": "regex"}


def told(*texts: str, turns: int = 4, reason: str = "wrong", instance: Any = NAMES, **other: Any) -> Any:
    """A dialogue as `play` returns it."""
    spoken = [
        {"player": at % 2, "text": text, "tokens": len(text.split()), "truncated": text.endswith("…"), "flags": []}
        for at, text in enumerate(texts)
    ]
    final = {"player": (len(texts) - 1) % 2, "parsed": None, "turn": len(texts), "reason": reason}
    return {
        "instance": instance, "turns": spoken, "final": final, "turn_budget": turns, "pair": ["a", "b"],
        "modality": "text", "total_tokens": 20, "tokenizer": "words", "hold_answers": False, "reference": "none",
    } | other  # fmt: skip


def column(*played: Any, name: str = "a", **other: Any) -> GameColumn:
    return GameColumn(name, other.pop("model", name), tuple(played), **other)


def cells(grid: Grid | None) -> dict[str, list[str]]:
    assert grid is not None
    return {name: [f"{cell.value} {cell.aside}".strip() for cell in own] for name, own in grid.rows}


def by_name(columns: list[GameColumn], parser: str | None = None) -> dict[str, Grid]:
    return {grid.name: grid for grid in game_grids(columns, parser)}


def other(number: int) -> Any:
    return {**NAMES, "number": number}


def test_accuracy_stands_between_the_references() -> None:
    played = [told("x", turns=turns, reason="correct" if turns > 2 or number == 0 else "wrong", instance=other(number))
              for turns in (2, 8) for number in range(6)]  # fmt: skip
    grids = by_name([column(*played)])
    assert grids["turns"].heads == ("a", "floor", "guess and check", "ceiling", "chance")
    floor = NAMES["floor"]
    shown = cells(grids["turns"])
    assert shown["2"] == ["17 [1–64] of 6", f"{100 * floor:.0f}", "21", "100", "11"]
    assert shown["8"][:3] == ["100 [54–100] of 6", f"{100 * floor:.0f}", "69"]
    assert "95 % intervals over instances" in grids["turns"].note
    assert "Over 6 instances (12 dialogues)." in grids["turns"].note and "Wilson" not in grids["turns"].note
    assert cells(grids["normalised"])["2"] == [f"{100 * (1 / 6 - floor) / (1 - floor):.0f}"]
    gain = cells(grids["gain"])
    [(first, [value])] = list(gain.items())[:1]
    assert first == "gain from 2 to 8 turns, points" and re.fullmatch(r"83 \[\d+, 100\]", value)
    assert "paired over instances. Over 6 instances (12 dialogues)." in grids["gain"].note
    assert gain["instances played with both"] == ["6"] and gain["best with"] == ["8 turns"]
    assert gain["never falls as turns grow"] == ["yes"]


def test_tables_tell_instances_and_dialogues_of_models_of_other_sizes() -> None:
    one = column(*(told("x", instance=other(number)) for number in range(2)))
    two = column(*(told("x", turns=turns, instance=other(0)) for turns in (2, 4)), name="b")
    assert counted([one, one]) == "Over 2 instances." and counted([two]) == "Over 1 instance (2 dialogues)."
    assert counted([one, two]) == "Over 2 instances (a); 1 instance (2 dialogues) (b)."


def test_one_number_of_turns_gains_nothing() -> None:
    assert "gain" not in by_name([column(told("x"))])


def test_the_figure_has_a_line_for_each_model_and_grey_references() -> None:
    alone = column(told("x", reason="correct", reference="floor"), name="b, from one part", reference="floor")
    [chart, heat, density] = game_figures([column(told("x"), told("x", turns=8)), alone])
    assert isinstance(chart, LineChart) and isinstance(heat, HeatMap) and isinstance(density, LineChart)
    assert density.x == (4, 8) and "interactivity" in density.x_label and "interactivity" in chart.x_label
    assert chart.x == (4, 8) and [line.name for line in chart.lines] == ["a"]
    grey = {line.name: [point.value for point in line.points] for line in chart.references}
    assert list(grey) == ["floor", "guess and check", "ceiling", "b, from one part"]
    assert grey["b, from one part"] == [1, 1] and grey["ceiling"] == [1, 1]
    assert len(heat.columns) == 8 and [name for name, _ in heat.rows] == ["4", "8"]


def test_proposals_are_drawn_as_a_share_of_the_turns_that_might_propose() -> None:
    board = {**NAMES, "game": "chess", "answer": ["MINE", "YOURS"]}
    few = [told("Mine came first?", "I see.", "Well.", "_YOURS_", turns=4, instance=board) for _ in range(8)]
    many = [told("Hello.", "I see.", "Well.", "_YOURS_", turns=8, instance=board)]
    chart = proposals_chart([column(*few, *many)])
    assert chart is not None and [point.value for point in chart.lines[0].points] == [1 / 3, 0]
    assert proposals_chart([column(*few)]) is None and proposals_chart([column(told("x"), told("x", turns=8))]) is None


def test_how_games_end_and_what_is_used() -> None:
    played = [
        told("one two", "I apologise …", reason="correct"),
        told("one", "two", "three", "four", reason="no_answer"),
    ]
    assert cells(endings_grid([column(*played)])) == {"4": ["50", "0", "0", "50", "2"]}
    # 2 and 4 of 4 turns; 2 + 2 and 3 + 2 tokens; 5 + 4 of 20 each; one of six turns is cut.
    assert cells(usage_grid([column(*played)])) == {"4": ["75", "2", "2", "22", "17", "50"]}


@pytest.mark.parametrize(
    ("text", "found"), [("My apologies.", True), ("APOLOGY", True), ("unapologetic", False), ("sorry", False)]
)
def test_apologies_begin_a_word(text: str, found: bool) -> None:
    assert has_apology(told("fine", text)) is found


def test_haste_costs_what_the_same_instances_gain_when_answers_are_refused() -> None:
    free = [told("x", reason="correct" if number < 2 else "wrong", instance=other(number)) for number in range(8)]
    held = [told("x", "x", "x", "x", reason="correct", instance=other(number)) for number in range(8)]
    late = told("x", "x", "x", "x", reason="correct", instance=other(9))
    both = [column(*free, late), column(*held, name="a, held", model="a", held=True)]
    [value] = [own for name, own in cells(by_name(both)["early"]).items() if name == "4"]
    assert value[:3] == ["89", "25 of 8", "100 of 1"] and re.fullmatch(r"75 \[\d+, \d+\] of 8", value[3])
    alone = by_name([column(*free)])["early"]
    assert len(alone.heads) == 3 and "hold_answers=true" in alone.note
    assert "early" not in by_name([both[1]])


def test_references_are_in_no_table_of_talk() -> None:
    alone = column(told("x", reference="floor"), reference="floor")
    assert set(by_name([alone])) == {"turns", "normalised"}


def test_information_is_told_in_bits_and_as_a_share() -> None:
    [i, _] = NAMES["answer"]
    row = " ".join(map(str, NAMES["private"][0]["rows"][i - 1]))
    played = told(f"I have {row}.", "Fine day.", turns=2)
    found = information_of(played)
    assert found.bits == pytest.approx((3.1699, 0), abs=1e-3) and found.needed == pytest.approx(3.1699, abs=1e-3)
    assert cells(information_grid([column(played)])) == {"2": ["1.58", "3.17", "100", "0.00", "1.00"]}
    assert information_grid([column(told("x", instance=generate("chess", 0, seed=1)))]) is None


def test_two_turns_are_left_out_of_how_players_talk() -> None:
    played = [told("Green door, green lamp", "A lamp", "No", turns=turns) for turns in (4, 2)]
    assert cells(language_grid([column(*played)], None)) == {"4": ["39.0", "71", "0.55"]}
    assert language_grid([column(played[1])], None) is None
    assert talk_of(played[0], coherent=False).coherence is None


def test_coherence_names_its_parser_and_is_absent_without_one() -> None:
    pytest.importorskip("textblob")
    grid = language_grid([column(told("The lamp is red.", "The lamp is on.", "The lamp is here."))], "textblob-0")
    assert grid is not None and grid.heads[-1] == "coherence" and "textblob-0" in grid.note
    without = language_grid([column(told("a", "b"))], None)
    assert without is not None and "coherence" not in without.heads and "no coherence" in without.note


def test_proposals_are_those_of_chess() -> None:
    pytest.importorskip("chess")
    chess = {**generate("chess", 0, seed=1), "answer": ["MINE", "YOURS"]}
    played = told("I think mine came first.", "It is _YOURS_", reason="correct", instance=chess)
    assert cells(proposals_grid([column(played)])) == {"4": ["1.00", "1.00", "100", "–", "100"]}
    assert proposals_grid([column(told("x"))]) is None


def test_rows_name_the_model_only_where_there_are_several() -> None:
    one, two = column(told("x")), column(told("x"), name="b")
    assert (row_name([one], one, 4), row_name([one, two], two, 4)) == ("4", "b, 4 turns")
    assert [(points_cell(value, None, None).value) for value in (-0.001, 0.2, -0.5, None)] == ["0", "20", "−50", "–"]


def test_both_private_parts_are_exhibits() -> None:
    one, two = instance_exhibits(NAMES)
    assert one.title == "Player 1 sees" and one.text.startswith("row,") and one.note.startswith("Right answer: SELECT")
    assert one.text != two.text and not one.pictures
    assert instance_exhibits({"game": "names"}) == instance_exhibits({"game": "go", "answer": [1, 1]}) == ()
    question = generate("questions", 0, seed=1)
    assert question["public"]["question"] in instance_exhibits(question)[0].note


def test_pictures_are_exhibits_with_their_numbers() -> None:
    pytest.importorskip("PIL")
    one, two = instance_exhibits(generate("scenes", 0, seed=1, modality="image"))
    assert one.labels == ("The image",) and one.note == "May not answer." and not one.text
    assert two.labels == tuple(f"Image {at}" for at in range(6))
    assert all(picture.startswith(b"\x89PNG") for picture in (*one.pictures, *two.pictures))


def test_pictures_that_cannot_be_drawn_are_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(instance: Any, player: int) -> Any:
        raise UsageError("install evolif[games]")

    monkeypatch.setattr("evolif.scenarios.games.sessions.private_image", fail)
    [one, _] = instance_exhibits(generate("scenes", 0, seed=1, modality="image"))
    assert "row 1" in one.text and one.note.endswith("Pictures are not drawn: install evolif[games]")


def made(folder: Path, **options: Any) -> Any:
    settings = {"game": "names", "n": "9", "turns": ["2", "4"], **options}
    kept = {key: value for key, value in settings.items() if value is not None}
    SCENARIO.generate(folder, options_of(SCENARIO.spec, kept, "games"), dialogues=6, seed=1)
    return open_benchmark(folder)


@pytest.mark.slow
def test_runs_that_refuse_answers_or_ask_for_references_stand_side_by_side(tmp_path: Path) -> None:
    bench = made(tmp_path / "b")
    told_apart: dict[str, dict[str, Any]] = {
        "free": {},
        "held": {"hold_answers": True},
        "floor": {"reference": "floor"},
        "other": {"tokens": 128},
    }
    for name, options in told_apart.items():
        evaluate(bench, "sim/guess-and-check", tmp_path / name, partner="self", options=REGEX | options).close()
    runs = [load_run(tmp_path / name) for name in ("free", "held", "floor", "other")]
    assert len(group_comparable(analyse(runs[:3], resamples=20))) == 1
    assert len(group_comparable(analyse(runs, resamples=20))) == 4
    [board] = group_comparable(analyse(runs[:3], resamples=20))
    grids = {grid.name: grid for grid in SCENARIO.presentation.parts(board)}
    name = "sim/guess-and-check"
    assert grids["turns"].heads[:3] == (name, f"{name}, held", f"{name}, from one part")
    assert "cost of haste, points" in grids["early"].heads
    for run in runs:
        run.close()


def test_json_has_accuracy_by_turns_and_their_gain(tmp_path: Path) -> None:
    run = evaluate(made(tmp_path / "b"), "sim/perfect", tmp_path / "r", partner="self", options=REGEX)
    run.close()
    done = CliRunner().invoke(app, ["report", str(tmp_path / "r"), "--json", "-", "--resamples", "20"])
    [model] = json.loads(done.stdout)["models"]
    assert model["accuracy"]["value"] == 1 and model["by_turns"] == {"2": 1, "4": 1} and model["gain"] == 0
    assert model["best_turns"] == 2 and model["monotone_non_decreasing"] is True
    far = 0.025 ** (1 / 6)  # six instances that are all alike, in two dialogues each
    assert (model["accuracy"]["low"], model["accuracy"]["high"]) == (pytest.approx(far), 1)
    assert model["gain_interval"] == {"low": pytest.approx(far - 1), "high": pytest.approx(1 - far)}
    shown = CliRunner().invoke(app, ["report", str(tmp_path / "r"), "--resamples", "20"])
    said = " ".join(shown.output.split())
    assert "Accuracy of sim/perfect: 100 % (2 turns), 100 % (4). From 2 to 4 turns it gains 0 [−46, 46] points" in said


@pytest.mark.slow
def test_the_page_shows_both_parts_side_by_side_and_escapes_them(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    bench = made(tmp_path / "b")
    for file in (tmp_path / "b" / "dialogues").iterdir():
        file.write_text(file.read_text("utf-8").replace(str(NAMES["private"][0]["rows"][0][0]), "<b>x</b>"), "utf-8")
    evaluate(bench, "sim/perfect", tmp_path / "r", partner="self", options=REGEX).close()
    page = tmp_path / "r.html"
    done = CliRunner().invoke(app, ["report", str(tmp_path / "r"), "--html", str(page), "--resamples", "20"])
    assert done.exit_code == 0, done.output
    text = page.read_text("utf-8")
    assert text.count('<div class="exhibits">') == 12 and text.count("Player 2 sees") == 12
    assert "&lt;b&gt;x&lt;/b&gt;" in text and "<b>x</b>" not in text
    assert text.index('id="headline"') < text.index("Accuracy against turns.</b>") < text.index('id="turns"')
    assert "What the model was asked" in text and "img-src &#39;none&#39;" in text


@pytest.mark.slow
def test_a_page_with_pictures_lets_them_in_and_loads_nothing(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    pytest.importorskip("matplotlib")
    bench = made(tmp_path / "b", game="scenes", modality="image", n=None)
    evaluate(bench, "sim/perfect", tmp_path / "r", partner="self", options=REGEX).close()
    page = tmp_path / "r.html"
    done = CliRunner().invoke(app, ["report", str(tmp_path / "r"), "--html", str(page), "--resamples", "20"])
    assert done.exit_code == 0, done.output
    text = page.read_text("utf-8")
    assert text.count('<img src="data:image/png;base64,') == 12 * 7 and text.count("<img") == 12 * 7
    assert "img-src data:" in text and "default-src &#39;none&#39;" in text


@pytest.mark.slow
def test_only_the_dialogues_in_the_figures_are_read(tmp_path: Path) -> None:
    with closing(evaluate(made(tmp_path / "b"), "sim/perfect", tmp_path / "r", partner="self",
                          options=REGEX)) as run:  # fmt: skip
        [board] = group_comparable(analyse([run], resamples=20))
        [model] = board.models
        model.__dict__["sessions"] = tuple(
            dataclasses.replace(one, ending="suspended") if one.dialogue == 1 else one for one in model.sessions
        )
        grids = {grid.name: grid for grid in SCENARIO.presentation.parts(board)}
        assert [own[-1] for own in cells(grids["endings"]).values()] == ["5", "6"]


@pytest.mark.slow
def test_several_games_stand_in_one_grid(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", game=["names", "questions"])
    assert bench.variant == "names+questions" and len(bench.dialogues()) == 24
    assert [bench.lines(at)[0]["game"] for at in (1, 2, 3, 4, 5)] == [
        "names",
        "names",
        "questions",
        "questions",
        "names",
    ]
    assert bench.lines(1)[0] == {**generate("names", 0, seed=1, n=9), "turns": 2}
    words, _ = SCENARIO.presentation.command(bench, "", [1])
    assert words[2:4] == ["--dialogues", "6"] and "game=names,questions" in words
    with closing(evaluate(bench, "sim/perfect", tmp_path / "r", partner="self", options=REGEX)) as run:
        labels = {turn.labels["instance"] for session in run.sessions() for turn in session.turns}
        assert labels == {f"{game} {number}" for game in ("names", "questions") for number in range(6)}
        [board] = group_comparable(analyse([run], resamples=20))
        grids = {grid.name: grid for grid in SCENARIO.presentation.parts(board)}
        assert cells(grids["games"])["names"][0].startswith("100 ") and grids["games"].heads == ("2 turns", "4 turns")
        assert "Accuracy by number of turns" in grids["turns-questions"].title and "information-names" in grids
        names = [figure.name for figure in SCENARIO.presentation.figures(board)]
        assert names[:2] == ["accuracy-by-game", "accuracy-by-turns-names"]
    done = CliRunner().invoke(app, ["report", str(tmp_path / "r"), "--json", "-", "--resamples", "20"])
    [model] = json.loads(done.stdout)["models"]
    assert model["games"]["questions"]["by_turns"] == {"2": 1, "4": 1} and "by_turns" not in model
    for form in ("--full", "--latex", "--html"):
        out = [] if form == "--full" else [str(tmp_path / "page")]
        done = CliRunner().invoke(app, ["report", str(tmp_path / "r"), form, *out, "--resamples", "20"])
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("game", "more", "message"), [("names,names", {}, "twice"), ("names,chess", {"near": 3}, "near")]
)
def test_several_games_are_checked(tmp_path: Path, game: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        made(tmp_path / "b", game=game, n=None, **more)

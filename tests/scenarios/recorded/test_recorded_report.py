"""The report on recorded dialogues: from records to the score, labels, sub-dimensions, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import RECALL, Scripted, answer, bench_of, dialog, entry, turn
from typer.testing import CliRunner

import evolif.scenarios.recorded.model_results as results_module
from evolif.cli import app
from evolif.errors import ModelError, WithheldError
from evolif.report import analyse
from evolif.report.comparable import group_comparable
from evolif.report.json import analysis_object
from evolif.report.latex import latex_report
from evolif.runner import Run, evaluate
from evolif.scenario import Grid, HeatMap, get_scenario
from evolif.scenarios.recorded import Dialog, bootstrap_interval, paired_difference, spearman_matrix
from evolif.scenarios.recorded.model_results import dialogue_of, results_of

HOSTILE = "<b>x</b> & _$\\ \u202e|"


def board_of(run: Run, resamples: int = 200) -> Any:
    [board] = group_comparable(analyse([run], resamples=resamples))
    return board


def grids_of(board: Any) -> dict[str, Grid]:
    grids = tuple(get_scenario("recorded").presentation.parts(board))
    assert len({grid.name for grid in grids}) == len(grids), "a chapter finds tables by name"
    return {grid.name: grid for grid in grids}


def maps_of(board: Any) -> dict[str, HeatMap]:
    return {one.name: one for one in get_scenario("recorded").presentation.figures(board)}


def shown(grid: Grid) -> dict[str, list[str]]:
    return {name: [f"{cell.value} {cell.aside}".strip() for cell in cells] for name, cells in grid.rows}


def model(name: str, said: Callable[[str], Any]) -> Scripted:
    found = Scripted(lambda request: said(request.messages[-1].content))
    found.name = name
    return found


def play(folder: Path, dialogs: Sequence[Dialog], *models: Any, **settings: Any) -> Run:
    return evaluate(bench_of(folder, *dialogs), list(models), folder / "run", **settings)


def talk(number: int, *references: str, extra: tuple[dict[str, Any], ...] = (), **fields: Any) -> Dialog:
    """A dialogue in which turn k asks “k of NUMBER”; `extra` are entries of its first turn."""
    turns: list[dict[str, Any]] = []
    for k, reference in enumerate(references, 1):
        own = {"reference": reference, "turn_labels": {"place": k}}
        turns += [turn(2 * k - 1, "user", f"{k} of {number}"), answer(2 * k, RECALL, *(extra if k == 1 else ()), **own)]
    return dialog(number, *turns, **fields)


def spec_example() -> list[Dialog]:
    """Turn scores 0.6 (of 0.8 and 0.4), 1 and 0.3; the model says “a b c d”."""
    return [
        talk(4, "a b c d e", "a", extra=(entry("precision"),), dialog_labels={"kind": "long"}),
        talk(9, "a b c x1 x2 x3 x4 x5 x6 x7", dialog_labels={"kind": "short"}),
    ]


def four(query: str) -> str:
    return {"1 of 4": "a b c d y1 y2 y3 y4 y5 y6", "2 of 4": "a", "1 of 9": "a b c d"}[query]


def test_records_become_turns_dialogues_and_the_score(tmp_path: Path) -> None:
    with closing(play(tmp_path, spec_example(), model("fake/four", four))) as run:
        grids = grids_of(board_of(run))
    assert shown(grids["aggregation"]) == {
        "records": ["62 of 4"],  # 0.8, 0.4, 1 and 0.3
        "turns: the mean of their records": ["63 of 3"],
        "dialogues: the lowest of their turns; the score is their mean": ["45 of 2"],
        "bounds": ["45–45"],
        "lowest and highest dialogue": ["30–60"],
    }
    found = shown(grids["aggregations"])
    assert [name for name in found if "bounds" not in name] == [
        "mean-min-dialog",
        "mean-mean-turn",
        "min-min-dialog",
        "max-max-dialog",
    ]
    assert (found["mean-mean-turn"], found["min-min-dialog"], found["max-max-dialog"]) == (
        ["63 of 3"],
        ["35 of 2"],
        ["65 of 2"],
    )
    assert shown(grids["metrics"]) == {"precision": ["40 of 1"], "recall": ["70 of 3"]}
    assert shown(grids["lengths"]) == {"1": ["45 of 2"], "2": ["60 of 1"]}
    assert not {"differences", "discriminability", "spearman", "evidence"} & grids.keys(), "for one model"


def test_a_score_of_turns_has_no_dialogues(tmp_path: Path) -> None:
    options = {"aggregate": "min-max-turn"}
    with closing(play(tmp_path, spec_example(), model("fake/four", four), options=options)) as run:
        board = board_of(run)
        grids, told = grids_of(board), analysis_object([board])["models"][0]
    assert list(shown(grids["aggregation"]).items())[1:] == [
        ("turns: the lowest of their records; the score is their mean", ["57 of 3"]),
        ("bounds", ["57–57"]),
        ("lowest and highest turn", ["30–100"]),
    ]
    assert told["aggregations"]["min-max-turn"]["value"] == pytest.approx(told["score"]["value"], abs=1e-12)
    assert next(iter(told["aggregations"])) == told["aggregate"] == "min-max-turn"
    assert grids["labels"].title.startswith("Score by label of the dialogue (min-max-dialog)")


def test_bounds_and_coverage_stand_beside_the_means(tmp_path: Path) -> None:
    broken = [talk(n, "yes", extra=(entry("code_match"),)) if n < 3 else talk(n, "yes") for n in range(1, 5)]
    broken.append(talk(5, "yes", "yes"))

    def said(query: str) -> Any:
        return {"1 of 1": "no", "1 of 5": ModelError("down")}.get(query, "yes")

    with closing(play(tmp_path, broken, model("fake/m", said))) as run:
        board = board_of(run)
        grids, told = grids_of(board), analysis_object([board])["models"][0]
    rows = shown(grids["aggregations"])
    assert rows["mean-min-dialog"] == ["75 of 4"] and rows["mean-min-dialog, bounds"] == ["50–90"]
    assert rows["min-min-dialog, bounds"] == ["40–80"], "a failed record decides the minimum"
    found = shown(grids["coverage"])
    assert found["records scored"] == ["4 of 8 (50 %)"] and found["records failed"] == ["3"]
    assert found["records missing"] == ["1"] and found["dialogues failed"] == ["3"] and found["turns missing"] == ["1"]
    assert (found["failed: generation"], found["failed: unsupported"]) == (["1"], ["2"])
    assert shown(grids["metrics"]) == {"code_match": ["- of 0/2"], "recall": ["75 of 4/6"]}
    assert told["aggregations"]["mean-min-dialog"]["bounds"] == pytest.approx([0.5, 0.9])


def test_sessions_that_a_filter_ended_are_in_the_coverage_only(tmp_path: Path) -> None:
    dialogs = [talk(1, "yes", "yes"), talk(2, "yes", "yes")]
    filtered = model("fake/m", lambda query: WithheldError("no") if query == "2 of 2" else "yes")
    with closing(play(tmp_path, dialogs, filtered)) as run:
        board = board_of(run)
        grids, told = grids_of(board), analysis_object([board])["models"][0]
    tree = grids["aggregation"]
    assert tree.note == "Sessions that did not come to their end are in the coverage only: fake/m 1."
    assert shown(tree)["records"] == ["100 of 2"] and shown(tree)["bounds"] == ["50–100"]
    assert shown(grids["coverage"])["records scored"] == ["3 of 4 (75 %)"]
    assert shown(grids["metrics"]) == {"recall": ["100 of 2/4"]}
    assert told["aggregations"]["mean-min-dialog"]["value"] == told["score"]["value"] == 1.0


def labelled() -> list[Dialog]:
    """Eight dialogues; model A is right in maths, B in law, C nowhere."""
    found = []
    for n in range(1, 9):
        kind = "maths" if n % 2 else HOSTILE
        labels = {
            "task_type": kind,
            "task_subtype": "hard" if n < 5 else "easy",
            "meta": {"tags": ["all", f"half{n % 2}", "all"], "size": 10 if n < 3 else 9},
            "uid": f"id-{n}",
            "none": None,
        }
        found.append(talk(n, *["yes"] * (1 + n % 2), dialog_labels=labels))
    return found


def right_in(odd: bool | None) -> Callable[[str], str]:
    return lambda query: "yes" if odd is not None and int(query.split()[-1]) % 2 == odd else "no"


@pytest.fixture(name="three")
def _three(tmp_path: Path) -> Any:
    models = [model("a/odd", right_in(True)), model("b/even", right_in(False)), model("c/none", right_in(None))]
    with closing(play(tmp_path, labelled(), *models)) as run:
        yield run


def test_scores_by_label_of_dialogue_and_turn(three: Run) -> None:
    grids = grids_of(board_of(three))
    rows = shown(grids["labels"])
    assert rows["task_type:maths"] == ["100 of 4", "0 of 4", "0 of 4"]
    assert rows["meta.tags:all"][0].endswith("of 8") and rows["meta.tags:all"][0].startswith("50 [")
    assert rows["meta.tags:half0"] == ["0 of 4", "100 of 4", "0 of 4"]
    assert [name for name in rows if name.startswith("meta.size")] == ["meta.size:9", "meta.size:10"]
    assert rows["task_hierarchy:maths > hard"] == ["100 of 2", "0 of 2", "0 of 2"]
    assert "none" not in " ".join(rows) and not any("\u202e" in name for name in rows)
    assert grids["labels"].note == "Not shown for their many values: uid (8 values)."
    assert shown(grids["turn-labels"])["place:2"] == ["100 of 4", "0 of 4", "0 of 4"]


def test_the_heat_map_has_the_figures_of_the_table(three: Run) -> None:
    board = board_of(three)
    maps, rows = maps_of(board), shown(grids_of(board)["labels"])
    assert maps["labels"].columns == ("a/odd", "b/even", "c/none") and not maps["labels"].signed
    cells = dict(maps["labels"].rows)
    assert [(cell.value, cell.of) for cell in cells["task_type:maths"]] == [(1.0, 4), (0.0, 4), (0.0, 4)]
    assert len(cells) == len(rows) and "maths > hard" in cells
    assert dict(maps["turn-labels"].rows)["place:1"][0].of == 8
    assert [cell.value for cell in dict(maps["spearman"].rows)["2 task_type:maths"]][1] == 1.0


def test_rank_correlations_are_those_of_the_matrix_and_say_that_models_are_few(three: Run) -> None:
    board = board_of(three)
    grids = grids_of(board)
    records = {m.name: results_of(m).records for m in board.models}
    known = {(a, b): rho for a, b, rho in spearman_matrix(records)["pairs"]}
    rho = known["meta.tags:half0", "meta.tags:half1"]
    assert rho == pytest.approx(-0.5)
    pairs = [(name, cells[0].value) for name, cells in grids["spearman-pairs"].rows]
    assert len(pairs) == 10 and pairs[0][1] == "1.00" and pairs[-1][1] == "-0.50"
    assert not any("uid" in name for name, _ in pairs)
    matrix = grids["spearman"]
    place = {name.partition(" ")[2]: number for number, (name, _) in enumerate(matrix.rows)}
    assert matrix.rows[place["meta.tags:half0"]][1][place["meta.tags:half1"]].value == "-0.50"
    assert matrix.note.endswith("Models: 3. Correlations over fewer than 8 say little.")
    assert shown(grids["discriminability"])["task_type:maths"] == ["1.41 strong", "3"]


def test_models_that_all_agree_have_no_rank_correlation(tmp_path: Path) -> None:
    with closing(play(tmp_path, labelled(), model("a/x", right_in(None)), model("b/y", right_in(None)))) as run:
        board = board_of(run)
        grid = grids_of(board)["spearman"]
        assert not grid.rows and grid.note.startswith("No correlation is defined") and "spearman" not in maps_of(board)


def test_intervals_and_differences_are_those_of_the_records(three: Run) -> None:
    board = board_of(three, resamples=300)
    first, second, _ = (results_of(m) for m in board.models)
    plain = bootstrap_interval(first.records, resamples=300)
    assert plain is not None and first.score_interval("mean-min-dialog") == (plain["lo"], plain["hi"])
    found = paired_difference(first.records, second.records, resamples=300)
    assert found is not None and found["dialogues"] == 8
    cell = f"0.0 [{100 * found['lo']:.1f}, {100 * found['hi']:.1f}]"
    assert shown(grids_of(board)["differences"])["a/odd minus b/even"] == [cell, "8"]


def test_epochs_are_drawn_with_their_dialogue(tmp_path: Path) -> None:
    dialogs = [talk(n, "yes") for n in range(1, 8)]
    with closing(play(tmp_path, dialogs, model("a/odd", right_in(True)), epochs=3)) as run:
        board = board_of(run)
        one = results_of(board.models[0])
        tree = grids_of(board)["aggregation"]
    assert [dialogue_of(number) for number in one.outlines] == [n for n in range(1, 8) for _ in range(3)]
    once = [record for record in one.records if record["dialog_id"] % 1024 == 1]
    assert len(once) == 7 and one.score_interval(one.aggregation) == one.interval(one.aggregation, once), (
        "the same answers thrice say no more"
    )
    assert "Each session counts as a dialogue" in tree.note and shown(tree)["records"] == ["57 of 21"]


def test_lengths_stand_apart_where_they_differ(three: Run, tmp_path: Path) -> None:
    rows = shown(grids_of(board_of(three))["lengths"])
    assert rows == {"1": ["50 of 8", "50 of 8", "0 of 8"], "2": ["100 of 4", "0 of 4", "0 of 4"]}
    with closing(play(tmp_path / "same", [talk(1, "yes"), talk(2, "yes")], model("a/x", right_in(True)))) as run:
        assert "lengths" not in grids_of(board_of(run))


def test_evidence_turns_are_counted_by_label(tmp_path: Path) -> None:
    golds = [talk(1, "yes", "yes", dialog_labels={"kind": "far"}), talk(2, "yes", dialog_labels={"kind": "near"})]
    golds[0].dialog_turns[3].reference_document = [1, 2, 2]
    with closing(play(tmp_path, golds, model("a/x", right_in(True)), epochs=2)) as run:
        grid = grids_of(board_of(run))["evidence"]
    assert grid.heads == ("evaluated turns", "with evidence", "evidence turns")
    assert shown(grid) == {"all": ["3", "1", "2"], "kind:far": ["2", "1", "2"], "kind:near": ["1", "0", "0"]}


@pytest.mark.slow
def test_every_report_has_them_and_foreign_labels_stay_text(three: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    page = tmp_path / "page.html"
    words = [
        "report",
        str(three.path),
        "--full",
        "--resamples",
        "50",
        "--html",
        str(page),
        "--json",
        str(tmp_path / "j"),
    ]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 0, told.output
    text = page.read_text("utf-8")
    order = [text.index(f'id="{name}"') for name in ("aggregation", "labels", "lengths", "sub-dimensions", "ranks")]
    assert order == sorted(order) and 'id="more"' not in text, "each table has a chapter"
    assert "<b>x</b>" not in text and "&lt;b&gt;x&lt;/b&gt;" in text
    assert text.count("Score by label of the turn.<") == 1
    found = json.loads((tmp_path / "j").read_text("utf-8"))
    assert found["models"][0]["by_label"]["dialog"]["task_type:maths"]["mean"] == 1.0
    assert "discriminability" in {part["name"] for part in found["boards"][0]["parts"]}
    assert "Discriminability" in latex_report([board_of(three, 20)])


def test_without_numpy_the_tables_are_there_without_intervals(three: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results_module, "find_spec", lambda name: None)
    grids = grids_of(board_of(three))
    assert shown(grids["aggregations"])["mean-min-dialog"] == ["50 of 8", "50 of 8", "0 of 8"]
    assert grids["aggregations"].note.endswith("pip install 'evolif[report]'.")
    assert grids["differences"].note == "Intervals need NumPy: pip install 'evolif[report]'."


def test_a_label_with_many_values_is_named_and_left_out(tmp_path: Path) -> None:
    dialogs = [talk(n, "yes", dialog_labels={"many": [f"v{k}" for k in range(30)], "few": n % 2}) for n in range(1, 7)]
    with closing(play(tmp_path, dialogs, model("a/x", right_in(True)), model("b/y", right_in(False)))) as run:
        board = board_of(run)
        grid = grids_of(board)["labels"]
        assert [name for name, _ in grid.rows] == ["few:0", "few:1"] and "many (30 values)" in grid.note
        assert [name for name, _ in maps_of(board)["labels"].rows] == ["few:0", "few:1"]

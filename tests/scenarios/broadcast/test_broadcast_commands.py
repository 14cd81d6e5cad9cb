"""Broadcasts on the command line: what a benchmark holds, what is played, figures of a report counted again."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from evolif.cli import app
from evolif.scenarios.broadcast import category_score, game_accuracy, overall

TASKS = ("IF", "CR", "IR", "TS")
Row = dict[str, Any]


def evolif(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="evolif", env={"COLUMNS": "200"})


def done(*arguments: str) -> None:
    result = evolif(*arguments)
    assert result.exit_code == 0, result.output


def lines_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def made(folder: Path, dialogues: int, *settings: str) -> Path:
    options = [part for setting in settings for part in ("--set", setting)]
    done("generate", str(folder), "--scenario", "broadcast", "--dialogues", str(dialogues), "--seed", "7", *options)
    return folder


def exported(source: Path) -> list[Row]:
    path = source.parent / f"{source.name}.jsonl"
    done("export", str(source), str(path), "--with-witness")
    return lines_of(path)


def by_dialogue(rows: list[Row]) -> list[list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row["dialogue"], []).append(row)
    return list(found.values())


def evaluated(folder: Path, out: Path, model: str, *options: str) -> Row:
    done("evaluate", str(folder), "--out", str(out), "-m", model, "--judge", "none", *options)
    done("report", str(out), "--json", str(out) + ".json")
    (found,) = json.loads(Path(str(out) + ".json").read_text(encoding="utf-8"))["models"]
    return dict(found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("broadcast") / "bench", 24)


@pytest.fixture(scope="module")
def turns(folder: Path) -> list[Row]:
    return exported(folder)


@pytest.fixture(scope="module")
def steady(folder: Path) -> tuple[Row, list[Row]]:
    """The report and all turns of a model that makes mistakes."""
    run = folder.parent / "steady"
    return evaluated(folder, run, "sim/steady"), exported(run)


@pytest.mark.slow
def test_a_quarter_of_each_task_and_a_third_is_hockey(turns: list[Row]) -> None:
    kinds = Counter((rows[0]["labels"]["task"], rows[0]["labels"]["sport"]) for rows in by_dialogue(turns))
    assert kinds == {(task, sport): n for task in TASKS for sport, n in (("basketball", 4), ("hockey", 2))}


@pytest.mark.slow
def test_a_hundred_and_twenty_dialogues_unless_said(tmp_path: Path) -> None:
    done("generate", str(tmp_path / "bench"), "--scenario", "broadcast", "--seed", "7")
    kinds = Counter(
        (r[0]["labels"]["task"], r[0]["labels"]["sport"]) for r in by_dialogue(exported(tmp_path / "bench"))
    )
    assert kinds == {(task, sport): n for task in TASKS for sport, n in (("basketball", 20), ("hockey", 10))}


def test_every_dialogue_has_a_match_of_its_own(turns: list[Row]) -> None:
    firsts = [rows[0]["query"].split("=== end")[0] for rows in by_dialogue(turns)]
    assert len(set(firsts)) == len(firsts)
    systems = {rows[0]["system"].partition("Who plays:")[2] for rows in by_dialogue(turns)}
    assert len(systems) == len(firsts)


def test_no_problem_comes_twice_in_a_benchmark(turns: list[Row]) -> None:
    texts = [row["query"].rpartition("---\n")[2] for row in turns if row["kind"] == "M"]
    assert len(texts) == 4 * 12 + 2 * 9
    assert len({text.split("\nA)")[0].rpartition(". ")[2] + text.split("\nA)")[1] for text in texts}) == len(texts)


@pytest.mark.slow
def test_the_same_seed_makes_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again = made(tmp_path / "bench", 24)
    for path in sorted(folder.rglob("*.jsonl")):
        assert path.read_bytes() == (again / path.relative_to(folder)).read_bytes()


@pytest.mark.sampled
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("sport", ["basketball", "hockey"])
def test_task_and_sport_are_options(task: str, sport: str, tmp_path: Path) -> None:
    rows = exported(made(tmp_path / "bench", 3, f"task={task}", f"sport={sport}"))
    assert {(row["labels"]["task"], row["labels"]["sport"]) for row in rows} == {(task, sport)}
    assert len(by_dialogue(rows)) == 3


@pytest.mark.parametrize(
    "settings",
    [
        ["task=XX"],
        ["sport=golf"],
        ["chunks=0"],
        ["ask_after=5"],
        ["switch=music"],
        ["colour=red"],
        ["task=CR", "chunks=1,5", "ask_after=1,2"],
        ["task=CR", "chunks=1,5", "whole=true"],
        ["task=IF", "whole=true"],
        ["task=CR", "switch=chat"],
    ],
)
def test_options_that_do_not_fit_are_refused(settings: list[str], tmp_path: Path) -> None:
    options = [part for setting in settings for part in ("--set", setting)]
    result = evolif("generate", str(tmp_path / "bench"), "--scenario", "broadcast", "--dialogues", "4", *options)
    assert result.exit_code != 0
    assert "Traceback" not in result.output


@pytest.mark.slow
def test_the_perfect_model_reaches_everything(folder: Path) -> None:
    found = evaluated(folder, folder.parent / "perfect", "sim/perfect")
    for name in ("overall", "if", "cr", "ir", "ts", "math", "isr", "csr", "rob"):
        assert found[name]["value"] == pytest.approx(1), name
    for row in exported(folder.parent / "perfect"):
        assert row["ok"] is not False


@pytest.mark.slow
def test_categories_are_means_over_whole_matches(steady: tuple[Row, list[Row]]) -> None:
    report, rows = steady
    accuracies: dict[str, list[float]] = {task: [] for task in TASKS}
    problems = []
    for match in by_dialogue(rows):
        scores = {row["turn"]: row["scores"][0]["value"] for row in match if row["ok"] is not None}
        found = game_accuracy(scores, [row["turn"] for row in match if row["kind"] == "M"])
        accuracies[match[0]["task"]].append(found["accuracy"])
        if found["math_accuracy"] is not None:
            problems.append(found["math_accuracy"])
    categories = {task: category_score(values) for task, values in accuracies.items()}
    for task in TASKS:
        assert report[task.lower()]["value"] == pytest.approx(categories[task])
    assert report["overall"]["value"] == pytest.approx(overall(categories))
    assert report["math"]["value"] == pytest.approx(fmean(problems))
    assert 0 < report["overall"]["value"] < 1


def test_a_turn_is_ok_when_its_score_is_one(steady: tuple[Row, list[Row]]) -> None:
    for row in steady[1]:
        if row["ok"] is not None:
            assert row["ok"] is (row["scores"][0]["value"] >= 0.999999)
    assert any(row["ok"] is False for row in steady[1])


def test_judged_turns_are_those_of_the_layout(steady: tuple[Row, list[Row]]) -> None:
    sizes = {"IF": (32, 21), "CR": (12, 9), "IR": (13, 10), "TS": (13 + 12, 10 + 9)}
    for match in by_dialogue(steady[1]):
        judged = sum(row["ok"] is not None for row in match)
        assert judged == sizes[match[0]["task"]][match[0]["sport"] == "hockey"]


def left_after(match: list[Row], patience: int) -> tuple[int, bool]:
    """Judged turns until patience is gone, and whether it is."""
    left, played = patience, 0
    for row in match:
        if row["ok"] is not None:
            played += 1
            left = patience if row["ok"] else left - 1
            if not left:
                return played, True
    return played, False


@pytest.mark.parametrize("patience", [1, 2, 3])
def test_patience_is_applied_by_cutting(patience: int, steady: tuple[Row, list[Row]]) -> None:
    report, rows = steady
    cut = [left_after(match, patience) for match in by_dialogue(rows)]
    swept = next(entry for entry in report["patience_sweep"] if entry["patience"] == patience)
    assert swept["edr_len"]["value"] == pytest.approx(fmean(played for played, _ in cut))
    assert swept["finished"] == sum(over for _, over in cut)
    assert swept["censored"] == sum(not over for _, over in cut)
    if patience == 3:
        assert report["edr_len"]["value"] == swept["edr_len"]["value"]


def test_all_matches_are_played_to_the_end(steady: tuple[Row, list[Row]], turns: list[Row]) -> None:
    assert len(steady[1]) == len(turns)


@pytest.mark.slow
def test_with_stop_at_patience_calls_are_saved_and_categories_not_shown(folder: Path) -> None:
    run = folder.parent / "stopped"
    found = evaluated(folder, run, "sim/steady", "--set", "stop_at_patience=true", "--patience", "1")
    rows = exported(run)
    ends = [left_after(match, 1) for match in by_dialogue(rows)]
    assert any(over for _, over in ends)
    for match, (played, _) in zip(by_dialogue(rows), ends, strict=True):
        assert sum(row["ok"] is not None for row in match) == played
    for name in ("overall", "if", "cr", "ir", "ts"):
        assert (found.get(name) or {"value": None})["value"] is None, name


@pytest.mark.slow
def test_a_set_of_one_task_has_its_category_alone(tmp_path: Path) -> None:
    found = evaluated(made(tmp_path / "bench", 6, "task=CR"), tmp_path / "run", "sim/steady")
    assert found["overall"]["value"] == pytest.approx(found["cr"]["value"])
    for name in ("if", "ir", "ts", "math"):
        assert (found.get(name) or {"value": None})["value"] is None


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("settings", "variants"),
    [
        (["task=CR", "pair_retrieval=true"], 2),
        (["task=CR", "chunks=1,10"], 2),
        pytest.param(["task=CR", "chunks=1,5,10,20"], 4, marks=pytest.mark.slow),
        (["task=IR", "sport=hockey", "ask_after=1,2,3"], 3),
        pytest.param(["task=CR", "sport=basketball", "ask_after=1,2,3,4"], 4, marks=pytest.mark.slow),
        (["task=IR", "whole=true"], 2),
        (["task=TS", "switch=math,chat,none"], 3),
    ],
)
def test_a_comparison_plays_the_same_matches_in_every_variant(
    settings: list[str], variants: int, tmp_path: Path
) -> None:
    folder = made(tmp_path / "bench", 2 * variants, *settings)
    dialogues = by_dialogue(exported(folder))
    assert len(dialogues) == 2 * variants
    rosters = Counter(rows[0]["system"].partition("Who plays:")[2] for rows in dialogues)
    assert sorted(rosters.values()) == [variants] * 2
    assert len({rows[0]["labels"]["variant"] for rows in dialogues}) == variants
    found = evaluated(folder, tmp_path / "run", "sim/steady")
    assert found["ablation"]


def test_one_variant_compares_nothing(tmp_path: Path) -> None:
    folder = made(tmp_path / "bench", 4, "task=CR", "chunks=10")
    rows = by_dialogue(exported(folder))
    assert len({match[0]["system"] for match in rows}) == 4
    assert all(sum(row["kind"] == "S" for row in match) % 10 == 0 for match in rows)


def test_messages_do_not_depend_on_replies(steady: tuple[Row, list[Row]], turns: list[Row]) -> None:
    assert [row["query"] for row in steady[1]] == [row["query"] for row in turns]


def test_breakdowns_name_every_part(steady: tuple[Row, list[Row]]) -> None:
    report, rows = steady
    told = json.dumps(report["accuracy_by"])
    for name in ("subtask", "sport", "period", "distance", "turn"):
        assert name in told
    for name in ("anchored event", "interval events", "changes of the lead", "impact", "in-context query"):
        assert name in told
    for name in ("prompted format", "fixed format", "inferred format", "score"):
        assert name in told
    assert len(rows) > 0


def scored(match: list[Row], kinds: str) -> list[float]:
    return [row["scores"][0]["value"] for row in match if row["ok"] is not None and row["kind"] in kinds]


@pytest.mark.parametrize(("name", "kinds"), [("all", "SKQAILTH"), ("scores", "S")])
def test_how_errors_pile_up(name: str, kinds: str, steady: tuple[Row, list[Row]]) -> None:
    report, rows = steady
    after: dict[bool, list[bool]] = {True: [], False: []}
    for match in by_dialogue(rows):
        wrong = [score < 0.999999 for score in scored(match, kinds)]
        for before, now in pairwise(wrong):
            after[before].append(now)
    found = report["pile_up"][name]
    assert found["wrong_after_wrong"]["of"] == len(after[True])
    assert found["wrong_after_wrong"]["value"] == pytest.approx(fmean(after[True]))
    assert found["wrong_after_right"]["of"] == len(after[False])
    assert found["wrong_after_right"]["value"] == pytest.approx(fmean(after[False]))


def test_sub_tasks_are_means_over_their_turns(steady: tuple[Row, list[Row]]) -> None:
    report, rows = steady
    scores: dict[str, list[float]] = {}
    for row in rows:
        if row["ok"] is not None and row["kind"] != "M":
            scores.setdefault(f"{row['task']}, {row['subtask']}", []).append(row["scores"][0]["value"])
    found = {name: entry["value"] for name, entry in report["accuracy_by"]["subtask"].items() if "problem" not in name}
    assert found == {name: pytest.approx(fmean(values)) for name, values in scores.items()}
    assert set(scores) == {
        "IF, prompted format",
        "IF, fixed format",
        "IF, inferred format",
        "CR, anchored event",
        "CR, interval events",
        "IR, changes of the lead",
        "IR, impact",
        "IR, score",
        "TS, in-context query",
    }


def test_distances_are_means_over_their_turns(steady: tuple[Row, list[Row]]) -> None:
    report, rows = steady
    for distance in (1, 2, 3):
        scores = [r["scores"][0]["value"] for r in rows if r["ok"] is not None and r.get("distance") == distance]
        if scores:
            found = report["accuracy_by"]["distance"][str(distance)]
            assert (found["value"], found["of"]) == (pytest.approx(fmean(scores)), len(scores))


def test_sat_and_n_are_weights(steady: tuple[Row, list[Row]]) -> None:
    """CSR, which is sat over n, counts credit and not items."""
    report, rows = steady
    played = []
    for match in by_dialogue(rows):
        left = 3
        for row in match:
            if row["ok"] is not None and left:
                played.append(row["scores"][0]["value"])
                left = 3 if row["ok"] else left - 1
    assert report["isr"]["value"] == pytest.approx(fmean(score >= 0.999999 for score in played))
    assert min(played) < 1


def test_exports_have_no_keys_unless_asked(folder: Path, tmp_path: Path) -> None:
    done("export", str(folder), str(tmp_path / "bare.jsonl"))
    for row in lines_of(tmp_path / "bare.jsonl"):
        assert not {"key", "checklist", "witness"} & set(row)

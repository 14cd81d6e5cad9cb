"""A run in the dialogue schema of UniDial-EvalKit: its folders, what stays home, and the figures of its records."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import evolif
from evolif import UsageError
from evolif.cli.app import app
from evolif.exchange import canary_of, export
from evolif.metrics import process_metrics, records_from_sessions
from evolif.scenarios.recorded import (
    aggregate,
    dialogs_of_run,
    flat_labels,
    read_dialogs,
    read_records,
    read_summary,
    records_of_run,
)

MODELS = ("sim/perfect", "sim/steady?skill=.6")
FOLDERS = ("sim_perfect", "sim_steady_skill=.6")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    bench = evolif.generate(root / "b", dialogues=4, turns=6, seed=8, profile="paper")
    played = evolif.evaluate(bench, MODELS, root / "r", max_turns=9)
    yield played
    played.close()


@pytest.fixture(scope="module")
def out(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("out") / "u"
    export(run.path, path, format="unidial", with_witness=True)
    return path


def command(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.slow
def test_each_model_has_a_folder_of_results(run, out):
    assert sorted(path.name for path in out.iterdir()) == sorted(FOLDERS)
    for model, name in zip(MODELS, FOLDERS, strict=True):
        dialogs, records = dialogs_of_run(run, model, with_witness=True), records_of_run(run, model)
        for dialog in dialogs:
            dialog.dialog_raw_info["canary"] = canary_of(run.settings.benchmark)
        assert read_dialogs(out / name / "generated") == dialogs
        assert read_records(out / name / "eval_details") == records
        assert {path.name for path in (out / name / "generated").iterdir()} == {f"{n}.json" for n in range(4)}
        summary = read_summary(out / name / "summary.json")
        assert summary == aggregate(records, by_metric=True) and summary["global"]["count"] == 4


def test_answers_that_are_witnesses_stay_home(run, tmp_path):
    done = export(run.path, tmp_path / "u", format="unidial")
    perfect, steady = (read_dialogs(tmp_path / "u" / name / "generated") for name in FOLDERS)
    assert all(turn.content is None for dialog in perfect for turn in dialog.dialog_turns if turn.evaluated)
    keys = {}
    for prompt in run.prompts():
        keys.setdefault(prompt.dialogue, []).append(prompt.payload["witness"])
    for dialog in [*perfect, *steady]:
        said = [turn.text for turn in dialog.dialog_turns]
        own = [key for key in keys[dialog.dialog_raw_info["evolif"]["dialogue"]] if len(key) > 30]
        assert own and not [key for key in own for text in said if key in text]
    left_out = [turn for dialog in [*perfect, *steady] for turn in dialog.dialog_turns if turn.content is None]
    assert done.withheld == len(left_out) < done.rows and done.kind == "run"
    named = [dialog.dialog_raw_info["evolif_session"].get("withheld", []) for dialog in [*perfect, *steady]]
    assert sum(map(len, named)) == done.withheld


@pytest.mark.parametrize(
    ("name", "metric"), [("mean-mean-turn", "csr"), ("min-mean-turn", "isr"), ("min-mean-dialog", "rob")]
)
def test_the_command_says_what_the_report_says(run, out, name, metric):
    found = json.loads(command("unidial", "summary", out, "--aggregate", name, "--json"))["models"]
    for one in found:
        told = process_metrics(records_from_sessions(run.sessions(one["model"])).records)
        assert one["global"]["mean"] == pytest.approx(getattr(told, metric), abs=1e-12)
        assert one["interval"]["point"] == pytest.approx(one["global"]["mean"])
        assert one["bounds"][0] < one["global"]["mean"] < one["bounds"][1] or one["global"]["mean"] == 1
        records = one["coverage"]["records"]
        assert records["missing"] == 0 < records["failed"] == one["coverage"]["failures"]["judge"]
    assert [one["model"] for one in found] == list(MODELS)


def test_one_folder_of_results_is_shown_in_words(out):
    shown = command("unidial", "summary", out / FOLDERS[1])
    assert shown.startswith("sim/steady?skill=.6, mean-min-dialog\n  mean 0.")
    assert "missing (judge " in shown and "by label of the turn\n    constraints:1" in shown
    found = json.loads(command("unidial", "summary", out / FOLDERS[1], "--json"))
    assert found["global"] == read_summary(out / FOLDERS[1] / "summary.json")["global"]
    flat = json.loads(command("unidial", "summary", out / FOLDERS[1], "--json", "--as-released"))
    assert flat["by_label"] == flat_labels(found["by_label"]) != found["by_label"]


def test_dialogues_of_any_kind_are_summarised(tmp_path):
    details = tmp_path / "m" / "eval_details"
    details.mkdir(parents=True)
    rows = [[(1, 1.0), (3, 0.5)], [(1, 0.2)], [(1, "high")]]
    for number, own in enumerate(rows):
        records = [{"dialog_id": number, "turn_id": turn, "metric_name": "f1", "score": score} for turn, score in own]
        (details / f"{number}.json").write_text(json.dumps(records), encoding="utf-8")
    found = json.loads(command("unidial", "summary", tmp_path / "m", "--json"))
    assert found["model"] == "m" and found["coverage"] is None and found["bounds"] is None
    assert found["global"] == {"count": 2, "mean": 0.35, "min": 0.2, "max": 0.5}
    assert found["length_curve"] == {"1": 0.6, "2": 0.5}
    assert "coverage unknown" in command("unidial", "summary", tmp_path)


def test_what_cannot_be_summarised_is_named(tmp_path):
    done = CliRunner().invoke(app, ["unidial", "summary", str(tmp_path)])
    assert done.exit_code == 2 and "no results; name a folder that has eval_details" in done.output.replace("\n", " ")
    (tmp_path / "m" / "generated").mkdir(parents=True)
    done = CliRunner().invoke(app, ["unidial", "summary", str(tmp_path / "m")])
    assert done.exit_code == 2 and "no eval_details" in done.output.replace("\n", " ")


def test_a_benchmark_is_no_result(run, tmp_path):
    with pytest.raises(UsageError, match="unidial is only for runs"):
        export(run.path.parent / "b", tmp_path / "x", format="unidial")
    assert list(tmp_path.iterdir()) == []


def test_models_whose_names_look_alike_have_folders_of_their_own(tmp_path):
    from evolif.runner import RunSettings, RunStore

    models = ("a/b", "A_b", "../..", "x" * 200)
    settings = RunSettings(benchmark="b", models=models, patience=3, max_turns=1, dialogues=(1,), reading_rules=1)
    RunStore.create(tmp_path / "r", settings).close()
    export(tmp_path / "r", tmp_path / "u", format="unidial")
    assert sorted(path.name for path in (tmp_path / "u").iterdir()) == sorted(["a_b", "A_b_2", "model", "x" * 80])

"""Recorded sets on the command line: from a folder or a file of one's own to the table across benchmarks."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from evolif.cli.app import app
from evolif.errors import UsageError

CASES = Path(__file__).parent / "cases"
RELEASES = CASES / "releases"


def run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args])


def told(*args: object) -> str:
    done = run(*args)
    assert done.exit_code == 0, done.output
    return done.output


def refused(*args: object) -> str:
    done = run(*args)
    assert done.exit_code == UsageError.exit_code, done.output
    return done.output.strip()


def test_a_set_without_metrics_is_warned_about_and_asked_for(tmp_path: Path) -> None:
    bench, out = tmp_path / "bench", tmp_path / "run"
    imported = told("import", RELEASES / "personamem", bench)
    assert "5 evaluated turns have no metric" in imported and "--benchmark personamem" in imported
    assert imported.rstrip().endswith("--unscored")
    complaint = refused("evaluate", bench, "-m", "sim/echo", "--out", out)
    assert "5 evaluated turns have no metric" in complaint and complaint.endswith("with --unscored")
    assert not out.exists(), "nothing was begun"
    dry = told("evaluate", bench, "-m", "sim/echo", "--out", out, "--dry-run")
    assert "5 evaluated turns have no metric" in dry
    played = told("evaluate", bench, "-m", "sim/echo", "--out", out, "--unscored")
    assert "5 of 5 evaluated turns of sim/echo have no metric" in " ".join(played.split())
    assert "Score mean-min-dialog undefined" in played


def test_with_the_benchmarks_name_it_is_played_and_scored(tmp_path: Path) -> None:
    bench, out = tmp_path / "bench", tmp_path / "run"
    imported = told("import", RELEASES / "personamem", bench, "--benchmark", "PersonaMem")
    assert "Metric entries: exact_match 5" in imported and "--unscored" not in imported
    assert "100" in told("evaluate", bench, "-m", "sim/reference", "--out", out)
    machine = json.loads(
        told("import", RELEASES / "memorycode", tmp_path / "code", "--benchmark", "memorycode", "--json")
    )
    assert machine["metrics"] == {"code_match": 6} and machine["unscored_turns"] == 0


def test_entries_that_have_no_score_are_named_once_at_each_step(tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    imported = told("import", RELEASES / "mathchat", bench, "--benchmark", "mathchat")
    assert "1 entry cannot be scored, whatever the answer (no_reference): dialogue 1, turn 5" in imported
    assert "--judge openai/JUDGE" in imported
    dry = told("evaluate", bench, "-m", "sim/echo", "--out", tmp_path / "run", "--dry-run")
    assert "1 metric entry without a score" in dry and "(no_reference)." in dry


def test_own_files_from_the_first_command_to_a_score(tmp_path: Path) -> None:
    source = CASES / "own" / "good" / "openai_finetune.jsonl"
    plain = told("import", source, tmp_path / "plain")
    assert "have no metric" in plain and "--metric llm_judge" in plain and "--unscored" in plain
    made = told(
        "import", source, tmp_path / "bench", "--metric", "recall", "--metric", 'f1_score={"multi_answer": false}'
    )
    assert "recall 6, f1_score 6" in made
    scored = told("evaluate", tmp_path / "bench", "-m", "sim/reference", "--out", tmp_path / "run")
    assert "no_reference" in scored


@pytest.mark.parametrize("flags", [("--benchmark", "personamem"), ("--metric", "recall"), ("--sample", "3")])
def test_with_flags_of_dialogues_the_true_fault_of_a_source_is_told(flags: tuple[str, str], tmp_path: Path) -> None:
    rows, empty = tmp_path / "rows.jsonl", tmp_path / "empty"
    rows.write_text('{"turn": 1, "dialogue": 1, "constraints": []}\n')
    empty.mkdir()
    assert "docs/how-to/own-dialogues.md" in refused("import", rows, tmp_path / "bench", *flags)
    rows.write_bytes('{"messages": "é"}\n'.encode("latin-1"))
    assert "UTF-8" in refused("import", rows, tmp_path / "bench", *flags)
    assert "does not exist" in refused("import", tmp_path / "row.jsonl", tmp_path / "bench", *flags)
    assert f"so {flags[0]} does not fit" in refused("import", empty, tmp_path / "bench", *flags)


def test_a_file_of_no_known_shape_names_the_page(tmp_path: Path) -> None:
    for name in ("mine.json", "mine.csv"):
        (tmp_path / name).write_text('[{"prompt": "Hi"}]' if name.endswith("json") else "prompt\nHi\n")
        assert "docs/how-to/own-dialogues.md" in refused("import", tmp_path / name, tmp_path / "bench")


def test_a_sample_in_the_mix_of_a_label(tmp_path: Path) -> None:
    shown = told("import", RELEASES / "locomo", tmp_path / "bench", "--sample", 5, "--by", "category", "--seed", 2)
    assert "5 dialogues of locomo" in shown


def test_the_table_and_the_correlations_across_benchmarks(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    for name in ("locomo", "personamem"):
        told("import", RELEASES / name, tmp_path / name, "--benchmark", name)
        told("evaluate", tmp_path / name, "-m", "sim/echo", "-m", "sim/reference", "--out", tmp_path / f"{name}-run")
        told("export", tmp_path / f"{name}-run", tmp_path / "out" / name, "--format", "unidial")
    shown = told("unidial", "table", tmp_path / "out")
    [_, head, locomo, persona, mean] = shown.splitlines()
    assert head.split() == ["benchmark", "sim_echo", "sim_reference", "tells", "apart"]
    assert locomo.startswith("locomo") and persona.split()[:3] == ["personamem", "0.0", "100.0"]
    assert mean.startswith("mean of benchmarks") and mean.endswith("100.0")
    machine = json.loads(
        told("unidial", "table", tmp_path / "out" / "locomo", tmp_path / "out" / "personamem", "--json")
    )
    assert [one["name"] for one in machine["benchmarks"]] == ["locomo", "personamem"]
    figure = tmp_path / "figure.svg"
    lines = told("unidial", "correlations", tmp_path / "out", "--figure", figure)
    assert "locomo · personamem" in lines and "Models: 2" in lines
    assert figure.read_text(encoding="utf-8").lstrip().startswith("<?xml")
    assert "written as .svg or .png" in refused(
        "unidial", "correlations", tmp_path / "out", "--figure", tmp_path / "x.pdf"
    )
    assert json.loads(told("unidial", "correlations", tmp_path / "out", "--json"))["sub_dimensions"]["models"] == 2


def test_a_complete_run_of_unscored_turns_is_shown_again_without_the_flag(tmp_path: Path) -> None:
    bench, out = tmp_path / "bench", tmp_path / "run"
    told("import", RELEASES / "mathchat", bench)
    told("evaluate", bench, "-m", "sim/reference", "--out", out, "--unscored")
    assert "nothing left to run" in told("evaluate", bench, "-m", "sim/reference", "--out", out)


def test_the_headline_says_over_how_many_sessions_it_goes(tmp_path: Path) -> None:
    told("import", RELEASES / "mathchat", tmp_path / "bench")
    told("evaluate", tmp_path / "bench", "-m", "sim/reference", "--out", tmp_path / "run", "--unscored")
    assert "over 3 of 6 sessions" in told("report", tmp_path / "run")


def test_what_a_report_says_to_make_the_benchmark_makes_it(tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    metric = 'llm_judge={"template_name": "clarity", "scale": 5}'
    told("import", RELEASES / "mathchat", bench, "--metric", metric, "--sample", "4", "--seed", "3")
    told("evaluate", bench, "-m", "sim/reference", "--out", tmp_path / "run")
    shown = told("report", tmp_path / "run", "--full")
    [line] = [line for line in shown.splitlines() if "evolif generate BENCH" in line]
    words = shlex.split(line.partition("evolif ")[2].partition("  #")[0])
    words = [str(tmp_path / "again") if word == "BENCH" else word for word in words]
    told(*[word.replace("source=PATH", f"source={RELEASES / 'mathchat'}") for word in words])
    header = (bench / "benchmark.json").read_text(encoding="utf-8")
    assert (tmp_path / "again" / "benchmark.json").read_text(encoding="utf-8") == header


def test_ones_own_file_is_of_no_known_benchmark(tmp_path: Path) -> None:
    rows = tmp_path / "longmemeval.jsonl"
    rows.write_text('{"question_id": 1, "category": "writing", "turns": ["Hi.", "More."]}\n')
    assert "conversations of your own" in refused("import", rows, tmp_path / "bench", "--benchmark", "longmemeval")
    assert "--benchmark longmemeval" not in told("import", rows, tmp_path / "bench")


def test_memories_ask_for_the_metrics_of_a_set(tmp_path: Path) -> None:
    names = ("unidial", "memories", RELEASES / "personamem", "-m", "sim/reference", "--strategies", "full")
    assert "5 evaluated turns have no metric" in refused(*names)
    assert "full      1.000" in told(*names, "--benchmark", "personamem")
    assert "full      -" in told(*names, "--unscored")


def test_a_metric_that_adds_nothing_says_so_and_is_given_once(tmp_path: Path) -> None:
    made = told("import", RELEASES / "locomo", tmp_path / "bench", "--metric", "recall")
    assert "keep their own metrics; --metric adds none there" in made
    twice = ("--metric", "recall", "--metric", "recall")
    assert "recall is given twice" in refused("import", RELEASES / "mathchat", tmp_path / "other", *twice)


def test_dialogues_that_are_played_without_an_import_say_what_to_do(tmp_path: Path) -> None:
    rows = tmp_path / "talks.jsonl"
    rows.write_text('{"messages": [{"role": "user", "content": "Hi."}]}\n')
    for source in (rows, RELEASES / "locomo"):
        complaint = refused("evaluate", source, "-m", "sim/echo", "--out", tmp_path / "run")
        assert f"evolif import {source} BENCH" in complaint
    rows.write_text('{"message": [{"role": "user", "content": "Hi."}]}\n')
    assert "(messages, conversations, turns or turn_1_prompt" in refused("import", rows, tmp_path / "bench")

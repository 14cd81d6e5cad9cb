"""`evolif review` without a terminal: what it prints, writes, refuses."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from review_desks import FLAGGED, KEY, decide, desk
from typer.testing import CliRunner

from evolif.cli import app


@pytest.fixture(autouse=True)
def _clean(monkeypatch):
    for name in ("EVOLIF_REVIEWER", "EVOLIF_REVIEW_TOPICS", "EVOLIF_REVIEW_MODEL"):
        monkeypatch.delenv(name, raising=False)


def review(*arguments, **env):
    env = {"EVOLIF_REVIEWER": "ada", **env}
    return CliRunner().invoke(app, ["review", *map(str, arguments)], env=env, prog_name="evolif")


def test_list_prints_flagged_turns_first_and_obeys_nothing(bench):
    from evolif.scenarios.instructions import InstructionBenchmark

    InstructionBenchmark(bench).replace(
        1, 3, query="[red]a[/red]\x1b[31m", status="flagged", source="x", findings=("length: \x1b",)
    )
    shown = review(bench, "--list")
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    assert len(lines) == 8 and lines[0].startswith("F ") and r"[red]a[/red]\x1b[31m" in lines[0]
    assert "length" in lines[0] and "\x1b" not in shown.output


def test_list_is_filtered_and_gives_objects(bench):
    decide(desk(bench, "bob"), "note", note="hm")
    data = json.loads(review(bench, "--list", "--json", "--status", "flagged", "--source", "openai/x").stdout)
    [turn] = data["turns"]
    assert (turn["dialogue"], turn["turn"], turn["query"]) == (1, 3, FLAGGED)
    assert turn["findings"] == [{"checker": "length", "message": "wants 30 words", "spans": []}]
    assert [(one["reviewer"], one["decision"], one["note"]) for one in turn["decisions"]] == [("bob", "note", "hm")]
    assert data["statistics"]["decisions"] == {"note": 1}
    assert json.loads(review(bench, "--list", "--json", "--search", "bad nowhere").stdout)["turns"] == []
    assert json.loads(review(bench, "--list", "--json", "--finding", "case").stdout)["turns"] == []


@pytest.mark.sampled
@pytest.mark.parametrize("way", [["--list"], ["--list", "--json"], ["--export", "out.jsonl"], []])
@pytest.mark.parametrize(
    ("flag", "value", "told"),
    [
        ("--status", "falgged", "there is no status “falgged”; use edited, flagged, rejected, verified"),
        ("--source", "openai/y", "there is no source “openai/y”; use openai/x, template"),
        ("--finding", "lenght", "there is no finding “lenght”; use length"),
        ("--topic", "T\x1b", "there is no topic “T\\x1b”; use T"),
        ("--group", "emotion", "items here have no group to filter by"),
    ],
)
def test_a_filter_for_what_is_not_there_names_what_is(bench, tmp_path, monkeypatch, way, flag, value, told):
    monkeypatch.chdir(tmp_path)
    done = review(bench, *way, flag, value)
    assert (done.exit_code, done.stdout) == (2, "") and told in done.stderr
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_filter_that_nothing_happens_to_match_is_no_fault_and_is_told(bench):
    done = review(bench, "--list", "--status", "rejected")
    assert (done.exit_code, done.stdout) == (0, "") and "no turn in " in done.stderr
    assert "matches (status rejected)" in done.stderr


def test_a_list_is_cut_to_the_terminal_and_json_is_not(bench):
    from evolif.scenarios.instructions import InstructionBenchmark

    long = "Please write 漢字漢字 " + "and more " * 60
    InstructionBenchmark(bench).replace(1, 3, query=long, status="flagged", source="x")
    for columns in (60, 61, 62):
        first = review(bench, "--list", COLUMNS=str(columns)).stdout.splitlines()[0]
        wide = len(first) + sum(sign in "漢字" for sign in first)
        assert columns - 1 <= wide <= columns and first.endswith("…")
    data = json.loads(review(bench, "--list", "--json", COLUMNS="60").stdout)
    assert data["turns"][0]["query"] == long


def test_undecided_is_the_reviewers(bench):
    decide(desk(bench), "reject")
    assert len(review(bench, "--list", "--undecided").stdout.splitlines()) == 7
    assert len(review(bench, "--list", "--undecided", "--reviewer", "bob").stdout.splitlines()) == 8


def test_check_asks_the_checkers_anew(bench):
    found = json.loads(review(bench, "--list", "--json", "--check", "--status", "flagged").stdout)["turns"][0][
        "findings"
    ]
    assert found and all(one["message"] != "wants 30 words" for one in found)


def test_statistics_for_people_and_machines(bench):
    assert review(bench, "--stats").stdout == "No decisions yet.\n"
    decide(desk(bench), "reject", seconds=10)
    decide(desk(bench, "bob"), "reject", "2/1")
    shown = review(bench, "--stats").stdout
    assert "Decisions: reject 2." in shown and "ada: 1 decided." in shown
    assert "ada and bob: κ: no common decisions." in shown
    data = json.loads(review(bench, "--stats", "--json").stdout)
    assert [one["reviewer"] for one in data["throughput"]] == ["ada", "bob"]


def test_export_fill_apply(bench, tmp_path, stored):
    out = tmp_path / "out.jsonl"
    done = review(bench, "--export", out, "--status", "flagged")
    assert done.exit_code == 0 and "1 turn;" in done.stderr and done.stdout == ""
    line = json.loads(out.read_text("utf-8"))
    out.write_text(json.dumps({**line, "decision": "reject", "note": "no"}) + "\n", "utf-8")
    done = review(bench, "--apply", out, "--reviewer", "bob")
    assert done.exit_code == 0 and "1 decision made" in done.stderr
    assert stored().status == "rejected" and desk(bench).decisions(KEY)[0].reviewer == "bob"


def test_a_line_that_cannot_be_applied_is_bad_input(bench, tmp_path, stored):
    out = tmp_path / "out.jsonl"
    review(bench, "--export", out, "--status", "flagged")
    line = json.loads(out.read_text("utf-8"))
    out.write_text(json.dumps({**line, "decision": "edit", "edited_query": "Bananas."}) + "\n", "utf-8")
    done = review(bench, "--apply", out)
    assert (
        done.exit_code == 2
        and "out.jsonl, line 1: the checkers object" in done.stderr
        and '"force": true' in done.stderr
    )
    assert stored().query == FLAGGED


def test_topics_the_same_ways(tmp_path):
    file, out = tmp_path / "t.jsonl", tmp_path / "out.jsonl"
    keywords = [f"word{chr(97 + n)}" for n in range(20)]
    file.write_text(json.dumps({"id": "T1", "prompt": "Explain.", "keywords": keywords}) + "\n", "utf-8")
    assert review("--topics", file, "--list").stdout.startswith("O   T1 Explain.")
    assert "Explain. (20 keywords)" in review("--topics", file, "--list").stdout
    assert "prompt:" not in review("--topics", file, "--list").stdout
    assert json.loads(review("--topics", file, "--list", "--json").stdout)["topics"][0]["topic"] == "T1"
    review("--topics", file, "--export", out)
    line = json.loads(out.read_text("utf-8")) | {"decision": "reject", "note": "no task"}
    out.write_text(json.dumps(line) + "\n", "utf-8")
    assert review("--topics", file, "--apply", out).exit_code == 0
    assert json.loads(file.read_text("utf-8"))["rejected_by"] == ["ada"]


def test_topics_of_the_environment_are_meant_for_generate(bench, tmp_path):
    assert review(bench, "--list", EVOLIF_REVIEW_TOPICS=str(tmp_path / "none.jsonl")).exit_code == 0
    assert review(bench, "--topics", tmp_path / "none.jsonl", "--list").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "name one of these: a benchmark's folder, a file of topics"),
        (["BENCH", "--judge", "BENCH", "--list"], "a run's folder with --judge"),
        (["BENCH", "--list", "--sample", "5"], "use them with --judge RUN"),
        (["--judge", "BENCH", "--list"], "is not a run"),
        (["BENCH", "--list", "--stats"], "--list and --stats cannot be combined"),
        (["BENCH", "--apply", "x", "--export", "y"], "cannot be combined"),
        (["BENCH", "--apply", "none.jsonl"], "none.jsonl: cannot be read"),
        (["nowhere", "--list"], "is not a benchmark"),
        (["--topics", "none.jsonl", "--list"], "none.jsonl: cannot be read"),
        (["BENCH", "--list", "--reviewer", " "], "no reviewer name"),
        (["BENCH"], "needs a terminal"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(bench, arguments, told, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    done = review(*(bench if one == "BENCH" else one for one in arguments))
    assert done.exit_code == 2 and told in done.stderr and "Traceback" not in done.output


WITHOUT = """
import sys
sys.modules["textual"] = None
from importlib import util
found = util.find_spec
util.find_spec = lambda name, *rest: None if name == "textual" else found(name, *rest)
from evolif.__main__ import main
for arguments in sys.argv[1].split("|"):
    sys.argv = ["evolif", "review", *arguments.split()]
    try:
        main()
    except SystemExit as end:
        print("exit code", end.code)
"""


@pytest.mark.slow
def test_without_textual_it_says_what_to_install_and_the_rest_works(bench):
    command = [sys.executable, "-c", WITHOUT, "bench|bench --list|bench --export x.jsonl|bench --apply x.jsonl"]
    done = subprocess.run(command, cwd=bench.parent, capture_output=True, text=True, check=True)
    assert "pip install -e '.[review]'" in done.stderr
    parts = done.stdout.split("exit code ")
    assert parts[1].startswith("2\nF ") and [part[0] for part in parts[2:]] == ["0", "0", "0"]


@pytest.mark.slow
def test_listing_loads_no_terminal_library(bench):
    code = f"import sys; sys.argv = ['evolif', 'review', {str(bench)!r}, '--list']\n"
    code += "from evolif.__main__ import main\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
    code += "print('LOADED', 'textual' in sys.modules, 'openai' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "LOADED False False" in shown

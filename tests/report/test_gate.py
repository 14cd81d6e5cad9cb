"""`evolif gate`: it decides on intervals, says what is missing, and writes what a pipeline reads."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from runs_by_hand import Sessions, make_run
from typer.testing import CliRunner

from evolif.cli import app
from evolif.gate import Required, decide
from evolif.gate.decision import by_interval, combined
from evolif.gate.needed import dialogues_to_decide
from evolif.metrics import MetricTable
from evolif.report import analyse
from evolif.runner import load_run

pytest.importorskip("numpy", reason="NumPy is not installed")
pytest.importorskip("scipy", reason="SciPy is not installed")

GOOD = "censored:11 11 11 11 11 11 11 11 11 11"
NEARLY = "censored:11 11 01 11 11 11 11 11 11 11"
HALF = "censored:11 10 11 10 11 10 11 10 11 10"
BAD = "finished:11 00 00 00"
NAMED = "requests satisfied before patience ran out (ISR@10)"
SHARE = MetricTable(("right", "of"), lambda session: (), {"share": ("right", "of")})
HOSTILE = "openai/<b>&x|y`z\x1b]0;t\x07\x00 http://a.example @all"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("EVOLIF_MODEL", "EVOLIF_SEED", "EVOLIF_JSON", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)


def make(name: str, sessions: Sessions, **settings: Any) -> None:
    make_run(Path(name), sessions, **settings).close()


def many(session: str, number: int = 12) -> dict[int, str]:
    return dict.fromkeys(range(1, number + 1), session)


def gate(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["gate", *arguments], prog_name="evolif")
    assert "Traceback" not in result.output
    return result.exit_code, result.stdout if result.exit_code in (0, 1, 4) else " ".join(result.stderr.split())


def decided(*arguments: str) -> dict[str, Any]:
    code, printed = gate(*arguments, "--json")
    found: dict[str, Any] = json.loads(printed)
    assert code == {"passed": 0, "failed": 1, "undecided": 4}[found["outcome"]]
    return found


@pytest.mark.parametrize(
    ("interval", "at_least", "at_most"),
    [
        ((0.8, 0.9), "passed", "undecided"),
        ((0.7, 0.8), "undecided", "passed"),
        ((0.7, 0.79), "failed", "passed"),
        ((0.81, 0.9), "passed", "failed"),
        ((0.7, 0.9), "undecided", "undecided"),
        (None, "undecided", "undecided"),
    ],
)
def test_an_interval_decides(interval: tuple[float, float] | None, at_least: str, at_most: str) -> None:
    assert by_interval(interval, 0.8) == at_least
    assert by_interval(interval, 0.8, at_most=True) == at_most


def test_one_that_failed_decides_then_one_that_is_undecided() -> None:
    assert combined(["passed", "undecided", "failed"]) == "failed"
    assert combined(["undecided", "passed"]) == "undecided"
    assert combined(["passed"]) == "passed"


@pytest.mark.parametrize(("session", "code"), [(GOOD, 0), (HALF, 1)])
def test_a_run_passes_or_fails(session: str, code: int) -> None:
    make("run", {"openai/a": many(session, 24)})
    found, printed = gate("run", "--min", "isr_at_n=.8")
    assert found == code
    outcome = "failed" if code else "passed"
    assert printed.splitlines()[0] == f"{outcome}: openai/a, {NAMED} of at least 80 %"


def test_what_cannot_be_decided_says_how_many_dialogues_would() -> None:
    make("run", {"openai/a": many(GOOD, 3)})
    found = decided("run", "--min", "isr_at_n=.8")
    [one] = found["decisions"]
    assert (one["outcome"], one["interval"], one["dialogues"], one["needed"]) == ("undecided", None, 3, 17)
    assert one["reason"].endswith(
        "cannot be decided with 3 dialogues: about 17 are needed, if the figure stays as it is"
    )
    make("more", {"openai/a": many(GOOD, 17)})
    assert decided("more", "--min", "isr_at_n=.8")["outcome"] == "passed"


def test_the_number_needed_decides_when_the_dialogues_go_on_like_this() -> None:
    rows = [(8.0, 10.0), (9.0, 10.0), (10.0, 10.0)]
    number = dialogues_to_decide(SHARE, rows, "share", 0.8)
    assert number is not None
    make("run", {"openai/a": {d: (NEARLY if d % 2 else HALF) for d in range(1, 9)}})
    [run] = analyse([load_run(Path("run"))])
    [one] = decide(run, [Required("isr_at_n", 0.6)]).decisions
    assert one.needed is not None and one.needed > 8
    wide = {d: (NEARLY if d % 2 else HALF) for d in range(1, one.needed + 1)}
    make("wide", {"openai/a": wide})
    assert decided("wide", "--min", "isr_at_n=.6")["outcome"] == "passed"


def test_a_figure_that_is_undefined_is_undecided() -> None:
    make("run", {"openai/a": many(GOOD, 8), "openai/b": many(GOOD, 8)})
    [one] = decided("run", "--min", "rec=.5", "-m", "openai/a")["decisions"]
    assert (one["outcome"], one["needed"]) == ("undecided", None)
    assert one["reason"] == "REC is undefined: no dialogue of openai/a has it"
    against = ("--no-worse-than", "run", "-m", "openai/a", "--baseline-model", "openai/b", "--metric", "rec")
    assert decided("run", *against)["decisions"][0]["reason"].endswith("undefined: no dialogue of both has it")


def test_a_figure_at_its_limit_needs_no_number() -> None:
    assert dialogues_to_decide(SHARE, [(8.0, 10.0)] * 7, "share", 0.8) is None
    assert dialogues_to_decide(SHARE, [(0.0, 0.0)] * 7, "share", 0.8) is None


def test_a_limit_from_above_and_several_requirements() -> None:
    make("run", {"openai/a": many(GOOD, 24), "openai/b": many(BAD, 24)})
    found = decided("run", "--max", "exhaustion_rate=.1", "--min", "edr_len=8")
    assert [one["outcome"] for one in found["decisions"]] == ["passed", "passed", "failed", "failed"]
    assert decided("run", "--max", "exhaustion_rate=.1", "-m", "openai/a")["outcome"] == "passed"


def test_models_that_know_the_answers_are_left_out() -> None:
    make("run", {"sim/perfect": many(GOOD), "openai/b": many(BAD)})
    assert {one["model"] for one in decided("run", "--min", "isr=.5")["decisions"]} == {"openai/b"}
    assert {one["model"] for one in decided("run", "--min", "isr=.5", "-m", "sim/perfect")["decisions"]} == {
        "sim/perfect"
    }


def test_a_run_that_is_not_finished_is_undecided() -> None:
    make("run", {"openai/a": {**many(GOOD, 24), 25: "suspended:11 11"}})
    [one] = decided("run", "--min", "isr_at_n=.5")["decisions"]
    assert one["outcome"] == "undecided"
    assert "1 session not ended" in one["reason"]


def test_a_run_that_was_edited_fails() -> None:
    make("run", {"openai/a": many(GOOD, 24)})
    with sqlite3.connect("run/run.sqlite") as file:
        file.execute("UPDATE turn SET answer = 'help'")
    [one] = decided("run", "--min", "isr_at_n=.5")["decisions"]
    assert one["outcome"] == "failed"
    assert "edited" in one["reason"]


@pytest.mark.parametrize(
    ("before", "now", "outcome"), [(NEARLY, GOOD, "passed"), (GOOD, HALF, "failed"), (GOOD, GOOD, "undecided")]
)
def test_no_worse_than_a_baseline(before: str, now: str, outcome: str) -> None:
    make("before", {"openai/a": many(before)})
    make("now", {"openai/b": many(now)})
    found = decided("now", "--no-worse-than", "before", "--margin", "2")
    assert found["outcome"] == outcome
    assert found["decisions"][0]["requirement"] == f"{NAMED} no worse than openai/a in before by more than 2 points"


def test_less_is_better_for_some_figures() -> None:
    make("before", {"openai/a": many(GOOD, 30)})
    make("now", {"openai/a": many(BAD, 30)})
    assert decided("now", "--no-worse-than", "before", "--metric", "exhaustion_rate")["outcome"] == "failed"
    assert decided("before", "--no-worse-than", "now", "--metric", "exhaustion_rate")["outcome"] == "passed"


def test_a_baseline_says_how_many_dialogues_it_needs() -> None:
    make("before", {"openai/a": {d: (HALF if d % 2 else GOOD) for d in range(1, 13)}})
    make("now", {"openai/a": {d: (GOOD if d % 3 else HALF) for d in range(1, 13)}})
    [one] = decided("now", "--no-worse-than", "before", "--margin", "2")["decisions"]
    assert one["outcome"] == "undecided" and one["needed"] > 12


def test_models_are_paired_by_name() -> None:
    make("before", {"openai/a": many(GOOD), "openai/b": many(BAD)})
    make("now", {"openai/b": many(BAD), "openai/a": many(GOOD)})
    found = decided("now", "--no-worse-than", "before", "--margin", "60")
    assert [one["outcome"] for one in found["decisions"]] == ["passed", "passed"]
    make("other", {"openai/c": many(GOOD), "openai/d": many(GOOD)})
    code, told = gate("other", "--no-worse-than", "before")
    assert code == 2 and "has no model openai/c; choose two with --model and --baseline-model" in told
    assert (
        decided("other", "--no-worse-than", "before", "-m", "openai/c", "--baseline-model", "openai/b")["outcome"]
        == "passed"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "name a requirement: --min METRIC=VALUE"),
        (("--min", "isr"), "--min isr: it takes a metric and its limit, e.g. isr_at_n=.8"),
        (("--min", "issr=.8"), "did you mean isr?"),
        (("--min", "isr=nan"), "it takes a metric and its limit"),
        (("--min", "isr=80"), "rates are fractions from 0 to 1; for 80 % write isr=0.8"),
        (("--max", "isr=-1"), "rates are fractions from 0 to 1"),
        (("--min", "isr=.8", "-m", "openai/x"), "has no model openai/x"),
        (("--margin", "2", "--min", "isr=.8"), "--margin is about a baseline"),
        (("--no-worse-than", "run"), "that is the run itself"),
        (("--no-worse-than", "other", "--metric", "isrr"), "--metric isrr (did you mean isr?)"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments: tuple[str, ...], told: str) -> None:
    make("run", {"openai/a": many(GOOD)})
    make("other", {"openai/a": many(GOOD)})
    code, sentence = gate("run", *arguments)
    assert code == 2
    assert told in sentence


def test_runs_that_cannot_be_compared_are_refused() -> None:
    make("run", {"openai/a": many(GOOD)})
    make("other", {"openai/a": many(GOOD)}, benchmark="fedcba9876543210")
    code, sentence = gate("run", "--no-worse-than", "other")
    assert code == 2 and "they use different benchmarks" in sentence


def test_junit_and_the_summary_hold_any_name() -> None:
    make("run", {HOSTILE: many(GOOD, 3), "openai/b": many(GOOD, 24)})
    code, printed = gate("run", "--min", "isr=.8", "--max", "exhaustion_rate=.2", "--junit", "gate.xml", "--github")
    root = ElementTree.parse("gate.xml").getroot()
    [suite] = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "0", "2")
    kinds = [[child.tag for child in case] for case in suite]
    assert code == 4 and sorted(kinds) == [["error"], ["error"], ["system-out"], ["system-out"]]
    table = [line for line in printed.splitlines() if line.startswith("| ❔")]
    assert len(table) == 2
    assert all("<b>" not in line.replace("\\<b\\>", "") and "://" not in line and "\x1b" not in line for line in table)
    assert all(line.replace("\\|", "").count("|") == 5 for line in table)


def test_the_summary_is_added_to_the_file_that_github_names(monkeypatch: pytest.MonkeyPatch) -> None:
    make("run", {"openai/a": many(GOOD, 24)})
    Path("summary.md").write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    code, printed = gate("run", "--min", "isr=.8", "--github")
    written = Path("summary.md").read_text(encoding="utf-8")
    assert code == 0 and "###" not in printed
    assert written.startswith("before\n### evolif gate run: ✅ passed")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/folder")
    assert gate("run", "--min", "isr=.8", "--github")[0] == 3

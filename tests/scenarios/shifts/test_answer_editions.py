"""Editions of the rules by which final answers are read, and the verdict on their form."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from play_strategies import Talker
from shift_dialogues import GOALS, KEYS, RESULT, reply

from evolif.benchmark import HEADER, open_benchmark
from evolif.models.base import ChatRequest
from evolif.runner import evaluate
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.shifts import generate
from evolif.scenarios.shifts.checking import rules_of
from evolif.scenarios.shifts.form import form_fault

SCENARIO = get_scenario("shifts")


def made(folder: Path, **options: Any) -> Any:
    SCENARIO.generate(folder, options_of(SCENARIO.spec, options, "shifts"), dialogues=2, seed=3)
    return open_benchmark(folder)


def of_earlier_version(folder: Path) -> Any:
    """A benchmark whose header does not name its rules, as earlier versions made it."""
    made(folder)
    header = json.loads((folder / HEADER).read_text(encoding="utf-8"))
    assert header["spec"].pop("rules") == 2
    (folder / HEADER).write_text(json.dumps(header), encoding="utf-8")
    return open_benchmark(folder)


def dashed(request: ChatRequest) -> str:
    """The witness with humanised keys, as a list."""
    assert request.prompt is not None
    if "witness" not in request.prompt.payload:
        return "Noted."
    whole = json.loads(request.prompt.payload["witness"].rpartition("```json\n")[2].removesuffix("```"))
    told = {key: ", ".join(value) if isinstance(value, list) else value for key, value in whole.items()}
    return "\n".join(f"- **{key.replace('_', ' ').title()}:** {'n/a' if v is None else v}" for key, v in told.items())


def scores(bench: Any, folder: Path) -> list[dict[str, float | None]]:
    with closing(evaluate(bench, [Talker(dashed)], folder)) as run:
        [model] = run.models
        return [{score.name: score.value for score in s.turns[-1].scores} for s in run.sessions(model)]


def test_new_benchmarks_are_read_by_the_latest_rules(tmp_path: Path) -> None:
    for found in scores(made(tmp_path / "b"), tmp_path / "run"):
        assert found.pop("form") == found.pop("invented") == 0.0
        assert set(found.values()) == {1.0}


def test_benchmarks_of_earlier_versions_are_read_as_they_were(tmp_path: Path) -> None:
    bench = of_earlier_version(tmp_path / "b")
    assert bench.spec.rules == bench.stored.rules == 1
    for found in scores(bench, tmp_path / "run"):
        assert "form" not in found and set(found.values()) == {0.0}


def test_the_first_rules_can_be_chosen_and_leave_no_trace(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", rules=1)
    assert "rules" not in json.loads((tmp_path / "b" / HEADER).read_text(encoding="utf-8"))["spec"]
    older = of_earlier_version(tmp_path / "c")
    assert [bench.lines(1), bench.lines(2)] == [older.lines(1), older.lines(2)]
    assert bench.identity == older.identity
    made(tmp_path / "c", rules=1)  # completes it


def test_unknown_rules_are_refused() -> None:
    assert rules_of({}) == 1 and rules_of({"rules": 2}) == 2
    with pytest.raises(ValueError, match="there are no reading rules 3"):
        rules_of({"rules": 3})


LINES = "- destination: Ghent\n- budget_eur: 1200"


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (reply(transport=None), ""),
        (json.dumps({**RESULT, "transport": "bus"}), ""),
        (reply(transport=None, budget_eur=None, sights=None), ""),
        (reply(), "no key transport"),
        (reply(transport=None, extra=1), "not asked for: extra"),
        (json.dumps({**{k.title(): v for k, v in RESULT.items()}, "transport": None}), "no key destination"),
        (json.dumps({"plan": {**RESULT, "transport": None}}), "no key destination"),
        (reply(transport=None, budget_eur="1200"), "not in the form asked for: budget_eur"),
        (reply(transport=None, budget_eur="1200 EUR"), "not in the form asked for: budget_eur"),
        (reply(transport=None, sights="the harbour"), "not in the form asked for: sights"),
        (reply(transport=None, destination=["Ghent"]), "not in the form asked for: destination"),
        (reply(transport=None) + "\n\nHave a nice trip!", "more behind the object"),
        (json.dumps({**RESULT, "transport": None})[:-1] + ",}", "no JSON object"),
        (str({**RESULT, "transport": "bus"}), "no JSON object"),
        (LINES, "no JSON object"),
        ("", "no JSON object"),
    ],
)
def test_the_form_is_kept_or_the_first_fault_is_told(answer: str, fault: str) -> None:
    told = form_fault(GOALS, KEYS, answer)
    assert told.startswith(fault) and bool(told) is bool(fault)


def test_dates_times_and_answers_have_forms() -> None:
    goals = [{"key": kind, "type": kind} for kind in ("date", "time", "yes_no")]
    right = {"date": "2028-06-07", "time": "09:05", "yes_no": True}
    assert form_fault(goals, list(right), json.dumps(right)) == ""
    for wrong in (
        {"date": "7 June 2028"},
        {"date": "2028-02-31"},
        {"time": "9:05"},
        {"time": "24:00"},
        {"yes_no": "yes"},
    ):
        [key] = wrong
        assert form_fault(goals, list(right), json.dumps({**right, **wrong})).endswith(f": {key}")


@pytest.mark.parametrize("dialogue", list(generate(4, seed=5)), ids=lambda one: one.task)
def test_every_witness_keeps_the_form(dialogue: Any) -> None:
    assert form_fault(dialogue.checkpoints, dialogue.keys, dialogue.witness) == ""

"""Final answers in the ways models write them, right ones and wrong ones, read by the rules of the latest edition."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
import yaml

from evolif.scenarios.shifts import check_answer
from evolif.scenarios.shifts.checking import GoalResult, Rules

CASES = Path(__file__).parent / "cases"
ANCHOR = {"id": "anchor", "key": "owner", "type": "text", "value": "Ottilie"}
"""A goal that an answer meets, so that it is not idle."""


def read(name: str) -> Any:
    return yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))


def checkpoint(name: str, goal: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "key": goal["key"],
        "type": goal["type"],
        "value": goal["value"],
        "polarity": "absent" if goal.get("absent") else "present",
        "superseded": [{"value": value, "turn": 1} for value in goal.get("old", ())],
        "other_branch": [{"value": value, "turn": 2} for value in goal.get("other", ())],
    }


GOALS = {name: checkpoint(name, goal) for name, goal in read("answer_goals").items()}


def results(answer: str, goals: list[dict[str, Any]], rules: Rules = 2) -> list[GoalResult]:
    return check_answer(goals, answer, rules=rules)


def cases(name: str) -> Iterator[Any]:
    """The answers of a file, each with its goals, by the way in which they are written."""
    for way in read(name):
        for at, (goal, value) in enumerate(way.get("said", ()), 1):
            answer = json.dumps({"owner": "Ottilie", GOALS[goal]["key"]: value}, ensure_ascii=False)
            yield pytest.param(answer, [ANCHOR, GOALS[goal]], id=f"{way['way']} {at}: {value}")
        for at, case in enumerate(way.get("whole", ()), 1):
            yield pytest.param(case["answer"], [GOALS[goal] for goal in case["goals"]], id=f"{way['way']} {at}")


@pytest.mark.parametrize(("answer", "goals"), list(cases("answers_right")))
def test_a_right_answer_meets_its_goals(answer: str, goals: list[dict[str, Any]]) -> None:
    assert [one for one in results(answer, goals) if not one["satisfied"]] == []


@pytest.mark.parametrize(("answer", "goals"), list(cases("answers_wrong")))
def test_a_wrong_answer_fails_its_goal(answer: str, goals: list[dict[str, Any]]) -> None:
    assert not results(answer, goals)[-1]["satisfied"]


HOSTILE = (
    "{",
    "{a:",
    "{a:1,/*",
    '{"k": [',
    "{'a':'b'}",
    "- k:\n",
    "|",
    "| k |\n|-|\n",
    "not ",
    "or ",
    "(not ",
    "all but ",
)
HOSTILE += ("one ", "7 June ", "1,", "2028-", "half past ", "~~a", "twenty-", "was, ", "```\n{", "'", "“", "n't ")


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_no_answer_takes_long(piece: str) -> None:
    goals = [{**goal, "key": "k"} for goal in GOALS.values()]
    endless = piece * (60_000 // len(piece))
    for answer in (endless, json.dumps({"k": endless[:30_000]}), f'```json\n{{"k": {endless}'):
        began = perf_counter()
        results(answer, goals[::5])
        assert perf_counter() - began < 3  # usually 0.3 s


def test_what_is_too_long_or_too_deep_is_not_read() -> None:
    goal = GOALS["city"]
    assert results('{"city": "Ghent",}' + " x" * 40_000, [goal])[0]["reason"] == "unreadable"
    assert results('{"a": ' * 250 + "{'city': 'Ghent'}" + "}" * 250, [goal])[0]["reason"] != "wrong"

"""Final answers in the ways models write them, right ones and wrong ones, read by the rules of the latest edition."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
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

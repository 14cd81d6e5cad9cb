"""Goals against final answers: what satisfies each type, and the reason of each failure."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.shifts import check_answer
from evolif.scenarios.shifts.checking import Rules, invented


def goal(kind: str, value: Any, **changes: Any) -> dict[str, Any]:
    whole = {
        "id": "g",
        "slot": "slot",
        "key": "key",
        "type": kind,
        "value": value,
        "polarity": "present",
        "superseded": [],
        "other_branch": [],
    }
    return {**whole, **changes}


CITY = goal(
    "text",
    "Lisbon",
    superseded=[{"value": "Porto", "turn": 1}],
    other_branch=[{"value": "Madrid", "turn": 3}],
    aliases={"Lisbon": ["Lisboa"], "Porto": ["Oporto"]},
)
PRICE = goal("number", 900, superseded=[{"value": 800, "turn": 1}], other_branch=[{"value": 700, "turn": 2}])
DAY = goal(
    "date",
    "2025-03-14",
    superseded=[{"value": "2025-03-07", "turn": 1}],
    other_branch=[{"value": "2025-03-21", "turn": 2}],
)
START = goal("time", "09:30", superseded=[{"value": "08:00", "turn": 1}], other_branch=[{"value": "10:00", "turn": 2}])
PARKING = goal("yes_no", True, superseded=[{"value": False, "turn": 1}])
NO_PARKING = goal("yes_no", False, superseded=[{"value": True, "turn": 1}])
ITEM = goal("item", "saw", aliases={"saw": ["fretsaw"]})
CANCELLED = goal("item", "axe", polarity="absent")
WITHDRAWN = goal("number", 40, polarity="absent", superseded=[{"value": 30, "turn": 1}])
NO_GUIDE = goal("text", "Ana", polarity="absent", superseded=[{"value": "Ida", "turn": 1}], aliases={"Ida": ["Ide"]})
OTHER = goal("text", "tent", id="other", key="other")


def reason(checkpoint: dict[str, Any], value: Any, rules: Rules = 2) -> str | None:
    answer = json.dumps({"key": value, "other": "a tent"})
    [result, other] = check_answer([checkpoint, OTHER], answer, rules=rules)
    assert other == {"id": "other", "satisfied": True, "reason": None, "found": "a tent"}
    assert result["satisfied"] is (result["reason"] is None)
    return result["reason"]


@pytest.mark.parametrize(
    ("checkpoint", "value", "why"),
    [
        (CITY, "the city of LISBON", None),
        (CITY, ["Lisboa"], None),
        (CITY, "**Lisbon**-based, in Lisbon's old town", None),
        (CITY, "Lisbonne", "wrong"),
        (CITY, "Lisbon2", "wrong"),
        (CITY, 7, "wrong"),
        (CITY, "Lisbon, not Porto", None),
        (CITY, "Porto, not Lisbon", "stale"),
        (CITY, "Oporto", "stale"),
        (CITY, "Lisbon or Madrid", "other_branch"),
        (CITY, "Porto or Madrid", "stale"),
        (CITY, "Rome", "wrong"),
        (CITY, None, "missing"),
        (CITY, " ", "missing"),
        (CITY, [], "missing"),
        (goal("text", "old town"), "the Old\u00a0Town", None),
        (goal("text", "old town"), "old\n town", None),
        (goal("text", "Rock 'n' Roll"), "rock ’n’ roll", None),
        (goal("text", "low-budget"), "low‐budget", None),
        (goal("text", "Straße"), "STRASSE", None),
        (PRICE, 900, None),
        (goal("number", 1.5), "1,5", None),
        (goal("number", 0), 0, None),
        (PRICE, "just 900.00 €", None),
        (PRICE, "about 900.00 €", "wrong"),
        (PRICE, "800 to 900", "stale"),
        (PRICE, 700, "other_branch"),
        (PRICE, [900, 900], "wrong"),
        (PRICE, "900km", "wrong"),
        (PRICE, True, "wrong"),
        (PRICE, "", "missing"),
        (DAY, "2025-03-14", None),
        (DAY, "2025-03-07", "stale"),
        (DAY, "2025-03-21", "other_branch"),
        (DAY, "14 March 2025", None),
        (DAY, "14 March", "wrong"),
        (DAY, 20250314, "wrong"),
        (START, "9:30 am", None),
        (START, 930, None),
        (START, "0800", "stale"),
        (START, "10 am", "other_branch"),
        (START, "9:30 pm", "wrong"),
        (PARKING, "Yes", None),
        (PARKING, True, None),
        (PARKING, False, "stale"),
        (PARKING, "maybe", "wrong"),
        (goal("yes_no", True), "no", "wrong"),
        (NO_PARKING, False, None),
        (NO_PARKING, "No", None),
        (NO_PARKING, "yes", "stale"),
        (NO_PARKING, None, "missing"),
        (ITEM, ["axe", "a hand saw"], None),
        (ITEM, "axe; saw", None),
        (ITEM, "axe\nthe Fretsaw", None),
        (ITEM, "seesaw", "missing"),
        (ITEM, [], "missing"),
        (CANCELLED, ["saw"], None),
        (CANCELLED, "saw, Axe", "cancelled"),
        (CANCELLED, [], "missing"),
        (CANCELLED, " , ;", "missing"),
        (CANCELLED, None, "missing"),
        (WITHDRAWN, None, None),
        (WITHDRAWN, [""], None),
        (WITHDRAWN, 40, "cancelled"),
        (WITHDRAWN, "40 or 30", "cancelled"),
        (WITHDRAWN, 30, "stale"),
        (WITHDRAWN, 20, "wrong"),
        (NO_GUIDE, "our guide Ana", "cancelled"),
        (NO_GUIDE, "Ide", "stale"),
        (NO_GUIDE, "Anabel", "wrong"),
    ],
)
def test_each_type_has_its_reasons(checkpoint: dict[str, Any], value: Any, why: str | None) -> None:
    assert reason(checkpoint, value) == why


@pytest.mark.parametrize(
    ("checkpoint", "value", "why"),
    [
        (CITY, "Lisbon, not Porto", "stale"),
        (CITY, "not Lisbon", None),
        (CITY, ["Lisbon", "Rome"], None),
        (PRICE, "about 900.00 €", None),
        (DAY, "14 March 2025", "wrong"),
        (START, "half past nine in the morning", "wrong"),
        (PARKING, "yes, behind the house", "wrong"),
        (WITHDRAWN, "n/a", "wrong"),
        (goal("item", "saws"), ["saw"], "missing"),
    ],
)
def test_rules_1_read_to_the_letter(checkpoint: dict[str, Any], value: Any, why: str | None) -> None:
    assert reason(checkpoint, value, rules=1) == why
    assert reason(checkpoint, value) != why


def test_a_key_that_is_left_out_is_like_null() -> None:
    answer = '{"other": "tent", "Key": "Lisbon"}'
    results = check_answer([CITY, WITHDRAWN, OTHER], answer, rules=1)
    assert [result["reason"] for result in results] == ["missing", None, None]
    results = check_answer([{**CITY, "key": "city"}, WITHDRAWN, OTHER], answer.replace("Key", "town"))
    assert [result["reason"] for result in results] == ["missing", None, None]


def test_nothing_passes_by_being_empty() -> None:
    results = check_answer([WITHDRAWN, CANCELLED, OTHER], "{}")
    assert [result["reason"] for result in results] == ["missing", "missing", "missing"]
    assert check_answer([WITHDRAWN], "{}")[0]["satisfied"] is False
    results = check_answer([WITHDRAWN, {**OTHER, "type": "item"}], '{"other": ["tent"]}')
    assert [result["reason"] for result in results] == [None, None]


def test_an_answer_without_an_object_is_unreadable() -> None:
    results = check_answer([CITY, CANCELLED, WITHDRAWN], "Lisbon, and no axe.")
    assert results == [{"id": "g", "satisfied": False, "reason": "unreadable", "found": ""}] * 3
    assert check_answer([CITY], '{"key": "Lisbon"}' + " x" * 40_000)[0]["reason"] == "unreadable"


def test_results_say_what_was_found_in_the_order_of_the_goals() -> None:
    dialogue = SimpleNamespace(checkpoints=[OTHER, PRICE])
    assert check_answer(dialogue, '```json\n{"key": ["1,000", true], "other": null}\n```') == [
        {"id": "other", "satisfied": False, "reason": "missing", "found": ""},
        {"id": "g", "satisfied": False, "reason": "wrong", "found": "1,000, true"},
    ]


def test_a_table_answers_too() -> None:
    table = "| key | Lisbon |\n|---|---|\n| **other** | tent |"
    assert [result["satisfied"] for result in check_answer([CITY, OTHER], table)] == [True, True]


def test_a_superseded_value_that_is_in_force_again_is_not_stale() -> None:
    assert reason(goal("text", "Lisbon", superseded=[{"value": "lisbon", "turn": 1}]), "Lisbon") is None


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="colour"):
        check_answer([goal("colour", "red")], "{}")


def test_invented_values_are_those_that_nobody_agreed() -> None:
    answer = '{"key": "x", "other": 1, "made_up": false, "empty": "", "none": null, "extra": [1]}'
    assert invented([CITY, OTHER], answer) == ["made_up", "extra"]
    assert invented(SimpleNamespace(checkpoints=[CITY]), answer, keys=["other", "extra", "none"]) == ["other", "extra"]
    assert invented([CITY], "no object") == []


@given(st.text() | st.text(alphabet='{}[]":,|-\n `json10eky'))
def test_no_answer_makes_checking_fail(answer: str) -> None:
    goals = [CITY, PRICE, DAY, START, PARKING, ITEM, CANCELLED, WITHDRAWN]
    for text in (answer, json.dumps({"key": answer}), f'{{"key": "{answer}"}}'):
        results = check_answer(goals, text)
        assert [result["id"] for result in results] == [one["id"] for one in goals]
        for result in results:
            json.dumps(result, ensure_ascii=False).encode("utf-8")
            assert result["satisfied"] is (result["reason"] is None)

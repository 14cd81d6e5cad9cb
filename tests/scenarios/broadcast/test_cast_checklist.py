"""Checklists: what each turn asks for, what it is worth, and its gates."""

from __future__ import annotations

import math
from typing import Any

import pytest
from broadcast_matches import PERIODS
from broadcast_turns import turns_of

from evolif.errors import ArgumentError, InternalError
from evolif.scenarios.broadcast.checklist import checklist_of, intent_of, is_precise, needs_judge

HOME, AWAY = "Quarry Herons", "Port Iverna Gulls"
NAMES = {"sport": "basketball", "teams": [HOME, AWAY], "roster": {HOME: ["Ada Bolt"], AWAY: ["Cy Dunn"]}}
FACTS = [["Ada Bolt", 2, 2, "7:03"], ["Ada Bolt", 1, 2, "7:03"]]
FACEOFFS = [["Ada Bolt", "Cy Dunn", 1, "3:20"]]
POINTS = {"player": "Ada Bolt", "no_ft": [HOME, 3], "no_goals": ["Tie", 0]}
SHARES = {"player": "Ada Bolt", "team": HOME, "rate": 50.0, "decrease_if_all_lost": 33.33, "increase_if_all_won": 12.5}
SHOOTING: dict[str, Any] = {"player": "Ada Bolt", "team": HOME, "two_attempts": 3, "two_made": 2, "points": 4}
SHOOTING |= {"three_attempts": 1, "three_made": 0, "free_attempts": 0, "free_made": 0}


def checklist(task: str, kind: str, key: Any, question: Any = None, **more: Any) -> tuple[list[Any], list[str]]:
    return checklist_of(task, kind, question or {}, key, NAMES, 7, **more)


def weights(items: list[Any]) -> list[tuple[str, float]]:
    return [(item["kind"], item["weight"]) for item in items]


@pytest.mark.parametrize("sport", PERIODS)
def test_weights_of_every_turn_add_up_to_one(sport: str) -> None:
    for number in range(20):
        for turn in turns_of(sport, number):
            assert math.fsum(item["weight"] for item in turn["checklist"]) == pytest.approx(1, abs=1e-9)


def test_score() -> None:
    items, gates = checklist("CR", "S", {HOME: 12, AWAY: 9})
    assert items == [
        {"kind": "score", "weight": 0.5, "team": HOME, "points": 12},
        {"kind": "score", "weight": 0.5, "team": AWAY, "points": 9},
    ]
    assert gates == []


def test_anchored_events_ask_for_points_and_time_of_each() -> None:
    items, gates = checklist("CR", "A", FACTS)
    assert [(item["points"], item["asks"], item["weight"]) for item in items] == [
        (2, "points", 0.25),
        (2, "time", 0.25),
        (1, "points", 0.25),
        (1, "time", 0.25),
    ]
    assert all((item["player"], item["period"], item["clock"]) == ("Ada Bolt", 2, "7:03") for item in items)
    assert gates == ["wrong_player"]


def test_anchored_faceoffs_ask_for_time_winner_and_loser() -> None:
    items, gates = checklist("CR", "A", FACEOFFS)
    assert [item["asks"] for item in items] == ["time", "winner", "loser"]
    assert {item["weight"] for item in items} == {1 / 3}
    assert all((item["winner"], item["loser"]) == ("Ada Bolt", "Cy Dunn") for item in items)
    assert gates == ["wrong_player"]


def test_intervals_ask_for_whole_events() -> None:
    items, gates = checklist("CR", "I", FACTS)
    assert [(item["kind"], item["weight"], item["asks"]) for item in items] == [("fact", 0.5, "all")] * 2
    assert is_precise(items)
    assert gates == ["false_facts"]
    items, gates = checklist("CR", "I", FACEOFFS)
    assert weights(items) == [("faceoff", 1.0)]


def test_changes_of_the_lead() -> None:
    items, gates = checklist("IR", "L", [["6:14", HOME], ["2:00", AWAY]], {"period": 3})
    assert items == [
        {"kind": "count", "weight": 0.2, "n": 2},
        {"kind": "change", "weight": 0.4, "period": 3, "clock": "6:14", "leader": HOME},
        {"kind": "change", "weight": 0.4, "period": 3, "clock": "2:00", "leader": AWAY},
    ]
    assert gates == ["false_changes"]
    assert checklist("IR", "L", [["6:14", HOME]], period=4)[0][1]["period"] == 4


def test_changes_of_the_lead_are_not_asked_for_where_there_are_none() -> None:
    with pytest.raises(InternalError, match=r"add up to 0\.2"):
        checklist("IR", "L", [], {"period": 1})


@pytest.mark.parametrize(("kind", "gates"), [("T", ["no_right_player"]), ("H", [])])
def test_impact_on_points_asks_for_leader_and_margin_of_both_cases(kind: str, gates: list[str]) -> None:
    items, found = checklist("IR", kind, POINTS)
    assert items == [
        {"kind": "leader", "weight": 0.25, "case": "no_ft", "team": HOME},
        {"kind": "margin", "weight": 0.25, "case": "no_ft", "n": 3, "team": HOME},
        {"kind": "leader", "weight": 0.25, "case": "no_goals", "team": "tie"},
        {"kind": "margin", "weight": 0.25, "case": "no_goals", "n": 0, "team": "tie"},
    ]
    assert found == gates


def test_impact_on_faceoffs() -> None:
    assert checklist("TS", "T", SHARES) == (
        [
            {"kind": "player", "weight": 0.5, "player": "Ada Bolt"},
            {"kind": "percent", "weight": 0.5, "name": "loss", "value": 33.33},
        ],
        [],
    )
    assert checklist("TS", "H", SHARES) == ([{"kind": "percent", "weight": 1.0, "name": "gain", "value": 12.5}], [])


def test_problem() -> None:
    assert checklist("TS", "M", "C") == ([{"kind": "letter", "weight": 1.0, "letter": "C"}], [])


def test_formatted_score() -> None:
    items, gates = checklist("IF", "S", {HOME: 12, AWAY: 9})
    expected = [("tag", 0.1), ("tag", 0.4), ("words", 0.2), ("sentences", 0.2), ("score", 0.05), ("score", 0.05)]
    assert weights(items) == expected
    assert items[0] == {"kind": "tag", "weight": 0.1, "which": "first", "intent": "Update Score", "number": 7}
    assert items[1] == {"kind": "tag", "weight": 0.4, "which": "second", "intent": "Update Score", "number": 7}
    assert items[2]["most"] == 99
    assert gates == []


def test_sentence() -> None:
    items, gates = checklist("IF", "K", "QHKING", {"team": HOME, "seq": "QHKING"})
    parts = [(item.get("part", item.get("which")), item["kind"], item["weight"]) for item in items]
    assert sorted(parts, key=str) == sorted(
        [
            ("first", "tag", 0.05),
            ("second", "tag", 0.25),
            ("max20", "acrostic", 0.1),
            (None, "support", 0.1),
            ("starts", "acrostic", 0.25),
            ("complete", "acrostic", 0.25),
        ],
        key=str,
    )
    assert {item["team"] for item in items if item["kind"] in ("acrostic", "support")} == {HOME}
    assert {item["intent"] for item in items if item["kind"] == "tag"} == {"Other Question"}
    assert gates == []


def test_statistics() -> None:
    items, gates = checklist("IF", "Q", [SHOOTING, SHOOTING])
    assert weights(items) == [
        ("tag", 0.1),
        ("tag", 0.4),
        ("words", 0.1),
        ("sentences", 0.1),
        ("statistics", 0.15),
        ("statistics", 0.15),
    ]
    assert items[-1]["line"] == SHOOTING
    assert gates == []


@pytest.mark.parametrize("told", ["by the question", "by the caller"])
def test_statistics_with_the_summary(told: str) -> None:
    asked = {"summary": True} if told == "by the question" else {}
    items, gates = checklist("IF", "Q", [SHOOTING, SHOOTING], asked, summary=not asked)
    assert weights(items) == [
        ("tag", 0.05),
        ("tag", 0.25),
        ("words", 0.05),
        ("sentences", 0.05),
        ("statistics", 0.05),
        ("statistics", 0.05),
        ("summary", 0.25),
        ("summary", 0.25),
    ]
    assert [item["part"] for item in items[-2:]] == ["lt50", "true"]
    assert gates == ["no_summary"]


def test_two_kinds_of_items_need_a_judge() -> None:
    judged = [item for number in range(3) for turn in turns_of("hockey", number) for item in turn["checklist"]]
    assert {(item["kind"], item.get("part")) for item in judged if needs_judge(item)} == {
        ("support", None),
        ("summary", "true"),
    }


def test_intents() -> None:
    assert [intent_of(kind) for kind in "SKQ"] == ["Update Score", "Other Question", "Other Question"]


@pytest.mark.parametrize(("task", "kind"), [("CR", "C"), ("CR", "K"), ("IF", "A"), ("TS", "")])
def test_other_kinds_have_no_checklist(task: str, kind: str) -> None:
    with pytest.raises(ArgumentError, match="kind"):
        checklist(task, kind, {})

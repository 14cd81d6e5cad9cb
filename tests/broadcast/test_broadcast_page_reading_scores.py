"""Scores, changes of the lead and letters as replies put them."""

from __future__ import annotations

import pytest
from page_broadcast import A, B, leads, lost, problem, score_turn

from evolif.scenarios.broadcast import score_reply

TURN = score_turn(54, 51)


@pytest.mark.parametrize(
    "reply",
    [
        "Quarry Herons 54, Old Mill Foxes 51",
        "Old Mill Foxes 51, Quarry Herons 54",
        "Quarry Herons: 54; Old Mill Foxes: 51",
        "Herons 54, Foxes 51",
        "Quarry 54 and Old Mill 51",
        "Quarry Herons 54, Foxes 51.",
        "HERONS 54, foxes 51",
        "**Herons** 54, *Foxes* 51",
        "Hérons 54, Fóxes 51",
        "The Herons have 54 points, the Foxes have 51 points.",
        "Herons 54 points, Foxes 51 points after that basket.",
        "Herons lead Foxes 54-51",
        "Foxes trail Herons 51-54",
        "Herons and Foxes: 54-51",
        "It stands 54-51 for the Herons against the Foxes.",
        "Herons 54\nFoxes 51",
        "Herons ahead 54, Foxes behind 51",
        "Herons 54\nFoxes 51\nHerons up 3, Foxes down 3",
        "The Herons 54\n\nThe Foxes 51\n\nHerons and Foxes!",
        "Quarry Herons 54, Old Mill Foxes 51 (Herons by 3)",
        "Herons=54,Foxes=51",
        "Herons 54 vs Foxes 51",
        "- Foxes: 51\n- Herons: 54",
        "Herons 50, Foxes 51\nNow: Herons 54, Foxes 51",
        "Herons 54, Foxes 51\nWhat a match!",
        "At Q2 6:14 the Herons have 54, the Foxes 51",
        "Herons lead Foxes 54-51 (Q2 6:14)",
        "Herons 54, Foxes 51 at 6:14 Q2",
        "Herons (Q2 6:14) 54, Foxes 51",
    ],
)
def test_the_right_score(reply: str) -> None:
    found = score_reply(TURN, reply)
    assert (found["score"], found["gates"], lost(found)) == (1.0, [], [])


@pytest.mark.parametrize(
    ("reply", "satisfied"),
    [
        ("Herons 54, Foxes 50", [True, False]),
        ("Herons 55, Foxes 51", [False, True]),
        ("Herons 51, Foxes 54", [False, False]),
        ("Herons lead Foxes 51-54", [False, False]),
        ("Herons 54, Foxes 51\nHerons 54, Foxes 52", [True, False]),
        ("Herons 54", [True, False]),
        ("Foxes 51", [False, True]),
        ("Herons 54\nFoxes 51\nHerons 55", [False, True]),
        ("54, 51", [False, False]),
        ("I lost count.", [False, False]),
        ("Herons 5 4, Foxes 51", [False, True]),
        ("Herons 540, Foxes 151", [False, False]),
        ("", [False, False]),
        ("   \n", [False, False]),
    ],
)
def test_each_team_on_its_own(reply: str, satisfied: list[bool]) -> None:
    found = score_reply(TURN, reply)
    assert [item["satisfied"] for item in found["items"]] == satisfied
    assert found["score"] == sum(satisfied) / 2


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Herons twelve, Foxes nine", 1.0),
        ("Herons Twelve, Foxes 9", 1.0),
        ("Herons twelve points, Foxes nineteen points", 0.5),
        ("Herons eleven, Foxes nine", 0.5),
    ],
)
def test_numbers_in_words(reply: str, score: float) -> None:
    assert score_reply(score_turn(12, 9), reply)["score"] == score


def test_twenty_is_the_last_number_in_words_and_zero_is_one() -> None:
    assert score_reply(score_turn(20, 0), "Herons twenty, Foxes zero")["score"] == 1.0
    assert score_reply(score_turn(0, 0, "hockey"), "Herons 0, Foxes 0")["score"] == 1.0


def test_a_moment_is_not_a_score() -> None:
    assert score_reply(score_turn(2, 6), "Herons at Q2 6:14, and the Foxes at 6:14 Q2")["score"] == 0.0
    assert score_reply(score_turn(3, 2, "hockey"), "P2 6:14: Herons 3, Foxes 2")["score"] == 1.0


CHANGES = leads(1, ("10:30", B), ("9:15", A))


@pytest.mark.parametrize(
    "reply",
    [
        "Changes: 2\n10:30, Old Mill Foxes\n9:15, Quarry Herons",
        "Changes: 2\n10:30, Foxes\n9:15, Herons",
        "Changes: two\nQ1 10:30, Foxes\nQ1 9:15, Herons",
        "changes: 2\n9:15, Quarry\n10:30, Old Mill",
        "**Changes: 2**\n- 10:30, *Foxes*\n- 9:15, *Herons*",
        "1. 10:30, Foxes\n2. 9:15, Herons",
        "Foxes, 10:30\nHerons, 9:15\nChanges: 2",
        'Changes: 2\n"10:30", FOXES\n"9:15", herons',
    ],
)
def test_all_changes_of_the_lead(reply: str) -> None:
    found = score_reply(CHANGES, reply)
    assert (found["score"], found["gates"], lost(found)) == (1.0, [], [])


@pytest.mark.parametrize(
    ("reply", "score", "items"),
    [
        ("Changes: 3\n10:30, Foxes\n9:15, Herons", 0.8, ["count"]),
        ("10:30, Foxes\n9:15, Herons", 0.8, ["count"]),
        ("Changes: 2\n10:30, Foxes", 0.6, ["change"]),
        ("Changes: 2\n10:30, Foxes\n9:15, Foxes", 0.6, ["change"]),
        ("Changes: 2\n10:30, Foxes\n9:16, Herons", 0.6, ["change"]),
        ("Changes: 2\nQ1 10:30, Foxes\nQ2 9:15, Herons", 0.6, ["change"]),
        ("Changes: 2", 0.2, ["change", "change"]),
        ("Changes: 2\n10:30, Foxes\n9:15, Herons\n7:00, Foxes", 1.0, []),
        ("Changes: 4\n10:30, Foxes\n9:15, Herons\n7:00, Foxes\n6:00, Herons", 0.8, ["count"]),
        ("", 0.0, ["count", "change", "change"]),
    ],
)
def test_changes_cost_what_they_weigh(reply: str, score: float, items: list[str]) -> None:
    found = score_reply(CHANGES, reply)
    assert (found["score"], lost(found), found["gates"]) == (score, items, [])


@pytest.mark.parametrize(
    "reply",
    [
        "Changes: 2\n10:30, Herons\n9:15, Foxes",
        "Changes: 2\n10:30, Foxes\n9:00, Herons\n8:00, Foxes",
        "Changes: 5\n10:30, Foxes\n9:15, Herons\n8:00, Foxes\n7:00, Herons\n6:00, Foxes",
    ],
)
def test_more_false_changes_than_true_ones_are_worth_nothing(reply: str) -> None:
    found = score_reply(CHANGES, reply)
    assert (found["score"], found["gates"]) == (0.0, ["false_changes"])


def test_a_change_in_the_last_minute_is_met_by_its_moment() -> None:
    turn = leads(2, ("37.0", A))
    assert score_reply(turn, "Changes: 1\n0:37, Herons")["score"] == 1.0
    assert score_reply(turn, "Changes: 1\n37.0, Herons")["score"] == 1.0
    assert score_reply(turn, "Changes: 1\nQ2 37.0, Herons")["score"] == 1.0
    assert score_reply(turn, "Changes: 1\n37.1, Herons")["score"] == 0.0


def test_changes_of_a_hockey_period() -> None:
    turn = leads(3, ("0:37", A), ("19:59", B), sport="hockey")
    assert score_reply(turn, "Changes: 2\n0:37, Herons\n19:59, Foxes")["score"] == 1.0
    assert score_reply(turn, "Changes: 2\nP3 0:37, Herons\nP3 19:59, Foxes")["score"] == 1.0


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: C",
        "answer: c",
        "C",
        " C \n",
        "c",
        "First I thought Answer: B\nBut no.\nAnswer: C",
        "Half of it is 12.\nAnswer: C",
        "**Answer: C**",
        "Answer: **C**",
    ],
)
def test_the_letter(reply: str) -> None:
    assert score_reply(problem("C"), reply)["score"] == 1.0


@pytest.mark.parametrize(
    "reply", ["Answer: B", "B", "Answer: C\nAnswer: B", "It must be C", "A C", "CC", "3", "", "Answer: F", "Answer:"]
)
def test_another_letter_or_none(reply: str) -> None:
    assert score_reply(problem("C"), reply)["score"] == 0.0

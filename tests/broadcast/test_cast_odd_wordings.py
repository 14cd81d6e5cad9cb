"""Right answers in the less usual words of chat models, and what looks like one and is none."""

from __future__ import annotations

from typing import Any

import pytest

from evolif.scenarios.broadcast.checklist import checklist_of
from evolif.scenarios.broadcast.scoring import score_reply

HOME, AWAY = "Quarry Herons", "Port Iverna Gulls"
ROSTER = {HOME: ["Ada Bolt", "Eno Farr"], AWAY: ["Cy Dunn", "Gus Hale"]}
ANCHOR = {"player": "Cy Dunn", "anchor": [1, "3:00"], "delta": 600}
SPAN = {"start": [1, "5:00"], "end": [2, "6:00"], "at": [2, "0:45"]}
CASES = {"player": "Ada Bolt", "no_ft": [HOME, 3], "no_goals": ["Tie", 0]}
SHARES = {"player": "Ada Bolt", "team": HOME, "rate": 50.0, "decrease_if_all_lost": 33.33, "increase_if_all_won": 12.5}


def score(kind: str, key: Any, reply: str, *, sport: str = "basketball", question: Any = None) -> float:
    names = {"sport": sport, "teams": [HOME, AWAY], "roster": ROSTER}
    checklist, gates = checklist_of("TS", kind, question or {}, key, names, 1)
    turn = {"number": 1, "kind": kind, "judged": True, "checklist": checklist, "gates": gates, "key": key}
    result = score_reply({**turn, "names": names, "question": question or {}}, reply)
    return float(result["score"])


@pytest.mark.parametrize(
    "when",
    [
        "Q2 06:14",
        "Q2 6:14.0",
        "Q2 at 6:14",
        "Quarter 2 - 6:14 remaining",
        "6:14 left in Q2",
        "6:14 Q2",
        "(Q2 6:14)",
        "Q2/6:14",
        "2Q 6:14",
        "at 6:14 in quarter two",
        "2nd qtr 6:14",
        "the 6:14 mark of the second quarter",
        "Quarter 2 at 6:14 on the clock",
        "6 minutes 14 seconds left in Q2",
        "6 min and 14 sec remaining in the second quarter",
        "6m 14s to go in Q2",
    ],
)
def test_a_moment(when: str) -> None:
    assert score("I", [["Ada Bolt", 2, 2, "6:14"]], f"Ada Bolt, 2 points, {when}") == 1


@pytest.mark.parametrize("when", ["6 minutes 14 seconds later, Q2", "Q2 14 seconds left", "Q2 16:14", "Q1 6:14"])
def test_another_moment(when: str) -> None:
    assert score("I", [["Ada Bolt", 2, 2, "6:14"]], f"Ada Bolt, 2 points, {when}") == 0


@pytest.mark.parametrize(
    "when", ["P1 03:20", "3:20 into P1", "3 minutes 20 seconds into the first period", "3:20 of the 1st", "P1, 3:20"]
)
def test_a_moment_of_hockey(when: str) -> None:
    key = [["Ada Bolt", "Cy Dunn", 1, "3:20"]]
    assert score("I", key, f"Ada Bolt won against Cy Dunn, {when}", sport="hockey") == 1


@pytest.mark.parametrize("when", ["Q4 37.0", "Q4 0:37", "Q4 37", "Q4 37s", "37 seconds left in Q4", "Q4 00:37.0"])
def test_a_moment_of_the_last_minute(when: str) -> None:
    assert score("I", [["Ada Bolt", 1, 4, "37.0"]], f"Bolt, 1 point, {when}") == 1


def test_two_events_of_a_moment_need_two_facts() -> None:
    key = [["Ada Bolt", 1, 2, "6:14"], ["Ada Bolt", 1, 2, "6:14"]]
    for reply, expected in {
        "Ada Bolt, 1 point, Q2 6:14\nAda Bolt, 1 point, Q2 6:14": 1,
        "Ada Bolt, 1 point, Q2 6:14; Bolt, 1 point, Q2 6:14": 1,
        "Ada Bolt, 1 point, Q2 6:14": 0.5,
        "Ada Bolt, 2 points, Q2 6:14": 0.25,
    }.items():
        assert score("A", key, reply, question=ANCHOR) == expected, reply


@pytest.mark.parametrize(
    "reply",
    [
        "Changes: 2\n06:14 Herons\n02:00 Gulls",
        "The lead changed twice: at 6:14 (Herons) and at 2:00 (Gulls).",
        "Two lead changes. Herons at 6:14, Gulls at 2:00.",
        "Changes: 2\n- 6:14: Herons overtook Gulls\n- 2:00: Gulls overtook Herons",
        "2\n6:14, Herons\n2:00, Gulls",
        "Changes: 2 (6:14, Herons; 2:00, Gulls)",
        "Changes: two\n6:14, Herons, by Ada Bolt\n2:00, Gulls, by Cy Dunn",
        "Changes: 2\n6:14, Herons (40-38)\n2:00, Gulls (51-50)",
    ],
)
def test_changes_of_the_lead(reply: str) -> None:
    assert score("L", [["6:14", HOME], ["2:00", AWAY]], reply, question={"period": 3}) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "Gulls 9 – Herons 12",
        "12-9 Herons over the Gulls",
        "The Herons lead the Gulls by 12 to 9",
        "Herons: twelve. Gulls: nine.",
        "The score is 12-9 in favour of the Herons against the Gulls",
        "The Gulls trail the Herons 9-12",
        "The Gulls trail 12-9 against the Herons",
        "HERONS 12\nGULLS 9",
        "12 for the Herons and 9 for the Gulls",
        "12 (Herons), 9 (Gulls)",
    ],
)
def test_a_score(reply: str) -> None:
    assert score("S", {HOME: 12, AWAY: 9}, reply) == 1


@pytest.mark.parametrize("reply", ["Herons and Gulls are tied at 12", "12-12, Herons and Gulls"])
def test_a_level_score(reply: str) -> None:
    assert score("S", {HOME: 12, AWAY: 12}, reply) == 1


@pytest.mark.parametrize("reply", ["c", "Answer: c", "Final answer: C", "Answer:C", "Answer: option C", r"$\boxed{C}$"])
def test_a_letter(reply: str) -> None:
    assert score("M", "C", reply) == 1


@pytest.mark.parametrize("reply", ["Because", "Could be", "I think C or D\nAnswer: D", "A, B, C, D, E"])
def test_no_such_letter(reply: str) -> None:
    assert score("M", "C", reply) == 0


@pytest.mark.parametrize(
    "reply",
    [
        "No free throw: Herons by 3\nNothing: tied at 40",
        "No free throw: Quarry Herons by three points\nNothing: nobody, it is tied",
        "No free throw: Herons lead 43-40\nNothing: 40-40",
        "No free throw: Herons, 3\nNothing: Tie, 0",
        "No free throw: Herons by 3\nNothing: Level score",
    ],
)
def test_what_if(reply: str) -> None:
    assert score("H", CASES, reply, question=SPAN) == 1
    assert score("T", CASES, f"Player: Ada Bolt\n{reply}", question=SPAN) == 1
    assert score("T", CASES, f"Player: Eno Farr\n{reply}", question=SPAN) == 0


@pytest.mark.parametrize(
    "told", ["33.33", "33,33", "33.3 percentage points", "−33.33", "~33.33%", "33.333", "4/12 = 33.33", "33.33 (4/12)"]
)
def test_a_share(told: str) -> None:
    question = {"start": [1, "5:00"], "end": [1, "9:00"]}
    assert score("T", SHARES, f"Player: Ada Bolt\nLoss: {told}", sport="hockey", question=question) == 1
    assert score("T", SHARES, f"Player: Cy Dunn\nLoss: {told}", sport="hockey", question=question) == 0.5

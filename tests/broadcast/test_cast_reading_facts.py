"""Facts of a reply, after an anchor and in an interval: in lines, lists, tables and prose."""

from __future__ import annotations

from typing import Any

import pytest
from reading_turns import satisfied, turn_of

from evolif.scenarios.broadcast import score_reply

ONE = [["Ana Lima", 2, 2, "6:14"]]
ANCHOR: dict[str, Any] = {"player": "Bo Reedal", "anchor": [1, "7:03"], "delta": 169}

RIGHT = [
    "Ana Lima, 2 points, Q2 6:14",
    "**Ana Lima**, 2 points, Q2 6:14",
    "- Ana Lima, 2 points, Q2 6:14",
    "1. Ana Lima, 2 points, Q2 6:14",
    "Ana Lima, 2 pts, Q2 6:14.",
    "Ana Lima, two points, Q2 6:14",
    "Ana Lima — 2 points — Q2 6:14",
    "Ana Lima: 2 points (Q2 6:14)",
    "Ana Lima (2 points, Q2 6:14)",
    "Ana Lima (2 points) at Q2 6:14",
    "Lima, 2 points, quarter 2, 6:14",
    "Lima scored 2 points in the 2nd quarter, at 6:14.",
    "Lima, 2 points, 6:14 of the second quarter",
    "Lima, 2 points, 6:14 Q2",
    "Lima, 2 points, 06:14 in Q2",
    "LIMA, 2 POINTS, Q2 6:14",
    "Ána Líma, 2 points, Q2 6:14",
    "Ana Lima, Q2 6:14, 2 points",
    "Q2 6:14: Ana Lima, 2 points",
    "Q2 6:14 – Ana Lima scored 2 points.",
    "At Q2 6:14, Ana Lima made a two-pointer.",
    "At Q2 6:14, Ana Lima hit a 2-point jump shot.",
    "At Q2 6:14 there were 2 points by Ana Lima.",
    "2 points by Ana Lima at Q2 6:14",
    "With 6:14 left in Q2, Ana Lima scored 2 points.",
    "With 6:14 remaining in the second quarter Ana Lima scored two points.",
    "At Q2 6:14:\n- Ana Lima: 2 points",
    "The moment is Q2 6:14.\nAna Lima, 2 points",
    "Player: Ana Lima\nPoints: 2\nTime: Q2 6:14",
    "**Player:** Ana Lima\n**Points:** 2\n**Time:** Q2 6:14",
    "- Scorer: Ana Lima\n- Points: 2\n- Clock: Q2 6:14",
    "- **Ana Lima**\n  - Points: 2\n  - Time: Q2 6:14",
    "| Player | Points | Time |\n|---|---|---|\n| Ana Lima | 2 | Q2 6:14 |",
    "| Ana Lima | 2 points | Q2 | 6:14 |",
    "| Time | Player | Points |\n|---|---|---|\n| Q2 6:14 | Ana Lima | 2 |",
    "Ana Lima, 2 points, Q2 6:14 (assisted by Cyr Dolet)",
    "Ana Lima, 2 points, assisted by Cyr Dolet, Q2 6:14",
    "Ana Lima (assist: Cyr Dolet), 2 points, Q2 6:14",
    "Ana Lima (Quarry Herons), 2 points, Q2 6:14",
    "Ana Lima of the Quarry Herons scored 2 points at Q2 6:14, assisted by Cyr Dolet.",
    "Bo Reedal scored at Q1 7:03. 169 seconds later Ana Lima scored 2 points, at Q2 6:14.",
    "Q1 7:03 plus 2 minutes 49 seconds is Q2 6:14. Ana Lima scored 2 points then.",
    "It was Ana Lima. She scored 2 points at Q2 6:14.",
    "Ana Lima's 2 points at Q2 6:14",
    "Ana Lima, 2 points, Q2 “6:14”",
    "Ana Lima, ２ points, Q２ ６:１４",
    "Ana Lima, 2 points, Q2 6:14\n\nLet me know if you need anything else!",
    "Sure! Here it is:\n\nAna Lima, 2 points, Q2 6:14",
    "The scorer was **Ana Lima** with a **2-pointer** at **Q2 6:14**.",
    "Ana Lima makes two point layup, Q2 6:14, 2 points",
    "`Ana Lima, 2 points, Q2 6:14`",
    "```\nAna Lima, 2 points, Q2 6:14\n```",
    "Lima, Ana: 2 points, Q2 6:14",
    "A. Lima, 2 points, Q2 6:14",
    "Ana Lima +2, Q2 6:14",
    "Ana Lima, 2, Q2 6:14",
    '{"player": "Ana Lima", "points": 2, "time": "Q2 6:14"}',
    '{\n  "player": "Ana Lima",\n  "points": 2,\n  "time": "Q2 6:14"\n}',
    "Lima (2), Q2 6:14",
    "Lima (+2), Q2 6:14",
    "Ana Lima (#12), 2 points, Q2 6:14",
    "Ana Lima was fouled by Ed Holtan and made the shot for 2 points, Q2 6:14",
    "Ana Lima with a 12-foot two point jump shot, Q2 6:14",
    "Ana Lima, 2 points (14 in total), Q2 6:14",
    "Ana Lima, 2 points, now 14 in the match, Q2 6:14",
    "Dia Frostin missed a shot at Q2 6:20. Ed Holtan had the defensive rebound. Then Ana Lima, 2 points, Q2 6:14.",
    "Dia Frostin misses 12-foot two point floater at Q2 6:20.\nAna Lima, 2 points, Q2 6:14",
    "Bo Reedal scored at Q1 7:03, and 2:49 later, at Q2 6:14, Ana Lima scored 2 points.",
    "Exactly 2:49 after Bo Reedal's basket at Q1 7:03, Ana Lima made a layup for 2 points at Q2 6:14.",
    "Ana Lima, 2 points, Q2 (6:14)",
    "Ana Lima, 2 points, Q2/6:14",
    "Ana Lima, 2 points, Q2 at 6:14",
    "Ana Lima, 2 points, Q2, with 6:14 remaining",
    "Ana Lima, 2 points, 2nd Qtr. 6:14",
    "Ana Lima, 2 points, quarter two, 6:14",
    "Ana Lima, 2 points, Quarter: 2, Clock: 6:14",
    "Ana Lima, 2 points, 6:14 (Q2)",
    "I believe it was Ana Lima who scored 2 points at Q2 6:14, not Ed Holtan.",
    "Who: Ana Lima\nHow many: 2 points\nWhen: Q2 6:14",
    "2 minutes 49 seconds after Bo Reedal's score, Ana Lima scored 2 points at Q2 6:14.",
    "Ana Lima scored 2 points at Q2 6:14, 2 minutes and 49 seconds after Bo Reedal's score at Q1 7:03.",
    "2:49 after Bo Reedal's basket at Q1 7:03, at Q2 6:14, there were 2 points by Ana Lima.",
    "Ana Lima made a 2-point layup off a pass from Cyr Dolet at Q2 6:14.",
    "Name: Ana Lima\nTeam: Quarry Herons\nPoints: 2\nQuarter: Q2\nClock: 6:14",
    "6:14, Q2 — Ana Lima: 2 points",
    "6:14 – Lima 2 points (Q2)",
    "In Q2, with 6:14 on the clock, Ana Lima scored 2 points.",
    "Ana\u00a0Lima, 2\u00a0points, Q2\u00a06:14",
]


@pytest.mark.parametrize("reply", RIGHT)
def test_a_right_fact_is_read(reply: str) -> None:
    found = score_reply(turn_of("CR", "A", ONE, **ANCHOR), reply)
    assert (found["score"], found["gates"]) == (1.0, [])


PARTS = [
    ("Ana Lima, 3 points, Q2 6:14", [False, True], False),
    ("Ana Lima, 2 points, Q2 6:15", [True, False], False),
    ("Ana Lima, 2 points, Q3 6:14", [True, False], False),
    ("Ana Lima, 2 points", [True, False], False),
    ("Ana Lima, 2 points, 6:14", [True, False], False),
    ("Ana Lima, Q2 6:14", [False, True], False),
    ("Ana Lima", [False, False], False),
    ("Ana scored 2 points at Q2 6:14.", [False, False], False),
    ("Limaton, 2 points, Q2 6:14", [False, False], False),
    ("2 points, Q2 6:14", [False, False], False),
    ("Ed Holtan, 2 points, Q2 6:14", [False, False], True),
    ("Ana Lima, 2 points, Q2 6:14\nEd Holtan, 1 point, Q2 6:14", [True, True], True),
    ("Ana Lima, 2 points, Q2 6:14; Holtan, 1 point, Q2 6:14", [True, True], True),
    ("Ed Holtan scored 2 points.", [False, False], True),
    ("Ana Lima, 2 points, Q2 6:14. Assisted by Ed Holtan.", [True, True], False),
    ("Ana Lima (Ed Holtan assists), 2 points, Q2 6:14", [True, True], False),
    ("Bo Reedal, 2 points, Q2 6:14", [False, False], False),
    ("", [False, False], False),
    ("I do not know.", [False, False], False),
    ("Ana Lima, 12 points, Q2 6:14", [False, True], False),
    ("Ana Lima, 2 points, Q2 16:14", [True, False], False),
    ("Ana Lima, 2 points, Q12 6:14", [True, False], False),
]


@pytest.mark.parametrize(("reply", "expected", "gated"), PARTS)
def test_parts_of_a_fact(reply: str, expected: list[bool], gated: bool) -> None:
    turn = turn_of("CR", "A", ONE, **ANCHOR)
    found = score_reply(turn, reply)
    assert satisfied(turn, reply) == expected
    assert found["gates"] == (["wrong_player"] if gated else [])
    assert found["score"] == (0.0 if gated else sum(expected) / 2)


FREE_THROWS = [["Ana Lima", 1, 4, "43.5"], ["Ana Lima", 1, 4, "43.5"]]


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Ana Lima, 1 point, Q4 43.5\nAna Lima, 1 point, Q4 43.5", 1.0),
        ("Ana Lima, 1 point, Q4 0:43.5\nAna Lima, 1 point, Q4 0:43.5", 1.0),
        ("1. Ana Lima, 1 point, 43.5 seconds left in Q4\n2. Ana Lima, 1 point, 43.5 seconds left in Q4", 1.0),
        ("At Q4 43.5, Ana Lima made free throw 1 of 2 and Ana Lima made free throw 2 of 2.", 1.0),
        ("Ana Lima: 1 point at Q4 43.5, 1 point at Q4 43.5", 1.0),
        ("Ana Lima, one point, Q4 43.5 (free throw)\nAna Lima, one point, Q4 43.5 (free throw)", 1.0),
        ("Ana Lima made a free throw at Q4 43.5.\nAna Lima made a free throw at Q4 43.5.", 1.0),
        ("Ana Lima, 1 point, Q4 43.5", 0.5),
        ("Ana Lima, 2 points, Q4 43.5", 0.25),
        ("Ana Lima, 1 point, Q4 43.6\nAna Lima, 1 point, Q4 43.4", 0.5),
    ],
)
def test_equal_events_need_as_many_facts(reply: str, score: float) -> None:
    assert score_reply(turn_of("CR", "A", FREE_THROWS, **ANCHOR), reply)["score"] == score


TWO = [["Ana Lima", 1, 2, "6:14"], ["Dia Frostin", 1, 2, "6:14"]]


@pytest.mark.parametrize(
    "reply",
    [
        "Ana Lima, 1 point, Q2 6:14\nDia Frostin, 1 point, Q2 6:14",
        "At Q2 6:14 Ana Lima scored 1 point and Dia Frostin scored 1 point.",
        "At Q2 6:14, Ana Lima and Dia Frostin each made a free throw.\nAna Lima 1 point\nDia Frostin 1 point",
        "Q2 6:14\n- Ana Lima: 1 point\n- Dia Frostin: 1 point",
        "Ana Lima (1 point) and Dia Frostin (1 point), both at Q2 6:14",
        "Player: Ana Lima\nPoints: 1\nTime: Q2 6:14\n\nPlayer: Dia Frostin\nPoints: 1\nTime: Q2 6:14",
        "Dia Frostin, 1 point, Q2 6:14; Ana Lima, 1 point, Q2 6:14",
    ],
)
def test_several_scorers_of_one_moment(reply: str) -> None:
    assert score_reply(turn_of("CR", "A", TWO, **ANCHOR), reply)["score"] == 1.0


INTERVAL = [
    ["Ana Lima", 2, 2, "1:10"],
    ["Dia Frostin", 3, 2, "37.0"],
    ["Ana Lima", 1, 2, "0.0"],
    ["Ed Holtan", 2, 3, "11:41"],
    ["Ana Lima", 2, 3, "11:02"],
]
SPAN: dict[str, Any] = {"start": [2, "1:10"], "end": [3, "11:00"]}
LINES = "\n".join(f"{player}, {points} points, Q{period} {clock}" for player, points, period, clock in INTERVAL)

INTERVALS_RIGHT = [
    LINES,
    LINES.replace(", ", " | "),
    LINES.replace("\n", "; "),
    LINES.replace(", Q", " at Q").replace("\n", ", then "),
    "Here is what you missed:\n\n" + LINES + "\n\nThat is 10 points in all: Ana Lima 5, Dia Frostin 3, Ed Holtan 2.",
    "From Q2 1:10 to Q3 11:00 these scores were made:\n" + LINES,
    "**Q2**\n- 1:10 Ana Lima, 2 points\n- 0:37 Dia Frostin, 3 points\n- 0:00 Ana Lima, 1 point\n\n"
    "**Q3**\n- 11:41 Ed Holtan, 2 points\n- 11:02 Ana Lima, 2 points",
    "Q2 1:10: Ana Lima, 2 points\nQ2 37.0: Dia Frostin, 3 points\nQ2 0.0: Ana Lima, 1 point\n"
    "Q3 11:41: Ed Holtan, 2 points\nQ3 11:02: Ana Lima, 2 points",
    "Q2 1:10 – Ana Lima 2; Q2 37.0 – Dia Frostin 3; Q2 0.0 – Ana Lima 1; Q3 11:41 – Ed Holtan 2; Q3 11:02 – Ana Lima 2",
    "Ana Lima: 2 points at Q2 1:10, 1 point at Q2 0.0, 2 points at Q3 11:02\n"
    "Dia Frostin: 3 points at Q2 37.0\nEd Holtan: 2 points at Q3 11:41",
    "**Ana Lima**\n- 2 points, Q2 1:10\n- 1 point, Q2 0.0\n- 2 points, Q3 11:02\n\n"
    "**Dia Frostin**\n- 3 points, Q2 37.0\n\n**Ed Holtan**\n- 2 points, Q3 11:41",
    "| Player | Points | Period | Clock |\n|---|---|---|---|\n| Ana Lima | 2 | Q2 | 1:10 |\n"
    "| Dia Frostin | 3 | Q2 | 37.0 |\n"
    "| Ana Lima | 1 | Q2 | 0.0 |\n| Ed Holtan | 2 | Q3 | 11:41 |\n| Ana Lima | 2 | Q3 | 11:02 |",
    "| Period | Clock | Player | Points |\n|---|---|---|---|\n| Q2 | 1:10 | Ana Lima | 2 |\n"
    "| Q2 | 37.0 | Dia Frostin | 3 |\n"
    "| Q2 | 0.0 | Ana Lima | 1 |\n| Q3 | 11:41 | Ed Holtan | 2 |\n| Q3 | 11:02 | Ana Lima | 2 |",
    "Lima, two points, 2nd quarter 1:10\nFrostin, three points, 2nd quarter 0:37.0\nLima, one point, 2nd quarter 0:00\n"
    "Holtan, two points, 3rd quarter 11:41\nLima, two points, 3rd quarter 11:02",
    "In the second quarter Ana Lima scored 2 points at 1:10, Dia Frostin hit a three-pointer at 37.0 and Ana Lima made "
    "a free throw at 0.0. In the third quarter Ed Holtan scored 2 points at 11:41 and Ana Lima 2 points at 11:02.",
    "1. Ana Lima - 2 points - Q2 1:10\n2. Dia Frostin - 3 points - Q2 37.0\n3. Ana Lima - 1 point - Q2 0.0\n"
    "4. Ed Holtan - 2 points - Q3 11:41\n5. Ana Lima - 2 points - Q3 11:02",
    "Ana Lima, 2 points, Q2 1:10 (Herons 40, Owls 38)\nDia Frostin, 3 points, Q2 37.0 (Herons 40, Owls 41)\n"
    "Ana Lima, 1 point, Q2 0.0 (Herons 41, Owls 41)\nEd Holtan, 2 points, Q3 11:41 (41-43)\n"
    "Ana Lima, 2 points, Q3 11:02 (43-43)",
]


@pytest.mark.parametrize("reply", INTERVALS_RIGHT)
def test_a_right_interval_is_read(reply: str) -> None:
    found = score_reply(turn_of("CR", "I", INTERVAL, **SPAN), reply)
    assert (found["score"], found["gates"]) == (1.0, [])


FALSE = "Bo Reedal, 2 points, Q2 1:00"


@pytest.mark.parametrize(
    ("reply", "score", "gated"),
    [
        (LINES.replace("3 points", "2 points"), 0.8, False),
        (LINES.replace("37.0", "37.1"), 0.8, False),
        (LINES.replace("Q3", "Q4"), 0.6, False),
        (LINES.replace("Ana Lima", "Bo Reedal"), 0.0, True),
        ("\n".join(LINES.splitlines()[1:]), 0.8, False),
        (f"{LINES}\n{FALSE}", 1.0, False),
        ("\n".join([LINES, *[FALSE] * 5]), 1.0, False),
        ("\n".join([LINES, *[FALSE] * 6]), 0.0, True),
        ("\n".join([LINES.splitlines()[0], FALSE]), 0.2, False),
        ("\n".join([LINES.splitlines()[0], FALSE, FALSE.replace("1:00", "59.0")]), 0.0, True),
        (FALSE, 0.0, True),
        ("Nothing was scored.", 0.0, False),
        (LINES.splitlines()[0] * 1 + "\n" + LINES.splitlines()[0], 0.2, False),
        ("Ana Lima 5 points, Dia Frostin 3 points, Ed Holtan 2 points", 0.0, False),
    ],
)
def test_facts_of_an_interval(reply: str, score: float, gated: bool) -> None:
    found = score_reply(turn_of("CR", "I", INTERVAL, **SPAN), reply)
    assert (found["score"], found["gates"]) == (score, ["false_facts"] if gated else [])


def test_a_label_goes_without_saying_in_an_interval_of_one_period() -> None:
    key = [["Ana Lima", 2, 2, "6:14"], ["Ed Holtan", 1, 2, "5:50"]]
    reply = "Ana Lima, 2 points, 6:14\nEd Holtan, 1 point, 5:50"
    assert score_reply(turn_of("CR", "I", key, start=[2, "6:30"], end=[2, "5:00"]), reply)["score"] == 1.0
    assert score_reply(turn_of("CR", "I", key, start=[1, "6:30"], end=[2, "5:00"]), reply)["score"] == 0.0


@pytest.mark.parametrize(
    "name", ["Gus O'Hallin", "O’Hallin", "o'hallin's", "Gus O'Hallin's", "**O'Hallin**", "Gus *O'Hallin*"]
)
def test_names_with_apostrophes(name: str) -> None:
    key = [["Gus O'Hallin", 2, 2, "6:14"]]
    assert score_reply(turn_of("CR", "A", key, **ANCHOR), f"{name}, 2 points, Q2 6:14")["score"] == 1.0


@pytest.mark.parametrize(
    ("player", "name"), [("Jo van der Meer", "Meer"), ("Jo van der Meer", "Van der Meer"), ("Fay Imrené", "imrene")]
)
def test_names_of_several_words_and_with_accents(player: str, name: str) -> None:
    key = [[player, 2, 2, "6:14"]]
    assert score_reply(turn_of("CR", "A", key, **ANCHOR), f"{name}, 2 points, Q2 6:14")["score"] == 1.0

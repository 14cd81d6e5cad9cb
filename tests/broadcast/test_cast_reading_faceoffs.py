"""Faceoffs of a reply: the first player of a line won, the second lost, with a moment in it."""

from __future__ import annotations

from typing import Any

import pytest
from reading_turns import satisfied, turn_of

from evolif.scenarios.broadcast import score_reply

ONE = [["Ana Lima", "Dia Frostin", 1, "3:20"]]
ANCHOR: dict[str, Any] = {"player": "Bo Reedal", "opponent": "Ed Holtan", "anchor": [1, "0:31"], "delta": 169}

RIGHT = [
    "Ana Lima won against Dia Frostin, P1 3:20",
    "**Ana Lima** won against **Dia Frostin**, P1 3:20",
    "- Ana Lima won against Dia Frostin, P1 3:20",
    "Lima won against Frostin, P1 3:20",
    "Lima beat Frostin at 3:20 of the first period.",
    "Ana Lima beat Dia Frostin, 1st period, 3:20",
    "At P1 3:20 Ana Lima won the faceoff against Dia Frostin.",
    "P1 3:20: Ana Lima won against Dia Frostin",
    "P1 3:20 – Ana Lima def. Dia Frostin",
    "Period 1, 3:20: Lima over Frostin",
    "Ana Lima won, Dia Frostin lost, P1 3:20",
    "Dia Frostin lost to Ana Lima at P1 3:20.",
    "Dia Frostin lost the faceoff to Ana Lima, P1 3:20",
    "Dia Frostin was beaten by Ana Lima at P1 3:20.",
    "Winner: Ana Lima, loser: Dia Frostin, time: P1 3:20",
    "Loser: Dia Frostin, winner: Ana Lima, time: P1 3:20",
    "Winner: Ana Lima\nLoser: Dia Frostin\nTime: P1 3:20",
    "**Winner:** Ana Lima\n**Loser:** Dia Frostin\n**Time:** P1 3:20",
    "- Winner: Ana Lima\n- Loser: Dia Frostin\n- When: P1 3:20",
    "Time: P1 3:20\nWinner: Ana Lima\nLoser: Dia Frostin",
    "At P1 3:20:\nAna Lima won against Dia Frostin",
    "Ana Lima (Quarry Herons) won against Dia Frostin (Port Iverna Owls), P1 3:20",
    "Ana Lima won (against Dia Frostin) at P1 3:20",
    "| Winner | Loser | Time |\n|---|---|---|\n| Ana Lima | Dia Frostin | P1 3:20 |",
    "| Time | Winner | Loser |\n|---|---|---|\n| P1 3:20 | Ana Lima | Dia Frostin |",
    "| Loser | Winner | Time |\n|---|---|---|\n| Dia Frostin | Ana Lima | P1 3:20 |",
    "ANA LIMA WON AGAINST DIA FROSTIN, P1 03:20",
    "Ana Lima won against Dia Frostin (P1, 3:20)",
    "Bo Reedal won at P1 0:31.\nAna Lima won against Dia Frostin, P1 3:20",
    "Bo Reedal won against Ed Holtan, P1 0:31\nAna Lima won against Dia Frostin, P1 3:20",
    "Bo Reedal won against Ed Holtan at P1 0:31, and then Ana Lima won against Dia Frostin at P1 3:20.",
    "Ana Lima's faceoff win over Dia Frostin, P1 3:20",
    "It was won by Ana Lima against Dia Frostin at P1 3:20.",
]


@pytest.mark.parametrize("reply", RIGHT)
def test_a_right_faceoff_is_read(reply: str) -> None:
    found = score_reply(turn_of("CR", "A", ONE, "hockey", **ANCHOR), reply)
    assert (found["score"], found["gates"]) == (1.0, [])


PARTS = [
    ("Dia Frostin won against Ana Lima, P1 3:20", [True, False, False], False),
    ("Ana Lima won against Dia Frostin, P1 3:21", [False, True, True], False),
    ("Ana Lima won against Dia Frostin, P2 3:20", [False, True, True], False),
    ("Ana Lima won against Dia Frostin", [False, True, True], False),
    ("Ana Lima won against Ed Holtan, P1 3:20", [True, True, False], False),
    ("Ana Lima won against Fay Imrené, P1 3:20", [True, True, False], True),
    ("Cyr Dolet won against Dia Frostin, P1 3:20", [True, False, True], True),
    ("Ana Lima won the faceoff at P1 3:20.", [True, True, False], False),
    ("Dia Frostin lost the faceoff at P1 3:20.", [True, False, True], False),
    ("Cyr Dolet won the faceoff at P1 3:20.", [True, False, False], True),
    ("Ana Lima won.", [False, False, False], False),
    ("Ana Lima won against Dia Frostin, 3:20", [False, True, True], False),
    ("", [False, False, False], False),
]


@pytest.mark.parametrize(("reply", "expected", "gated"), PARTS)
def test_parts_of_a_faceoff(reply: str, expected: list[bool], gated: bool) -> None:
    turn = turn_of("CR", "A", ONE, "hockey", **ANCHOR)
    assert satisfied(turn, reply) == expected
    assert score_reply(turn, reply)["gates"] == (["wrong_player"] if gated else [])


INTERVAL = [
    ["Ana Lima", "Dia Frostin", 1, "18:20"],
    ["Ed Holtan", "Bo Reedal", 1, "19:44"],
    ["Ana Lima", "Ed Holtan", 2, "0:00"],
    ["Dia Frostin", "Ana Lima", 2, "0:31"],
    ["Ana Lima", "Dia Frostin", 2, "0:31"],
]
SPAN: dict[str, Any] = {"start": [1, "18:20"], "end": [2, "0:31"]}
LINES = "\n".join(f"{winner} won against {loser}, P{period} {clock}" for winner, loser, period, clock in INTERVAL)

INTERVALS_RIGHT = [
    LINES,
    LINES.replace(" won against ", " beat "),
    LINES.replace("\n", "; "),
    LINES.replace("P1", "period 1,").replace("P2", "2nd period,"),
    "\n".join(f"{n}. {line}" for n, line in enumerate(LINES.splitlines(), 1)),
    "\n".join(f"| {winner} | {loser} | P{period} | {clock} |" for winner, loser, period, clock in INTERVAL),
    "\n".join(f"P{period} {clock}: {winner} won against {loser}" for winner, loser, period, clock in INTERVAL),
    "; ".join(f"P{period} {clock} {winner} over {loser}" for winner, loser, period, clock in INTERVAL),
    "\n".join(f"{loser} lost to {winner}, P{period} {clock}" for winner, loser, period, clock in INTERVAL),
    "**P1**\n- 18:20 Lima beat Frostin\n- 19:44 Holtan beat Reedal\n\n**P2**\n- 0:00 Lima beat Holtan\n"
    "- 0:31 Frostin beat Lima\n- 0:31 Lima beat Frostin",
    f"You missed five faceoffs between P1 18:20 and P2 0:31:\n\n{LINES}\n\nAna Lima won three of them.",
]


@pytest.mark.parametrize("reply", INTERVALS_RIGHT)
def test_a_right_interval_of_faceoffs_is_read(reply: str) -> None:
    found = score_reply(turn_of("CR", "I", INTERVAL, "hockey", **SPAN), reply)
    assert (found["score"], found["gates"]) == (1.0, [])


@pytest.mark.parametrize(
    ("reply", "score", "gated"),
    [
        (LINES.replace("Ed Holtan won against Bo Reedal", "Bo Reedal won against Ed Holtan"), 0.8, False),
        (LINES.replace("19:44", "19:43"), 0.8, False),
        ("\n".join(LINES.splitlines()[2:]), 0.6, False),
        ("\n".join([LINES.splitlines()[0]] * 2), 0.2, False),
        (LINES.replace("P1", "P3").replace("P2", "P1"), 0.0, True),
        (LINES.replace("Ana", "Anna"), 1.0, False),
        (LINES.replace("Ana Lima", "Cyr Dolet"), 0.2 * 0, True),
    ],
)
def test_faceoffs_of_an_interval(reply: str, score: float, gated: bool) -> None:
    found = score_reply(turn_of("CR", "I", INTERVAL, "hockey", **SPAN), reply)
    assert (found["score"], found["gates"]) == (pytest.approx(score), ["false_facts"] if gated else [])

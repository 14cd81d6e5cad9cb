"""Turns with nothing but the fields that the page names, stored and read again, are scored and witnessed alike."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from page_broadcast import anchored, anchored_faceoffs, impact, interval, leads, lost, problem, score_turn, share
from page_referee import PAIRS, all_turns

from evolif.scenarios.broadcast import score_reply, witness

FIELDS = "number period kind message judged checklist gates key witness distance names".split()
each_pair = pytest.mark.parametrize(("task", "sport"), PAIRS)


def bare(turn: dict[str, Any]) -> dict[str, Any]:
    kept = {name: turn[name] for name in FIELDS}
    kept["names"] = {name: turn["names"][name] for name in ("sport", "teams", "roster")}
    found: dict[str, Any] = json.loads(json.dumps(kept))
    return found


@each_pair
def test_bare_turns_are_scored_alike(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, number=4):
        if turn["judged"]:
            for reply in (turn["witness"], "Noted.", "", turn["witness"].split("\n")[0]):
                assert score_reply(bare(turn), reply)["score"] == score_reply(turn, reply)["score"]


@each_pair
def test_bare_turns_have_witnesses(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, number=4):
        if turn["judged"]:
            found = score_reply(turn, witness({**bare(turn), "witness": ""}))
            assert (found["score"], lost(found)) == (1.0, [])


@each_pair
def test_what_a_scored_turn_holds_is_plain_and_nothing_is_changed(task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, number=2):
        if turn["judged"]:
            before = copy.deepcopy(turn)
            for reply in (turn["witness"], "Noted.", ""):
                found = score_reply(turn, reply)
                assert json.loads(json.dumps(found)) == found
                assert found["score"] == round(found["score"], 10)
                assert 0 <= found["score"] <= 1
                assert score_reply(turn, reply) == found
            assert turn == before


HANDMADE = [
    score_turn(54, 51),
    score_turn(3, 3, "hockey"),
    anchored(("Bo Carr", 3, 4, "11:25")),
    anchored(("Bo Carr", 1, 4, "37.0"), ("Bo Carr", 1, 4, "37.0")),
    anchored_faceoffs(("Cy Vane", "Ann Lee", 1, "3:20")),
    interval(("Ann Lee", 2, 1, "7:03"), ("Bo Carr", 3, 1, "43.5"), ("Cy Vane", 1, 2, "12:00")),
    leads(1, ("10:30", "Old Mill Foxes"), ("9:15", "Quarry Herons")),
    impact("T", "Ann Lee", ("Quarry Herons", 2), ("Tie", 0)),
    impact("H", "Bo Carr", ("Tie", 0), ("Tie", 0)),
    share("T", "Bo Carr", "Old Mill Foxes", 28.57, 42.86),
    share("H", "Bo Carr", "Old Mill Foxes", 0.0, 100.0),
    problem("E"),
]


@pytest.mark.parametrize("turn", HANDMADE, ids=lambda turn: f"{turn['kind']} {turn['names']['sport']}")
def test_a_turn_made_by_hand_has_a_witness(turn: dict[str, Any]) -> None:
    found = score_reply(turn, witness(turn))
    assert (found["score"], found["gates"], lost(found)) == (1.0, [], [])
    assert score_reply(turn, "")["score"] == 0.0
    assert score_reply(turn, "I was not looking.")["score"] == 0.0

"""What a weak model says instead of an answer: talk of two teams, and the friend's own words again."""

from __future__ import annotations

from typing import Any

import pytest
from reading_turns import HERONS, OWLS, satisfied, turn_of

from evolif.scenarios.broadcast import dialogue, score_reply
from evolif.scenarios.broadcast.wording import read_words

SPAN: dict[str, Any] = {"start": [1, "6:14"], "end": [2, "3:00"], "at": [3, "0:45"]}


@pytest.mark.parametrize(
    "reply",
    [
        "This is a game between the Herons and the Owls. The game is about the two teams who have the most points.",
        "The Herons and the Owls are the two teams.",
        "Herons and Owls, both sides play well in these two periods.",
        "The Herons lead the Owls by two after two quarters.",
    ],
)
def test_the_number_of_teams_or_quarters_is_no_score(reply: str) -> None:
    assert satisfied(turn_of("CR", "S", {HERONS: 2, OWLS: 2}), reply) == [False, False]


@pytest.mark.parametrize(
    "reply",
    [
        "Herons three, Owls one, so they lead by two.",
        "The Herons are up three to one on the Owls.",
        "The Herons have three goals after two periods, the Owls one.",
        "Herons three, Owls one: the two teams are close.",
    ],
)
def test_a_score_in_words_is_read_beside_such_numbers(reply: str) -> None:
    assert satisfied(turn_of("CR", "S", {HERONS: 3, OWLS: 1}, "hockey"), reply) == [True, True]


def test_the_lead_in_words_has_more_than_one_word() -> None:
    assert satisfied(turn_of("CR", "S", {HERONS: 30, OWLS: 9}), "Up by twenty-one: Herons 30, Owls 9") == [True, True]


@pytest.mark.parametrize("form", read_words().lists["before_form/cases"])
def test_the_form_of_a_level_score_is_no_answer(form: str) -> None:
    key = {"player": "Ana Lima", "no_ft": ["Tie", 0], "no_goals": ["Tie", 0]}
    turn = turn_of("IR", "H", key, player="Ana Lima", **SPAN)
    asked = f"What if Ana Lima makes no free throw in that time? And if she scores nothing in it? {form}"
    assert satisfied(turn, f"{asked}\nNo free throw: TEAM by N\nNothing: TEAM by N") == [False] * 4
    assert satisfied(turn, f"{asked}\nNo free throw: Tie by 0\nNothing: Tie by 0") == [True] * 4


@pytest.mark.parametrize("form", read_words().lists["before_form/changes"])
def test_a_line_for_each_change_is_not_one_change(form: str) -> None:
    turn = turn_of("IR", "L", [["6:14", HERONS]], period=2)
    assert satisfied(turn, f"{form}\nChanges: N\nclock, TEAM")[0] is False
    assert satisfied(turn, "There was only one lead change.")[0] is True
    assert satisfied(turn, "There is a line for each change.\nChanges: 1")[0] is True


@pytest.mark.parametrize("sport", ["basketball", "hockey"])
@pytest.mark.parametrize("task", ["CR", "IR", "TS"])
def test_who_repeats_the_question_gets_next_to_nothing(task: str, sport: str) -> None:
    scores = [
        score_reply(turn, turn["message"].rpartition("\n---\n")[2])["score"]
        for number in range(8)
        for turn in dialogue(task, sport, number, seed=3)["turns"]
        if turn["judged"]
    ]
    assert max(scores) < 0.3
    assert sum(scores) / len(scores) < 0.02


def test_the_anchor_told_again_is_no_answer_and_the_answer_beside_it_is() -> None:
    anchor = {"player": "Ana Lima", "opponent": "Dia Frostin", "anchor": [1, "7:51"], "delta": 528}
    faceoffs = turn_of("CR", "A", [["Ana Lima", "Dia Frostin", 1, "16:39"]], "hockey", **anchor)
    told = "Ana Lima won against Dia Frostin, P1 7:51"
    assert satisfied(faceoffs, told) == [False] * 3
    assert satisfied(faceoffs, f"{told}\nAna Lima won against Dia Frostin, P1 16:39") == [True] * 3
    assert satisfied(faceoffs, "Ana Lima won against Dia Frostin, P1 16:40") == [False, True, True]
    goal = turn_of("CR", "A", [["Ana Lima", 2, 1, "6:14"]], player="Ana Lima", anchor=[1, "9:00"], delta=166)
    assert satisfied(goal, "Ana Lima scored 2 points at Q1 9:00.") == [False, False]
    assert satisfied(goal, "Ana Lima, 2 points, Q1 6:14") == [True, True]

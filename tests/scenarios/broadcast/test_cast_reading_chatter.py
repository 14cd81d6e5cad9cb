"""What a weak model says instead of an answer: the friend's own words again."""

from __future__ import annotations

from typing import Any

import pytest
from reading_turns import HERONS, satisfied, turn_of

from evolif.scenarios.broadcast import dialogue, score_reply
from evolif.scenarios.broadcast.wording import read_words

SPAN: dict[str, Any] = {"start": [1, "6:14"], "end": [2, "3:00"], "at": [3, "0:45"]}


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


@pytest.mark.sampled
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

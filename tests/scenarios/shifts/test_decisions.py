"""Decisions of a strategy compared with the gold of a dialogue."""

from __future__ import annotations

from typing import Any

import pytest
from shift_dialogues import GOLD, TURNS, dialogue, turn

from evolif.scenarios.shifts import decision_scores
from evolif.scenarios.shifts.decisions import score_moves

ALL_RIGHT = {
    "topic_accuracy": 1.0,
    "fork_accuracy": 1.0,
    "extra_branches": 0,
    "return_accuracy": 1.0,
    "return_named": 1.0,
    "return_implicit": 1.0,
}


def replaced(**decisions: Any) -> list[Any]:
    """The gold, with other decisions at some turns: `t4=…`."""
    return [decisions.get(f"t{number}", gold) for number, gold in enumerate(GOLD, 1)]


def test_the_gold_decisions_are_all_right() -> None:
    assert decision_scores(dialogue(), GOLD) == ALL_RIGHT


def test_going_on_throughout_keeps_one_tree_for_everything() -> None:
    found = decision_scores(dialogue(), [None] * 8)
    # Turns 2, 4, 6 and 8 belong to the topic that the only tree began with; 3, 5 and 7 do not.
    assert found["topic_accuracy"] == 4 / 7
    assert found["fork_accuracy"] == 0.0
    assert found["extra_branches"] == 0
    # Before turn 6 the current node is turn 5, of another topic; before turn 7 it is turn 6.
    assert (found["return_named"], found["return_implicit"], found["return_accuracy"]) == (0.0, 0.0, 0.0)


def test_a_branch_at_another_node_is_no_fork_and_not_extra() -> None:
    wrong = {"topic": {"action": "SWITCH_TOPIC", "target": 0}, "branch": {"action": "CREATE_BRANCH", "fork": 2}}
    found = decision_scores(dialogue(), replaced(t4=wrong))
    assert found == ALL_RIGHT | {"fork_accuracy": 0.0}


def test_a_branch_where_the_gold_has_none_is_extra() -> None:
    extra = {"topic": {"action": "CONTINUE"}, "branch": {"action": "CREATE_BRANCH", "fork": 1}}
    found = decision_scores(dialogue(), replaced(t2=extra))
    assert found == ALL_RIGHT | {"extra_branches": 1}


def test_a_tree_too_many_is_a_wrong_topic_even_if_it_begins_with_the_right_one() -> None:
    created = {"topic": {"action": "CREATE_TOPIC"}, "branch": None}
    found = score_moves(dialogue(), replaced(t2=created))
    assert [score.topic for score in found] == [None, False, True, True, True, True, False, True]
    # Tree 2 is now what turn 5 would have been number 3 of: turn 7 goes to the tree of turn 3.


def test_a_return_has_to_reach_the_branch() -> None:
    other = {"topic": {"action": "SWITCH_TOPIC", "target": 0}, "branch": {"action": "SWITCH_BRANCH", "target": "b0"}}
    found = decision_scores(dialogue(), replaced(t6=other))
    assert (found["return_named"], found["return_implicit"], found["return_accuracy"]) == (0.0, 1.0, 0.5)
    assert found["topic_accuracy"] == 1.0


def test_a_tree_for_every_turn_leaves_only_the_topics_that_begin_right() -> None:
    found = decision_scores(dialogue(), [{"topic": {"action": "CREATE_TOPIC"}, "branch": None}] * 8)
    assert (found["topic_accuracy"], found["fork_accuracy"], found["return_accuracy"]) == (2 / 7, 0.0, 0.0)


def test_the_final_request_is_no_return() -> None:
    found = decision_scores(dialogue(), replaced(t8=None))
    assert found == ALL_RIGHT | {"topic_accuracy": 6 / 7}


def test_an_invalid_decision_goes_on() -> None:
    nowhere = {"topic": {"action": "SWITCH_TOPIC", "target": 9}, "branch": None}
    assert decision_scores(dialogue(), replaced(t2=nowhere, t1=None)) == ALL_RIGHT


def test_shares_of_nothing_are_none() -> None:
    plain = dialogue(turns=(turn(1, "open", "Plan a trip."),))
    assert decision_scores(plain, [None]) == {
        "topic_accuracy": None,
        "fork_accuracy": None,
        "extra_branches": 0,
        "return_accuracy": None,
        "return_named": None,
        "return_implicit": None,
    }


def test_there_is_one_decision_for_each_turn() -> None:
    with pytest.raises(ValueError, match="7 decisions for 8 turns"):
        decision_scores(dialogue(), GOLD[:-1])
    assert len(TURNS) == len(GOLD)

"""Which turns that goals come from a context still shows, and which values."""

from __future__ import annotations

import pytest
from shift_dialogues import GOALS, TURNS, dialogue

from evolif.contexts import full_history, last_turns
from evolif.scenarios.shifts import generate
from evolif.scenarios.shifts.recall import node_recall
from evolif.types import Message

SAID = [(turn.query, turn.reply) for turn in TURNS[:-1]]
FINAL = TURNS[-1].query


def test_turns_are_counted_once_however_many_goals_need_them() -> None:
    # The goals come from turns 1, 2, 4 and 6.
    found = node_recall(dialogue(), {1: "full", 2: "summary", 3: "full", 4: "full", 5: "summary"})
    assert found == {"full": 0.5, "summary": 0.25, "absent": 0.25, "kept_value": None}


def test_the_full_history_keeps_every_value() -> None:
    shown = dict.fromkeys(range(1, 8), "full")
    found = node_recall(dialogue(), shown, full_history(SAID, FINAL))
    assert found == {"full": 1.0, "summary": 0.0, "absent": 0.0, "kept_value": 1.0}


def test_kept_value_counts_goals_whose_value_is_to_be_there() -> None:
    found = node_recall(dialogue(), {}, last_turns(SAID, FINAL, 0))
    # Of Ghent, 1200 and the harbour, the final request names Ghent.
    assert found == {"full": 0.0, "summary": 0.0, "absent": 1.0, "kept_value": pytest.approx(1 / 3)}


def test_an_alias_and_another_way_to_write_a_number_do() -> None:
    messages = (Message("system", "The user wants Gent, 1 200 euros."), Message("user", "The harbour, please."))
    assert node_recall(dialogue(), {}, messages)["kept_value"] == 1.0


def test_a_value_in_another_word_does_not_occur() -> None:
    messages = (Message("user", "Ghentian beer, 11200 bottles"),)
    assert node_recall(dialogue(), {}, messages)["kept_value"] == 0.0


def test_without_goals_there_is_nothing_to_recall() -> None:
    found = node_recall(dialogue(checkpoints=()), {1: "full"}, ())
    assert found == {"full": None, "summary": None, "absent": None, "kept_value": None}
    only_absent = dialogue(checkpoints=GOALS[3:])
    assert node_recall(only_absent, {}, [Message("user", "The tower, and the guide Ana.")])["kept_value"] is None
    assert node_recall(only_absent, {}, ())["kept_value"] is None


def test_the_full_history_of_generated_dialogues_keeps_every_value_however_it_is_said() -> None:
    for made in generate(60, seed=5):
        messages = full_history([(turn.query, turn.reply) for turn in made.turns[:-1]], made.turns[-1].query)
        assert node_recall(made, {}, messages)["kept_value"] == 1.0
        assert node_recall(made, {}, ())["kept_value"] == 0.0

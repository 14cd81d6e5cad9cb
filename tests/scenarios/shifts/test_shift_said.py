"""Reading acts back from texts: the full history gives exactly the gold state."""

from __future__ import annotations

import random
import time

import pytest
from shift_dialogues import generated

from evolif.scenarios.shifts.dialogue import Act
from evolif.scenarios.shifts.read_back import act_sentences, named_branch, said
from evolif.scenarios.shifts.tasks import load_task


def comparable(acts: list[Act]) -> list[tuple[object, ...]]:
    return [(act.name, act.slot, act.value) for act in acts]


def test_all_user_turns_together_say_exactly_the_acts_of_the_main_topic() -> None:
    for dialogue in generated():
        text = "\n".join(turn.query for turn in dialogue.turns)
        gold = [act for turn in dialogue.turns if turn.topic == 0 for act in turn.details if act.slot]
        assert comparable(said(text, dialogue.task)) == comparable(gold)


@pytest.mark.slow
def test_replies_and_other_topics_say_nothing_about_the_main_topic() -> None:
    for dialogue in generated():
        texts = [turn.reply for turn in dialogue.turns] + [turn.query for turn in dialogue.turns if turn.topic]
        assert said("\n".join(texts), dialogue.task) == []


def test_folding_what_was_said_gives_the_goals() -> None:
    for dialogue in generated():
        task = load_task(dialogue.task)
        state: dict[str, object] = {}
        items: dict[str, list[object]] = {}
        for act in said("\n".join(turn.query for turn in dialogue.turns), task):
            if act.name in ("set", "refine"):
                state[act.slot] = act.value
            elif act.name == "withdraw":
                del state[act.slot]
            elif act.name == "add":
                items.setdefault(act.slot, []).append(act.value)
            elif act.name == "cancel":
                items[act.slot].remove(act.value)
        branch = named_branch(dialogue.turns[-1].query, task)
        assert branch is not None
        state[branch[0]] = branch[1]
        present = [goal for goal in dialogue.checkpoints if goal["polarity"] == "present"]
        assert state == {goal["key"]: goal["value"] for goal in present if goal["type"] != "item"}
        for key, values in items.items():
            assert values == [goal["value"] for goal in present if goal["key"] == key]


def test_named_returns_to_a_branch_name_it() -> None:
    named = 0
    for dialogue in generated():
        values = {"b0": None}
        for turn in dialogue.turns:
            if turn.move == "alternative":
                values[turn.branch] = turn.details[0].value
                values["b0"] = values["b0"] or turn.details[0].old
            elif turn.returns and named_branch(turn.query, dialogue.task):
                named += 1
                assert named_branch(turn.query, dialogue.task) == (
                    next(t.details[0].slot for t in dialogue.turns if t.move == "alternative"),
                    values[turn.branch],
                )
    assert named > 100


def test_sentences_are_found_inside_other_text_whatever_their_case() -> None:
    chance = random.Random(5)
    task = load_task(generated()[0].task)
    pairs = [pair for slot in task.slots for pair in act_sentences(slot)]
    for _ in range(200):
        chosen = chance.sample(pairs, 3)
        text = "Earlier in this conversation: " + " and also, ".join(s.upper() for s, _ in chosen) + " Bye."
        assert said(text, task) == [act for _, act in chosen]


def test_part_of_a_sentence_says_nothing() -> None:
    task = load_task(generated()[0].task)
    sentence, act = next(act_sentences(task.slots[0]))
    assert said(sentence, task) == [act]
    assert said(sentence[:-8], task) == []
    assert said("x" + sentence, task) == []


def test_long_texts_take_time_in_proportion() -> None:
    task = load_task(generated()[0].task)
    begin = next(act_sentences(task.slots[0]))[0][:-8] + " "
    said(begin, task)
    started = time.perf_counter()
    assert said(begin * 20_000, task) == []
    assert time.perf_counter() - started < 5

"""Words of generated dialogues: nothing is given away, topics share nothing, and users type as people do."""

from __future__ import annotations

import json
import re
import statistics
from collections import Counter
from itertools import combinations, pairwise

import pytest
from shift_dialogues import earlier_turns, generated

from evolif.scenarios.shifts import generate
from evolif.scenarios.shifts.dialogue import ShiftDialogue, Value
from evolif.scenarios.shifts.generate import draw_dialogue
from evolif.scenarios.shifts.read_back import named_branch
from evolif.scenarios.shifts.tasks import Hold, grams, kept, load_task, own_words, plain, usable_tasks
from evolif.scenarios.shifts.words import generic


def values(dialogue: ShiftDialogue) -> set[tuple[int, str, Value]]:
    return {
        (turn.topic, act.slot, act.value)
        for turn in dialogue.turns
        for act in turn.details
        if act.value is not None and not isinstance(act.value, bool)
    }


def test_the_values_of_a_dialogue_differ_and_none_contains_another() -> None:
    for dialogue in generated():
        texts = [str(value).lower() for _, _, value in values(dialogue)]
        assert all(a not in b and b not in a for a, b in combinations(texts, 2))


def test_every_goal_is_said_in_words_that_hold_its_value() -> None:
    for dialogue in generated():
        task = load_task(dialogue.task)
        for turn in dialogue.turns:
            for act in turn.details if turn.topic == 0 else ():
                if act.value is not None and not isinstance(act.value, bool):
                    assert task.slot(act.slot).say(act.value).lower() in turn.query.lower()


def test_other_topics_and_digressions_share_no_slot_word_and_no_value_with_the_main_topic() -> None:
    for dialogue in generated():
        taken = own_words(dialogue.task)
        for turn in dialogue.turns:
            if turn.topic:
                assert grams(turn.query).isdisjoint(taken), turn.query


@pytest.mark.slow
def test_replies_hold_no_value_of_a_goal_but_those_that_the_user_just_said() -> None:
    for dialogue in generated():
        task = load_task(dialogue.task)
        forms = {
            plain(form): goal["value"]
            for goal in dialogue.checkpoints
            if goal["type"] != "yes_no"
            for form in (str(goal["value"]), task.slot(goal["key"]).say(goal["value"]))
        }
        for turn in dialogue.turns[:-1]:
            said = {forms[form] for form in grams(turn.reply) & set(forms)}
            assert said <= {value for act in turn.details for value in (act.value, act.old)}, turn.reply


def test_the_final_request_lists_all_keys_and_gives_no_goal_away_but_the_branch() -> None:
    for dialogue in generated():
        final = dialogue.turns[-1]
        fork = next(turn.details[0].slot for turn in dialogue.turns if turn.move == "alternative")
        chosen = next(goal for goal in dialogue.checkpoints if goal["key"] == fork)
        assert named_branch(final.query, dialogue.task) == (fork, chosen["value"])
        assert all(key in final.query for key in dialogue.keys)
        assert "null" in final.query
        assert load_task(dialogue.task).title in final.query
        asked = final.query.replace(", ".join(dialogue.keys), "")
        others = {plain(str(value)) for topic, slot, value in values(dialogue) if topic == 0 and slot != fork}
        assert grams(asked).isdisjoint(others)
        assert final.details == ()


def test_witnesses_hold_one_object_with_all_keys_and_values_where_something_is_agreed() -> None:
    for dialogue in generated():
        [block] = re.findall(r"```json\n(.*?)```", dialogue.witness, re.DOTALL)
        held = json.loads(block)
        assert tuple(held) == dialogue.keys
        agreed = {goal["key"] for goal in dialogue.checkpoints if goal["polarity"] == "present"}
        assert {key for key, value in held.items() if value not in (None, "", [])} == agreed


def test_the_list_of_keys_tells_no_goal() -> None:
    assert any({goal["key"] for goal in dialogue.checkpoints} < set(dialogue.keys) for dialogue in generated())


def test_every_task_type_occurs() -> None:
    assert {dialogue.task for dialogue in generated()} == set(usable_tasks("all", 2))


def test_nothing_is_left_unfilled_and_no_space_too_many() -> None:
    for turn in earlier_turns():
        for text in (turn.query, turn.reply):
            assert text == text.strip() and not re.search(r"[{}]|  ", text)


def test_named_returns_have_a_cue_and_implicit_ones_have_none() -> None:
    cue = re.compile(r"\b(?:back to|return to|earlier)\b", re.IGNORECASE)
    for turn in earlier_turns():
        if turn.returns:
            assert bool(cue.search(turn.query)) == (turn.returns == "named"), turn.query


def test_users_type_about_as_people_do() -> None:
    assert statistics.mean(len(turn.query.split()) for turn in earlier_turns()) == pytest.approx(17.5, abs=1)
    assert statistics.mean("?" in turn.query for turn in earlier_turns()) == pytest.approx(0.45, abs=0.05)
    openly = [
        any(act.name == "refine" and act.old is not None and _names(turn.query, act.old) for act in turn.details)
        for turn in earlier_turns()
    ]
    assert statistics.mean(openly) == pytest.approx(0.11, abs=0.03)


def _names(query: str, old: Value) -> bool:
    return not isinstance(old, bool) and plain(str(old)).split()[0] in plain(query)


def test_replies_repeat_no_sentence_and_take_up_what_was_said() -> None:
    repeated = said = 0
    for dialogue in generated():
        counts = Counter(sentence for turn in dialogue.turns[:-1] for sentence in re.split(r"(?<=[.?!]) ", turn.reply))
        said += counts.total()
        repeated += counts.total() - len(counts)
        for turn in dialogue.turns[:-1]:
            for act in turn.details if turn.topic == 0 else ():
                if act.value is not None and act.value is not False and act.value is not True:
                    assert load_task(dialogue.task).slot(act.slot).say(act.value).lower() in turn.reply.lower()
    assert repeated / said < 0.01
    assert all(dialogue.turns[-1].reply == dialogue.witness for dialogue in generated())


def test_replies_are_as_long_as_the_replies_of_assistants_are() -> None:
    lengths = [len(turn.reply.split()) for turn in earlier_turns()]
    assert statistics.median(lengths) == pytest.approx(80, abs=4) and min(lengths) >= 30 and max(lengths) <= 200


def test_a_slot_changes_once_or_is_given_up_after_one_change() -> None:
    changed = Counter[str]()
    for dialogue in generated():
        slots = Counter(
            act.slot for turn in dialogue.turns if turn.topic == 0 for act in turn.details if act.name == "refine"
        )
        assert max(slots.values()) == 1
        dropped = {act.slot for turn in dialogue.turns for act in turn.details if act.name == "withdraw"}
        changed["once"] += len(slots)
        changed["and dropped"] += len(dropped & set(slots))
    assert changed["and dropped"] < 0.1 * changed["once"]


def test_a_reason_fits_whether_a_value_rises_or_falls() -> None:
    turns = [turn for dialogue in generated() for turn in dialogue.turns]
    for turn in turns:
        if "my heart" in turn.query or "The stress test went well" in turn.query:
            [act] = [act for act in turn.details if act.slot == "pulse_cap"]
            assert (float(act.value or 0) > float(act.old or 0)) == ("stress test" in turn.query)
    assert any("The stress test went well" in turn.query for turn in turns)


def test_alternatives_are_about_the_branch_that_the_user_is_on() -> None:
    for dialogue in generated():
        main = [turn for turn in dialogue.turns if turn.topic == 0]
        fork = next(turn.details[0].slot for turn in main if turn.move == "alternative")
        values = {}
        for before, turn in pairwise(main):
            for act in before.details:
                if act.slot == fork and act.name == "set":
                    values[before.branch] = act.value
            if turn.move == "alternative":
                assert turn.details[0].old == values[before.branch]


def test_nobody_says_the_same_twice() -> None:
    for dialogue in generated():
        assert len({turn.query for turn in dialogue.turns}) == dialogue.rounds
        assert len({turn.reply for turn in dialogue.turns}) == dialogue.rounds


def test_a_dialogue_is_drawn_a_few_times_at_most() -> None:
    draws = [draw_dialogue(41, number, (10, 15, 20, 25)[number % 4])[1] for number in range(200)]
    assert statistics.mean(draws) < 9
    assert max(draws) < 60


@pytest.mark.sampled
@pytest.mark.parametrize("hold", ["calibration", "held_out"])
def test_calibration_and_measurement_share_no_task_type_and_no_sentence(hold: Hold) -> None:
    dialogues = tuple(generate(60, seed=3, hold=hold))
    other: Hold = "held_out" if hold == "calibration" else "calibration"
    assert {dialogue.task for dialogue in dialogues} <= set(usable_tasks(hold, 2))
    text = "\n".join(turn.query + " " + turn.reply for dialogue in dialogues for turn in dialogue.turns).lower()
    unseen = [s for name in ("new_topics", "unchanged", "final_stays") for s in kept(generic("all")[name], other)]
    assert not [sentence for sentence in unseen if sentence[1:].lower() in text]
    assert dialogues == tuple(generate(60, seed=3, hold=hold))

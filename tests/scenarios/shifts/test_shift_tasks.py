"""Task types: every data file keeps to its format, and what is held out depends on texts alone."""

from __future__ import annotations

import pytest

from evolif.contexts.rules import Thresholds, _read_cues
from evolif.errors import ArgumentError
from evolif.scenarios.shifts.first_words import lowered
from evolif.scenarios.shifts.lint import lint
from evolif.scenarios.shifts.lint_words import lint_words
from evolif.scenarios.shifts.task_words import load_words
from evolif.scenarios.shifts.tasks import (
    TaskType,
    beside,
    filled,
    first_task,
    grams,
    kept,
    load_task,
    own_words,
    plain,
    task_types,
    usable_task,
    usable_tasks,
)
from evolif.scenarios.shifts.words import generic

ALL = [task for ids in task_types().values() for task in ids]


@pytest.mark.sampled
@pytest.mark.parametrize("task", ALL)
def test_every_task_type_keeps_to_the_format(task: str) -> None:
    assert load_task(task).id == task
    assert lint(load_task(task)) == []


@pytest.mark.sampled
@pytest.mark.parametrize("task", usable_tasks("all", 2))
def test_replies_name_no_value_but_that_of_the_user_and_side_questions_no_word_of_the_task(task: str) -> None:
    assert lint_words(load_task(task)) == []


def test_each_family_has_task_types_enough_in_each_edition() -> None:
    for edition in (1, 2):
        usable = set(usable_tasks("all", edition))
        assert all(len(usable & set(ids)) >= 12 for ids in task_types().values())


def test_lint_finds_what_is_wrong_with_words() -> None:
    task = load_task("city_trip")
    words = load_words("city_trip")
    assert words is not None
    own = words.slots["lodging"]
    cases: list[tuple[dict[str, object], str]] = [
        ({"dropped": "A night train would do as well, I think."}, "holds a value"),
        ({"asides": (("Why does a city never sleep?", "It does."),)}, "holds a word of the task"),
        ({"set": ""}, "lodging lacks set"),
        ({"changed": "It is {value}, and not {old}."}, "holds {old}"),
    ]
    for changes, fault in cases:
        slots = {**words.slots, "lodging": own.model_copy(update=changes)}
        found = lint_words(task, words.model_copy(update={"slots": slots}))
        assert any(fault in one for one in found), (fault, found)


def test_each_family_has_task_types_enough() -> None:
    assert {family: len(ids) >= 12 for family, ids in task_types().items()} == {"planning": True, "coding": True}


def changed(**changes: object) -> TaskType:
    return load_task(ALL[0]).model_copy(update=changes)


@pytest.mark.parametrize("name", ["openings", "questions", "remarks", "replies", "digressions", "implicit"])
def test_lint_finds_a_value_in_a_neutral_sentence(name: str) -> None:
    task = load_task(ALL[0])
    value = next(slot.values[0] for slot in task.slots if slot.fork)
    sentences = (*getattr(task, name), f"Is {value} something for us?")
    assert any(str(value) in fault for fault in lint(changed(**{name: sentences})))


def test_lint_finds_what_is_wrong_with_a_slot() -> None:
    task = load_task(ALL[0])
    at = next(at for at, slot in enumerate(task.slots) if slot.fork)
    slot = task.slots[at]
    assert isinstance(slot.set, tuple)
    cases: list[tuple[dict[str, object], str]] = [
        ({"values": slot.values[:3]}, "has 3 values"),
        ({"values": (*slot.values, 7)}, "7 is no text"),
        ({"values": (*slot.values, f"old {slot.values[0]}")}, "occurs in"),
        ({"set": (*slot.set, "We have not decided anything yet.")}, "{value} 0 times"),
        ({"set": (*slot.set, "What if we took {value}?")}, "has the cue of an alternative"),
        ({"set": (*slot.set, "We are back to {value}.")}, "has the cue of a return"),
        ({"alternative": (*slot.alternative, "Take {value}, not {old}.")}, "needs the cue"),
        ({"words": task.slots[at - 1].words}, "share the words"),
        ({"ask": ()}, "has sentences for"),
    ]
    for changes, fault in cases:
        slots = (*task.slots[:at], slot.model_copy(update=changes), *task.slots[at + 1 :])
        assert any(fault.replace("needs the cue", "needs a cue") in found for found in lint(changed(slots=slots))), (
            fault
        )


def test_an_unknown_task_type_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="there is no task type"):
        load_task("nothing")


def test_a_third_is_held_out_and_the_rest_is_for_calibration() -> None:
    options = [f"sentence {number}" for number in range(14)]
    for hold in ("calibration", "held_out"):
        assert set(kept(options, hold)) == set(kept(options[::-1], hold))
    assert sorted((*kept(options, "calibration"), *kept(options, "held_out"))) == sorted(options)
    assert len(kept(options, "held_out")) == 5
    assert kept(["one"], "calibration") == ("one",)
    assert not set(usable_tasks("calibration", 1)) & set(usable_tasks("held_out", 1))
    assert set(usable_tasks("calibration", 1)) | set(usable_tasks("held_out", 1)) == set(ALL)


def test_calibration_never_sees_a_third_of_each_list() -> None:
    for task in usable_tasks("calibration", 1):
        whole, part = first_task(task), usable_task(task, "calibration", 1)
        for name in ("openings", "questions", "remarks", "replies", "digressions", "implicit"):
            assert len(getattr(part, name)) == round(len(getattr(whole, name)) * 2 / 3)
        for slot, reduced in zip(whole.slots, part.slots, strict=True):
            held = {name: len(s) for name, s in slot.all_sentences().items()}
            assert all(len(s) < held[name] for name, s in reduced.all_sentences().items())


def test_another_topic_shares_no_slot_word_and_no_value_with_the_main_one() -> None:
    for main in ALL:
        taken = own_words(main)
        for other in ALL:
            editions = (1, 2) if {main, other} <= set(usable_tasks("all", 2)) else (1,)
            tasks = [beside(main, other, "all", edition) for edition in editions]
            for slot in (slot for task in tasks if task for slot in task.slots):
                assert not taken & set(map(plain, slot.words))
                texts = [s for sentences in slot.all_sentences().values() for s in sentences]
                texts += [slot.say(value) for value in slot.values]
                assert all(grams(text).isdisjoint(taken) for text in texts)


@pytest.mark.sampled
@pytest.mark.parametrize("hold", ["all", "calibration", "held_out"])
def test_every_task_type_finds_other_topics(hold: str) -> None:
    for edition in (1, 2):
        ids = usable_tasks(hold, edition)
        for main in ids:
            assert sum(beside(main, other, hold, edition) is not None for other in ids) >= 3, (main, edition)


def test_an_article_fits_its_value_and_a_sentence_begins_with_a_capital() -> None:
    assert filled("{value} is a must.", "old tram") == "Old tram is a must."
    assert filled("We want a {value}.", "old tram") == "We want an old tram."
    assert filled("Not an {old}, but a {value}.", "unit", "car") == "Not a car, but a unit."
    assert filled("Is it a {value}?", "SQL file") == "Is it an SQL file?"


def test_named_returns_have_a_cue_and_openings_of_topics_have_none() -> None:
    cues = {
        name: [_read_cues(s, Thresholds()).back for s in generic("all")[name]]
        for name in (
            "named_returns",
            "branch_returns",
            "final_returns",
            "topic_leads",
            "questions",
            "replies",
            "ways_back",
            "branch_ways_back",
            "new_topics",
        )
    }
    assert {name: (all(found), any(found)) for name, found in cues.items()} == {
        "named_returns": (True, True),
        "branch_returns": (True, True),
        "final_returns": (True, True),
        "topic_leads": (False, False),
        "questions": (False, False),
        "replies": (False, False),
        "ways_back": (True, True),
        "branch_ways_back": (True, True),
        "new_topics": (False, False),
    }


@pytest.mark.parametrize("task", ALL)
def test_a_wish_that_follows_a_connector_begins_with_a_small_letter(task: str) -> None:
    for slot in first_task(task).slots:
        for sentence in (s for group in slot.all_sentences().values() for s in group):
            if sentence[0].isupper() and sentence.split()[0].split("'")[0] != "I":
                assert lowered(sentence)[0].islower(), sentence

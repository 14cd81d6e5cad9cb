"""The responder that knows only what it is shown."""

from __future__ import annotations

import pytest

from evolif.contexts import full_history, last_turns
from evolif.scenarios.shifts import check_answer, generate
from evolif.scenarios.shifts.checking import invented
from evolif.scenarios.shifts.dialogue import ShiftDialogue
from evolif.scenarios.shifts.lines import lines_of
from evolif.scenarios.shifts.reader import answer_from, read_state
from evolif.types import Message, Prompt

TASK = "city_trip"


def asked(dialogue: ShiftDialogue) -> Prompt:
    *_, last = lines_of(dialogue)
    return Prompt(1, dialogue.rounds, (Message("user", last["query"]),), payload=last, labels=last["labels"])


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_it_meets_every_goal_and_invents_nothing_if_it_is_shown_everything(seed: int) -> None:
    for made in generate(250, seed=seed):
        messages = full_history([(turn.query, turn.reply) for turn in made.turns[:-1]], made.turns[-1].query)
        answer = answer_from(messages, asked(made))
        assert all(result["satisfied"] for result in check_answer(made, answer))
        assert invented(made, answer, keys=made.keys) == []


def test_it_knows_nothing_that_it_is_not_shown() -> None:
    met = total = 0
    for made in generate(40, seed=9):
        messages = last_turns([(turn.query, turn.reply) for turn in made.turns[:-1]], made.turns[-1].query, 1)
        results = check_answer(made, answer_from(messages, asked(made)))
        met, total = met + sum(result["satisfied"] for result in results), total + len(results)
    assert 0 < met < total / 2


def test_the_latest_value_holds_and_the_final_request_decides_between_branches() -> None:
    first = "I think Lisbon should be our destination."
    other = "What if we went to Ghent instead of Lisbon? Would that be a better destination?"
    assert read_state([first, "Go on."], TASK) == {"destination": "Lisbon"}
    assert read_state([first, other, "Go on."], TASK) == {"destination": "Ghent"}
    assert read_state([other, first, "Go on."], TASK) == {"destination": "Lisbon"}
    assert read_state([first, other, "Now give me the complete plan for the Lisbon version."], TASK) == {
        "destination": "Lisbon"
    }


def test_what_an_assistant_says_is_not_read() -> None:
    [made] = generate(1, seed=2)
    said = [Message("assistant", turn.query) for turn in made.turns]
    results = check_answer(made, answer_from([*said, Message("user", "Go on.")], asked(made)))
    assert not any(result["satisfied"] for result in results)

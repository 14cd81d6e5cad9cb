"""Moves of generated dialogues: how many of each there are, and that the gold decisions lead where the gold says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from shift_dialogues import generated

from evolif.contexts import Forest
from evolif.errors import ArgumentError
from evolif.scenarios.shifts import generate, gold_decisions
from evolif.scenarios.shifts.dialogue import ShiftDialogue
from evolif.scenarios.shifts.outline import COUNTS, MOST_ACTS


def names(dialogue: ShiftDialogue) -> list[str]:
    return [turn.move for turn in dialogue.turns]


def test_the_same_seed_gives_the_same_dialogues_however_many_are_asked_for() -> None:
    assert tuple(generate(7, seed=41)) == generated()[:7]
    assert next(generate(1, seed=12)) != generated()[0]


def test_dialogues_are_made_one_by_one_from_seed_zero_unless_another_is_given() -> None:
    assert next(generate(10**9)) == next(generate(1, seed=0))
    assert list(generate(0)) == []


def test_all_dialogues_differ() -> None:
    assert len({tuple(turn.query for turn in dialogue.turns) for dialogue in generated()}) == len(generated())


@pytest.mark.parametrize("rounds", [(25, 10), (10, 10, 20), [15]])
def test_rounds_are_taken_in_turn(rounds: Sequence[int]) -> None:
    assert [dialogue.rounds for dialogue in generated()[:8]] == [10, 15, 20, 25] * 2
    made = list(generate(4, rounds=rounds))
    assert [dialogue.rounds for dialogue in made] == (list(rounds) * 4)[:4]
    assert all(len(dialogue.turns) == dialogue.rounds for dialogue in made)


@pytest.mark.parametrize(("dialogues", "rounds"), [(-1, (10,)), (1, (0,)), (1, (11,)), (1, (10, 12)), (1, ())])
def test_what_cannot_be_generated_is_an_error(dialogues: int, rounds: tuple[int, ...]) -> None:
    with pytest.raises(ArgumentError):
        generate(dialogues, rounds=rounds)


# At least: topics, alternatives, refinements, returns, implicit ones, digressions, dropped values, goals.
LEAST = {
    10: (2, 1, 2, 1, 0, 2, 1, 4),
    15: (2, 2, 3, 2, 1, 2, 1, 5),
    20: (3, 2, 4, 3, 1, 3, 2, 6),
    25: (3, 3, 5, 4, 2, 3, 2, 7),
}


def test_every_dialogue_has_at_least_what_its_rounds_ask_for() -> None:
    assert {rounds: tuple(counts) for rounds, counts in COUNTS.items()} == LEAST
    for dialogue in generated():
        counts = COUNTS[dialogue.rounds]
        moves = names(dialogue)
        acts = [act for turn in dialogue.turns for act in turn.acts]
        assert moves.count("topic") + 1 >= counts.topics
        assert moves.count("alternative") >= counts.alternatives
        assert acts.count("refine") >= counts.refinements
        assert moves.count("return") >= counts.returns
        assert sum(turn.returns == "implicit" for turn in dialogue.turns) >= counts.implicit
        assert moves.count("digress") >= counts.digressions
        assert acts.count("cancel") + acts.count("withdraw") >= counts.dropped
        assert len(dialogue.checkpoints) >= max(counts.goals, 3)


def test_a_dialogue_opens_once_and_ends_with_the_final_request() -> None:
    for dialogue in generated():
        moves = names(dialogue)
        assert [turn.turn for turn in dialogue.turns] == list(range(1, dialogue.rounds + 1))
        assert moves[0] == "open"
        assert moves.count("open") == 1
        assert moves.index("final") == dialogue.rounds - 1
        assert all(len(turn.acts) <= MOST_ACTS == 3 for turn in dialogue.turns)
        assert {"set", "add"} & set(dialogue.turns[0].acts)
        assert dialogue.turns[0].topic == dialogue.turns[-1].topic == 0


def test_a_topic_has_goals_of_its_own_and_a_digression_has_none() -> None:
    for dialogue in generated():
        for opening in dialogue.turns:
            acts = {act for turn in dialogue.turns if turn.topic == opening.topic for act in turn.acts}
            if opening.move == "topic":
                assert acts & {"set", "add"}
            elif opening.move == "digress":
                assert acts <= {"ask"}


def test_only_returns_say_how_they_return() -> None:
    for turn in (turn for dialogue in generated() for turn in dialogue.turns):
        assert (turn.returns is not None) == (turn.move == "return")
        assert (turn.fork is not None) == (turn.move == "alternative")


def test_the_gold_decisions_lead_where_the_gold_says() -> None:
    for dialogue in generated():
        forest = Forest()
        for turn, decision in zip(dialogue.turns, gold_decisions(dialogue), strict=True):
            assert forest.move(**decision) == decision
            node = forest.add(turn.query, turn.reply)
            assert (node.tree, node.branch) == (turn.topic, turn.branch)
            assert turn.fork is None or node.parent == turn.fork


def test_moves_are_named_after_their_decisions() -> None:
    for dialogue in generated():
        for turn, decision in zip(dialogue.turns, gold_decisions(dialogue), strict=True):
            topic, branch = decision["topic"], decision["branch"]
            assert topic is not None
            creates = topic["action"] == "CREATE_TOPIC"
            goes_back = topic["action"] == "SWITCH_TOPIC" or (branch or {}).get("action") == "SWITCH_BRANCH"
            assert creates == (turn.move in ("open", "topic", "digress"))
            assert goes_back == (turn.move == "return") or turn.move == "final"
            assert ((branch or {}).get("action") == "CREATE_BRANCH") == (turn.move == "alternative")


def test_an_alternative_branches_off_from_the_turn_that_set_the_value_it_names() -> None:
    for dialogue in generated():
        for turn in dialogue.turns:
            if turn.move == "alternative":
                assert turn.fork is not None
                act, origin = turn.details[0], dialogue.turns[turn.fork - 1]
                assert any((a.name, a.slot, a.value) == ("set", act.slot, act.old) for a in origin.details)
                between = dialogue.turns[turn.fork : turn.turn - 1]
                assert any(other.topic == turn.topic for other in between)
                assert str(act.old).lower() in turn.query.lower()

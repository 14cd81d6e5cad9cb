"""Goals of generated dialogues: where they come from, that the witness meets them, and that each can fail alone."""

from __future__ import annotations

from collections import Counter

import pytest
from shift_dialogues import generated

from evolif.scenarios.shifts import check_answer
from evolif.scenarios.shifts.checking import invented
from evolif.scenarios.shifts.dialogue import Act, Move, ShiftDialogue, ShiftTurn
from evolif.scenarios.shifts.goals import checkpoints_of, final_path
from evolif.scenarios.shifts.tasks import load_task
from evolif.scenarios.shifts.witness import planted_errors


def forked(dialogue: ShiftDialogue) -> str:
    return next(turn.details[0].slot for turn in dialogue.turns if turn.move == "alternative")


@pytest.mark.slow
def test_the_witness_satisfies_every_goal() -> None:
    for dialogue in generated():
        results = check_answer(dialogue, dialogue.witness)
        assert len(results) == len(dialogue.checkpoints) >= 3
        assert all(result["satisfied"] for result in results)
        assert invented(dialogue, dialogue.witness) == []
        assert dialogue.keys == load_task(dialogue.task).keys


@pytest.mark.slow
def test_every_planted_error_fails_its_goal_alone_with_its_reason() -> None:
    reasons: Counter[str] = Counter()
    for dialogue in generated():
        for error in planted_errors(dialogue):
            unmet = {r["id"]: r["reason"] for r in check_answer(dialogue, error.answer) if not r["satisfied"]}
            assert unmet == {error.goal: error.reason}, (dialogue.task, error)
            reasons[error.reason] += 1
    assert set(reasons) == {"missing", "cancelled", "stale", "other_branch", "wrong"}
    assert min(reasons.values()) >= len(generated()) // 3


def test_every_goal_has_a_planted_error_of_each_reason_that_it_can_fail_for() -> None:
    for dialogue in generated():
        planted: dict[str, list[str]] = {}
        for error in planted_errors(dialogue):
            planted.setdefault(error.goal, []).append(error.reason)
        for goal in dialogue.checkpoints:
            present = goal["polarity"] == "present"
            expected = {"missing" if present else "cancelled"}
            if goal["type"] != "item":
                expected |= {"wrong"} | ({"stale"} if goal["superseded"] else set())
                expected |= {"other_branch"} if present and goal["other_branch"] else set()
            assert sorted(planted[goal["id"]]) == sorted(expected)


def test_goals_point_at_the_turns_that_said_them() -> None:
    for dialogue in generated():
        path = final_path(dialogue.turns)
        for goal in dialogue.checkpoints:
            assert goal["provenance"] == sorted(set(goal["provenance"]))
            assert set(goal["provenance"]) <= set(path[:-1])
            acts = [act for turn in goal["provenance"] for act in dialogue.turns[turn - 1].details]
            about = [act for act in acts if act.slot == goal["key"] and act.name != "ask"]
            if goal["type"] == "item":
                about = [act for act in about if act.value == goal["value"]]
            assert len(about) == len(goal["provenance"])
            assert (about[-1].name in ("cancel", "withdraw")) == (goal["polarity"] == "absent")
            assert goal["value"] in (about[-1].value, about[-1].old)
            assert (goal["topic"], goal["branch"]) == (0, dialogue.turns[-1].branch)


def test_superseded_and_other_values_are_given_with_the_turns_that_said_them() -> None:
    for dialogue in generated():
        for goal in dialogue.checkpoints:
            for one in (*goal["superseded"], *goal["other_branch"]):
                assert one["value"] != goal["value"]
                details = dialogue.turns[one["turn"] - 1].details
                assert (goal["key"], one["value"]) in {(act.slot, act.value) for act in details}
            assert bool(goal["other_branch"]) == (goal["key"] == forked(dialogue))


def test_on_branches_that_are_not_chosen_only_the_fork_slot_is_set() -> None:
    for dialogue in generated():
        path = final_path(dialogue.turns)
        for turn in dialogue.turns:
            if turn.topic == 0 and turn.turn not in path:
                assert {act.slot for act in turn.details if act.name != "ask"} <= {forked(dialogue)}


def test_a_list_with_a_cancelled_item_keeps_one() -> None:
    cancelled = 0
    for dialogue in generated():
        items = [goal for goal in dialogue.checkpoints if goal["type"] == "item"]
        for goal in items:
            if goal["polarity"] == "absent":
                cancelled += 1
                assert any(other["key"] == goal["key"] and other["polarity"] == "present" for other in items)
    assert cancelled > 100


def turn(number: int, move: Move, *details: Act, branch: str = "b0", fork: int | None = None) -> ShiftTurn:
    return ShiftTurn(number, move, 0, branch, fork, "", "", details)


def test_a_value_that_is_in_force_again_is_not_superseded() -> None:
    task = load_task("city_trip")
    turns = [
        turn(1, "open", Act("set", "breakfast_included", True), Act("set", "destination", "Ghent")),
        turn(2, "continue", Act("refine", "breakfast_included", False, True)),
        turn(3, "alternative", Act("set", "destination", "Lisbon", "Ghent"), branch="b1", fork=1),
        turn(4, "return"),
        turn(5, "continue", Act("refine", "breakfast_included", True, False)),
        turn(6, "final"),
    ]
    breakfast, city = checkpoints_of(turns, task)
    assert breakfast["provenance"] == [1, 2, 5]
    assert breakfast["superseded"] == [{"value": False, "turn": 2}]
    assert (city["value"], city["provenance"]) == ("Ghent", [1])
    assert city["other_branch"] == [{"value": "Lisbon", "turn": 3}]
    assert city["aliases"] == {"Lisbon": ["Lisboa"]}


def test_the_chosen_branch_alone_decides_what_is_in_force() -> None:
    task = load_task("city_trip")
    turns = [
        turn(1, "open", Act("set", "destination", "Ghent")),
        turn(2, "continue", Act("ask", "")),
        turn(3, "alternative", Act("set", "destination", "Lisbon", "Ghent"), branch="b1", fork=1),
        turn(4, "continue", Act("set", "spending_cap_eur", 740), branch="b1"),
        turn(5, "continue", Act("withdraw", "spending_cap_eur", None, 740), branch="b1"),
        turn(6, "final", branch="b1"),
    ]
    assert final_path(turns) == [1, 3, 4, 5, 6]
    city, cap = checkpoints_of(turns, task)
    assert (city["value"], city["provenance"]) == ("Lisbon", [3])
    assert city["other_branch"] == [{"value": "Ghent", "turn": 1}]
    assert (cap["value"], cap["polarity"], cap["type"], cap["provenance"]) == (740, "absent", "number", [4, 5])

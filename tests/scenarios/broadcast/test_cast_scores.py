"""Scores of turns, dialogues, categories, overall."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import category_score, checklist_score, game_accuracy, overall

WEIGHTS = {"tag1": 0.1, "tag2": 0.4, "words": 0.2, "sentences": 0.2, "home": 0.05, "away": 0.05}


@pytest.mark.parametrize(
    ("satisfied", "score"),
    [
        ([], 0),
        (WEIGHTS, 1),
        (["tag1", "words"], 0.3),  # not 0.30000000000000004
        (["tag1", "tag1"], 0.1),
        (("tag2", "home"), 0.45),
        ({"away"}, 0.05),
    ],
)
def test_the_weights_of_satisfied_items_add_up(satisfied: Any, score: float) -> None:
    assert checklist_score(WEIGHTS, list(satisfied)) == score


def test_a_triggered_gate_costs_everything_and_other_names_nothing() -> None:
    assert checklist_score(WEIGHTS, list(WEIGHTS), ["no summary"], ["no summary"]) == 0
    assert checklist_score(WEIGHTS, ["tag1"], ["no summary", "rain"], ["rain"]) == 0
    assert checklist_score(WEIGHTS, list(WEIGHTS), ["no summary"], ["rain"]) == 1
    assert checklist_score(WEIGHTS, list(WEIGHTS), (), ["tag1"]) == 1
    assert checklist_score(WEIGHTS, list(WEIGHTS), ["no summary"]) == 1


def test_a_score_stays_within_zero_and_one_and_has_ten_decimals() -> None:
    assert checklist_score({"a": 0.8, "b": 0.7}, ["a", "b"]) == 1
    assert checklist_score({"a": -0.5}, ["a"]) == 0
    assert checklist_score({"a": 1 / 3}, ["a"]) == 0.3333333333
    assert checklist_score({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}, ["a", "b", "c"]) == 1
    assert checklist_score({}, []) == 0


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 1000), min_size=1), st.data())
def test_more_satisfied_items_never_cost(parts: dict[str, int], data: st.DataObject) -> None:
    total = sum(parts.values()) or 1
    weights = {item: part / total for item, part in parts.items()}
    fewer = data.draw(st.sets(st.sampled_from(sorted(parts))))
    more = fewer | data.draw(st.sets(st.sampled_from(sorted(parts))))
    assert 0 <= checklist_score(weights, fewer) <= checklist_score(weights, more) <= 1
    assert checklist_score(weights, fewer) == pytest.approx(sum(parts[item] for item in fewer) / total, abs=1e-9)


@pytest.mark.parametrize(
    "arguments",
    [
        (WEIGHTS, ["tag3"]),
        (WEIGHTS, "tag1"),
        (WEIGHTS, {"tag1": True}),
        (WEIGHTS, [["tag1"]]),
        (WEIGHTS, None),
        (["tag1"], ["tag1"]),
        ({"tag1": "0.1"}, []),
        ({"tag1": float("nan")}, []),
        ({"tag1": True}, []),
        ({"tag1": 10**400}, []),
        (WEIGHTS, [], "gate"),
        (WEIGHTS, [], (), 3),
    ],
    ids=range(12),
)
def test_a_checklist_has_items_and_weights(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError):
        checklist_score(*arguments)


@pytest.mark.parametrize(
    ("scores", "math_ids", "found"),
    [
        ({1: 1, 2: 0.5, 3: 0}, (), (0.5, 0.5, None)),
        ({1: 1, 2: 0.5, 3: 0}, [3], (0.75, 0.5, 0)),
        ({1: 1, 2: None, 3: 0}, [3], (1, 0.5, 0)),
        ({1: 1, 2: None, 3: 0}, [2, 3], (1, 0.5, 0)),
        ({1: 1, 2: 0.5, 3: 0}, [2, 3], (1, 0.5, 0.25)),
        ({"t1": 1, "t2": 0}, ["t2", "t9"], (1, 0.5, 0)),
        ({3: 1}, [3], (0, 1, 1)),
        ({3: None}, [3], (0, None, None)),
        ({}, (), (0, None, None)),
        ({}, [1], (0, None, None)),
    ],
)
def test_the_accuracy_of_a_dialogue(
    scores: dict[Any, Any], math_ids: Any, found: tuple[float, float | None, float | None]
) -> None:
    accuracy, original, math = found
    assert game_accuracy(scores, math_ids) == {
        "accuracy": accuracy,
        "original_accuracy": original,
        "math_accuracy": math,
    }


@given(st.dictionaries(st.integers(), st.floats(0, 1), min_size=1), st.sets(st.integers()))
def test_all_turns_are_those_with_and_without_problems(scores: dict[int, float], problems: set[int]) -> None:
    found = game_accuracy(scores, problems)
    apart = [turn for turn in scores if turn in problems]
    together = found["accuracy"] * (len(scores) - len(apart)) + (found["math_accuracy"] or 0) * len(apart)
    assert found["original_accuracy"] == pytest.approx(together / len(scores))
    assert (found["math_accuracy"] is None) == (not apart)


@pytest.mark.parametrize("scores", [[1, 0], {1: "1"}, {1: float("nan")}, {1: True}, None])
def test_scores_are_numbers_by_turn(scores: Any) -> None:
    with pytest.raises(UsageError):
        game_accuracy(scores)


@pytest.mark.parametrize("math_ids", ["t1", None, [[1]], {1: 2}])
def test_problems_are_a_list_of_turns(math_ids: Any) -> None:
    with pytest.raises(UsageError):
        game_accuracy({1: 1}, math_ids)


def test_a_category_is_the_mean_of_its_dialogues() -> None:
    assert category_score([1, 0.5, 0]) == 0.5
    assert category_score([1, None]) == 1
    assert category_score([0]) == category_score([]) == category_score([None]) == 0


def test_overall_is_the_plain_mean_of_the_categories_given() -> None:
    assert overall({"IF": 1, "CR": 0.5, "IR": 0.25, "TS": 0.25}) == 0.5
    assert overall({"IF": 1, "TS": 0}) == 0.5
    assert overall({"IF": 1, "TS": None, "M": 0}) == 1
    assert overall({}) == overall({"M": 1}) == 0


@pytest.mark.parametrize("accuracies", ["1", {"IF": 1}, [True], ["1"], [float("inf")], None, 1])
def test_accuracies_are_a_list_of_numbers(accuracies: Any) -> None:
    with pytest.raises(UsageError):
        category_score(accuracies)


@pytest.mark.parametrize("categories", [[1], None, {"IF": "1"}, {"CR": float("nan")}])
def test_categories_are_numbers_by_name(categories: Any) -> None:
    with pytest.raises(UsageError):
        overall(categories)

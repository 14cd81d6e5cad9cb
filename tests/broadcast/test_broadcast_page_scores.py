"""Scores of turns, dialogues and categories."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import category_score, checklist_score, game_accuracy, overall

S = {"tag1": 0.1, "tag2": 0.4, "words": 0.2, "sentences": 0.2, "home": 0.05, "away": 0.05}


@pytest.mark.parametrize(
    ("weights", "satisfied", "gates", "triggered", "score"),
    [
        ({"home": 0.5, "away": 0.5}, ["home"], (), (), 0.5),
        ({"home": 0.5, "away": 0.5}, ["home", "away"], (), (), 1.0),
        ({"home": 0.5, "away": 0.5}, [], (), (), 0.0),
        ({"home": 0.5, "away": 0.5}, ["home", "home"], (), (), 0.5),
        (S, list(S), (), (), 1.0),
        (S, ["tag1", "tag2", "home"], (), (), 0.55),
        (S, ["words", "sentences", "home", "away"], (), (), 0.5),
        ({"a": 0.1, "b": 0.2}, ["a", "b"], (), (), 0.3),
        ({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}, ["a", "b"], (), (), 0.6666666667),
        ({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}, ["a", "b", "c"], (), (), 1.0),
        ({"a": 0.8, "b": 0.7}, ["a", "b"], (), (), 1.0),
        ({"a": 0.5, "b": 0.5}, ["a", "b"], ["wrong"], ["wrong"], 0.0),
        ({"a": 0.5, "b": 0.5}, ["a", "b"], ["wrong"], [], 1.0),
        ({"a": 0.5, "b": 0.5}, ["a"], ["wrong"], ["other"], 0.5),
        ({"a": 0.5, "b": 0.5}, ["a"], (), ["wrong"], 0.5),
        ({"a": 0.5, "b": 0.5}, ["a"], ["wrong", "none"], ["none"], 0.0),
        ({}, [], (), (), 0.0),
    ],
)
def test_the_score_of_a_turn(
    weights: dict[str, float], satisfied: list[str], gates: Any, triggered: Any, score: float
) -> None:
    assert checklist_score(weights, satisfied, gates, triggered) == score


def test_an_unknown_item_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        checklist_score({"a": 1.0}, ["b"])


@given(st.integers(1, 12), st.data())
def test_the_score_grows_with_what_is_satisfied(number: int, data: st.DataObject) -> None:
    weights = {str(i): 1 / number for i in range(number)}
    satisfied = data.draw(st.lists(st.sampled_from(sorted(weights)), unique=True))
    score = checklist_score(weights, satisfied)
    assert score == round(min(1.0, len(satisfied) / number), 10)
    assert checklist_score(weights, satisfied, ["gate"], ["gate"]) == 0
    assert checklist_score(weights, list(weights)) == 1


@pytest.mark.parametrize(
    ("scores", "math", "accuracy", "original", "math_accuracy"),
    [
        ({1: 1.0, 2: 0.5}, (), 0.75, 0.75, None),
        ({1: 1.0, 2: 0.5}, (2,), 1.0, 0.75, 0.5),
        ({1: 1.0, 2: 0.5, 3: 0.0}, (2, 3), 1.0, 0.5, 0.25),
        ({1: 1.0, 2: None, 3: 0.0}, (), 0.5, 0.5, None),
        ({1: 1.0, 2: None, 3: 0.0}, (2, 3), 1.0, 0.5, 0.0),
        ({1: 0.2, 2: 0.4}, (1, 2), 0.0, 0.3, 0.3),
        ({}, (), 0.0, None, None),
        ({1: None}, (1,), 0.0, None, None),
        ({1: 1.0}, (7, 8), 1.0, 1.0, None),
        ({"t1": 0.0, "t2": 1.0}, ("t2",), 0.0, 0.5, 1.0),
    ],
)
def test_the_accuracy_of_a_dialogue(
    scores: dict[Any, float | None], math: tuple[Any, ...], accuracy: float, original: Any, math_accuracy: Any
) -> None:
    found = game_accuracy(scores, math)
    assert found == {
        "accuracy": pytest.approx(accuracy),
        "original_accuracy": original if original is None else pytest.approx(original),
        "math_accuracy": math_accuracy if math_accuracy is None else pytest.approx(math_accuracy),
    }


@pytest.mark.parametrize(
    ("accuracies", "score"), [([], 0.0), ([0.5], 0.5), ([1.0, 0.0], 0.5), ([0.0, 0.0], 0.0), ([0.2, 0.4, 0.9], 0.5)]
)
def test_the_score_of_a_category(accuracies: list[float], score: float) -> None:
    assert category_score(accuracies) == pytest.approx(score)


@pytest.mark.parametrize(
    ("categories", "score"),
    [
        ({"IF": 0.8, "CR": 0.6, "IR": 0.4, "TS": 0.2}, 0.5),
        ({"IF": 0.8, "CR": 0.6}, 0.7),
        ({"TS": 0.0, "IR": 1.0}, 0.5),
        ({"IF": 0.25}, 0.25),
        ({"IF": 0.25, "CR": None}, 0.25),
        ({"IF": 0.25, "XX": 1.0}, 0.25),
        ({}, 0.0),
    ],
)
def test_the_overall_score_is_a_plain_mean(categories: dict[str, float | None], score: float) -> None:
    assert overall(categories) == pytest.approx(score)

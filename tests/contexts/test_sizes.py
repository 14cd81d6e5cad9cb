"""Context tokens by number of rounds, and what a strategy saves."""

from __future__ import annotations

import pytest

from evolif.contexts import act, act_drop


def test_turns_are_pooled_within_classes_and_overall() -> None:
    dialogues = [
        {"rounds": 15, "context_tokens": [100]},
        {"rounds": 10, "context_tokens": [20, 40]},
        {"rounds": 10, "context_tokens": [60]},
        {"rounds": 25, "context_tokens": []},
    ]
    figures = act(dialogues)
    assert figures == {"by_rounds": {"10": 40.0, "15": 100.0}, "overall": 55.0}
    assert list(figures["by_rounds"]) == ["10", "15"]


def test_classes_ascend_as_numbers() -> None:
    figures = act({"rounds": rounds, "context_tokens": [1]} for rounds in (100, 25, 5))
    assert list(figures["by_rounds"]) == ["5", "25", "100"]


def test_without_a_turn_there_is_no_mean() -> None:
    assert act([]) == act([{"rounds": 10, "context_tokens": []}]) == {"by_rounds": {}, "overall": None}


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        act([{"rounds": 10, "context_tokens": [3, -1]}])


def test_classes_count_alike_and_a_saving_is_negative() -> None:
    assert act_drop({"10": 50, "15": 300, "20": 7}, {"10": 100, "15": 400}) == pytest.approx(-37.5)
    assert act_drop({"10": 150}, {"10": 100}) == pytest.approx(50)


@pytest.mark.parametrize(
    ("strategy", "full", "says"),
    [({"10": 1}, {}, "no class"), ({"10": 1}, {"15": 2}, "15 rounds"), ({"10": 1}, {"10": 0}, "no tokens")],
)
def test_a_drop_needs_every_class_of_the_full_history(
    strategy: dict[str, float], full: dict[str, float], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        act_drop(strategy, full)

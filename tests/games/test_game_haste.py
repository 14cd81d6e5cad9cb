"""Early answers are counted, and compared with what the same players answer when these are refused."""

from __future__ import annotations

from typing import Any

import pytest
from game_instances import NAMES, played

from evolif.errors import ArgumentError
from evolif.games import early_table, haste_cost


def dialogue(number: int, texts: list[str], turns: int = 4, **more: Any) -> dict[str, Any]:
    return played(NAMES | {"number": number}, texts, turns, **more) | {"pair": ["a", "b"]}


WRONG, RIGHT = "SELECT ROW 1", "SELECT ROW 2"


def test_early_answers_are_counted() -> None:
    dialogues = [
        dialogue(0, [WRONG]),
        dialogue(1, ["a", RIGHT]),
        dialogue(2, ["a", WRONG]),
        dialogue(3, ["a", "b", "c", RIGHT]),
        dialogue(4, ["a", RIGHT], turns=2),
    ]
    two, four = early_table(dialogues)
    assert (two["turn_budget"], two["n"], two["early"], two["share"], two["accuracy"]) == (2, 1, 0, 0.0, None)
    assert (four["turn_budget"], four["n"], four["early"], four["share"]) == (4, 4, 3, 0.75)
    assert four["accuracy"] == pytest.approx(1 / 3)


def test_only_what_was_answered_early_is_compared() -> None:
    free = [dialogue(number, [WRONG if number else RIGHT]) for number in range(8)]
    free += [dialogue(8, ["a", "b", "c", WRONG]), dialogue(9, [WRONG])]
    held = [dialogue(number, [WRONG, "b", "c", RIGHT], hold_answers=True) for number in range(9)]
    [row] = haste_cost(free, held)
    assert (row["game"], row["turn_budget"], row["n"]) == ("names", 4, 8)
    assert (row["accuracy_free"], row["accuracy_held"], row["cost"]) == (0.125, 1.0, 0.875)
    assert row["low"] is not None and row["high"] is not None and row["low"] <= 0.875 <= row["high"]


def test_other_pairs_and_budgets_are_not_mixed() -> None:
    free = [dialogue(0, [WRONG])]
    assert haste_cost(free, [dialogue(0, ["a", RIGHT], turns=2)]) == []
    assert haste_cost(free, [dialogue(0, [RIGHT]) | {"pair": ["b", "a"]}]) == []
    [row] = haste_cost(free, [dialogue(0, ["a", "b", "c", RIGHT])])
    assert (row["cost"], row["low"], row["high"]) == (1.0, None, None)


def test_broken_dialogues_do_not_count_and_others_are_refused() -> None:
    assert early_table([dialogue(0, [WRONG]) | {"final": None}]) == []
    with pytest.raises(ArgumentError):
        early_table([{"final": {"reason": "wrong"}}])

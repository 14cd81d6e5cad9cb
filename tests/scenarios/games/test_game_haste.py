"""Early answers are counted, and compared with what the same players answer when these are refused."""

from __future__ import annotations

import math
from itertools import product
from statistics import fmean
from typing import Any

import pytest
from game_instances import NAMES, played

from evolif.errors import ArgumentError
from evolif.scenarios.games.early_answers import early_table, haste_cost


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
    # Eight instances, seven of which gain everything: Student's interval and that of the flips of their signs; the
    # farther ends of both count.
    stats = pytest.importorskip("scipy.stats")
    gains = [1.0] * 7 + [0.0]
    kurtosis = 8 * (7 * 0.125**4 + 0.875**4) / (7 * 0.125**2 + 0.875**2) ** 2
    half = float(stats.t.ppf(0.975, 16 / (kurtosis - 1))) * 0.125
    means = [
        sorted(fmean(gain for gain, own in zip(gains, flip, strict=True) if own is side) for side in (0, 1))
        for flip in product((0, 1), repeat=8)
        if 0 < sum(flip) < 8
    ]
    place = 256 // 20  # the next one from either end, after as many
    lows = sorted([-math.inf] * 2 + [low for low, _ in means])
    highs = sorted([math.inf] * 2 + [high for _, high in means], reverse=True)
    low, high = min(0.875 - half, lows[place]), min(1.0, max(0.875 + half, highs[place]))
    assert (row["low"], row["high"]) == (pytest.approx(low), pytest.approx(high))


def test_an_instance_weighs_as_often_as_it_was_answered_early() -> None:
    # Two epochs; the first three instances are answered early in one of them only.
    free = [dialogue(number, [WRONG if number % 2 else RIGHT]) for number in range(9)]
    free += [dialogue(number, ["a", "b", "c", RIGHT]) for number in range(3)]
    free += [dialogue(number, [RIGHT]) for number in range(3, 9)]
    held = [
        dialogue(number, [WRONG, "b", "c", last], hold_answers=True) for number in range(9) for last in (RIGHT, WRONG)
    ]
    [row] = haste_cost(free, held)
    # Early: 2 + 3 + 6 of 15 are right; held: half of each.
    assert (row["n"], row["accuracy_free"], row["accuracy_held"]) == (9, 11 / 15, 0.5)
    assert row["cost"] == pytest.approx(0.5 - 11 / 15)
    assert row["low"] is not None and row["high"] is not None and row["low"] < row["cost"] < row["high"]


def test_haste_that_costs_nothing_has_a_width() -> None:
    free = [dialogue(number, [RIGHT]) for number in range(7)]
    [row] = haste_cost(free, [dialogue(number, [WRONG, "b", "c", RIGHT], hold_answers=True) for number in range(7)])
    far = 1 - 0.025 ** (1 / 7)
    assert (row["cost"], row["low"], row["high"]) == (0, pytest.approx(-far), pytest.approx(far))


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

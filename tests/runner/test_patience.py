"""The patience table of the protocol page."""

from __future__ import annotations

import pytest

from evolif.runner.session import step


@pytest.mark.parametrize(
    ("patience", "judged", "after"),
    [
        (3, [True, True], 3),
        (1, [True], 3),
        (2, [True, True, True], 3),
        (3, [False], 2),
        (3, [True, False], 2),
        (2, [False, False], 1),
        (1, [True, False], 0),
        (3, [], 3),
        (1, [], 1),
    ],
)
def test_one_turn(patience: int, judged: list[bool], after: int) -> None:
    assert step(patience, 3, judged) == after


@pytest.mark.parametrize(
    ("maximum", "turns", "left"),
    [
        (3, "", 3),
        (3, "111", 3),
        (3, "000", 0),
        (3, "001", 3),
        (3, "00100", 1),
        (3, "0-0-", 1),
        (3, "0-01-0", 2),
        (1, "1110", 0),
        (1, "-", 1),
        (5, "00001", 5),
    ],
)
def test_a_conversation(maximum: int, turns: str, left: int) -> None:
    outcomes = {"1": [True, True], "0": [True, False], "-": []}
    patience = maximum
    for turn in turns:
        patience = step(patience, maximum, outcomes[turn])
    assert patience == left

"""Faults planted into statistics: names are exchanged only where that makes a line wrong."""

from __future__ import annotations

import pytest

from evolif.scenarios.broadcast.dialogue import dialogue
from evolif.scenarios.broadcast.planted_errors import planted
from evolif.scenarios.broadcast.scoring import score_reply


@pytest.mark.slow
def test_exchanged_names_are_no_fault_where_both_have_the_same_numbers() -> None:
    level = other = 0
    for number in range(1, 34):
        for turn in dialogue("IF", "hockey", number, seed=7)["turns"]:
            if turn["kind"] != "Q":
                continue
            first, second = ([line[field] for field in ("taken", "won", "lost")] for line in turn["key"])
            replies = [defect.reply for defect in planted(turn) if defect.name == "exchanged names"]
            assert len(replies) == (first != second)
            assert all(score_reply(turn, reply)["score"] < 1 for reply in replies)
            level += first == second
            other += first != second
    assert level and other

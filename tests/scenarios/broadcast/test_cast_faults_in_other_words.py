"""Faults cost the same in whatever words a reply makes them: wrong claims in six wordings."""

from __future__ import annotations

from typing import Any

import pytest
from broadcast_matches import PERIODS
from broadcast_turns import Turn, check_cost, turns_of
from broadcast_wordings import wordings_of

from evolif.scenarios.broadcast.faults import WrongClaim, wrong_claims
from evolif.scenarios.broadcast.planted_errors import Defect

MATCHES = 2
ROUNDED = 0.1
"""Some wordings tell shares with one decimal."""


def is_told_whole(turn: Turn, wrong: WrongClaim) -> bool:
    """Whether wordings can tell a claim: one that leaves nothing out, and is wrong by more than rounding."""
    claim: Any = wrong.claim
    if turn["kind"] in "TH":
        shares = ("decrease_if_all_lost", "increase_if_all_won")
        near = any(0 < abs(claim.get(share, 0) - turn["key"].get(share, 0)) < ROUNDED for share in shares)
        return len(claim) == len(turn["key"]) and not near
    if turn["kind"] == "L":
        return bool(claim[1]) and claim[0] == len(claim[1])
    return bool(claim) and (turn["kind"] != "S" or len(claim) == len(turn["key"]))


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["S", "A", "I", "L", "T", "H", "M"])
@pytest.mark.parametrize("sport", PERIODS)
def test_a_wrong_claim_costs_the_same_in_other_words(sport: str, kind: str) -> None:
    tried = 0
    for number in range(MATCHES):
        for turn in turns_of(sport, number):
            if turn["kind"] != kind or "intent" in turn:
                continue
            for wrong in wrong_claims(turn):
                if is_told_whole(turn, wrong):
                    key = wrong.claim[1] if kind == "L" else wrong.claim
                    for reply in wordings_of({**turn, "key": key}):
                        check_cost(turn, Defect(wrong.name, reply, wrong.costs, wrong.gates, wrong.false))
                        tried += 1
    assert tried >= 6

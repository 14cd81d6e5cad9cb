"""Every key is read right in six wordings or more, as chat models answer."""

from __future__ import annotations

import pytest
from broadcast_matches import PERIODS
from broadcast_turns import turns_of
from broadcast_wordings import wordings_of

from evolif.scenarios.broadcast.scoring import score_reply

MATCHES = 12


@pytest.mark.parametrize("kind", ["S", "K", "Q", "A", "I", "L", "T", "H", "M"])
@pytest.mark.parametrize("sport", PERIODS)
def test_every_key_is_read_in_six_wordings(sport: str, kind: str) -> None:
    turns = [turn for number in range(MATCHES) for turn in turns_of(sport, number) if turn["kind"] == kind]
    assert turns
    for turn in turns:
        replies = wordings_of(turn)
        assert len(set(replies)) >= 6
        for reply in replies:
            result = score_reply(turn, reply)
            missed = [item for item in result["items"] if not item["satisfied"]]
            assert (result["score"], missed, result["gates"]) == (1.0, [], []), f"{reply}\nkey: {turn['key']}"

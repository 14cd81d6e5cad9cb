"""What the judge of a summary is told: facts of the very match that the friend follows."""

from __future__ import annotations

import pytest

from evolif.scenarios.broadcast.options import BroadcastOptions
from evolif.scenarios.broadcast.scenario import Broadcast


@pytest.mark.parametrize("sport", ["basketball", "hockey"])
def test_a_briefing_tells_the_score_that_the_friend_was_told(sport: str) -> None:
    spec = BroadcastOptions.model_validate({"task": ("IF",), "sport": (sport,)})
    for dialogue in (1, 2, 5):
        lines = list(Broadcast().lines(spec, dialogue, 7))
        scores: dict[int, dict[str, int]] = {}
        told = 0
        for line in lines:
            if line["labels"]["kind"] == "S":
                scores[line["labels"]["period"]] = line["key"]
            if "briefing" not in line:
                continue
            told += 1
            period = line["labels"]["period"]
            for team, points in scores[period].items():
                label = f"Score after {'Q' if sport == 'basketball' else 'P'}{period}:"
                [after] = [one for one in line["briefing"].splitlines() if one.startswith(label)]
                assert f"{team} {points}" in after
        assert told == (4 if sport == "basketball" else 3)

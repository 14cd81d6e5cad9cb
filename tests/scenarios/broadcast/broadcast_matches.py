"""Matches that several tests look at, and what can be read from the words of their rows alone."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any

from evolif.scenarios.broadcast import simulate

Match = dict[str, Any]
MATCHES = 200
PERIODS = {"basketball": 4, "hockey": 3}
LENGTHS = {"basketball": 720, "hockey": 1200}
NAME = r"[A-Z][a-z]+ [A-Z][a-z]+"
FOOTED = r"[0-9]+-foot"


@cache
def matches(sport: str) -> tuple[Match, ...]:
    """The same matches for all tests, which must not change them."""
    return tuple(simulate(sport, number, seed=19) for number in range(MATCHES))


def events_of(match: Match, period: int) -> list[dict[str, Any]]:
    return [event for event in match["events"] if event["period"] == period]


def running_scores(match: Match) -> list[tuple[int, int]]:
    """The score after each event."""
    home, away = match["teams"]
    score = {home: 0, away: 0}
    found = []
    for event in match["events"]:
        if event["pts"]:
            score[event["team"]] += event["pts"]
        found.append((score[home], score[away]))
    return found


def count_changes(match: Match) -> int:
    """How often a team goes ahead after the other was ahead."""
    signs = [(home > away) - (home < away) for home, away in running_scores(match) if home != away]
    return sum(now != before for before, now in pairwise(signs))


def people_in(match: Match, event: dict[str, Any]) -> list[str]:
    """The players whom a row names, in order."""
    return [name for name in re.findall(NAME, event["text"]) if name in match["player_team"]]

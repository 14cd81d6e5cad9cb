"""What players did in a period: counted by hand, and against the words of the rows."""

from __future__ import annotations

import re
from typing import Any

import pytest
from broadcast_matches import NAME, events_of, matches

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.match_statistics import best_of, faceoffs_of_players, shooting_of

TEAMS = {"Ann Oke": "Reds", "Bea Pym": "Reds", "Cal Ruf": "Blues"}


def event(period: int, kind: str, player: str, pts: int = 0, other: str | None = None) -> dict[str, Any]:
    return {"period": period, "kind": kind, "player": player, "pts": pts, "other": other}


GAME: dict[str, Any] = {
    "sport": "basketball",
    "player_team": TEAMS,
    "events": [
        event(1, "two_made", "Bea Pym", 2, "Ann Oke"),
        event(1, "two_missed", "Bea Pym"),
        event(1, "two_blocked", "Cal Ruf", 0, "Bea Pym"),
        event(1, "three_blocked", "Cal Ruf", 0, "Bea Pym"),
        event(1, "three_made", "Ann Oke", 3),
        event(1, "free_made", "Bea Pym", 1),
        event(1, "free_missed", "Bea Pym"),
        event(1, "rebound_defensive", "Cal Ruf"),
        event(2, "three_made", "Cal Ruf", 3),
        event(2, "three_missed", "Cal Ruf"),
        event(2, "two_made", "Ann Oke", 2),
    ],
}


def line(player: str, two: tuple[int, int], three: tuple[int, int], free: tuple[int, int], points: int) -> Any:
    return {
        "player": player,
        "team": TEAMS[player],
        "two_attempts": two[1],
        "two_made": two[0],
        "three_attempts": three[1],
        "three_made": three[0],
        "free_attempts": free[1],
        "free_made": free[0],
        "points": points,
    }


def test_shots_are_counted_by_kind_and_a_blocked_one_was_tried() -> None:
    assert shooting_of(GAME, 1) == [
        line("Ann Oke", (0, 0), (1, 1), (0, 0), 3),
        line("Bea Pym", (1, 3), (0, 1), (1, 2), 3),
    ]
    assert best_of(GAME, 2) == [line("Cal Ruf", (0, 0), (1, 2), (0, 0), 3), line("Ann Oke", (1, 1), (0, 0), (0, 0), 2)]
    assert shooting_of(GAME, 3) == []


def test_faceoffs_are_counted_for_both_who_took_them() -> None:
    faceoffs = [
        {"period": 1, "t": 0, "winner": "Cal Ruf", "loser": "Bea Pym"},
        {"period": 1, "t": 9, "winner": "Ann Oke", "loser": "Cal Ruf"},
        {"period": 2, "t": 0, "winner": "Cal Ruf", "loser": "Ann Oke"},
    ]
    match = {"sport": "hockey", "player_team": TEAMS, "faceoffs": faceoffs}
    assert faceoffs_of_players(match, 1) == [
        {"player": "Cal Ruf", "team": "Blues", "taken": 2, "won": 1, "lost": 1},
        {"player": "Ann Oke", "team": "Reds", "taken": 1, "won": 1, "lost": 0},
        {"player": "Bea Pym", "team": "Reds", "taken": 1, "won": 0, "lost": 1},
    ]
    assert [line["player"] for line in best_of(match, 2)] == ["Ann Oke", "Cal Ruf"]


def test_shots_are_those_that_the_words_tell() -> None:
    for match in matches("basketball")[:40]:
        for period in (1, 2, 3, 4):
            texts = [one["text"] for one in events_of(match, period)]
            lines = shooting_of(match, period)
            assert sum(own["points"] for own in lines) == sum(one["pts"] for one in events_of(match, period))
            for own in lines[:2]:
                player = own["player"]
                tried = f"{player} (?:makes|misses) |{NAME} blocks {player}'s "
                for shot, words in (("two", "two point"), ("three", "three point"), ("free", "free throw")):
                    attempts = [text for text in texts if re.match(tried, text) and words in text]
                    made = [text for text in attempts if text.startswith(f"{player} makes ")]
                    assert (own[f"{shot}_attempts"], own[f"{shot}_made"]) == (len(attempts), len(made))


@pytest.mark.parametrize("sport", ["basketball", "hockey"])
def test_every_period_has_two_best_players(sport: str) -> None:
    for match in matches(sport):
        for period in range(1, 5 if sport == "basketball" else 4):
            one, two = best_of(match, period)
            key = "points" if sport == "basketball" else "taken"
            assert (-one[key], one["player"]) < (-two[key], two["player"])
            assert two[key] > 0


@pytest.mark.parametrize(("sport", "period"), [("basketball", 5), ("hockey", 4), ("hockey", 0)])
def test_a_period_that_is_not_played_is_refused(sport: str, period: int) -> None:
    with pytest.raises(ArgumentError, match="period"):
        best_of(matches(sport)[0], period)

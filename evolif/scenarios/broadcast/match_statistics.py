"""What players did in a period: shots by kind and points in basketball, faceoffs in hockey; the best come first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from evolif.scenarios.broadcast.clock import BASKETBALL, HOCKEY, period_of

BEST = 2
"""How many players a question asks for."""
_ENDS = ("made", "missed", "blocked")


class Shooting(TypedDict):
    """What a basketball player shot in a period.

    Attributes:
        player: Full name.
        team: The player's team.
        two_attempts: Two-pointers tried; a blocked shot is one of them.
        two_made: Two-pointers that fell.
        three_attempts: The same for three-pointers.
        three_made: The same.
        free_attempts: The same for free throws.
        free_made: The same.
        points: All together.
    """

    player: str
    team: str
    two_attempts: int
    two_made: int
    three_attempts: int
    three_made: int
    free_attempts: int
    free_made: int
    points: int


class Faceoffs(TypedDict):
    """How a hockey player did in the faceoffs of a period.

    Attributes:
        player: Full name.
        team: The player's team.
        taken: Faceoffs the player took part in.
        won: Of these.
        lost: Of these.
    """

    player: str
    team: str
    taken: int
    won: int
    lost: int


def shooting_of(match: Mapping[str, Any], period: int) -> list[Shooting]:
    """What each player shot in a period of basketball.

    Args:
        match: As `simulate` returns it.
        period: From 1.

    Returns:
        Every player who tried a shot, by points; of equal ones the first full name in code point order comes first.

    Raises:
        ArgumentError: there is no such period.
    """
    period_of(period, BASKETBALL)
    counts: Counter[tuple[str, str]] = Counter()
    for event in match["events"]:
        shot, _, end = event["kind"].partition("_")
        if event["period"] == period and shot in ("two", "three", "free") and end in _ENDS:
            shooter = event["other"] if end == "blocked" else event["player"]
            counts[shooter, f"{shot}_attempts"] += 1
            counts[shooter, f"{shot}_made"] += end == "made"
            counts[shooter, "points"] += event["pts"]
    found: list[Shooting] = [
        {
            "player": player,
            "team": match["player_team"][player],
            "two_attempts": counts[player, "two_attempts"],
            "two_made": counts[player, "two_made"],
            "three_attempts": counts[player, "three_attempts"],
            "three_made": counts[player, "three_made"],
            "free_attempts": counts[player, "free_attempts"],
            "free_made": counts[player, "free_made"],
            "points": counts[player, "points"],
        }
        for player in _players(counts)
    ]
    return sorted(found, key=lambda line: (-line["points"], line["player"]))


def faceoffs_of_players(match: Mapping[str, Any], period: int) -> list[Faceoffs]:
    """How each player did in the faceoffs of a period of hockey.

    Args:
        match: As `simulate` returns it.
        period: From 1.

    Returns:
        Every player who took one, by how many; of equal ones the first full name in code point order comes first.

    Raises:
        ArgumentError: there is no such period.
    """
    period_of(period, HOCKEY)
    counts: Counter[tuple[str, str]] = Counter()
    for faceoff in match["faceoffs"]:
        if faceoff["period"] == period:
            counts[faceoff["winner"], "won"] += 1
            counts[faceoff["loser"], "lost"] += 1
    found: list[Faceoffs] = [
        {
            "player": player,
            "team": match["player_team"][player],
            "taken": counts[player, "won"] + counts[player, "lost"],
            "won": counts[player, "won"],
            "lost": counts[player, "lost"],
        }
        for player in _players(counts)
    ]
    return sorted(found, key=lambda line: (-line["taken"], line["player"]))


def best_of(match: Mapping[str, Any], period: int, team: str | None = None) -> Sequence[Shooting | Faceoffs]:
    """The best scorers of a period; in hockey those who took most faceoffs.

    Args:
        match: As `simulate` returns it.
        period: From 1.
        team: Whose players; None for both teams.

    Returns:
        Two players, the best first.

    Raises:
        ArgumentError: there is no such period.
    """
    lines: Sequence[Shooting | Faceoffs]
    lines = shooting_of(match, period) if match["sport"] == BASKETBALL.name else faceoffs_of_players(match, period)
    return [line for line in lines if team is None or line["team"] == team][:BEST]


def _players(counts: Iterable[tuple[str, str]]) -> set[str]:
    return {player for player, _ in counts}

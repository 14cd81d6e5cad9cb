"""Rows of the ticker: how a period is cut into turns, and what the words of a row score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.arguments import items, mapping, names, required, shown, text, two_teams, whole
from evolif.scenarios.broadcast.clock import BASKETBALL, sport_of


def split_rows(rows: int, parts: int = 5) -> list[int]:
    """The sizes of the consecutive parts into which the rows of a period are cut.

    Args:
        rows: How many rows there are.
        parts: How many parts to make.

    Returns:
        One size a part; the first (rows mod parts) parts are one row longer.

    Raises:
        ArgumentError: rows is negative, or there is no part.
    """
    size, longer = divmod(whole("rows", rows, 0), whole("parts", parts, 1))
    return [size + 1] * longer + [size] * (parts - longer)


def row_points(text: str, sport: str = "basketball") -> int:
    """The points of a row, read from its words alone.

    Args:
        text: The row, with or without its clock.
        sport: `basketball`: 0 unless the word `makes` stands between spaces; then 1 with `free throw`, else 3 with
            `three point`, else 2. `hockey`: 1 with ` goal (`, else 0.

    Raises:
        ArgumentError: it is no text, or the sport is unknown.
    """
    return _points(_words(text), sport_of(sport).name)


def _words(row: Any) -> str:
    """A row without its clock."""
    clock, tab, words = text("a row", row).partition("\t")
    return words if tab else clock


def _points(words: str, sport: str) -> int:
    if sport != BASKETBALL.name:
        return int(" goal (" in words)
    if " makes " not in words:
        return 0
    if "free throw" in words:
        return 1
    return 3 if "three point" in words else 2


def score_from_rows(
    rows: Iterable[str], teams: Iterable[str], roster: Mapping[str, Iterable[str]], sport: str = "basketball"
) -> dict[str, int]:
    """The score after some rows, read from their words alone.

    Args:
        rows: Each as `clock TAB text`, or the text alone.
        teams: Both teams.
        roster: The full names of each team's players, as they stand in the rows.
        sport: `basketball` or `hockey`.

    Returns:
        The points of both teams, in their order.

    Raises:
        ArgumentError: an argument is of the wrong kind, the roster lacks a team or has a player twice, or a scoring
            row does not begin with a player of the roster.
    """
    rules = sport_of(sport)
    score = dict.fromkeys(two_teams(teams), 0)
    team_of = _teams_of_players(score, roster)
    lengths = sorted(set(map(len, team_of)), reverse=True)
    for row in items("rows", rows):
        words = _words(row)
        if points := _points(words, rules.name):
            score[_scoring_team(words, team_of, lengths)] += points
    return score


def _teams_of_players(teams: Iterable[str], roster: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The team of each player."""
    team_of: dict[str, str] = {}
    for team in teams:
        for player in names("the roster", required("the roster", mapping("roster", roster), team)):
            if team_of.setdefault(player, team) != team:
                raise ArgumentError(f"{shown(player)} plays in both teams; leave one of them out")
    return team_of


def _scoring_team(words: str, team_of: Mapping[str, str], lengths: Iterable[int]) -> str:
    """The team of the player whose full name begins a row; of several names the longest."""
    for length in lengths:
        if words[length : length + 1] == " " and words[:length] in team_of:
            return team_of[words[:length]]
    raise ArgumentError(f"the row {shown(words)} scores, but begins with no player; name the scorer as in the roster")

"""What a player's points or faceoffs in a span changed: the keys of impact questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.arguments import items, mapping, one_of, shown, text, two_teams
from evolif.scenarios.broadcast.clock import BASKETBALL, HOCKEY, moment_of
from evolif.scenarios.broadcast.events import Event, Scored, faceoffs_of, is_before, scored_events, span_of

TIE = "Tie"
_DECIMALS = 2


class PointsImpact(TypedDict):
    """Who would lead, had a player scored less in a span.

    Attributes:
        player: Who it is about.
        no_ft: `[leading team, margin]` without his free throws; `["Tie", 0]` if level.
        no_goals: The same without any of his points.
    """

    player: str
    no_ft: list[Any]
    no_goals: list[Any]


class FaceoffImpact(TypedDict):
    """What a player's faceoffs are worth to his team, in percentage points of all faceoffs of a span.

    Attributes:
        player: Who it is about.
        team: His team.
        rate: What his team won.
        decrease_if_all_lost: What it would have lost, had he lost all of his.
        increase_if_all_won: What it would have gained, had he won all of his.
    """

    player: str
    team: str
    rate: float
    decrease_if_all_lost: float
    increase_if_all_won: float


def impact_points(
    events: Iterable[Event], teams: Iterable[str], start: Any, end: Any, player: str | None = None, at: Any = None
) -> PointsImpact:
    """Who leads at a moment of a basketball match, had a player scored less in a span.

    Args:
        events: All events, in order.
        teams: Both teams.
        start: `[period, clock]`: where the span begins.
        end: `[period, clock]`: where it ends; both ends are in it.
        player: Who it is about; None for the one with most points in the span, of several the first full name in
            code point order.
        at: `[period, clock]`: events up to and including this moment count; None for all events given. Outside the
            span everything stays.

    Raises:
        ArgumentError: an argument is out of range, nobody scores in the span, no event is of the player, or a
            scoring event's team is not in the match.
    """
    pair = two_teams(teams)
    span = span_of(start, end, BASKETBALL)
    asked = None if at is None else moment_of("at", at, BASKETBALL)
    given = list(items("events", events))
    scored = scored_events(given, BASKETBALL)
    for row in scored:
        one_of("the team of an event", row.team, pair)
    inside = [row for row in scored if span.holds(row.moment)]
    if not inside:
        raise ArgumentError("nobody scores in the span; give one with a scoring event")
    name = _top_scorer(inside) if player is None else text("player", player)
    if all(event.get("player") != name for event in given):
        raise ArgumentError(f"no event is of {shown(name)}; name a player of the match in full")
    counted = [row for row in scored if asked is None or not is_before(asked, row.moment)]
    his = [row.player == name and span.holds(row.moment) for row in counted]
    no_ft = [row for row, out in zip(counted, his, strict=True) if not (out and row.points == 1)]
    no_goals = [row for row, out in zip(counted, his, strict=True) if not out]
    return {"player": name, "no_ft": _leader(no_ft, pair), "no_goals": _leader(no_goals, pair)}


def _top_scorer(rows: Sequence[Scored]) -> str:
    points: Counter[str] = Counter()
    for row in rows:
        points[row.player] += row.points
    return _first_of_most(points)


def _first_of_most(counts: Mapping[str, int]) -> str:
    """Whose count is highest; of several, the first in code point order."""
    return min(counts, key=lambda name: (-counts[name], name))


def _leader(rows: Iterable[Scored], pair: tuple[str, str]) -> list[Any]:
    """The team that leads after these events, and by how much."""
    margin = sum(row.points if row.team == pair[0] else -row.points for row in rows)
    if not margin:
        return [TIE, 0]
    return [pair[0] if margin > 0 else pair[1], abs(margin)]


def impact_faceoffs(
    faceoffs: Iterable[Event], player_team: Mapping[str, str], start: Any, end: Any, player: str | None = None
) -> FaceoffImpact:
    """What a player's faceoffs in a span of a hockey match are worth to his team.

    Args:
        faceoffs: All faceoffs, in order; each with `period`, `t`, `winner` and `loser`.
        player_team: The team of each player.
        start: `[period, clock]`: where the span begins.
        end: `[period, clock]`: where it ends; both ends are in it.
        player: Who it is about; None for the one who took most, won or lost, of several the first full name in code
            point order.

    Returns:
        Shares of all faceoffs in the span, in percentage points, rounded to two decimals.

    Raises:
        ArgumentError: an argument is out of range, there is no faceoff in the span, or a player has no team.
    """
    span = span_of(start, end, HOCKEY)
    inside = [row for row in faceoffs_of(faceoffs) if span.holds(row.moment)]
    if not inside:
        raise ArgumentError("there is no faceoff in the span; give one with a faceoff")
    won = Counter(row.winner for row in inside)
    lost = Counter(row.loser for row in inside)
    name = _first_of_most(won + lost) if player is None else text("player", player)
    team = _team_of(name, player_team)
    team_won = sum(count for winner, count in won.items() if _team_of(winner, player_team) == team)
    return {
        "player": name,
        "team": team,
        "rate": _percentage(team_won, len(inside)),
        "decrease_if_all_lost": _percentage(won[name], len(inside)),
        "increase_if_all_won": _percentage(lost[name], len(inside)),
    }


def _team_of(player: str, player_team: Mapping[str, str]) -> str:
    known = mapping("player_team", player_team)
    if player not in known:
        raise ArgumentError(f"{shown(player)} has no team; name a player of the match in full")
    return text("a team", known[player])


def _percentage(count: int, total: int) -> float:
    return round(100 * count / total, _DECIMALS)

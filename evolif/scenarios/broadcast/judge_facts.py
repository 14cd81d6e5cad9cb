"""What a judge has to know of a match to tell whether a summary of it is true: the facts so far, in lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evolif.scenarios.broadcast.clock import Sport, sport_of
from evolif.scenarios.broadcast.leads import lead_changes

_COUNTED: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "basketball": (
        ("two-pointers made", ("two_made",)),
        ("three-pointers made", ("three_made",)),
        ("free throws made", ("free_made",)),
        ("free throws missed", ("free_missed",)),
        ("rebounds", ("rebound_defensive", "rebound_offensive", "team_rebound")),
        ("turnovers", ("bad_pass", "lost_ball", "traveling", "shot_clock", "foul_offensive")),
        ("fouls", ("foul_shooting", "foul_personal", "foul_offensive")),
        ("blocks", ("two_blocked", "three_blocked")),
    ),
    "hockey": (
        ("shots on goal", ("shot_saved", "goal")),
        ("faceoffs won", ("faceoff",)),
        ("hits", ("hit",)),
        ("penalties", ("penalty",)),
        ("giveaways", ("giveaway",)),
        ("takeaways", ("takeaway",)),
    ),
}
"""What is counted for each team, by the kinds of events."""


def briefing(match: Mapping[str, Any], period: int) -> str:
    """The facts of a match up to the end of a period.

    Args:
        match: As `simulate` returns it.
        period: The last one that has been played.

    Returns:
        One fact a line: the score after each period, changes of the lead, who scored how much, team counts.
    """
    sport, teams = sport_of(match["sport"]), match["teams"]
    events = [event for event in match["events"] if event["period"] <= period]
    unit = "goals" if sport.name == "hockey" else "points"
    lines = [f"Teams: {teams[0]} and {teams[1]}, {sport.name}. So far {sport.label(1)} to {sport.label(period)}."]
    lines += _scores(events, teams, sport, period)
    lines.append(f"Largest lead: {_largest_leads(events, teams)}.")
    changes = (len(lead_changes(events, teams, number)) for number in range(1, period + 1))
    told = (f"{sport.label(number)} {count}" for number, count in enumerate(changes, 1))
    lines.append(f"Changes of the lead: {', '.join(told)}.")
    lines += [f"{unit.capitalize()} for {team}: {_scorers(events, team)}." for team in teams]
    lines += [f"Counts for {team}: {_counts(events, team, sport)}." for team in teams]
    return "\n".join(lines)


def _scores(events: Sequence[Mapping[str, Any]], teams: Sequence[str], sport: Sport, period: int) -> Iterator[str]:
    """The score after each period, and what was scored in it."""
    total = dict.fromkeys(teams, 0)
    for number in range(1, period + 1):
        own = Counter(dict.fromkeys(teams, 0))
        for event in events:
            if event["period"] == number and event["pts"]:
                own[event["team"]] += event["pts"]
        total = {team: total[team] + own[team] for team in teams}
        alone = "" if number == 1 else f" ({sport.label(number)} alone: {_listed(own, teams)})"
        yield f"Score after {sport.label(number)}: {_listed(total, teams)}{alone}."


def _listed(score: Mapping[str, int], teams: Iterable[str]) -> str:
    return ", ".join(f"{team} {score[team]}" for team in teams)


def _largest_leads(events: Iterable[Mapping[str, Any]], teams: Sequence[str]) -> str:
    """By how much each team was ahead at most."""
    ahead = largest = smallest = 0
    for event in events:
        if event["pts"]:
            ahead += event["pts"] if event["team"] == teams[0] else -event["pts"]
            largest, smallest = max(largest, ahead), min(smallest, ahead)
    return f"{teams[0]} {largest}, {teams[1]} {-smallest}"


def _scorers(events: Iterable[Mapping[str, Any]], team: str) -> str:
    points: Counter[str] = Counter()
    for event in events:
        if event["pts"] and event["team"] == team:
            points[event["player"]] += event["pts"]
    ranked = sorted(points, key=lambda player: (-points[player], player))
    return ", ".join(f"{player} {points[player]}" for player in ranked) or "none"


def _counts(events: Iterable[Mapping[str, Any]], team: str, sport: Sport) -> str:
    kinds = Counter(event["kind"] for event in events if event["team"] == team)
    return ", ".join(f"{name} {sum(kinds[one] for one in own)}" for name, own in _COUNTED[sport.name])

"""Changes of the lead: when a team goes ahead after the other one was ahead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.arguments import items, mapping, one_of, required, shown, text, two_teams, whole
from evolif.scenarios.broadcast.clock import SPORTS
from evolif.scenarios.broadcast.events import Event, points_of

COUNT_WEIGHT = 0.2
"""What the number of changes is worth; the changes share the rest."""
_MOST_PERIODS = max(sport.periods for sport in SPORTS.values())


def lead_changes(events: Iterable[Event], teams: Iterable[str], period: int) -> list[list[str]]:
    """The changes of the lead in a period.

    The running score covers the whole match. The last team strictly ahead is remembered; level scores do not reset
    it, nor do breaks. An event that puts the other team strictly ahead is a change. The first lead is none.

    Args:
        events: Of the whole match so far, in order; each with `period`, `clock`, `team` and `pts`.
        teams: Both teams.
        period: Whose changes to tell, from 1.

    Returns:
        `[clock, team that went ahead]` of each change, in order.

    Raises:
        ArgumentError: an argument is of the wrong kind, or a scoring event's team is not in the match.
    """
    pair = two_teams(teams)
    whole("period", period, 1, _MOST_PERIODS)
    score = dict.fromkeys(pair, 0)
    ahead = None
    changes = []
    for event in items("events", events):
        if not (points := points_of(mapping("an event", event))):
            continue
        team = one_of("the team of an event", required("an event", event, "team"), pair)
        score[team] += points
        if score[team] <= score[_other(team, pair)] or ahead == team:
            continue
        if ahead is not None and whole("period", required("an event", event, "period"), 1, _MOST_PERIODS) == period:
            changes.append([text("clock", required("an event", event, "clock")), team])
        ahead = team
    return changes


def lead_checklist(changes: Iterable[Iterable[str]], teams: Iterable[str]) -> list[dict[str, Any]]:
    """The checklist of a question about changes of the lead.

    Args:
        changes: As `lead_changes` returns them.
        teams: Both teams.

    Returns:
        The count, worth 0.2, then one item a change; these share 0.8 equally. Without a change the count stands
        alone, and the weights do not add up to 1.

    Raises:
        ArgumentError: an argument is of the wrong kind, or a team is not in the match.
    """
    pair = two_teams(teams)
    found = [_change(change, pair) for change in items("changes", changes)]
    checklist: list[dict[str, Any]] = [{"kind": "changes", "count": len(found), "weight": COUNT_WEIGHT}]
    for clock, leader in found:
        weight = (1 - COUNT_WEIGHT) / len(found)
        overtaken = _other(leader, pair)
        checklist.append({"kind": "change", "clock": clock, "leader": leader, "overtaken": overtaken, "weight": weight})
    return checklist


def _change(change: Any, pair: tuple[str, str]) -> tuple[str, str]:
    """The clock and the team of a change."""
    if not isinstance(change, list | tuple) or len(change) != 2:
        raise ArgumentError(f"a change is {shown(change)}; give a clock and a team, such as ['6:14', {shown(pair[0])}]")
    return text("clock", change[0]), one_of("the team of a change", change[1], pair)


def _other(team: str, pair: tuple[str, str]) -> str:
    return pair[1] if team == pair[0] else pair[0]

"""Events of a match as callers pass them, and those at a moment or in a span: the keys of retrieval questions.

An *event* is a mapping with `period`, `t` (seconds elapsed), `clock`, `team`, `player` and `pts`; others of its fields
are not read. A *faceoff* has `period`, `t`, `winner` and `loser`. Where `t` or `clock` is missing, the other one tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.arguments import items, mapping, required, shown, text, whole
from evolif.scenarios.broadcast.clock import (
    HOCKEY,
    SECOND,
    SPARE,
    Moment,
    Sport,
    display,
    elapsed_at,
    moment_of,
    moved,
    period_of,
    sport_of,
    within,
)

Event: TypeAlias = Mapping[str, Any]
_SAME = SECOND // 20
"""Nanoseconds; events nearer than this happen at the moment."""
_Row = TypeVar("_Row", "Scored", "Faceoff")


class Scored(NamedTuple):
    """An event that scores.

    Attributes:
        moment: When.
        clock: What the clock showed.
        player: Who scored.
        team: Whose points they are; None if the event does not say.
        points: How many, at least 1.
    """

    moment: Moment
    clock: str
    player: str
    team: str | None
    points: int


class Faceoff(NamedTuple):
    """A faceoff.

    Attributes:
        moment: When.
        clock: What the clock showed.
        winner: The player who won it.
        loser: The player who lost it.
    """

    moment: Moment
    clock: str
    winner: str
    loser: str


class ClockSpan(NamedTuple):
    """A closed interval of moments.

    Attributes:
        start: Its first moment.
        end: Its last moment.
    """

    start: Moment
    end: Moment

    def holds(self, moment: Moment) -> bool:
        """Whether a moment lies in it, or misses an end by rounding alone."""
        return not is_before(moment, self.start) and not is_before(self.end, moment)


def is_before(first: Moment, second: Moment) -> bool:
    """Whether a moment is earlier than another by more than rounding."""
    return first.period < second.period or (first.period == second.period and first.time < second.time - SPARE)


def span_of(start: Any, end: Any, sport: Sport) -> ClockSpan:
    """The span between two moments.

    Args:
        start: `[period, clock]`.
        end: `[period, clock]`.
        sport: How the clock counts.

    Raises:
        ArgumentError: an end is no moment of the sport, or the start comes after the end.
    """
    span = ClockSpan(moment_of("start", start, sport), moment_of("end", end, sport))
    if span.start > span.end:
        raise ArgumentError(f"start {shown(start)} comes after end {shown(end)}; exchange them")
    return span


def points_of(event: Event) -> int:
    """The points of an event.

    Raises:
        ArgumentError: it has none, not even 0.
    """
    return whole("pts", required("an event", event, "pts"), 0)


def scored_events(events: Iterable[Event], sport: Sport) -> list[Scored]:
    """The events that score, in order.

    Args:
        events: All events, in order.
        sport: How the clock counts.

    Raises:
        ArgumentError: an event has no moment, player or points, or its moment lies outside the match.
    """
    scored = []
    for event in items("events", events):
        if points := points_of(mapping("an event", event)):
            moment, clock = _when("an event", event, sport)
            team = event.get("team")
            player = text("player", required("an event", event, "player"))
            scored.append(Scored(moment, clock, player, None if team is None else text("team", team), points))
    return scored


def faceoffs_of(faceoffs: Iterable[Event]) -> list[Faceoff]:
    """Faceoffs as rows, in order.

    Args:
        faceoffs: As passed.

    Raises:
        ArgumentError: one has no moment, winner or loser, or its moment lies outside the match.
    """
    found = []
    for faceoff in items("faceoffs", faceoffs):
        moment, clock = _when("a faceoff", mapping("a faceoff", faceoff), HOCKEY)
        winner, loser = (text(side, required("a faceoff", faceoff, side)) for side in ("winner", "loser"))
        found.append(Faceoff(moment, clock, winner, loser))
    return found


def _when(what: str, event: Event, sport: Sport) -> tuple[Moment, str]:
    """When something happened, and what the clock showed."""
    period = period_of(required(what, event, "period"), sport)
    if event.get("t") is None:
        time = elapsed_at(required(what, event, "clock"), sport)
    else:
        time = within("t", event["t"], sport)
    clock = event.get("clock")
    return Moment(period, time), display(time, sport) if clock is None else text("clock", clock)


def events_at(
    events: Iterable[Event], sport: str, period: int, clock: str, delta_seconds: float = 0
) -> list[list[Any]]:
    """The scoring events at a moment, in order; in hockey the goals.

    Args:
        events: All events, in order.
        sport: `basketball` or `hockey`.
        period: Of the anchor, from 1.
        clock: Of the anchor.
        delta_seconds: Seconds of broadcast time from the anchor to the moment. The exact moment counts, not what a
            clock would show.

    Returns:
        `[player, points, period, clock]` of each event of that period less than 0.05 s from the moment. Nothing where
        there is no such moment: in a break, before the start, after the end.

    Raises:
        ArgumentError: an argument is out of range, or the clock lies outside the period.
    """
    rules = sport_of(sport)
    scored = scored_events(events, rules)
    return [_scored_row(row) for row in _at(scored, period, clock, delta_seconds, rules)]


def events_between(events: Iterable[Event], sport: str, start: Any, end: Any) -> list[list[Any]]:
    """The scoring events between two moments, both included, in order; in hockey the goals.

    Args:
        events: All events, in order.
        sport: `basketball` or `hockey`.
        start: `[period, clock]`.
        end: `[period, clock]`, not before the start.

    Returns:
        `[player, points, period, clock]` of each event; an end may be missed by 1e-6 s.

    Raises:
        ArgumentError: an argument is out of range, a clock lies outside its period, or the start after the end.
    """
    rules = sport_of(sport)
    span = span_of(start, end, rules)
    return [_scored_row(row) for row in scored_events(events, rules) if span.holds(row.moment)]


def faceoffs_at(faceoffs: Iterable[Event], period: int, clock: str, delta_seconds: float = 0) -> list[list[Any]]:
    """The faceoffs at a moment, in order; see `events_at`.

    Args:
        faceoffs: All faceoffs, in order.
        period: Of the anchor, from 1.
        clock: Of the anchor.
        delta_seconds: Seconds of broadcast time from the anchor to the moment.

    Returns:
        `[winner, loser, period, clock]` of each.

    Raises:
        ArgumentError: an argument is out of range, or the clock lies outside the period.
    """
    return [_faceoff_row(row) for row in _at(faceoffs_of(faceoffs), period, clock, delta_seconds, HOCKEY)]


def faceoffs_between(faceoffs: Iterable[Event], start: Any, end: Any) -> list[list[Any]]:
    """The faceoffs between two moments, both included, in order; see `events_between`.

    Args:
        faceoffs: All faceoffs, in order.
        start: `[period, clock]`.
        end: `[period, clock]`, not before the start.

    Returns:
        `[winner, loser, period, clock]` of each.

    Raises:
        ArgumentError: an argument is out of range, a clock lies outside its period, or the start after the end.
    """
    span = span_of(start, end, HOCKEY)
    return [_faceoff_row(row) for row in faceoffs_of(faceoffs) if span.holds(row.moment)]


def _at(rows: list[_Row], period: Any, clock: Any, delta_seconds: Any, sport: Sport) -> list[_Row]:
    """The rows at a moment, moved by so many seconds."""
    moment = moved(moment_of("the moment", (period, clock), sport), delta_seconds, sport)
    if moment is None:
        return []
    return [row for row in rows if row.moment.period == moment.period and abs(row.moment.time - moment.time) < _SAME]


def _scored_row(row: Scored) -> list[Any]:
    return [row.player, row.points, row.moment.period, row.clock]


def _faceoff_row(row: Faceoff) -> list[Any]:
    return [row.winner, row.loser, row.moment.period, row.clock]

"""Clocks and moments: how a sport counts, what a clock says, and where in a match a moment lies.

A *moment* is a period and the time elapsed in it. Times are whole nanoseconds inside this package, so that tenths of a
second are exact and sums of them do not drift; callers pass and get seconds. *Broadcast time* runs through the
periods and through the breaks between them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.arguments import number, one_of, shown, whole

SECOND = 10**9
"""Nanoseconds."""
SPARE = 1_000
"""Nanoseconds by which an end of a span may be missed."""
BREAK = 120
"""Seconds between two periods."""
_LONGEST_BREAK = 86_400
_FARTHEST = 1_000_000
"""Seconds that lead out of every match, also with the longest breaks."""
_MINUTE = 60 * SECOND
_LAST_TENTH = 59.9
"""The most that is shown in the last minute: 60.0 is a minute."""
_CLOCK = re.compile(r'[\s"]*+([0-9]{1,2}):([0-5][0-9])(?:\.([0-9]{1,9}))?[\s"]*+')
_SECONDS = re.compile(r'[\s"]*+([0-5]?[0-9])(?:\.([0-9]{1,9}))?[\s"]*+')


@dataclass(frozen=True)
class Sport:
    """How a sport counts.

    Attributes:
        name: As callers write it.
        letter: What the label of a period begins with.
        periods: How many a match has; there is no overtime.
        length: Seconds of a period.
        counts_down: Whether the clock shows the time left; else the time elapsed, in whole seconds.
    """

    name: str
    letter: str
    periods: int
    length: int
    counts_down: bool

    def label(self, period: int) -> str:
        """The label of a period, such as `Q1`."""
        return f"{self.letter}{period}"


BASKETBALL = Sport("basketball", "Q", 4, 720, counts_down=True)
HOCKEY = Sport("hockey", "P", 3, 1200, counts_down=False)
SPORTS = {sport.name: sport for sport in (BASKETBALL, HOCKEY)}


class Moment(NamedTuple):
    """A moment of a match; moments are ordered.

    Attributes:
        period: From 1.
        time: Nanoseconds elapsed in the period.
    """

    period: int
    time: int


class ShownMoment(TypedDict):
    """A moment as a ticker shows it.

    Attributes:
        period: From 1.
        clock: The display.
    """

    period: int
    clock: str


def sport_of(name: Any) -> Sport:
    """The sport of a name.

    Raises:
        ArgumentError: there is none of that name.
    """
    return SPORTS[one_of("sport", name, tuple(SPORTS))]


def nanoseconds(name: str, seconds: Any) -> int:
    """A time in nanoseconds; times that lead out of every match are cut to the farthest.

    Args:
        name: What the error calls it.
        seconds: As passed; may be negative.

    Raises:
        ArgumentError: it is no finite number.
    """
    if isinstance(seconds, int) and not isinstance(seconds, bool):  # as long as one likes
        return min(max(seconds, -_FARTHEST), _FARTHEST) * SECOND
    return round(min(max(number(name, seconds), -_FARTHEST), _FARTHEST) * SECOND)


def parse_clock(clock: str, sport: str) -> float:
    """The seconds elapsed in the period when a clock shows this.

    Reads `m:ss` in both sports; in basketball also decimals, and seconds alone in the last minute (`43.5`). White
    space and double quotes around it are ignored.

    Args:
        clock: What is shown.
        sport: `basketball` or `hockey`.

    Raises:
        ArgumentError: it is no clock of this sport, or lies outside the period.
    """
    return elapsed_at(clock, sport_of(sport)) / SECOND


def elapsed_at(clock: Any, sport: Sport) -> int:
    """The nanoseconds elapsed in the period when a clock shows this; see `parse_clock`.

    Raises:
        ArgumentError: it is no clock of this sport, or lies outside the period.
    """
    seen = _read(clock, sport)
    length = sport.length * SECOND
    if seen is None:
        forms = "m:ss, or seconds such as 43.5" if sport.counts_down else "m:ss"
        raise ArgumentError(f"{shown(clock)} is no clock of {sport.name}; write it as {forms}")
    if seen > length:
        raise ArgumentError(
            f"the clock {shown(clock)} is outside a period of {sport.name}; give at most {sport.length // 60}:00"
        )
    return length - seen if sport.counts_down else seen


def _read(clock: Any, sport: Sport) -> int | None:
    """What a clock shows, in nanoseconds, or None if it is no clock of this sport."""
    if not isinstance(clock, str):
        return None
    if found := _CLOCK.fullmatch(clock):
        minutes, seconds, decimals = found.groups()
    elif sport.counts_down and (found := _SECONDS.fullmatch(clock)):
        minutes, (seconds, decimals) = "0", found.groups()
    else:
        return None
    if decimals and not sport.counts_down:
        return None
    return int(minutes) * _MINUTE + int(seconds) * SECOND + int((decimals or "").ljust(9, "0"))


def format_clock(elapsed: float, sport: str) -> str:
    """What the clock shows.

    Args:
        elapsed: Seconds elapsed in the period.
        sport: `basketball`: the time left, rounded down to a second while a minute or more is left, then the
            nearest tenth (59.9 at most). `hockey`: the time elapsed, rounded down to a second.

    Raises:
        ArgumentError: the time lies outside the period.
    """
    rules = sport_of(sport)
    return display(within("elapsed", elapsed, rules), rules)


def within(name: str, elapsed: Any, sport: Sport) -> int:
    """A time elapsed in a period, in nanoseconds.

    Args:
        name: What the error calls it.
        elapsed: Seconds, as passed.
        sport: Whose period it is.

    Raises:
        ArgumentError: it is no number, or lies outside the period.
    """
    time = nanoseconds(name, elapsed)
    if not 0 <= time <= sport.length * SECOND:
        raise ArgumentError(f"{name} is {shown(elapsed)}; a period of {sport.name} has 0 to {sport.length} seconds")
    return time


def display(time: int, sport: Sport) -> str:
    """What the clock shows after so many nanoseconds of a period; see `format_clock`."""
    visible = sport.length * SECOND - time if sport.counts_down else time
    if sport.counts_down and visible < _MINUTE:
        return f"{min(round(visible / SECOND, 1), _LAST_TENTH):.1f}"
    minutes, seconds = divmod(visible // SECOND, 60)
    return f"{minutes}:{seconds:02d}"


def period_of(value: Any, sport: Sport) -> int:
    """A period of a sport.

    Raises:
        ArgumentError: the sport has no such period.
    """
    return whole("period", value, 1, sport.periods)


def moment_of(name: str, value: Any, sport: Sport) -> Moment:
    """The moment that a pair of period and clock names.

    Args:
        name: What the error calls it.
        value: `[period, clock]`, as passed.
        sport: How the clock counts.

    Raises:
        ArgumentError: it is no such pair, the sport has no such period, or the clock lies outside it.
    """
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ArgumentError(f"{name} is {shown(value)}; give a period and a clock, such as [2, '6:14']")
    return Moment(period_of(value[0], sport), elapsed_at(value[1], sport))


def moved(moment: Moment, delta_seconds: Any, sport: Sport, break_seconds: Any = BREAK) -> Moment | None:
    """The moment that lies some seconds of broadcast time later.

    Args:
        moment: Where to start.
        delta_seconds: How many; earlier if negative.
        sport: How long its periods are.
        break_seconds: Between two periods.

    Returns:
        A moment exact to the nanosecond, or None strictly inside a break, before the start or after the end of the
        match. Where there is no break, the end of the earlier period wins.

    Raises:
        ArgumentError: a number is none, or a break is negative or longer than a day.
    """
    pause = nanoseconds("break_seconds", break_seconds)
    if not 0 <= pause <= _LONGEST_BREAK * SECOND:
        raise ArgumentError(f"break_seconds is {shown(break_seconds)}; give 0 to {_LONGEST_BREAK} seconds")
    length = sport.length * SECOND
    target = (moment.period - 1) * (length + pause) + moment.time + nanoseconds("delta_seconds", delta_seconds)
    for period in range(1, sport.periods + 1):
        time = target - (period - 1) * (length + pause)
        if 0 <= time <= length:
            return Moment(period, time)
    return None


def shift_clock(
    period: int, clock: str, delta_seconds: float, sport: str, break_seconds: float = BREAK
) -> ShownMoment | None:
    """What the ticker shows some seconds of broadcast time later.

    Args:
        period: Where to start, from 1.
        clock: Where in the period.
        delta_seconds: How many seconds; earlier if negative.
        sport: `basketball` or `hockey`.
        break_seconds: Between two periods, 0 to 86,400.

    Returns:
        Period and clock, or None strictly inside a break, before the start or after the end of the match. Both ends
        of a period belong to it; with a break of 0 the end of the earlier period wins.

    Raises:
        ArgumentError: an argument is out of range, or the clock lies outside the period.
    """
    rules = sport_of(sport)
    moment = moved(moment_of("the moment", (period, clock), rules), delta_seconds, rules, break_seconds)
    if moment is None:
        return None
    return {"period": moment.period, "clock": display(moment.time, rules)}

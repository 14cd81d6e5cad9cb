"""What questions are asked about: the scoring events of a basketball match, the faceoffs of a hockey match.

Everything that happens at one moment is one *instant*. A question is drawn from lists of instants, so that it is found
at once where there is one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from evolif.scenarios.broadcast.clock import BREAK, HOCKEY, SECOND, Moment, Sport, display, sport_of
from evolif.scenarios.broadcast.events import Faceoff, Scored, faceoffs_of, scored_events
from evolif.util.rng import Stream

FEWEST, MOST = 5, 25
"""Events of a span."""
_Row = Scored | Faceoff


class Instant(NamedTuple):
    """A moment at which something happens that is asked about.

    Attributes:
        moment: When.
        clock: What the clock shows.
        on_air: Nanoseconds of broadcast time since the start of the match.
        rows: Scoring events, or faceoffs, in order.
    """

    moment: Moment
    clock: str
    on_air: int
    rows: Sequence[_Row]

    @property
    def shown(self) -> list[Any]:
        """`[period, clock]`."""
        return [self.moment.period, self.clock]


class DrawnSpan(NamedTuple):
    """A span that a question asks about.

    Attributes:
        start: `[period, clock]`; belongs to the span, as `end` does.
        end: `[period, clock]`.
        close: The end.
        rows: What lies in it, in order.
    """

    start: list[Any]
    end: list[Any]
    close: Moment
    rows: Sequence[_Row]


@dataclass(frozen=True)
class Evidence:
    """What can be asked about a match.

    Attributes:
        sport: How its clock counts.
        sources: The scoring events, or the faceoffs, as the match has them: what keys are computed from.
        instants: In order.
        through: How many rows there are before each instant, and in the end all of them.
        periods: The period of each instant.
    """

    sport: Sport
    sources: Sequence[Mapping[str, Any]]
    instants: Sequence[Instant]
    through: Sequence[int]
    periods: Sequence[int]

    def of_period(self, period: int) -> range:
        """Where the instants of a period stand."""
        return range(bisect_left(self.periods, period), bisect_right(self.periods, period))

    def sources_of(self, first: int, last: int) -> Sequence[Mapping[str, Any]]:
        """The sources of some periods.

        Args:
            first: The first period.
            last: The last one.
        """
        start, stop = self.of_period(first).start, self.of_period(last).stop
        return self.sources[self.through[start] : self.through[stop]]

    def starts(self, close: int, first: int) -> range:
        """Where a span of 5 to 25 rows that ends with an instant may begin.

        Args:
            close: Where the last instant stands.
            first: The earliest instant that the span may hold.
        """
        total = self.through[close + 1]
        least = bisect_left(self.through, total - MOST)
        most = bisect_right(self.through, total - FEWEST)
        return range(max(least, first), min(most, close + 1))

    def span(self, period: int, since: int, stream: Stream) -> DrawnSpan | None:
        """A span of 5 to 25 rows that ends in a period, or None if there is none.

        Args:
            period: In which it ends.
            since: The earliest period in which it may begin.
            stream: Where draws come from.
        """
        first = self.of_period(since).start
        ends = [close for close in self.of_period(period) if self.starts(close, first)]
        if not ends:
            return None
        close = stream.choice(ends)
        return self.span_until(close, self._end_after(close, stream), first, stream)

    def span_until(self, close: int, end: Moment, first: int, stream: Stream) -> DrawnSpan:
        """A span of 5 to 25 rows that holds an instant as its last; there must be one.

        Args:
            close: Where the last instant stands.
            end: When the span ends.
            first: The earliest instant that it may hold.
            stream: Where draws come from.
        """
        opening = stream.choice(self.starts(close, first))
        start = self._start_before(opening, stream)
        rows = [row for instant in self.instants[opening : close + 1] for row in instant.rows]
        return DrawnSpan(self.shown(start), self.shown(end), end, rows)

    def shown(self, moment: Moment) -> list[Any]:
        """A moment as `[period, clock]`."""
        return [moment.period, display(moment.time, self.sport)]

    def _start_before(self, opening: int, stream: Stream) -> Moment:
        """A start that makes an instant the first of a span: the instant itself, or one of the seconds before it."""
        moment = self.instants[opening].moment
        before = self.instants[opening - 1].moment if opening else None
        least = 0 if before is None or before.period < moment.period else before.time // SECOND + 1
        return _either(moment, least, moment.time // SECOND, stream)

    def _end_after(self, close: int, stream: Stream) -> Moment:
        """An end that makes an instant the last of a span: the instant itself, or one of the seconds after it."""
        moment = self.instants[close].moment
        after = self.instants[close + 1].moment if close + 1 < len(self.instants) else None
        least = -(-moment.time // SECOND)
        if after is None or after.period > moment.period:
            return _either(moment, least, self.sport.length, stream)
        return _either(moment, least, -(-after.time // SECOND) - 1, stream)


def evidence_of(match: Mapping[str, Any]) -> Evidence:
    """What can be asked about a match.

    Args:
        match: As `simulate` returns it.
    """
    sport = sport_of(match["sport"])
    sources: Sequence[Mapping[str, Any]]
    rows: Sequence[_Row]
    if sport is HOCKEY:
        sources = match["faceoffs"]
        rows = faceoffs_of(sources)
    else:
        sources = [event for event in match["events"] if event["pts"]]
        rows = scored_events(sources, sport)
    instants = [_instant(list(same), sport) for _, same in groupby(rows, key=_moment_of)]
    through = [0, *accumulate(len(instant.rows) for instant in instants)]
    return Evidence(sport, sources, instants, through, [instant.moment.period for instant in instants])


def _moment_of(row: _Row) -> Moment:
    return row.moment


def _instant(rows: Sequence[_Row], sport: Sport) -> Instant:
    moment = rows[0].moment
    on_air = (moment.period - 1) * (sport.length + BREAK) * SECOND + moment.time
    return Instant(moment, rows[0].clock, on_air, rows)


def _either(moment: Moment, least: int, most: int, stream: Stream) -> Moment:
    """The moment itself, in half of the cases; else one of some whole seconds of its period, if there are any."""
    own = stream.below(2)
    if least > most:
        return moment
    drawn = Moment(moment.period, stream.between(least, most) * SECOND)
    return moment if own else drawn

"""Lines of a reply that may tell facts: whom they name, what they say of time, their numbers.

Lines such as `Points: 2` go on with what the line above tells.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, TypeVar

from evolif.scenarios.broadcast.reading import StatedNumber, brackets_in, numbers_in, without
from evolif.scenarios.broadcast.reading_moments import StatedMoment, TimedLine, times_in
from evolif.scenarios.broadcast.reading_names import Mention, NameTable

BEFORE: Final = 40
"""Characters before a name or a number that may say what it is."""
_KEY_LINE: Final = re.compile(r"(?:[-+>|] ?|[0-9]{1,3}[.)] ?)?([a-z]+)(?: [a-z]+){0,2} ?(?:[:=|]|- )")
_GOES_ON: Final = frozenset(
    {
        "points",
        "point",
        "pts",
        "how",
        "time",
        "when",
        "clock",
        "moment",
        "period",
        "quarter",
        "loser",
        "opponent",
        "against",
    }
)
_NO_SCORER: Final = re.compile(
    r"(?<![a-z])(?:(?:assist(?:s|ed)?|set up|fed|pass(?:es)?|feed|helped|fouled|blocked|defended)"
    r"(?: (?:by|from|of|goes to|to|against|on))?|foul(?:ed)? (?:by|on|from))[: ]* ?$"
)
_HELPED: Final = re.compile(r" (?:assist(?:s|ed)|set up|fed|feeds|pass(?:es)? to|helped|fouled) ")
"""Between two names: the second one is who scored."""
_START: Final = attrgetter("start")
_Placed = TypeVar("_Placed", StatedNumber, StatedMoment)


@dataclass(frozen=True, slots=True)
class FactLine:
    """A line, with what it names outside of skipped brackets.

    Attributes:
        text: Folded.
        seen: The same without moments and skipped brackets, as long.
        players: Whom it names, but for those who assist or are fouled.
        times: What it says of time.
        numbers: Those that are no clocks.
        inside: Numbers of points in skipped brackets, which count for want of others.
    """

    text: str
    seen: str
    players: Sequence[Mention]
    times: TimedLine
    numbers: Sequence[StatedNumber]
    inside: Sequence[StatedNumber]


def fact_lines(
    lines: Sequence[str], table: NameTable, sport: str, label: int | None, *, skips: bool
) -> Iterator[FactLine]:
    """The lines of a reply.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
        label: The period of clocks before which none is named.
        skips: Whether brackets without a moment are left out.
    """
    for text in _joined(lines, table):
        times = times_in(text, sport, label)
        label = times.label
        bare = without(text, times.spans)
        skipped = _without_moment(text, times) if skips else []
        seen = without(bare, skipped)
        players = _scorers(seen, table)
        if not players and not times.moments:
            yield FactLine(text, seen, (), times, (), ())
            continue
        inside = [number for start, end in skipped for number in _points_inside(bare, start, end)]
        yield FactLine(text, seen, players, times, numbers_in(seen), inside)


def _points_inside(line: str, start: int, end: int) -> list[StatedNumber]:
    """The numbers of points in a bracket, and the number that is all of it."""
    numbers = numbers_in(line, start, end)
    alone = len(numbers) == 1 and not line[start + 1 : numbers[0].start].strip(" +") and numbers[0].end == end - 1
    return [number for number in numbers if number.points or alone]


def _without_moment(text: str, times: TimedLine) -> list[tuple[int, int]]:
    """The brackets in which no label or clock stands."""
    starts = [start for start, _ in times.spans]
    return [span for span in brackets_in(text) if bisect_left(starts, span[0]) == bisect_left(starts, span[1])]


def _scorers(seen: str, table: NameTable) -> list[Mention]:
    """The players of a line, without those who assist or are fouled."""
    kept: list[Mention] = []
    end = len(seen)
    for player in table.players_in(seen):
        helped = _HELPED.fullmatch(seen, end, player.start)
        end = player.end
        if helped or not _NO_SCORER.search(seen, max(0, player.start - BEFORE), player.start):
            kept.append(player)
    return kept


def _joined(lines: Sequence[str], table: NameTable) -> Iterator[str]:
    """Lines, with those that go on with the fact of the line above put behind it."""
    parts: list[str] = []
    first_key = ""
    for line in lines:
        found = _KEY_LINE.match(line)
        key = found[1] if found else ""
        if key in _GOES_ON and not first_key and not (parts and table.players_in(parts[0])):
            first_key = key
        if key not in _GOES_ON or key == first_key or not parts:
            if parts:
                yield " ; ".join(parts)
            parts = []
        parts.append(line)
    if parts:
        yield " ; ".join(parts)


def within(things: Sequence[_Placed], start: int, end: int) -> Sequence[_Placed]:
    """Those that begin in a piece of a line; they are in order."""
    return things[bisect_left(things, start, key=_START) : bisect_left(things, end, key=_START)]


def last_before(things: Sequence[_Placed], place: int) -> Sequence[_Placed]:
    """The last one that begins before a place in a line."""
    end = bisect_left(things, place, key=_START)
    return things[max(0, end - 1) : end]

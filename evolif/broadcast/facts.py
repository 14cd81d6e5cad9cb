"""Facts in a reply: who scored how many points when, who won a faceoff against whom when.

A fact is what stands from a player's name to the next one or the line's end. Where a line begins with moments and ends
without one, each moment belongs to the names after it; numbers alike. Lines such as `Points: 2` go on with the fact of
the line above.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, TypeVar

from evolif.broadcast.reading import Number, brackets_in, numbers_in, without
from evolif.broadcast.reading_moments import Moment, TimedLine, same_moment, times_in
from evolif.broadcast.reading_names import Mention, NameTable

_KEY_LINE: Final = re.compile(r"(?:[-+>|] ?|[0-9]{1,3}[.)] ?)?([a-z]+)(?: [a-z]+){0,2} ?(?:[:=|]|- )")
_STARTS: Final = frozenset({"player", "scorer", "who", "winner", "name"})
_GOES_ON: Final = frozenset(
    {"points", "point", "pts", "time", "when", "clock", "moment", "period", "quarter", "loser", "opponent", "against"}
)
_NO_SCORER: Final = re.compile(
    r"(?<![a-z])(?:(?:assist(?:s|ed)?|set up|fed|pass(?:es)?|feed|helped|fouled|blocked|defended)"
    r"(?: (?:by|from|of|goes to|to|against|on))?|foul(?:ed)? (?:by|on|from))[: ]* ?$"
)
_FREE_THROW: Final = re.compile(r"(?<![a-z])free[ -]?throw(?![a-z])")
_THREE: Final = re.compile(r"(?<![a-z])(?:from (?:three|downtown|deep)|a three|treys?)(?![a-z])")
_LABELLED_POINTS: Final = re.compile(r"(?<![a-z])(?:points?|pts?) ?[:=] ?$")
_LOST: Final = re.compile(r"(?<![a-z])(?:los(?:t|es|ing)|(?:beaten|defeated|outdone) by)(?![a-z])")
_LOSES: Final = re.compile(r" (?:then |has |had )?los(?:t|es)(?![a-z])")
_LOSER: Final = re.compile(r"(?<![a-z])(?:loser|lost by)[ :|]*$")
_TOGETHER: Final = re.compile(r"(?<![a-z])(?:both|each|all|apiece)(?![a-z])")
_BEFORE: Final = 40
"""Characters before a name that may say what it is."""
_START: Final = attrgetter("start")
_Placed = TypeVar("_Placed", Number, Moment)


@dataclass(frozen=True, slots=True)
class Fact:
    """What a reply says of a player; a part that it does not say is None.

    Attributes:
        player: Full name.
        points: How many.
        moment: When.
        line: Where it stands, as evidence.
    """

    player: str
    points: float | None
    moment: Moment | None
    line: str

    @property
    def who(self) -> str:
        """Whom it is about."""
        return self.player

    @property
    def claim(self) -> Hashable:
        """What it says, without where it stands."""
        moment = self.moment
        return self.player, self.points, moment and (moment.period, moment.time)

    def is_at(self, item: Mapping[str, Any], sport: str) -> bool:
        """Whether it tells an item's moment."""
        return self.moment is not None and same_moment(self.moment, item["period"], item["clock"], sport)

    def is_one(self, item: Mapping[str, Any], sport: str) -> bool:
        """Whether it is an item's event."""
        return (self.player, self.points) == (item["player"], item["points"]) and self.is_at(item, sport)


@dataclass(frozen=True, slots=True)
class Faceoff:
    """A faceoff that a reply tells; a part that it does not tell is None.

    Attributes:
        winner: Full name.
        loser: Full name.
        moments: All that its line names; any may be meant.
        line: Where it stands, as evidence.
    """

    winner: str | None
    loser: str | None
    moments: tuple[Moment, ...]
    line: str

    @property
    def who(self) -> str | None:
        """Whom it is about."""
        return self.winner

    @property
    def claim(self) -> Hashable:
        """What it says, without where it stands."""
        return self.winner, self.loser, tuple((moment.period, moment.time) for moment in self.moments)

    def is_at(self, item: Mapping[str, Any], sport: str) -> bool:
        """Whether it tells an item's moment."""
        return any(same_moment(moment, item["period"], item["clock"], sport) for moment in self.moments)

    def is_one(self, item: Mapping[str, Any], sport: str) -> bool:
        """Whether it is an item's event."""
        return (self.winner, self.loser) == (item["winner"], item["loser"]) and self.is_at(item, sport)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, with what it names outside of skipped brackets."""

    seen: str
    """Without moments and skipped brackets."""
    text: str
    players: Sequence[Mention]
    times: TimedLine
    numbers: Sequence[Number]
    inside: Sequence[Number]
    """Numbers of points in skipped brackets, which count for want of others."""


def facts_in(lines: Sequence[str], table: NameTable, sport: str, label: int | None = None) -> list[Fact]:
    """The facts of a reply: a player with a number, a moment, or both.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
        label: The period of clocks before which none is named.
    """
    found: list[Fact] = []
    heading_moment: Moment | None = None
    heading_player = ""
    for line in _read(lines, table, sport, label, skips=True):
        if line.players:
            facts = _facts_of(line, heading_moment)
            found += facts
            heading_player = line.players[0].name if len(line.players) == 1 and not facts else ""
            continue
        if heading_player and line.times.moments and line.numbers:
            points = _points(line.seen, line.numbers, line.seen, line.inside)
            found += _pairs(heading_player, line.numbers, line.times.moments, points, line.text)
        elif line.times.moments:
            heading_moment = line.times.moments[-1] if len(line.times.moments) == 1 else None
    return found


def faceoffs_in(lines: Sequence[str], table: NameTable, sport: str, label: int | None = None) -> list[Faceoff]:
    """The faceoffs of a reply: the first player of a pair won it, the second lost it.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
        label: The period of clocks before which none is named.
    """
    found: list[Faceoff] = []
    heading: Moment | None = None
    for line in _read(lines, table, sport, label, skips=False):
        if line.players:
            found += _faceoffs_of(line, heading)
        elif line.times.moments:
            heading = line.times.moments[-1] if len(line.times.moments) == 1 else None
    return found


def _read(lines: Sequence[str], table: NameTable, sport: str, label: int | None, *, skips: bool) -> Iterator[_Line]:
    """The lines of a reply; `skips` says whether brackets without a moment are left out."""
    for text in _joined(lines, table):
        times = times_in(text, sport, label)
        label = times.label
        bare = without(text, times.spans)
        skipped = _without_moment(text, times) if skips else []
        seen = without(bare, skipped)
        inside = [number for start, end in skipped for number in numbers_in(bare, start, end) if number.points]
        yield _Line(seen, text, _scorers(seen, table), times, numbers_in(seen), inside)


def _without_moment(text: str, times: TimedLine) -> list[tuple[int, int]]:
    """The brackets in which no label or clock stands."""
    starts = [start for start, _ in times.spans]
    return [span for span in brackets_in(text) if bisect_left(starts, span[0]) == bisect_left(starts, span[1])]


def _scorers(seen: str, table: NameTable) -> list[Mention]:
    """The players of a line, without those who assist or are fouled."""
    return [
        player
        for player in table.players_in(seen)
        if not _NO_SCORER.search(seen, max(0, player.start - _BEFORE), player.start)
    ]


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


def _facts_of(line: _Line, heading: Moment | None) -> list[Fact]:
    """The facts of a line that names players."""
    moments, numbers = line.times.moments, line.numbers
    last = line.players[-1]
    timed_after = any(moment.start > last.end for moment in moments)
    counted_after = any(number.start > last.end for number in (*numbers, *line.inside))
    together = timed_after and _TOGETHER.search(line.seen) is not None
    found: list[Fact] = []
    for place, player in enumerate(line.players):
        end = line.players[place + 1].start if place + 1 < len(line.players) else len(line.seen)
        own = _within(moments, player.end, end)
        if not timed_after:
            own = _last_before(moments, player.start) or own
        counts = _within(numbers, player.end, end)
        begin = player.end
        if not counts and not counted_after:
            begin = line.players[place - 1].end if place else 0
            counts = _within(numbers, begin, player.start)[-1:]
        piece = line.seen[begin:end]
        points = _points(line.seen, counts, piece, _within(line.inside, player.end, end))
        if not own and together and points is not None:
            own = moments[-1:]
        if own:
            found += _pairs(player.name, counts, own, points, line.text)
        elif points is not None:
            found.append(Fact(player.name, points, None if moments else heading, line.text))
    return found


def _within(things: Sequence[_Placed], start: int, end: int) -> Sequence[_Placed]:
    """Those that begin in a piece of a line; they are in order."""
    return things[bisect_left(things, start, key=_START) : bisect_left(things, end, key=_START)]


def _last_before(things: Sequence[_Placed], place: int) -> Sequence[_Placed]:
    """The last one that begins before a place in a line."""
    end = bisect_left(things, place, key=_START)
    return things[max(0, end - 1) : end]


def _points(seen: str, numbers: Sequence[Number], piece: str, inside: Sequence[Number]) -> float | None:
    """How many points a piece of a line tells: with the word for them, by a free throw, or the first bare number."""
    for number in numbers:
        if number.points or _LABELLED_POINTS.search(seen, max(0, number.start - _BEFORE), number.start):
            return number.value
    if _FREE_THROW.search(piece):
        return 1
    if _THREE.search(piece):
        return 3
    return next((number.value for number in (*numbers, *inside)), None)


def _pairs(
    player: str, numbers: Sequence[Number], moments: Sequence[Moment], points: float | None, text: str
) -> list[Fact]:
    """One fact a moment: with the number beside it if there are several moments."""
    if len(moments) == 1:
        return [Fact(player, points, moments[0], text)]
    named = [number for number in numbers if number.points] or numbers
    found: list[Fact] = []
    numbers_lead = not named or named[0].start < moments[0].start
    for place, moment in enumerate(moments):
        start = moments[place - 1].end if place else 0
        end = moments[place + 1].start if place + 1 < len(moments) else len(text)
        beside = _within(named, start, moment.start)[-1:] if numbers_lead else _within(named, moment.end, end)[:1]
        found.append(Fact(player, beside[0].value if beside else points, moment, text))
    return found


def _faceoffs_of(line: _Line, heading: Moment | None) -> list[Faceoff]:
    """The faceoffs of a line that names players."""
    moments, players = line.times.moments, _without_repeats(line.players)
    if len(players) == 1:
        return [_half(line, players[0])] if moments else []
    firsts = players[: len(players) // 2 * 2 : 2]
    timed_after = any(moment.start > firsts[-1].start for moment in moments)
    found: list[Faceoff] = []
    for place, first in enumerate(firsts):
        second = players[2 * place + 1]
        end = firsts[place + 1].start if place + 1 < len(firsts) else len(line.seen)
        own = _within(moments, first.start, end) if timed_after else _last_before(moments, first.start)
        if len(firsts) == 1:
            own = moments
        if not moments and heading is not None:
            own = [heading]
        winner, loser = first.name, second.name
        if _LOSER.search(line.seen, max(0, first.start - _BEFORE), first.start) or _LOST.search(
            line.seen, first.end, second.start
        ):
            winner, loser = loser, winner
        found.append(Faceoff(winner, loser, tuple(own), line.text))
    return found


def _without_repeats(players: Sequence[Mention]) -> list[Mention]:
    """Players, one mention for several in a row."""
    return [player for place, player in enumerate(players) if not place or players[place - 1].name != player.name]


def _half(line: _Line, player: Mention) -> Faceoff:
    """The faceoff of a line that names one of its players."""
    lost = _LOSER.search(line.seen, max(0, player.start - _BEFORE), player.start) or _LOSES.match(line.seen, player.end)
    winner, loser = (None, player.name) if lost else (player.name, None)
    return Faceoff(winner, loser, tuple(line.times.moments), line.text)

"""Facts in a reply: who scored how many points when.

A fact is what stands from a player's name to the next one or the line's end. Where a line begins with moments and ends
without one, each moment belongs to the names after it; numbers alike.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evolif.scenarios.broadcast.fact_lines import BEFORE, FactLine, fact_lines, last_before, within
from evolif.scenarios.broadcast.reading import StatedNumber
from evolif.scenarios.broadcast.reading_moments import StatedMoment, same_moment
from evolif.scenarios.broadcast.reading_names import Mention, NameTable

_FREE_THROW: Final = re.compile(r"(?<![a-z])free[ -]?throw(?![a-z])")
_THREE: Final = re.compile(r"(?<![a-z])(?:from (?:three|downtown|deep)|a three|treys?)(?![a-z])")
_LABELLED_POINTS: Final = re.compile(r"(?<![a-z])(?:points?|pts?) ?[:=] ?$")
_OTHER_EVENT: Final = re.compile(
    r"(?:'s)?[ ,:-]{1,3}(?:(?:a|an|the|had|has|gets?|got|grabs?|grabbed|commits?|committed|with|was|is) ){0,3}"
    r"(?:[a-z]+ )?(?:miss(?:es|ed)?|rebounds?|rebounded|fouls?|fouled|turnovers?|turns|steals?|stole|blocks?|blocked|"
    r"timeouts?|enters|entered|leaves|travel(?:s|ed|ing)?|lost ball|bad pass)(?![a-z])"
)
_SCORES: Final = re.compile(
    r"(?<![a-z])(?:makes?|made|scor(?:es|ed|ing)|hits?|sinks|sank|converts|points|pts)(?![a-z])"
)
_POINTS_BY: Final = re.compile(
    r"(?<![a-z])(?:points?|pts|pointer|throw|shot|basket) (?:was |were )?(?:by|from|for|of) $"
)
_TOGETHER: Final = re.compile(r"(?<![a-z])(?:both|each|all|apiece)(?![a-z])")


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
    moment: StatedMoment | None
    line: str

    @property
    def who(self) -> str:
        """Whom it is about."""
        return self.player

    @property
    def is_whole(self) -> bool:
        """Whether it says how many points, and when."""
        return self.points is not None and self.moment is not None

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


def facts_in(lines: Sequence[str], table: NameTable, sport: str, label: int | None = None) -> list[Fact]:
    """The facts of a reply: a player with a number, a moment, or both.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
        label: The period of clocks before which none is named.
    """
    found: list[Fact] = []
    heading_moment: StatedMoment | None = None
    heading_player = ""
    for line in fact_lines(lines, table, sport, label, skips=True):
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


def _facts_of(line: FactLine, heading: StatedMoment | None) -> list[Fact]:
    """The facts of a line that names players."""
    together = _TOGETHER.search(line.seen) is not None
    moments = _by_player(line.players, line.times.moments, len(line.seen))
    timed_after = bool(moments[-1])
    found: list[Fact] = []
    for player, own, (piece, counts, inside) in zip(line.players, moments, _pieces(line), strict=True):
        if _OTHER_EVENT.match(line.seen, player.end) and not _SCORES.search(piece):
            continue
        points = _points(line.seen, counts, piece, inside)
        shared = line.times.moments[-1:] if together and timed_after and points is not None else ()
        if own or shared:
            found += _pairs(player.name, counts, own or shared, points, line.text)
        elif points is not None:
            found.append(Fact(player.name, points, None if line.times.moments else heading, line.text))
    return found


def _by_player(players: Sequence[Mention], moments: Sequence[StatedMoment], end: int) -> list[Sequence[StatedMoment]]:
    """The moments of each player: those behind the name, or the last one before it if the line begins with one."""
    ends = [player.start for player in players[1:]] + [end]
    own = [within(moments, player.end, stop) for player, stop in zip(players, ends, strict=True)]
    if own[-1] or not moments:
        return own
    if moments[0].start < players[0].start:
        return [last_before(moments, player.start) for player in players]
    for place in range(1, len(own)):
        if not own[place] and len(own[place - 1]) > 1:  # A at Q1 7:03, and at Q2 6:14 B
            own[place - 1], own[place] = own[place - 1][:-1], own[place - 1][-1:]
    return own


def _pieces(line: FactLine) -> Iterator[tuple[str, Sequence[StatedNumber], Sequence[StatedNumber]]]:
    """What belongs to each player: words, numbers, and numbers in skipped brackets; see `_by_player`."""
    players, numbers = line.players, line.numbers
    counted_after = any(number.start > players[-1].end for number in (*numbers[-1:], *line.inside[-1:]))
    counted_before = bool(numbers) and not counted_after and numbers[0].start < players[0].start
    for place, player in enumerate(players):
        end = players[place + 1].start if place + 1 < len(players) else len(line.seen)
        counts, begin = within(numbers, player.end, end), player.end
        if not counts and (counted_before or _POINTS_BY.search(line.seen, max(0, player.start - BEFORE), player.start)):
            begin = players[place - 1].end if place else 0
            counts = within(numbers, begin, player.start)[-1:]
        yield line.seen[begin:end], counts, within(line.inside, player.end, end)


def _points(seen: str, numbers: Sequence[StatedNumber], piece: str, inside: Sequence[StatedNumber]) -> float | None:
    """How many points a piece of a line tells: with the word for them, by a free throw, or the first bare number."""
    for number in numbers:
        if number.points or _LABELLED_POINTS.search(seen, max(0, number.start - BEFORE), number.start):
            return number.value
    if _FREE_THROW.search(piece):
        return 1
    if _THREE.search(piece):
        return 3
    return next((number.value for number in (*numbers, *inside)), None)


def _pairs(
    player: str, numbers: Sequence[StatedNumber], moments: Sequence[StatedMoment], points: float | None, text: str
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
        beside = within(named, start, moment.start)[-1:] if numbers_lead else within(named, moment.end, end)[:1]
        found.append(Fact(player, beside[0].value if beside else points, moment, text))
    return found

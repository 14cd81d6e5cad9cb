"""Facts in a reply: who scored how many points when.

A fact is what stands from a player's name to the next one or the line's end. Where a line begins with moments and ends
without one, each moment belongs to the names after it; numbers alike.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evolif.broadcast.fact_lines import BEFORE, FactLine, fact_lines, last_before, within
from evolif.broadcast.reading import Number
from evolif.broadcast.reading_moments import Moment, same_moment
from evolif.broadcast.reading_names import NameTable

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


def _facts_of(line: FactLine, heading: Moment | None) -> list[Fact]:
    """The facts of a line that names players."""
    moments, numbers = line.times.moments, line.numbers
    last = line.players[-1]
    timed_after = any(moment.start > last.end for moment in moments)
    counted_after = any(number.start > last.end for number in (*numbers, *line.inside))
    together = timed_after and _TOGETHER.search(line.seen) is not None
    found: list[Fact] = []
    for place, player in enumerate(line.players):
        end = line.players[place + 1].start if place + 1 < len(line.players) else len(line.seen)
        own = within(moments, player.end, end)
        if not timed_after:
            own = last_before(moments, player.start) or own
        counts = within(numbers, player.end, end)
        begin = player.end
        if not counts and not counted_after:
            begin = line.players[place - 1].end if place else 0
            counts = within(numbers, begin, player.start)[-1:]
        piece = line.seen[begin:end]
        if _OTHER_EVENT.match(line.seen, player.end) and not _SCORES.search(piece):
            continue
        points = _points(line.seen, counts, piece, within(line.inside, player.end, end))
        if not own and together and points is not None:
            own = moments[-1:]
        if own:
            found += _pairs(player.name, counts, own, points, line.text)
        elif points is not None:
            found.append(Fact(player.name, points, None if moments else heading, line.text))
    return found


def _points(seen: str, numbers: Sequence[Number], piece: str, inside: Sequence[Number]) -> float | None:
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
        beside = within(named, start, moment.start)[-1:] if numbers_lead else within(named, moment.end, end)[:1]
        found.append(Fact(player, beside[0].value if beside else points, moment, text))
    return found

"""Faceoffs in a reply: who won against whom when.

The players of a line are taken in pairs: the first won, the second lost, whatever moment stands in the line.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evolif.scenarios.broadcast.fact_lines import BEFORE, FactLine, fact_lines, last_before, within
from evolif.scenarios.broadcast.reading_moments import StatedMoment, same_moment
from evolif.scenarios.broadcast.reading_names import Mention, NameTable

_LOST: Final = re.compile(r"(?<![a-z])(?:los(?:t|es|ing)|(?:beaten|defeated|outdone) by)(?![a-z])")
_LOSES: Final = re.compile(r" (?:then |has |had )?los(?:t|es)(?![a-z])")
_LOSER: Final = re.compile(r"(?<![a-z])(?:loser|lost by)[ :|]*$")


@dataclass(frozen=True, slots=True)
class StatedFaceoff:
    """A faceoff that a reply tells; a part that it does not tell is None.

    Attributes:
        winner: Full name.
        loser: Full name.
        moments: All that its line names; any may be meant.
        line: Where it stands, as evidence.
    """

    winner: str | None
    loser: str | None
    moments: tuple[StatedMoment, ...]
    line: str

    @property
    def who(self) -> str | None:
        """Whom it is about."""
        return self.winner

    @property
    def is_whole(self) -> bool:
        """Whether it says who won, who lost, and when."""
        return bool(self.winner and self.loser and self.moments)

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


def faceoffs_in(lines: Sequence[str], table: NameTable, sport: str, label: int | None = None) -> list[StatedFaceoff]:
    """The faceoffs of a reply: the first player of a pair won it, the second lost it.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
        label: The period of clocks before which none is named.
    """
    found: list[StatedFaceoff] = []
    heading: StatedMoment | None = None
    turned = False
    for line in fact_lines(lines, table, sport, label, skips=False):
        if line.players:
            found += _faceoffs_of(line, heading, turned)
        elif "|" in line.text and "loser" in line.text:
            turned = "winner" in line.text[line.text.index("loser") :]
        elif line.times.moments:
            heading = line.times.moments[-1] if len(line.times.moments) == 1 else None
    return found


def _faceoffs_of(line: FactLine, heading: StatedMoment | None, turned: bool) -> list[StatedFaceoff]:
    """The faceoffs of a line that names players."""
    pairs = _pairs(line.players)
    moments = line.times.moments
    if not pairs:
        return [_half(line)] if moments else []
    timed_after = any(moment.start > pairs[-1][0].start for moment in moments)
    found: list[StatedFaceoff] = []
    for place, (first, second) in enumerate(pairs):
        end = pairs[place + 1][0].start if place + 1 < len(pairs) else len(line.seen)
        own = within(moments, first.start, end) if timed_after else last_before(moments, first.start)
        if len(pairs) == 1:
            own = moments
        if not moments and heading is not None:
            own = [heading]
        winner, loser = first.name, second.name
        if turned or _first_lost(line, first, second):
            winner, loser = loser, winner
        found.append(StatedFaceoff(winner, loser, tuple(own), line.text))
    return found


def _pairs(players: Sequence[Mention]) -> list[tuple[Mention, Mention]]:
    """Players, two and two; nobody plays against himself."""
    found: list[tuple[Mention, Mention]] = []
    first: Mention | None = None
    for player in players:
        if first is None or first.name == player.name:
            first = first or player
        else:
            found.append((first, player))
            first = None
    return found


def _first_lost(line: FactLine, first: Mention, second: Mention) -> bool:
    before = _LOSER.search(line.seen, max(0, first.start - BEFORE), first.start)
    return before is not None or _LOST.search(line.seen, first.end, second.start) is not None


def _half(line: FactLine) -> StatedFaceoff:
    """The faceoff of a line that names one of its players."""
    player = line.players[0]
    lost = _LOSER.search(line.seen, max(0, player.start - BEFORE), player.start) or _LOSES.match(line.seen, player.end)
    winner, loser = (None, player.name) if lost else (player.name, None)
    return StatedFaceoff(winner, loser, tuple(line.times.moments), line.text)

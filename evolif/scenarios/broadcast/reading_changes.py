"""Changes of the lead in a reply: how many it says there were, when, and which team went ahead."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evolif.scenarios.broadcast.reading import brackets_in, numbers_in, without
from evolif.scenarios.broadcast.reading_moments import StatedMoment, same_moment, times_in
from evolif.scenarios.broadcast.reading_names import Mention, NameTable

_NUMBER_OF: Final = re.compile(
    r"(?<![a-z])changes?(?: of (?:the )?lead| in (?:the )?lead)?(?: in total| total| count)?"
    r"(?: \([a-z ]{1,20}\))? ?(?:[:=(]|-|is|was|were|\|)+ ?(?:there (?:were|was) |just |only |exactly )?$"
)
_COUNTED: Final = re.compile(
    r" ?(?:(?!lines? |each )[a-z-]+ ){0,3}?(?:lead )?(?:changes?|times?|switch(?:es)?|swaps?)(?![a-z])"
)
_TIMES: Final = {"never": 0, "once": 1, "twice": 2, "thrice": 3}
_ONCE: Final = re.compile(
    r"(?<![a-z])(?:(?P<times>never|once|twice|thrice)"
    r"|(?P<none>(?:no|not any|zero) (?:lead )?changes?|changes? ?[:=-] ?none))"
    r"(?![a-z])"
)
_NUMBERED: Final = re.compile(r"[|>( -]{0,4}(?:change )?([0-9]{1,2})(?: ?[.):|]|$)")
"""`2. 6:14, Herons`, `| 2 | 6:14 | Herons |`, `StatedLeadChange 2: 6:14, Herons`, or a line that is a number."""
_FROM: Final = re.compile(r"(?<![a-z])(?:from|over|overtook|past|passed|pass) ?(?:the )?$")
_TO: Final = re.compile(
    r"^ ?(?:-?>|to|by|lost (?:it|the lead) to|(?:was|were|are|is|got) (?:overtaken|passed) by)(?: the)? ?$"
)
_AHEAD: Final = re.compile(
    r" (?:(?:now|then|are|is|go|goes|went|take|takes|took|retake|retook|regain|regained|have|in|the|back|moved?) ){0,4}"
    r"(?:leads?|lead|ahead|front)(?![a-z])"
)
_BEFORE: Final = 60
"""Characters before a number that may say what it is."""


@dataclass(frozen=True, slots=True)
class StatedLeadChange:
    """A change of the lead that a reply tells.

    Attributes:
        moment: When; the period may be missing.
        leader: The team that went ahead.
        line: Where it stands, as evidence.
    """

    moment: StatedMoment
    leader: str
    line: str

    @property
    def who(self) -> str:
        """Whom it is about."""
        return self.leader

    @property
    def claim(self) -> Hashable:
        """What it says, without where it stands."""
        return self.leader, self.moment.period, self.moment.time

    def is_at(self, item: Mapping[str, Any], sport: str) -> bool:
        """Whether it tells an item's moment; the clock is enough, for the period is the one just ended."""
        period = None if self.moment.period is None else item["period"]
        return same_moment(self.moment, period, item["clock"], sport)

    def is_one(self, item: Mapping[str, Any], sport: str) -> bool:
        """Whether it is an item's change."""
        return self.leader == item["leader"] and self.is_at(item, sport)


def changes_in(lines: Sequence[str], table: NameTable, sport: str) -> list[StatedLeadChange]:
    """The changes of the lead of a reply: a moment, and the team that stands beside it.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
    """
    found: list[StatedLeadChange] = []
    for line in lines:
        times = times_in(line, sport)
        if times.moments:
            found += _changes_of(line, times.moments, table)
    return found


def fields_joined(lines: Sequence[str], table: NameTable, sport: str) -> list[str]:
    """Lines in which a moment and a team that stand on lines of their own, one below the other, are one line.

    A team above several moments belongs to each of them.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
    """
    joined: list[str] = []
    moment = team = ""
    team_leads = False
    for line in lines:
        timed, teams = len(times_in(line, sport).moments), {mention.name for mention in table.teams_in(line)}
        if timed == 1 and not teams:
            if team_leads:
                joined.append(f"{line} {team}")
            else:
                moment = line
        elif len(teams) == 1 and not timed:
            if moment:
                joined.append(f"{moment} {line}")
                moment = ""
            else:
                team, team_leads = line, True
        else:
            joined.append(line)
    return joined


def _changes_of(line: str, moments: Sequence[StatedMoment], table: NameTable) -> list[StatedLeadChange]:
    seen = _without_brackets(line, moments)
    if len(table.teams_in(seen)) < len(moments):  # `at 6:14 (Herons) and at 2:00 (Gulls)`
        seen = line
    teams = _gone_ahead(seen, table.teams_in(seen))
    if not teams:
        return []
    if len(moments) == 1:
        return [StatedLeadChange(moments[0], _in_front(line, table) or teams[0].name, line)]
    found: list[StatedLeadChange] = []
    place = 0
    moment_leads = moments[0].start < teams[0].start
    if not moment_leads:
        teams, moments = teams[::-1], moments[::-1]
    for index, moment in enumerate(moments):
        following = moments[index + 1] if index + 1 < len(moments) else None
        while place < len(teams) and (teams[place].start < moment.start) == moment_leads:
            place += 1
        if place == len(teams):
            break
        beside = teams[place]
        if following is None or (beside.start < following.start) == moment_leads:
            found.append(StatedLeadChange(moment, beside.name, line))
    return found if moment_leads else found[::-1]


def _in_front(line: str, table: NameTable) -> str | None:
    """The one team that a line says is ahead, as in `Owls 40, Herons 41 (Herons lead)`."""
    ahead = {team.name for team in table.teams_in(line) if _AHEAD.match(line, team.end)}
    return ahead.pop() if len(ahead) == 1 else None


def _without_brackets(line: str, moments: Sequence[StatedMoment]) -> str:
    """A line without the brackets in which no clock stands, such as a score."""
    skipped, place = [], 0
    for start, end in brackets_in(line):
        while place < len(moments) and moments[place].start < start:
            place += 1
        if place == len(moments) or moments[place].start >= end:
            skipped.append((start, end))
    return without(line, skipped)


def _gone_ahead(line: str, teams: Sequence[Mention]) -> list[Mention]:
    """The teams that a line says went ahead: not those that were passed."""
    kept: list[Mention] = []
    for place, team in enumerate(teams):
        following = teams[place + 1] if place + 1 < len(teams) else None
        if _FROM.search(line, max(0, team.start - _BEFORE), team.start):
            continue
        if following is not None and _is_passed(line[team.end : following.start]):
            continue
        kept.append(team)
    return kept or list(teams)


def _is_passed(between: str) -> bool:
    return len(between) <= _BEFORE and _TO.search(between) is not None


def count_in(lines: Sequence[str], changes: Sequence[StatedLeadChange], sport: str) -> float | None:
    """How many changes of the lead a reply says there were.

    It is the last number that is said to be of changes; without one, the last number that counts the changes of a
    list, or stands alone. A list without any number says nothing of how many there were.

    Args:
        lines: Folded.
        changes: Those that the reply lists.
        sport: How the clock counts.
    """
    said: float | None = None
    numbered: float | None = None
    for line in lines:
        bare = without(line, times_in(line, sport).spans)
        count = _count_of(bare)
        said = said if count is None else count
        if mark := _NUMBERED.match(bare):
            numbered = int(mark[1])
    return numbered if said is None and changes else said


def _count_of(line: str) -> float | None:
    if "change" not in line and "time" not in line and "lead" not in line and "switch" not in line:
        return None
    numbers = numbers_in(line)
    for number in numbers:
        if _NUMBER_OF.search(line, max(0, number.start - _BEFORE), number.start):
            return number.value
    for number in numbers:
        if _COUNTED.match(line, number.end):
            return number.value
    if found := _ONCE.search(line):
        return _TIMES[found["times"]] if found["times"] else 0
    return None

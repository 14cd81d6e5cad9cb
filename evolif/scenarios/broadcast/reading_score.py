"""The score that a reply tells, and who leads by how much in a piece of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final, TypeAlias

from evolif.scenarios.broadcast.reading import BELOW_100, StatedNumber, numbers_in, says_level, without
from evolif.scenarios.broadcast.reading_moments import times_in
from evolif.scenarios.broadcast.reading_names import Mention, NameTable

Score: TypeAlias = dict[str, float]
"""Points by team; a team whose points are not told is missing."""

LEVEL: Final = "tie"
"""The leader of a level score."""
_WORDS: Final = rf"(?:{BELOW_100})(?![a-z])"
_NO_SCORE: Final = re.compile(
    r"(?<![a-z])(?:by|up|down|(?:lead|advantage|margin|gap|deficit|difference) (?:of|is)|ahead|behind|plus|top|\+)"
    r" ?(?:(?:just|only|exactly|a|of|mere|single) ){0,3}"
    rf"(?:[0-9]{{1,3}}(?![0-9]|:[0-9]| ?-+ ?[0-9]| to [0-9]|[.,][0-9])|{_WORDS}(?! to [a-z]))"
    r"|\+ ?[0-9]{1,3}(?![0-9])"
    rf"|(?<![0-9a-z])(?:[0-9]{{1,3}}(?:\.[0-9])?|{_WORDS})[ -](?:more |remaining )?"
    r"(?:minutes?|mins?|seconds?|secs?|s|quarters?|periods?|rows?|percent|changes?|lead changes?|runs?|fouls?|"
    r"rebounds?|assists?|turnovers?|timeouts?|times?|teams|sides|clubs)(?![a-z])"
    r"|(?<![0-9a-z])[0-9]{1,3}[ -](?:points?|pts?|goals?|possessions?)[ -](?:lead|ahead|clear|up|behind|down|adrift|"
    r"advantage|margin|gap|game|difference|deficit|cushion)(?![a-z])"
    r"|(?<![0-9a-z])[0-9]{1,3}-[0-9]{1,3} run(?![a-z])"
)
"""Numbers beside a score that are none."""
_SUMMED: Final = re.compile(r"(?<![0-9 +*/()-])[0-9 +*/()-]+=(?= ?[0-9])|(?<![0-9])[0-9]{1,3} ?-*>(?= ?[0-9])")
"""What a sum comes from, as in `10 + 10 = 20` or `18 -> 20`."""
_NOW: Final = re.compile(r"(?<![a-z])(?:now|total|totals|overall|final|current|score)(?![a-z])")
_PAIR: Final = re.compile(
    r"(?<![0-9.:])([0-9]{1,3}) ?(?:points?|pts?|goals?)?(?: ?-+ ?| to | : |:)([0-9]{1,3})(?![0-9.:]*[0-9:])"
)
_TRAILS: Final = re.compile(r"(?<![a-z])(?:trail(?:s|ed|ing)?|behind|down|los(?:e|es|ing|t))(?![a-z])")
_SENTENCE: Final = re.compile(r"(?<=[.!?;]) ")
_MARGIN: Final = re.compile(
    r"(?<![a-z])(?:by|up|ahead|down|behind|\+"
    r"|(?:lead|advantage|margin|gap|difference|deficit)(?: (?:of|is|would be))? ?:?)"
    r" ?(?:(?:just|only|exactly|a|an|of|mere|single|margin|still|about) ){0,4}$"
)
_MARGIN_AFTER: Final = re.compile(
    r"[ -]?(?:points?|pts?|goals?)?[ -]?"
    r"(?:lead|ahead|clear|up|behind|down|advantage|margin|gap|difference|cushion)(?![a-z])"
)
_BY_ONE: Final = re.compile(r"(?<![a-z])by (?:just |only )?a (?:single )?(?:point|goal)(?![a-z])")
_BEFORE: Final = 48
"""Characters before a number that may say what it is."""


def score_in(lines: Sequence[str], table: NameTable, sport: str) -> Score:
    """The score that a reply tells.

    It stands in the last line that names both teams and tells their points, else in the last line of each team that
    has a number.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts, for moments are no points.
    """
    single: Score = {}
    for line, following in _backwards(lines):
        mentions = table.teams_in(line)
        named = {mention.name for mention in mentions}
        if not named:
            continue
        clean = only_points(line, sport)
        if len(named) == 1:
            team = named.pop()
            points = next((number.value for number in numbers_in(clean[mentions[0].end :])), None)
            if points is not None:
                single.setdefault(team, points)
        elif score := _latest_of(clean, mentions) or _below(following, mentions, table, sport):
            return score
        else:
            single = {**_following(mentions, numbers_in(clean)), **single}
    return single if len(single) == 2 else _as_told(lines, table, sport) or single


def _as_told(lines: Sequence[str], table: NameTable, sport: str) -> Score | None:
    """The numbers behind both names in the last line that has them, whatever words stand between.

    `Herons ahead 54, Foxes 51` has a score, although `ahead 3` elsewhere is a margin.
    """
    for line in reversed(lines):
        mentions = table.teams_in(line)
        if len({mention.name for mention in mentions}) == 2:
            told = _following(mentions, numbers_in(without(line, times_in(line, sport).spans)))
            if len(told) == 2:
                return told
    return None


def _backwards(lines: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Each line, the last first, with up to two lines that follow it."""
    for place in range(len(lines) - 1, -1, -1):
        yield lines[place], lines[place + 1 : place + 3]


def only_points(line: str, sport: str) -> str:
    """A line without moments and without numbers that are no points."""
    bare = without(line, times_in(line, sport).spans)
    plain = without(bare, [found.span() for found in _NO_SCORE.finditer(bare)])
    return without(plain, [found.span() for found in _SUMMED.finditer(plain)])


def _latest_of(line: str, mentions: Sequence[Mention]) -> Score | None:
    """The score in a line that may tell two of them: the one behind the last word such as `now`, if there is one."""
    if len(mentions) > 2:
        for place in reversed([found.end() for found in _NOW.finditer(line)]):
            if len({mention.name for mention in mentions if mention.start >= place}) == 2:
                later = [
                    Mention(one.start - place, one.end - place, one.name) for one in mentions if one.start >= place
                ]
                if score := _score_of(line[place:], later):
                    return score
                break
    return _score_of(line, mentions)


def _score_of(line: str, mentions: Sequence[Mention]) -> Score | None:
    """The score in a line that names both teams, or None if it tells none."""
    pairs = [(found.start(), found.end(), int(found[1]), int(found[2])) for found in _PAIR.finditer(line)]
    numbers = numbers_in(line)
    alone = [number for number in numbers if not _is_inside(number, pairs)]
    told = _following(mentions, alone)
    order = list(dict.fromkeys(mention.name for mention in mentions))
    if len(told) == len(order):
        return told
    if len(pairs) >= 1:
        first, second = pairs[0][2:]
        if first > second and _trails(line, mentions):
            first, second = second, first
        return dict(zip(order, (first, second), strict=True))
    if says_level(line) and len({number.value for number in numbers}) == 1:
        return dict.fromkeys(order, numbers[0].value)
    if len(numbers) == len(order):
        return {team: number.value for team, number in zip(order, numbers, strict=True)}
    return None


def _is_inside(number: StatedNumber, pairs: Sequence[tuple[int, int, int, int]]) -> bool:
    """Whether a number is part of one of the pairs, which are in order."""
    place = bisect_right(pairs, number.start, key=itemgetter(0)) - 1
    return place >= 0 and number.start < pairs[place][1]


def _following(mentions: Sequence[Mention], numbers: Sequence[StatedNumber]) -> Score:
    """The first number that follows each name before the other one."""
    told: Score = {}
    place = 0
    for index, mention in enumerate(mentions):
        end = mentions[index + 1].start if index + 1 < len(mentions) else None
        while place < len(numbers) and numbers[place].start < mention.end:
            place += 1
        if place < len(numbers) and (end is None or numbers[place].start < end):
            told.setdefault(mention.name, numbers[place].value)
    return told


def _below(lines: Sequence[str], mentions: Sequence[Mention], table: NameTable, sport: str) -> Score | None:
    """The score in a table whose head names the teams: a row of two numbers and nothing else."""
    if len(mentions) != 2:
        return None
    for line in lines:
        numbers = numbers_in(only_points(line, sport))
        if len(numbers) == 2 and "|" in line and not table.teams_in(line):
            return {mention.name: number.value for mention, number in zip(mentions, numbers, strict=True)}
    return None


def _trails(line: str, mentions: Sequence[Mention]) -> bool:
    """Whether the first team is said to be behind."""
    found = _TRAILS.search(line, mentions[0].end, mentions[0].end + _BEFORE)
    return found is not None


def lead_in(piece: str, table: NameTable) -> tuple[str | None, float | None]:
    """Who leads by how much in a piece of a reply without moments.

    Returns:
        A team or `tie`, and the margin; None for what is not told.
    """
    mentions = table.teams_in(piece)
    margin = _margin_in(piece)
    leader = _leader(piece, mentions, table)
    named = {mention.name for mention in mentions}
    score = _score_of(piece, mentions) if len(named) == 2 else None
    told = None if score is None else _of_score(score)
    if margin is not None and (told is None or told[1] != margin):
        level = says_level(piece) and (margin == 0 or not mentions)
        return (LEVEL if level else leader), margin
    if told is not None:
        return told
    if says_level(piece):
        return LEVEL, 0
    return _of_numbers(piece, leader)


def _of_score(score: Score) -> tuple[str, float]:
    leader = max(score, key=score.__getitem__)
    margin = max(score.values()) - min(score.values())
    return (leader, margin) if margin else (LEVEL, 0)


def _of_numbers(piece: str, leader: str | None) -> tuple[str | None, float | None]:
    """The margin of `Herons 85-80` or `Herons, 5`."""
    if pair := _PAIR.search(piece):
        margin = abs(int(pair[1]) - int(pair[2]))
        return (leader, margin) if margin else (LEVEL, 0)
    numbers = numbers_in(piece)
    return leader, numbers[0].value if len(numbers) == 1 else None


def _margin_in(piece: str) -> float | None:
    if _BY_ONE.search(piece):
        return 1
    for number in numbers_in(piece):
        if _MARGIN.search(piece, max(0, number.start - _BEFORE), number.start) and not _PAIR.match(piece, number.start):
            return number.value
        if _MARGIN_AFTER.match(piece, number.end):
            return number.value
    return None


def _leader(piece: str, mentions: Sequence[Mention], table: NameTable) -> str | None:
    if not mentions:
        return None
    first = mentions[0].name
    return table.other(first) if _trails(piece, mentions) else first

"""What a reply says of a player's impact: who the player is, who would lead by how much, percentage points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from evolif.scenarios.broadcast.checklist import CASES
from evolif.scenarios.broadcast.reading import numbers_in, says_level, without
from evolif.scenarios.broadcast.reading_moments import times_in
from evolif.scenarios.broadcast.reading_names import Mention, NameTable
from evolif.scenarios.broadcast.reading_score import lead_in

_CASES: Final = re.compile(
    r"(?P<no_ft>(?<![a-z0-9])(?:no|without|not|zero|0|minus|missed|missing|misses|excluding|exclude|removing|remove|"
    r"subtracting|subtract|taking away|take away|taking out|[a-z]+n't|never)(?![a-z])[^.;:|\n]{0,40}?"
    r"(?<![a-z])(?:free[ -]?throws?|fts?)(?![a-z])"
    r"|(?<![a-z])free[ -]?throws? (?:[a-z]+ ){0,2}(?:removed|missed|gone|aside|excluded|taken|subtracted)(?![a-z]))"
    r"|(?P<no_goals>(?<![a-z0-9])(?:nothing(?: (?:scored|at all))?|no_goals|scoreless|empty|blanked|silenced"
    r"|(?:no|zero|0)[ -](?:points?|pts|goals?|baskets?|scor(?:e|es|ing))"
    r"|(?:without|minus|excluding|removing|subtracting|taking away|taking out|take away|remove) "
    r"(?:(?:any|all|of|his|her|their|the|that|those|these|from|player's) )*+"
    r"(?:(?!free)[a-z]+(?: (?!free)[a-z]+)?'s? )?(?:(?:any|all|of|total|other) )*+"
    r"(?:[0-9]{1,3} )?(?:points?|pts|scor(?:es|ing)|goals?|baskets?|contribution)"
    r"|(?:not|[a-z]+n't)(?: have| had)? scor(?:e|ed)|didn't score"
    r"|all(?: (?:of )?(?:his|her|their))? points (?:removed|gone))"
    r"(?![a-z]))"
)
_LEVEL_PAIR: Final = re.compile(r"(?<![0-9.:-])([0-9]{1,3}) ?- ?\1(?![0-9.:-])")
"""`40-40`."""
_MARGIN_ONLY: Final = re.compile(r"[->| ]{0,4}(?:[12][.):] ?)?(?:the )?[a-z' -]{2,60} by [0-9]{1,3}(?: points?)?[.;]?")
"""`Quarry Herons by 5`."""
_ASKED_FOR: Final = re.compile(
    r"(?<![a-z])(?:tie by 0 (?:where it's level|if nobody leads|for a level score)"
    r"|if it's level, write tie by 0)(?![a-z])"
)
"""What the friend says about the form of an answer; a reply that repeats it says nothing."""
_PLAYER_LINE: Final = re.compile(
    r"(?<![a-z])(?:top |best |leading |busiest )?(?:player|scorer)(?: (?:is|was))?(?: [a-z]+){0,4} ?[:=|]"
)
_MOST: Final = re.compile(r"(?<![a-z])(?:most|top|highest|best|leading scorer|busiest|answer)(?![a-z])")
_SENTENCE: Final = re.compile(r"(?<=[a-z)][.!?;]) ")
_PERCENT_WORDS: Final = {
    "loss": r"loss|lose|loses|losing|lost|decrease[sd]?|decreasing|drop(?:s|ped)?|fall(?:s|en)?|fell|decline[sd]?|down|"
    r"lower|reduc(?:e|es|ed|tion)|cost|minus",
    "gain": r"gain(?:s|ed|ing)?|increase[sd]?|increasing|rise[sn]?|rising|rose|improve(?:s|d|ment)?|up|higher|more|"
    r"grow(?:s|n)?|add(?:s|ed)?|plus|better",
}
_PERCENT: Final = re.compile(
    r"(?<![a-z0-9.,])[+-]?(?P<number>[0-9]{1,3}(?:[.,][0-9]{1,9})?)(?![0-9])"
    r"(?P<unit> ?(?:%|percent|pp(?![a-z])|points?|pts?))?"
)

_BY: Final = re.compile(r"(?<![a-z])by (?:about |exactly )?$")
_OF: Final = re.compile(r"(?<![a-z])(?:of|is|be|[:=]) ?$")
_FROM_TO: Final = re.compile(r"(?<![a-z])(?:from|to|at) $")
_SUM: Final = re.compile(r"[0-9] ?%? ?(?:[-+/x×÷:>]|of|out of) ?$")
_REST: Final = re.compile(r" ?(?:[-+/x×÷:>]+|of|out of) ?[0-9]")
_OR: Final = re.compile(r"[ ,/&]*(?:(?:or|and|and/or) ?)?")
_BEFORE: Final = 16
"""Characters before a number that may say what it is."""


class Lead(NamedTuple):
    """Who would lead by how much; None for what a reply does not say."""

    leader: str | None
    """A team or `tie`."""
    margin: float | None
    line: str


class _Case(NamedTuple):
    name: str
    start: int
    end: int


def leads_in(lines: Sequence[str], table: NameTable, sport: str) -> dict[str, Lead]:
    """Who would lead in either case, `no_ft` and `no_goals`; of several answers the last.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
    """
    timeless = [without(line, times_in(line, sport).spans) for line in lines]
    bare = [without(line, [found.span() for found in _ASKED_FOR.finditer(line)]) for line in timeless]
    found: dict[str, Lead] = {}
    waiting: str | None = None
    for line in bare:
        cases = [_Case(case.lastgroup or "", case.start(), case.end()) for case in _CASES.finditer(line)]
        if not cases:
            if waiting is not None and _tells(line, table):
                found[waiting] = _lead(line, table)
                waiting = None
            continue
        for name, piece in _pieces(line, cases, table):
            if _tells(piece, table):
                found[name] = _lead(piece, table)
        waiting = None if _tells(line[cases[-1].end :], table) or _tells(line, table) else cases[-1].name
    return found


def leads_in_order(lines: Sequence[str], table: NameTable, sport: str) -> dict[str, Lead]:
    """Who would lead in either case where no line names a case: two lines with a margin, the first is `no_ft`.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
    """
    bare = [without(line, times_in(line, sport).spans) for line in lines]
    told = [line for line in bare if _MARGIN_ONLY.fullmatch(line) and _tells(line, table)]
    if len(told) != len(CASES):
        return {}
    return {case: _lead(line, table) for case, line in zip(CASES, told, strict=True)}


def _pieces(line: str, cases: Sequence[_Case], table: NameTable) -> list[tuple[str, str]]:
    """What belongs to each case: what comes after it, or before it in a line that ends with a case."""
    if _tells(line[cases[-1].end :], table):
        ends = [case.start for case in cases[1:]] + [len(line)]
        return [(case.name, line[case.end : end]) for case, end in zip(cases, ends, strict=True)]
    starts = [0] + [case.end for case in cases[:-1]]
    return [(case.name, line[start : case.start]) for case, start in zip(cases, starts, strict=True)]


def _tells(piece: str, table: NameTable) -> bool:
    """Whether a piece says who leads."""
    return bool(table.teams_in(piece)) or says_level(piece) or _LEVEL_PAIR.search(piece) is not None


def _lead(piece: str, table: NameTable) -> Lead:
    return Lead(*lead_in(piece, table), piece.strip())


def top_player_in(lines: Sequence[str], table: NameTable) -> str | None:
    """The player whom a reply names as the best; None if it names none, or several in the place for one.

    It is the one behind the last label such as `Player:`; else the only one of the last sentence that says who has the
    most; else the first that the reply names.

    Args:
        lines: Folded.
        table: The names of the match.
    """
    first: str | None = None
    best: str | None = None
    labelled: list[str | None] = []
    for line in lines:
        players = table.players_in(line)
        if not players:
            continue
        label = _PLAYER_LINE.search(line)
        if label and players[-1].start >= label.end():
            labelled.append(_first_named(line, [player for player in players if player.start >= label.end()]))
        first = first or players[0].name
        best = _best_of(line, table) or best
    return labelled[-1] if labelled else best or first


def _first_named(line: str, players: Sequence[Mention]) -> str | None:
    """The first player, unless the next one is named with equal right."""
    first = players[0]
    for second in players[1:]:
        if second.name != first.name:
            return None if _OR.fullmatch(line, first.end, second.start) else first.name
    return first.name


def _best_of(line: str, table: NameTable) -> str | None:
    """The one player of the last sentence that says who is best."""
    found: str | None = None
    for sentence in _SENTENCE.split(line):
        if _MOST.search(sentence):
            players = {player.name for player in table.players_in(sentence)}
            found = players.pop() if len(players) == 1 else found
    return found


def percent_in(lines: Sequence[str], name: str, sport: str) -> float | None:
    """The percentage points that a reply says are lost or gained.

    Without a word for it, the one number counts that is not said to be the other.

    Args:
        lines: Folded.
        name: `loss` or `gain`.
        sport: How the clock counts.
    """
    bare = [without(line, times_in(line, sport).spans) for line in lines]
    label, other = _label(name), _label("gain" if name == "loss" else "loss")
    words = re.compile(rf"(?<![a-z])(?:{_PERCENT_WORDS[name]})(?![a-z])")
    told = [value for line in bare if (value := _behind(line, label)) is not None]
    if told:
        return told[-1]
    told = [value for line in bare if (value := _beside(line, words)) is not None]
    if told:
        return told[-1]
    numbers = [_value(found) for line in bare if not other.search(line) for found in _PERCENT.finditer(line)]
    return numbers[0] if len(numbers) == 1 else None


def _label(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z]){name}[a-z /()%]{{0,40}}[:=|]")


def _behind(line: str, label: re.Pattern[str]) -> float | None:
    """The first number behind a label that is no part of a sum or of `from ... to ...`; of such parts the first."""
    found = label.search(line)
    if found is None:
        return None
    numbers = list(_PERCENT.finditer(line, found.end()))
    if not numbers:
        return next((number.value for number in numbers_in(line, found.end())), None)
    results = (number for number in numbers if not _is_part(line, number))
    number = next(results, numbers[0] if numbers else None)
    return _value(number) if number else None


def _is_part(line: str, number: re.Match[str]) -> bool:
    """Whether another number is reckoned with this one, as in `3/12 = 25`, or compared, as in `from 50 to 25`."""
    before = line[max(0, number.start() - _BEFORE) : number.start()]
    return bool(_REST.match(line, number.end()) or _SUM.search(before) or _FROM_TO.search(before))


def _beside(line: str, words: re.Pattern[str]) -> float | None:
    """The number that a word for a loss or a gain goes with: behind `by` or `of`, else one without `from` or `to`."""
    word = words.search(line)
    if word is None:
        return None
    numbers = [(found, line[max(0, found.start() - _BEFORE) : found.start()]) for found in _PERCENT.finditer(line)]
    for wanted in (_BY, _OF):
        for found, before in numbers:
            if found.start() > word.start() and wanted.search(before):
                return _value(found)
    plain = [found for found, before in numbers if found["unit"] and not _FROM_TO.search(before)]
    return _value(plain[0]) if len(plain) == 1 else None


def _value(found: re.Match[str]) -> float:
    return float(found["number"].replace(",", "."))

"""What of a reply is its answer, since version 2 of the reading rules.

A reply may think first, copy rows of the ticker, say what it ruled out, or put the answer under a heading. All that is
taken away here, before anything is read; what is left is read as ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from evolif.scenarios.broadcast.reading import fold, numbers_in
from evolif.scenarios.broadcast.reading_moments import times_in
from evolif.scenarios.broadcast.reading_names import NameTable

_THINKING: Final = re.compile(
    r"<(/?)(?:think|thinking|thoughts?|reasoning|reflection|scratch_?pad|analysis)>", re.IGNORECASE
)
_ESCAPED: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_NEXT_OBJECT: Final = re.compile(r"\},[ \n]{0,8}\{")
_SURROGATES: Final = range(0xD800, 0xE000)
_MARKS: Final = re.compile(r"[*`~]|(?<![A-Za-z])_{1,3}(?=[A-Za-z])|(?<=[A-Za-z])_{1,3}|</?(?:b|i|u|em|strong|mark)>")
_INITIAL: Final = re.compile(r"[(\[]([A-Za-z])[)\]](?=[a-z])")

_FINAL: Final = re.compile(
    r"[->| ]{0,4}(?:(?:so |here is |here's |and )?(?:the |my )?(?:final )?(?:answers?|result)(?: lines?| list)?"
    r"(?: is| are)? ?[:.-]|(?:the |my )?final (?:answers?|result)$)"
)
"""A heading, in a folded line."""
_IS: Final = r"(?:is|was|are|were|falls?|comes?|came) (?:(?:just|right|shortly|already|even) )?"
_STRETCH: Final = r"(?:the|that|your) (?:{}window|stretch|interval|span)"
_RULED_OUT: Final = re.compile(
    r"(?<![a-z])(?:(?:not|never) (?:be )?(?:counted|included|inside|within|part of|the one|listed|yet in)"
    r"|(?:[a-z]+n't|not) (?:count|fit|qualify|belong|match)"
    r"|(?:isn't|aren't|wasn't|weren't|is not|was not)"
    r" (?:it(?![a-z' ])|included|counted|inside|within|part|in (?:the|that|your))"
    r"|exclud(?:e|ed|es|ing)|ruled out|rule out|leav(?:e|ing) out|left out|ignor(?:e|ed|ing)|skip(?:ped|ping)?"
    r"|confus(?:e|ed|ing)|mix(?:ed|ing)? (?:it |that |this )?up with"
    r"|outside (?:of )?(?:the|that|this|your|it)|too (?:early|late|soon)"
    rf"|{_IS}(?:before|earlier than) {_STRETCH.format('start|beginning|')}"
    rf"|{_IS}(?:after|later than) {_STRETCH.format('end|')})(?![a-z])"
)
"""That an event does not count, in a folded line."""
_SENTENCE: Final = re.compile(r"(?<=[a-z0-9)][.!?;]) | (?=\()")
_ROW: Final = re.compile(
    r"[0-9] ?(?:[|:>-] ?)?[a-z][a-z' .-]{2,60} (?:makes (?:[0-9]{1,2}-foot )?(?:two|three) point"
    r"|makes free throw [1-9] of|wins faceoff against)"
)
"""A row of the ticker as it stands there, in a folded line."""
_ZERO: Final = re.compile(
    r"(?<![a-z])(?:nil|nought|naught|zilch|zip|(?:no|without a|yet to score a?) ?(?:goals?|points?)(?: yet| so far)?)"
    r"(?![a-z])"
)
_TOTAL: Final = re.compile(
    r"(?:the )?(?:new |running |grand )?(?:totals?|t|final|sum|score|overall|now|points|pts|goals)"
)
_PERIOD: Final = re.compile(r"[qp][1-9]|(?:quarter|period) [1-9]|[1-4](?:st|nd|rd|th)")
_TOTAL_LINE: Final = re.compile(
    rf"[->| ]{{0,4}}(?:{_TOTAL.pattern})(?: (?:score|points|pts|goals))?(?: (?:so far|now|altogether))?"
    r"(?: (?:after|for|of|in) [a-z0-9 ]{1,24})?"
    r" ?(?:[:=|-]|is)(?P<sum>.*)"
)
"""`- Total: 2`, in a folded line."""
_ONLY_NUMBER: Final = re.compile(
    r"[->| ]{0,4}(?P<sum>[0-9]{1,3}(?: ?(?:points?|pts|goals?))?(?: in total| in all)?)[.]?"
)
_IN_TOTAL: Final = re.compile(
    r"[->| ]{0,4}(?:[0-9]{1,3} ?\+ ?){1,20}+(?P<sum>[0-9]{1,3} ?=.*)"
    r"|[->| ]{0,4}(?P<all>[0-9]{1,3}[a-z ]{1,10}(?:in total|in all))[.]?"
)
_MOST_CELLS: Final = 40


def without_thinking(reply: str) -> str:
    """A reply without what it thinks in tags; where only the closing tag is there, without all that comes before it.

    What the friend would not see changes nothing, whatever stands in it.
    """
    parts: list[str] = []
    done = 0
    opened = False
    for tag in _THINKING.finditer(reply):
        if not tag[1]:
            if not opened:
                parts.append(reply[done : tag.start()])
                opened, done = True, tag.start()
        elif opened:
            opened, done = False, tag.end()
        else:
            parts, done = [], tag.end()
    return "".join([*parts, reply[done:]])


def unescaped(reply: str) -> str:
    """A reply with JSON's escapes as the letters that they stand for, and each of several objects on a line."""
    plain = _ESCAPED.sub(_letter, reply) if "\\u" in reply else reply
    return _NEXT_OBJECT.sub("}\n{", plain)


def _letter(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return found[0] if code in _SURROGATES or code < ord(" ") else chr(code)


def without_marks(body: str) -> str:
    """A body without the signs that make initials bold: `**q**uick`, `(Q)uick`."""
    return _INITIAL.sub(r"\1", _MARKS.sub("", body))


def final_part(lines: Sequence[str]) -> Sequence[str]:
    """What stands under the last heading such as `Final answer:`; all lines where there is none, or nothing under it.

    Args:
        lines: Folded.
    """
    for place in range(len(lines) - 1, -1, -1):
        if found := _FINAL.match(lines[place]):
            rest = lines[place][found.end() :].strip()
            under = [*([rest] if rest else []), *lines[place + 1 :]]
            if under:
                return under
    return lines


def without_ruled_out(lines: Iterable[str]) -> list[str]:
    """Lines without the sentences, and brackets, that say of an event that it does not count."""
    kept: list[str] = []
    for line in lines:
        if _RULED_OUT.search(line):
            line = " ".join(part for part in _SENTENCE.split(line) if not _RULED_OUT.search(part))
        if line:
            kept.append(line)
    return kept


def with_bare_headings(lines: Sequence[str], table: NameTable, sport: str) -> list[str]:
    """Lines in which a heading on a player, above lines with moments and nobody's name, is the player's name alone.

    `Ana Lima – 5 points in total:` tells no fact.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
    """
    kept = list(lines)
    for place in range(len(lines) - 1):
        players = table.players_in(lines[place])
        if len(players) != 1 or times_in(lines[place], sport).moments:
            continue
        below = lines[place + 1]
        if times_in(below, sport).moments and not table.players_in(below):
            kept[place] = fold(players[0].name)
    return kept


def without_rows(lines: Sequence[str]) -> list[str]:
    """Lines without those that repeat rows of the ticker."""
    return [line for line in lines if not _ROW.search(line)]


def with_zeros(lines: Iterable[str]) -> list[str]:
    """Lines with `0` for `nil` and other words for it."""
    return [_ZERO.sub("0", line) for line in lines]


def with_totals(lines: Sequence[str], table: NameTable) -> list[str]:
    """Lines in which a table of points by period is its total: `TEAM N, TEAM N`.

    Args:
        lines: Folded.
        table: The names of the match.
    """
    kept: list[str] = []
    rows: list[str] = []
    for line in [*lines, ""]:
        if line.count("|") >= 2:
            rows.append(line)
            continue
        if rows:
            total = _total_of([_cells(row) for row in rows], table)
            kept += rows if total is None else [total]
            rows = []
        if line:
            kept.append(line)
    return kept


def with_team_totals(lines: Sequence[str], table: NameTable) -> list[str]:
    """Lines in which a list of points below a team's heading is the team with its total: `TEAM N`.

    Args:
        lines: Folded.
        table: The names of the match.
    """
    kept: list[str] = []
    heading: str | None = None
    start = 0
    for line in lines:
        teams = {mention.name for mention in table.teams_in(line)}
        if teams:
            heading = teams.pop() if len(teams) == 1 and not numbers_in(line) else None
            start = len(kept)
        elif heading and (total := _total_in(line)) is not None:
            kept[start:] = [f"{fold(heading)} {total:g}"]
            continue
        kept.append(line)
    return kept


def _total_in(line: str) -> float | None:
    """The total that a line of a list tells."""
    found = _TOTAL_LINE.fullmatch(line) or _IN_TOTAL.fullmatch(line) or _ONLY_NUMBER.fullmatch(line)
    if found is None:
        return None
    told = found["sum"] or found["all"]
    return _number(told.rpartition("=")[2])


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip(" |").split("|", _MOST_CELLS)] if row else []


def _total_of(rows: Sequence[Sequence[str]], table: NameTable) -> str | None:
    """The totals of a table, from a column or a row of that name."""
    head, *rest = rows
    places = [place for place, cell in enumerate(head) if place and _TOTAL.fullmatch(cell)]
    if places and (len(head) > 2 or any(_PERIOD.fullmatch(cell) for cell in head)):
        return _told(
            {
                team: _number(row[places[-1] - len(head)])
                for row in rest
                if len(row) - len(head) in (0, 1) and (team := _only_team(row[0], table))  # 1: a head without a corner
            }
        )
    columns = {team: place for place, cell in enumerate(head) if (team := _only_team(cell, table))}
    totals = [row for row in rest if len(row) == len(head) and _TOTAL.match(row[0])]
    if len(columns) == 2 and totals and 0 not in columns.values():
        return _told({team: _number(totals[-1][place]) for team, place in columns.items()})
    return None


def _only_team(cell: str, table: NameTable) -> str | None:
    teams = {mention.name for mention in table.teams_in(cell)}
    return teams.pop() if len(teams) == 1 else None


def _number(cell: str) -> float | None:
    numbers = numbers_in(cell)
    return numbers[0].value if len(numbers) == 1 else None


def _told(totals: dict[str, float | None]) -> str | None:
    if len(totals) != 2 or None in totals.values():
        return None
    return ", ".join(f"{fold(team)} {points:g}" for team, points in totals.items() if points is not None)


_GOES_ON: Final = re.compile(r"[->| ]{0,4}(?:won|beat|beats|over|against|vs|def|lost|wins?|loses?)(?![a-z])")


def under_names(lines: Sequence[str], table: NameTable, sport: str) -> list[str]:
    """Lines on faceoffs in which those that go on without a winner have the player of the heading above them.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
    """
    return list(_under_names(lines, table, sport))


def _under_names(lines: Sequence[str], table: NameTable, sport: str) -> Iterator[str]:
    heading = ""
    for line in lines:
        players = table.players_in(line)
        timed = bool(times_in(line, sport).moments)
        if len(players) == 1 and not timed:
            heading = fold(players[0].name)
        elif len(players) == 1 and heading and (found := _GOES_ON.match(line)):
            line = f"{heading} {line[found.start() :].lstrip('->| ')}"
        elif players:
            heading = ""
        yield line

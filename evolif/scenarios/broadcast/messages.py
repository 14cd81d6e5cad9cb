"""User messages: what the ticker says, then the friend's words.

    GAME INFO
    Bramwyck Otters vs. Selmarrow Cranes | Q2 | part 3 of 5
    === ticker ===
    6:14<TAB>Dralin Gandonen offensive rebound
    === end of ticker ===
    ---
    What's the score after these rows? ...

A message has one such block for each period of which it brings rows. Without rows, a note stands in their place. The
score never stands in a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from evolif.scenarios.broadcast.clock import BASKETBALL, BREAK, Sport
from evolif.scenarios.broadcast.league import nickname_of

INFO: Final = "GAME INFO"
BEGIN: Final = "=== ticker ==="
END: Final = "=== end of ticker ==="
LINE: Final = "---"


class TickerBlock(NamedTuple):
    """What the ticker says of one period.

    Attributes:
        where: The part of the match, as the header tells it.
        rows: Each `clock TAB text`, or one note.
        people: Lines on who plays.
    """

    where: str
    rows: Sequence[str]
    people: Sequence[str] = ()


def message(teams: Sequence[str], blocks: Sequence[TickerBlock], words: str) -> str:
    """One user message.

    Args:
        teams: Both.
        blocks: What the ticker says, at least one.
        words: The friend's.
    """
    lines: list[str] = []
    for block in blocks:
        header = f"{teams[0]} vs. {teams[1]} | {block.where}"
        lines += [INFO, header, *block.people, BEGIN, *block.rows, END]
    return "\n".join([*lines, LINE, words])


def row_of(event: Mapping[str, Any]) -> str:
    """An event as a row."""
    return f"{event['clock']}\t{event['text']}"


def rows_block(
    sport: Sport, period: int, part: int, parts: int, rows: Sequence[str], people: Sequence[str]
) -> TickerBlock:
    """Rows of a period; `part` is 0 for all of them."""
    where = f"{sport.label(period)} | part {part} of {parts}" if part else f"{sport.label(period)} | all of it"
    return TickerBlock(where, rows, people)


def pause_block(sport: Sport, period: int, part: int, parts: int) -> TickerBlock:
    """Nothing new between two parts of a period."""
    return TickerBlock(f"{sport.label(period)} | after part {part} of {parts}", ["(no new rows)"])


def break_block(sport: Sport, period: int) -> TickerBlock:
    """Nothing new in the break after a period."""
    if period == sport.periods:
        return TickerBlock(f"after {sport.label(period)}", ["(no new rows: the match is over)"])
    follows = sport.label(period + 1)
    return TickerBlock(
        f"after {sport.label(period)}", [f"(no new rows: break of {BREAK // 60} minutes before {follows})"]
    )


def people_lines(match: Mapping[str, Any], period: int, *, first: bool) -> list[str]:
    """Who plays, as a ticker repeats it.

    Args:
        match: As `simulate` returns it.
        period: Of the rows.
        first: Whether the rows are the first of their period: then basketball has who starts it, and hockey everybody.
            In between, hockey has the goalkeepers alone.
    """
    if match["sport"] == BASKETBALL.name:
        five = _five(match, period) if first else ()
        return [f"{nickname_of(team)} start with {', '.join(own)}" for team, own in five]
    if not first:
        keepers = [f"{own[0]} ({nickname_of(team)})" for team, own in match["lineups"].items()]
        return [f"In goal: {', '.join(keepers)}"]
    return [line for team in match["teams"] for line in _squad(match, team)]


def _five(match: Mapping[str, Any], period: int) -> Iterator[tuple[str, list[str]]]:
    """The players of each team who start a period of basketball."""
    for team in match["teams"]:
        own = list(match["lineups"][team])
        for event in match["events"]:
            if event["period"] < period and event["kind"] == "substitution" and event["team"] == team:
                own[own.index(event["other"])] = event["player"]
        yield team, own


def _squad(match: Mapping[str, Any], team: str) -> list[str]:
    """Everybody whom a hockey team has: those who start the match, and the bench."""
    keeper, *skaters = match["lineups"][team]
    bench = [player for player in match["roster"][team] if player not in (keeper, *skaters)]
    name = nickname_of(team)
    return [f"{name}: {keeper} in goal, starting line {', '.join(skaters)}", f"{name} bench: {', '.join(bench)}"]

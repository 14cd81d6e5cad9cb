"""Questions that several tests look at, and a second reckoning of moments and of what happens at them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from broadcast_matches import LENGTHS, PERIODS, Match, matches

from evolif.scenarios.broadcast.question import Question
from evolif.scenarios.broadcast.questions import break_questions
from evolif.util.rng import Purpose, Stream

SPORTS = ("basketball", "hockey")
BREAK = 120
_TASKS = ("IF", "CR", "IR")


class Asked(NamedTuple):
    """A question with its match and the period before its break."""

    match: Match
    after: int
    question: Question


def stream(match: Match, task: str, period: int) -> Stream:
    return Stream(19, Purpose.BROADCAST, match["number"], _TASKS.index(task), period)


def asked_of(match: Match, task: str, pair: str = "") -> list[Asked]:
    """The questions of a whole dialogue."""
    found: list[Asked] = []
    for period in range(1, PERIODS[match["sport"]] + 1):
        taken = [one.question for one in found]
        new = break_questions(match, period, task, stream(match, task, period), pair=pair, taken=taken)
        found += [Asked(match, period, question) for question in new]
    return found


@cache
def dialogues(sport: str, task: str, pair: str = "") -> tuple[list[Asked], ...]:
    """The questions of the same dialogues for all tests."""
    return tuple(asked_of(match, task, pair) for match in matches(sport))


def of_kind(sport: str, task: str, kind: str) -> list[Asked]:
    return [asked for dialogue in dialogues(sport, task) for asked in dialogue if asked.question.kind == kind]


def seconds(sport: str, shown: list[Any]) -> tuple[int, int]:
    """A moment `[period, clock]` as period and tenths of a second elapsed in it."""
    period, clock = shown
    minutes, colon, rest = clock.partition(":")
    tenths = round(10 * ((60 * int(minutes) + int(rest)) if colon else float(clock)))
    return period, 10 * LENGTHS[sport] - tenths if sport == "basketball" else tenths


def on_air(sport: str, shown: list[Any]) -> int:
    """Tenths of a second of broadcast time since the start."""
    period, tenths = seconds(sport, shown)
    return (period - 1) * 10 * (LENGTHS[sport] + BREAK) + tenths


def facts(match: Match) -> list[tuple[tuple[int, int], list[Any]]]:
    """What retrieval asks for, with its moment: scores, in hockey faceoffs."""
    if match["sport"] == "hockey":
        rows = [(row, [row["winner"], row["loser"]]) for row in match["faceoffs"]]
    else:
        rows = [(row, [row["player"], row["pts"]]) for row in match["events"] if row["pts"]]
    found = []
    for row, people in rows:
        moment = row["period"], round(10 * row["t"])
        found.append((moment, [*people, row["period"], _clock(match["sport"], moment[1])]))
    return found


def _clock(sport: str, tenths: int) -> str:
    shown = 10 * LENGTHS[sport] - tenths if sport == "basketball" else tenths
    if sport == "basketball" and shown < 600:
        return f"{shown // 10}.{shown % 10}"
    return f"{shown // 600}:{shown // 10 % 60:02d}"


def facts_between(match: Match, start: list[Any], end: list[Any]) -> list[list[Any]]:
    sport = match["sport"]
    return [fact for moment, fact in facts(match) if seconds(sport, start) <= moment <= seconds(sport, end)]

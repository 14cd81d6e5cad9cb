"""A second reader of broadcasts: what happened, told from the rows of the messages, and every key computed again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from evolif.scenarios.broadcast import dialogue

Turn = dict[str, Any]
Moment = tuple[int, float]
TASKS = ("IF", "CR", "IR", "TS")
SPORTS = ("basketball", "hockey")
PERIODS = {"basketball": 4, "hockey": 3}
LENGTH = {"basketball": 720, "hockey": 1200}
LABEL = {"basketball": "Q", "hockey": "P"}
SEED = 1019
BREAK = 120
PAIRS = [(task, sport) for task in TASKS for sport in SPORTS]


class Happened(NamedTuple):
    """One row of a table."""

    at: Moment
    clock: str
    text: str
    player: str = ""
    points: int = 0
    won: str = ""
    lost: str = ""


@cache
def made(task: str, sport: str, number: int) -> dict[str, Any]:
    """The same dialogue for all tests, which must not change it."""
    return dialogue(task, sport, number, seed=SEED)


def dialogues(task: str, sport: str, number: int = 12) -> tuple[dict[str, Any], ...]:
    return tuple(made(task, sport, i) for i in range(number))


def all_turns(task: str, sport: str, kinds: str = "", number: int = 12) -> list[tuple[dict[str, Any], Turn]]:
    """Turns with their dialogues."""
    return [(d, t) for d in dialogues(task, sport, number) for t in d["turns"] if not kinds or t["kind"] in kinds]


def sport_of(turn: Turn) -> str:
    return str(turn["names"]["sport"])


def team_of(turn: Turn) -> dict[str, str]:
    return {player: team for team, players in turn["names"]["roster"].items() for player in players}


def elapsed(clock: str, sport: str) -> float:
    """Seconds of the period that are over."""
    minutes, _, seconds = clock.rpartition(":")
    shown = 60 * int(minutes or 0) + float(seconds)
    return LENGTH[sport] - shown if sport == "basketball" else shown


def moment(told: Iterable[Any], sport: str) -> Moment:
    period, clock = told
    return period, elapsed(clock, sport)


def air_time(at: Moment, sport: str) -> float:
    """Seconds since the match began, breaks included."""
    return (at[0] - 1) * (LENGTH[sport] + BREAK) + at[1]


def rows(message: str) -> list[tuple[str, str]]:
    return [(clock, text) for clock, tab, text in (line.partition("\t") for line in message.split("\n")) if tab]


def watch(turns: Iterable[Turn]) -> list[Happened]:
    """All rows of some turns, in order."""
    found = []
    for turn in turns:
        found += [_happened(turn, clock, text) for clock, text in rows(turn["message"])]
    return found


def _happened(turn: Turn, clock: str, text: str) -> Happened:
    sport = sport_of(turn)
    at = (_period(turn), elapsed(clock, sport))
    points = _points(text, sport)
    player = next(name for name in team_of(turn) if text.startswith(f"{name} ")) if points else ""
    faced = re.fullmatch(r"(.+) wins faceoff against (.+)", text)
    won, lost = faced.groups() if faced else ("", "")
    return Happened(at, clock, text, player, points, won, lost)


def _period(turn: Turn) -> int:
    return int(turn["period"])


def _points(text: str, sport: str) -> int:
    if sport == "hockey":
        return int(" goal (" in text)
    if " makes " not in text:
        return 0
    return 1 if "free throw" in text else 3 if "three point" in text else 2


def scores(match: list[Happened], turn: Turn) -> dict[str, int]:
    teams = team_of(turn)
    found = dict.fromkeys(turn["names"]["teams"], 0)
    for row in match:
        if row.points:
            found[teams[row.player]] += row.points
    return found


def shown(row: Happened) -> list[Any]:
    """A row as keys have it."""
    if row.won:
        return [row.won, row.lost, row.at[0], row.clock]
    return [row.player, row.points, row.at[0], row.clock]


def counted(match: list[Happened], sport: str) -> list[Happened]:
    """What questions are about: baskets, in hockey faceoffs."""
    return [row for row in match if (row.won if sport == "hockey" else row.points)]


def inside(match: list[Happened], question: dict[str, Any], sport: str) -> list[Happened]:
    start, end = moment(question["start"], sport), moment(question["end"], sport)
    return [row for row in match if start <= row.at <= end]


def changes(match: list[Happened], turn: Turn, period: int) -> list[list[str]]:
    teams = team_of(turn)
    first, second = turn["names"]["teams"]
    ahead, difference, found = "", 0, []
    for row in match:
        if row.points:
            difference += row.points if teams[row.player] == first else -row.points
            now = first if difference > 0 else second if difference < 0 else ahead
            if ahead and now != ahead and row.at[0] == period:
                found.append([row.clock, now])
            ahead = now
    return found


def best(totals: Counter[str]) -> str:
    return min(totals, key=lambda name: (-totals[name], name))


def point_impact(match: list[Happened], turn: Turn, player: str | None) -> dict[str, Any]:
    question, sport = turn["question"], sport_of(turn)
    span = inside(match, question, sport)
    totals: Counter[str] = Counter()
    for row in span:
        if row.points:
            totals[row.player] += row.points
    player = player or best(totals)
    his = [row for row in span if row.player == player and row.points]
    before = [row for row in match if row.at <= moment(question["at"], sport)]

    def leader(dropped: list[Happened]) -> list[Any]:
        gone = {id(row) for row in dropped}
        (first, a), (second, b) = scores([row for row in before if id(row) not in gone], turn).items()
        return [first if a > b else second if b > a else "Tie", abs(a - b)]

    return {"player": player, "no_ft": leader([r for r in his if r.points == 1]), "no_goals": leader(his)}


def faceoff_impact(match: list[Happened], turn: Turn, player: str | None) -> dict[str, Any]:
    span = [row for row in inside(match, turn["question"], "hockey") if row.won]
    took = Counter(name for row in span for name in (row.won, row.lost))
    player = player or best(took)
    teams = team_of(turn)
    n = len(span)
    return {
        "player": player,
        "team": teams[player],
        "rate": round(100 * sum(teams[row.won] == teams[player] for row in span) / n, 2),
        "decrease_if_all_lost": round(100 * sum(row.won == player for row in span) / n, 2),
        "increase_if_all_won": round(100 * sum(row.lost == player for row in span) / n, 2),
    }


def shooting(match: list[Happened], turn: Turn, period: int) -> dict[str, dict[str, Any]]:
    """What each player shot in a period: attempts and hits by kind, and points."""
    teams = team_of(turn)
    names = "|".join(re.escape(name) for name in teams)
    found: dict[str, dict[str, Any]] = {}
    for row in match:
        shot = re.match(rf"({names}) (makes|misses) .*?(three point|two point|free throw)", row.text)
        stopped = re.match(rf"(?:{names}) (blocks) ({names})'s .*?(three point|two point)", row.text)
        if row.at[0] != period or not (shot or stopped):
            continue
        if stopped:
            shooter, hit, kind = stopped[2], False, stopped[3].split()[0]
        else:
            assert shot is not None
            shooter, hit, kind = shot[1], shot[2] == "makes", shot[3].split()[0]
        line = found.setdefault(shooter, {"points": 0, **{f"{k}_{w}": 0 for k in KINDS for w in ("attempts", "made")}})
        line[f"{kind}_attempts"] += 1
        line[f"{kind}_made"] += hit
        line["points"] += row.points
    return found


KINDS = ("two", "three", "free")


def faced(match: list[Happened], period: int) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in match:
        if row.at[0] == period and row.won:
            for name, result in ((row.won, "won"), (row.lost, "lost")):
                line = found.setdefault(name, {"taken": 0, "won": 0, "lost": 0})
                line["taken"] += 1
                line[result] += 1
    return found

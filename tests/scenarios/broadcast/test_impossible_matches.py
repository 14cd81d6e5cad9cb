"""Nothing impossible happens in a match: lists of impossibilities for both sports, read from the rows alone."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from types import ModuleType
from typing import Any

import impossible_basketball
import impossible_hockey
import pytest
from broadcast_matches import LENGTHS, NAME, matches

from evolif.scenarios.broadcast import simulate

CHECKERS: Mapping[str, ModuleType] = {"basketball": impossible_basketball, "hockey": impossible_hockey}
Event = dict[str, Any]
Match = dict[str, Any]
sports = pytest.mark.parametrize("sport", CHECKERS)


def broken(sport: str, match: Mapping[str, Any]) -> set[str]:
    return {name for name, _ in CHECKERS[sport].broken_rules(match)}


@sports
@pytest.mark.parametrize("count", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_nothing_impossible_happens(sport: str, count: int) -> None:
    played = (simulate(sport, number, seed=23) for number in range(count))
    assert {name for match in played for name in broken(sport, match)} == set()


@pytest.mark.parametrize(
    ("sport", "known"),
    [
        ("basketball", ["a tip in without an offensive rebound", "a hook from more than sixteen feet"]),
        ("basketball", ["an assist on a tip in or a put back", "a substitution right after the line up"]),
        ("hockey", ["shots at both nets within three seconds", "icing of a short handed team"]),
    ],
)
def test_the_first_edition_is_found_out(sport: str, known: list[str]) -> None:
    found = {name for number in range(5) for name in broken(sport, simulate(sport, number, seed=7, match_edition=1))}
    assert found >= set(known)


@sports
def test_there_are_more_than_thirty_rules(sport: str) -> None:
    assert len(CHECKERS[sport].RULES) > 30


def rename(match: Match, event: Event, chance: random.Random) -> None:
    """Somebody else did it."""
    for field in chance.sample(["player", "other"], 2):
        if event[field]:
            other = chance.choice(list(match["player_team"]))
            event["text"] = event["text"].replace(event[field], other)
            event[field] = other
            return


def retime(match: Match, event: Event, chance: random.Random) -> None:
    """It happened at another time, and the clock says so."""
    event["t"] += chance.choice([-30, -4, -2, -1, 1, 2, 30])
    left = LENGTHS[match["sport"]] - event["t"] if match["sport"] == "basketball" else event["t"]
    event["clock"] = f"{int(left) // 60}:{int(left) % 60:02}"


def at_the_end(match: Match, event: Event, chance: random.Random) -> None:
    event["t"] = LENGTHS[match["sport"]]


def remove(match: Match, event: Event, chance: random.Random) -> None:
    match["events"].remove(event)


def repeat(match: Match, event: Event, chance: random.Random) -> None:
    match["events"].insert(match["events"].index(event), deepcopy(event))


def exchange(match: Match, event: Event, chance: random.Random) -> None:
    events = match["events"]
    at = events.index(event)
    if at + 1 < len(events):
        events[at], events[at + 1] = events[at + 1], events[at]


def copy_another(match: Match, event: Event, chance: random.Random) -> None:
    """Something of another time happens here once more."""
    other = dict(chance.choice(match["events"]), t=event["t"], clock=event["clock"], period=event["period"])
    match["events"].insert(match["events"].index(event) + 1, other)


def from_afar(match: Match, event: Event, chance: random.Random) -> None:
    event["text"] = re.sub("[0-9]+-foot", f"{chance.choice([1, 30, 99])}-foot", event["text"])


def another_shot(match: Match, event: Event, chance: random.Random) -> None:
    shots = "layup|jump shot|floater|hook shot|wrist shot|slap shot|snap shot|backhand"
    event["text"] = re.sub(shots, chance.choice(["tip-in", "hook shot", "floater", "deflection"]), event["text"])


def without_helpers(match: Match, event: Event, chance: random.Random) -> None:
    event["text"] = re.sub("assists: .*", "assists: none", event["text"])


def helped_twice(match: Match, event: Event, chance: random.Random) -> None:
    event["text"] = re.sub(rf"assists: ({NAME} \([0-9]+\)).*", r"assists: \1, \1", event["text"])


def always_the_same(match: Match, event: Event, chance: random.Random) -> None:
    """One player does all of a kind."""
    for other in match["events"]:
        if other["kind"] == event["kind"] and other["player"]:
            other["player"] = event["player"]


def made_by_a_team(match: Match, event: Event, chance: random.Random) -> None:
    """One team takes all the timeouts, or ices every puck."""
    for other in match["events"]:
        if other["kind"] == event["kind"]:
            other["team"] = event["team"]


def level(match: Match, event: Event, chance: random.Random) -> None:
    for other in match["events"]:
        other["pts"] = 0


def one_more(match: Match, event: Event, chance: random.Random) -> None:
    match["player_team"]["Nobody Else"] = match["teams"][0]


def at_the_start(match: Match, event: Event, chance: random.Random) -> None:
    """Everything of the kind happens right away."""
    for other in match["events"]:
        if other["kind"] == event["kind"]:
            other["t"] = 2


FAULTS: tuple[Callable[[Match, Event, random.Random], None], ...] = (
    *(rename, retime, at_the_end, remove, repeat, exchange, copy_another, from_afar, another_shot, without_helpers),
    *(helped_twice, always_the_same, made_by_a_team, level, one_more, at_the_start),
)


@cache
def found_out(sport: str) -> frozenset[str]:
    """The rules that planted faults break."""
    chance = random.Random(3)
    found: set[str] = set()
    for number in range(300):
        match = deepcopy(matches(sport)[number % 20])
        fault = chance.choice(FAULTS)
        for event in chance.sample(match["events"], 25):
            if event in match["events"]:
                fault(match, event, chance)
        try:
            found |= broken(sport, match)
        except (IndexError, KeyError, ValueError):
            continue
    return frozenset(found)


@pytest.mark.slow
@sports
def test_every_rule_can_be_broken(sport: str) -> None:
    assert set(CHECKERS[sport].RULES) - found_out(sport) == set()

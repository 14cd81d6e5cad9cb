"""The leagues: invented teams and players, and who meets in one match.

A team is a place and a nickname; the nickname is the last word of its name. A player has a first and a last name, each
one word of plain letters. No two people of a match share either.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from evolif.errors import InputError
from evolif.scenarios.broadcast.clock import SPORTS
from evolif.util.resources import data_path, load_data
from evolif.util.rng import Stream

FEWEST_TEAMS = 24
FEWEST_FIRST = 400
FEWEST_LAST = 600
_NAME = re.compile("[A-Z][a-z]+")
_TEAM = re.compile("(?:[A-Z][a-z]+ ){1,2}[A-Z][a-z]+")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two teams of a match."""

    team: str
    """Place and nickname."""
    players: tuple[str, ...]
    """First and last names, as the rows spell them; in hockey the goalkeepers come last."""

    @property
    def nickname(self) -> str:
        """What rows call the team."""
        return nickname_of(self.team)


@dataclass(frozen=True, slots=True)
class Pools:
    """What teams and players are drawn from."""

    first: tuple[str, ...]
    last: tuple[str, ...]
    teams: Mapping[str, tuple[str, ...]]
    """The teams of each sport."""


def nickname_of(team: str) -> str:
    """The last word of a team's name: `Gulls` of `Port Iverna Gulls`."""
    return team.rpartition(" ")[2]


def place_of(team: str) -> str:
    """All words of a team's name but the last: `Port Iverna` of `Port Iverna Gulls`."""
    return team.rpartition(" ")[0]


def draw_sides(sport: str, sizes: tuple[int, int], stream: Stream) -> tuple[Side, Side]:
    """Draw the two teams of a match and their players.

    Args:
        sport: `basketball` or `hockey`.
        sizes: How many players each team has.
        stream: Of the match.
    """
    pools = read_pools()
    home, away = stream.sample(pools.teams[sport], 2)
    total = sum(sizes)
    names = zip(stream.sample(pools.first, total), stream.sample(pools.last, total), strict=True)
    players = [f"{first} {last}" for first, last in names]
    return Side(home, tuple(players[: sizes[0]])), Side(away, tuple(players[sizes[0] :]))


@lru_cache(maxsize=1)
def read_pools() -> Pools:
    """The names of both leagues.

    Raises:
        InputError: a data file has too few of them, one that is no such name, or one twice.
    """
    people, teams = data_path("seeds", "broadcast", "people.yaml"), data_path("seeds", "broadcast", "teams.yaml")
    return pools_of(load_data(people), load_data(teams), people=people, teams=teams)


def pools_of(names: Any, leagues: Any, *, people: Path, teams: Path) -> Pools:
    """Check what the two data files hold.

    Args:
        names: `{first: [...], last: [...]}`.
        leagues: A list of teams for each sport.
        people: Where the names come from.
        teams: Where the teams come from.

    Raises:
        InputError: there are too few names, one that is no such name, or a word that stands there twice.
    """
    first = _listed(names, "first", FEWEST_FIRST, _NAME, people)
    last = _listed(names, "last", FEWEST_LAST, _NAME, people)
    _check_once([*first, *last], people)
    found = {sport: _listed(leagues, sport, FEWEST_TEAMS, _TEAM, teams) for sport in SPORTS}
    words = [word for own in found.values() for team in own for word in team.split()]
    _check_once([*words, *first, *last], teams)
    return Pools(first, last, found)


def _listed(data: Any, key: str, fewest: int, form: re.Pattern[str], path: Path) -> tuple[str, ...]:
    values = data.get(key) if isinstance(data, dict) else None
    if not isinstance(values, list) or len(values) < fewest:
        raise InputError(f"{key} must list at least {fewest} names; add what is missing", path=path)
    for value in values:
        if not isinstance(value, str) or not form.fullmatch(value):
            raise InputError(f"{key} lists {value!r:.60}; write words of plain letters, each with a capital", path=path)
    return tuple(values)


def _check_once(words: Iterable[str], path: Path) -> None:
    for word, count in Counter(words).items():
        if count > 1:
            raise InputError(f"the name {word} is used twice; replace one", path=path)

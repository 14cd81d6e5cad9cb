"""Who a reply names: players by full or last name, teams by full name, nickname or place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from evolif.scenarios.broadcast.arguments import items, mapping, names, required, two_teams
from evolif.scenarios.broadcast.league import nickname_of, place_of
from evolif.scenarios.broadcast.reading import fold

_WORD: Final = re.compile(r"[^\W\d_]+")
_BESIDE: Final = re.compile(r"[ '.-]{1,2}")
_TABLES: Final = 4096
"""Matches whose tables are kept."""


class Mention(NamedTuple):
    """Where a folded line names someone.

    Attributes:
        start: Where the name begins.
        end: Where it ends.
        name: The full name, as the match spells it.
    """

    start: int
    end: int
    name: str


class _Form(NamedTuple):
    """One way to write a name: its words, folded, and whose it is."""

    words: tuple[str, ...]
    name: str


class _Forms(NamedTuple):
    """All ways to write some names."""

    by_last: Mapping[str, Sequence[_Form]]
    """By the last word; the longest comes first."""
    parts: frozenset[str]
    """All words of them."""


@dataclass(frozen=True)
class NameTable:
    """The names of a match, and the forms in which replies may use them."""

    teams: tuple[str, str]
    players: tuple[str, ...]
    team_forms: _Forms
    player_forms: _Forms

    def teams_in(self, line: str) -> list[Mention]:
        """The teams that a folded line names, in order."""
        return _mentions(line, self.team_forms)

    def players_in(self, line: str) -> list[Mention]:
        """The players that a folded line names, in order."""
        return _mentions(line, self.player_forms)

    def other(self, team: str) -> str:
        """The other team."""
        return self.teams[1] if team == self.teams[0] else self.teams[0]


def table_of(given: Any) -> NameTable:
    """The names of a match.

    Args:
        given: `{sport, teams, roster}`, as a turn carries them.

    Raises:
        ArgumentError: they are of the wrong kind.
    """
    found = mapping("names", given)
    teams = two_teams(required("names", found, "teams"))
    roster = mapping("the roster", found.get("roster") or {})
    return _table(teams, tuple(tuple(names("the roster", items("the roster", own))) for own in roster.values()))


@lru_cache(maxsize=_TABLES)
def _table(teams: tuple[str, str], rosters: tuple[tuple[str, ...], ...]) -> NameTable:
    players = tuple(player for own in rosters for player in own)
    team_ways = [(way, team) for team in teams for way in (team, nickname_of(team), place_of(team))]
    player_ways = [(way, player) for player in players for way in (player, player.rpartition(" ")[2])]
    return NameTable(teams, players, _forms(team_ways), _forms(player_ways))


def _forms(ways: Iterable[tuple[str, str]]) -> _Forms:
    """All forms; one that is two people's is nobody's."""
    owners: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for way, name in ways:
        if words := tuple(_WORD.findall(fold(way))):
            owners[words].add(name)
    by_last: dict[str, list[_Form]] = defaultdict(list)
    for words, own in owners.items():
        if len(own) == 1:
            by_last[words[-1]].append(_Form(words, *own))
    longest_first = {last: sorted(forms, key=lambda form: -len(form.words)) for last, forms in by_last.items()}
    return _Forms(longest_first, frozenset(word for words in owners for word in words))


def _mentions(line: str, forms: _Forms) -> list[Mention]:
    """A longer form that ends later takes the place of a shorter one inside it."""
    words = [word for word in _WORD.finditer(line) if word[0] in forms.parts]
    found: list[Mention] = []
    for place, word in enumerate(words):
        for form in forms.by_last.get(word[0], ()):
            first = place - len(form.words) + 1
            if first == place or (first >= 0 and _are(words[first : place + 1], form.words, line)):
                start = words[first].start()
                while found and found[-1].end > start:
                    found.pop()
                found.append(Mention(start, word.end(), form.name))
                break
    return found


def _are(words: Sequence[re.Match[str]], wanted: tuple[str, ...], line: str) -> bool:
    """Whether these are the words of a name, one beside the other."""
    return all(word[0] == part for word, part in zip(words, wanted, strict=True)) and all(
        _BESIDE.fullmatch(line, word.end(), following.start()) for word, following in pairwise(words)
    )

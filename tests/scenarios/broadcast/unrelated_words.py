"""Words that what is unrelated to a match must not use."""

from __future__ import annotations

from typing import Final

from evolif.scenarios.broadcast.league import nickname_of, read_pools

SPORT_WORDS: Final = frozenset(
    "sport sports game games match matches team teams play plays player players coach league fan fans score scores "
    "scored goal goals point points ball court rink puck hockey basketball football tennis soccer shot shots shoots "
    "dunk rebound rebounds assist assists faceoff faceoffs foul fouls penalty penalties timeout period periods "
    "quarter quarters overtime win wins winner lose loses lost loser tie tied lead leads leader championship "
    "tournament stadium arena goalkeeper defender forward throws steals steal turnover referee".split()
)


def league_names() -> frozenset[str]:
    """First names, last names and nicknames of both leagues."""
    pools = read_pools()
    nicknames = [nickname_of(team) for teams in pools.teams.values() for team in teams]
    return frozenset((*pools.first, *pools.last, *nicknames))

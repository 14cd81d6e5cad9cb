"""Simulated matches: a pure function of sport, number and seed.

A match is `{sport, number, teams, roster, lineups, player_team, events, faceoffs}`, all plain JSON. Its events are in
order, each `{period, t, clock, kind, team, player, pts, other, text}`:

- `t` is the time elapsed in the period, in seconds;
- `kind` is one of `KINDS[sport]`;
- `player` is who the row is about and starts with, `team` the player's team, or the one that the row names;
- `other` is the second person of the row: who assists (the first of several), steals, shot (of a block), was fouled,
  lost the faceoff, saved, blocked, was hit, left the court, or lost a jump ball's tap;
- what a row does not have is None.

`lineups` are the players who start: five in basketball; in hockey six, the goalkeeper first, who stays for the whole
match. `faceoffs` are `{period, t, winner, loser}`, none in basketball.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast import match_basketball, match_hockey
from evolif.scenarios.broadcast.arguments import whole
from evolif.scenarios.broadcast.clock import sport_of
from evolif.scenarios.broadcast.match_first_edition import FirstBasketball, FirstHockey
from evolif.util.resources import complaint
from evolif.util.rng import Purpose, Stream

Match = dict[str, Any]
"""As the head of this module says."""
KINDS: Final[Mapping[str, tuple[str, ...]]] = {"basketball": match_basketball.KINDS, "hockey": match_hockey.KINDS}
"""The kinds of events of each sport."""

FIRST, EDITION = 1, 2
"""Editions of the simulator: the one of sets that do not name any, and the latest."""
MatchEdition: TypeAlias = Annotated[
    int,
    Field(
        ge=FIRST,
        le=EDITION,
        description="Edition of the simulator: 2, or 1 for the matches of sets that do not store it.",
    ),
]

_GOLDEN: Final = 0x9E3779B97F4A7C15


class MatchSettings(BaseModel):
    """The settings of matches."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    series: Annotated[
        str, Field(max_length=100, description="Which series a match is of; two series have no match in common.")
    ] = ""
    match_edition: MatchEdition = EDITION


def simulate(sport: str, number: int, *, seed: int, **settings: Any) -> Match:
    """Simulate one match.

    Args:
        sport: `basketball` or `hockey`.
        number: Which match, from 0 on without end.
        seed: Of the series; at least 0.
        **settings: `series`, a text that names the series, and `match_edition`, that of the simulator.

    Returns:
        The match as plain JSON values, the same on any machine.

    Raises:
        ArgumentError: there is no such sport, a setting that matches do not have, or a value out of range.
    """
    sport_of(sport)
    whole("number", number, 0)
    whole("seed", seed, 0)
    chosen = settings_of(settings)
    series, is_first = _series(sport, chosen), chosen.match_edition == FIRST
    stream = Stream(seed, Purpose.BROADCAST, series, number)
    if sport == "basketball":
        sides, lineups, events, faceoffs = match_basketball.play(stream, FirstBasketball if is_first else None)
    else:
        rank = _rank(seed, series, number)
        sides, lineups, events, faceoffs = match_hockey.play(stream, rank, FirstHockey if is_first else None)
    return {
        "sport": sport,
        "number": number,
        "teams": [side.team for side in sides],
        "roster": {side.team: list(side.players) for side in sides},
        "lineups": {side.team: list(own) for side, own in zip(sides, lineups, strict=True)},
        "player_team": {player: side.team for side in sides for player in side.players},
        "events": events,
        "faceoffs": faceoffs,
    }


def settings_of(given: Mapping[str, Any]) -> MatchSettings:
    """The settings of a match, complete.

    Raises:
        ArgumentError: there is no such setting, or a value does not fit.
    """
    try:
        return MatchSettings.model_validate(dict(given))
    except ValidationError as fault:
        known = ", ".join(MatchSettings.model_fields)
        problem = complaint(fault, "")
        raise ArgumentError(f"the settings of a match do not fit: {problem}; there is {known}") from None


def _series(sport: str, settings: MatchSettings) -> int:
    """What names a series in the keys of its streams: the same in every edition."""
    named = json.dumps([sport, {"series": settings.series}], sort_keys=True)
    return int.from_bytes(blake2b(named.encode(), digest_size=8).digest(), "big")


def _rank(seed: int, series: int, number: int) -> int:
    """A number from 0 to 999, spread evenly over the matches that follow each other, from a random start.

    Multiples of the golden ratio, in fractions of 2^64 (D. E. Knuth, The Art of Computer Programming 3, 6.4).
    """
    start = Stream(seed, Purpose.BROADCAST, series).below(1 << 64)
    return (start + number * _GOLDEN) % (1 << 64) * 1000 >> 64

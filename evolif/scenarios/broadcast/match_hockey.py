"""Simulated hockey: three periods, from faceoff to faceoff.

Who has the puck shoots, loses it or is stopped. Rates are those of public play-by-play tables, varied by match, team
and player. Draws are only added, multiplied and compared, so that every machine plays the same match.

This is the second edition, in which nothing happens that the rules or two skates do not allow: from one end of the rink
to the other takes time, who is short-handed may ice the puck, and nobody deflects a shot that nobody has taken.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final

from evolif.scenarios.broadcast.clock import HOCKEY
from evolif.scenarios.broadcast.league import Side, draw_sides
from evolif.scenarios.broadcast.match_log import TENTHS, Event, MatchLog
from evolif.util.rng import Stream

KINDS: Final = (
    *("faceoff", "goal", "shot_saved", "shot_wide", "shot_blocked"),
    *("hit", "giveaway", "takeaway", "penalty"),
    *("icing", "offside", "puck_held", "puck_out", "start", "end"),
)
"""The kinds of events."""

SKATERS, KEEPERS = 18, 2
"""Players of a team; the goalkeepers are the last of the roster."""
PENALTY: Final = 120
"""Seconds for which who was penalised does not act."""
_STARTERS: Final = 5
_FORWARDS: Final = 12
_FACEOFF_WEIGHTS: Final = (30, 27, 20, 14, 5, 4)
"""How often the first skaters of a roster take a faceoff."""
_PERIOD_ROWS: Final = range(84, 123)
_SOON: Final = 0.13
"""How often an event follows within two seconds."""
_RATES: Final = {
    "hit": 455, "shot_saved": 475, "shot_wide": 313, "shot_blocked": 303, "giveaway": 273,
    "takeaway": 91, "penalty": 61, "icing": 128, "offside": 92, "puck_out": 82,
}  # fmt: skip
"""How often each kind occurs but goals, on one scale."""
_CUMULATED: Final = tuple(accumulate(_RATES.values()))
_NAMES: Final = tuple(_RATES)
_GOALS: Final = (3, 21, 72, 170, 313, 478, 638, 771, 867, 929, 965, 984, 993, 997, 999, 1000)
"""How many of 1,000 matches have at most 0, 1, … goals: a Poisson distribution of mean 5.8."""
_STEPS: Final = 231
"""Events of a match without faceoffs and held pucks."""
_HELD: Final = 0.26
"""How often a goalkeeper holds a shot."""
_ACROSS: Final = 5
"""Seconds that an attack takes at least from the middle of the rink, or from the other end."""
_MOST_PENALISED: Final = 2
"""Players of a team who sit at once: the next penalty would have to wait."""
_PENALTIES: Final = ("tripping", "hooking", "slashing", "holding", "interference", "high-sticking", "cross-checking")
SHOTS: Final = ("wrist shot", "wrist shot", "wrist shot", "slap shot", "snap shot", "backhand", "deflection", "tip-in")
_TOUCHED: Final = ("deflection", "tip-in")
"""Shots that a team-mate has taken before."""
_STOPS: Final = {"icing": "Icing", "offside": "Offside", "puck_out": "Puck out of play"}


@dataclass
class _Ice:
    """What a period changes, and what is restored when it is drawn again."""

    score: list[int] = field(default_factory=lambda: [0, 0])
    until: dict[str, int] = field(default_factory=dict)
    """The last second of each penalty, counted from the start of the match without breaks."""
    goals: dict[str, int] = field(default_factory=dict)
    """Of the season so far."""
    assists: dict[str, int] = field(default_factory=dict)


def play(
    stream: Stream, rank: int, edition: type[HockeyPlay] | None = None
) -> tuple[tuple[Side, Side], list[list[str]], list[Event], list[dict[str, Any]]]:
    """Play a match.

    Args:
        stream: Of the match.
        rank: From 0 to 999: how rich in goals the match is meant to be. Goals are so rare that their mean would stray
            over a few hundred matches if each match drew this for itself.
        edition: Of the simulator; None for the one of this module.

    Returns:
        Both sides, who starts (the goalkeeper first), the events in order, and the faceoffs.
    """
    sides = draw_sides(HOCKEY.name, (SKATERS + KEEPERS, SKATERS + KEEPERS), stream)
    match = (edition or HockeyPlay)(stream, sides, bisect_right(_GOALS, rank))
    for period in range(1, HOCKEY.periods + 1):
        match.fitting_period(period)
    starters = [[side.players[SKATERS], *side.players[:_STARTERS]] for side in sides]
    return sides, starters, match.log.events, match.faceoffs()


class HockeyPlay:
    """A match in play."""

    gap = (3, 15, 15)
    """Seconds between two events: at least, and two numbers below which more are drawn."""
    soon = (1, 2)
    """The same of events that follow each other at once: at least, and a number below which more are drawn."""
    blockable: Sequence[str] = tuple(shot for shot in SHOTS if shot not in _TOUCHED)
    """Shots that may be blocked."""

    def __init__(self, stream: Stream, sides: tuple[Side, Side], goals: int) -> None:
        self._goals = goals
        """How many the match is meant to have; it may miss a few."""
        self._draw = stream.fraction
        self.log = MatchLog(HOCKEY)
        self._teams = [side.team for side in sides]
        self._skaters = [side.players[:SKATERS] for side in sides]
        self._keepers = [side.players[SKATERS] for side in sides]
        self._pace = 0.92 + 0.16 * self._draw()
        self._strength = 0.44 + 0.12 * self._draw()
        """How often the first team comes to the puck."""
        self._ice = _Ice()
        self._shots = [-_ACROSS, -_ACROSS]
        """When each team has last shot, counted from the start of the match without breaks."""
        self._centred = 0
        """When the puck was last in the middle of the rink."""
        for players in self._skaters:
            for at, player in enumerate(players):
                self._ice.goals[player] = int(self._draw() * (22 if at < _FORWARDS else 8))
                self._ice.assists[player] = int(self._draw() * (30 if at < _FORWARDS else 24))
        self._puck = 0

    def faceoffs(self) -> list[dict[str, Any]]:
        """The faceoffs of the events so far."""
        return [
            {"period": event["period"], "t": event["t"], "winner": event["player"], "loser": event["other"]}
            for event in self.log.events
            if event["kind"] == "faceoff"
        ]

    def fitting_period(self, period: int) -> None:
        """Play a period with as many rows as they occur; other ones are drawn again."""
        while True:
            ice, played = deepcopy(self._ice), len(self.log.events)
            self._period(period)
            if len(self.log.events) - played in _PERIOD_ROWS:
                return
            self._ice = ice
            del self.log.events[played:]

    def _period(self, period: int) -> None:
        self.log.start(period)
        self._centred = self._now
        self._shots = [self._now - _ACROSS] * 2
        self._faceoff()
        while self._pass_time():
            if self._draw() < self._goal_chance():
                self._goal()
            else:
                self._happen(_NAMES[bisect_right(_CUMULATED, int(self._draw() * _CUMULATED[-1]))])
        self.log.end()

    def _goal_chance(self) -> float:
        """How likely the next event is a goal: as many are left as the match is meant to have still."""
        left = 1 - self._now / (HOCKEY.periods * HOCKEY.length)
        return (self._goals - sum(self._ice.score)) / (_STEPS * left + 1)

    def _pass_time(self) -> bool:
        """Let the time until the next event pass; whether the period goes on."""
        least, more, spread = self.gap
        if self._draw() < _SOON:
            least, more = self.soon
            took = least + int(self._draw() * more)
        else:
            took = least + int((self._draw() * more + self._draw() * spread) * self._pace)
        if self.log.events[-1]["kind"] == "faceoff":
            took = max(took, 2)
        return self._forward(took)

    def _forward(self, seconds: int) -> bool:
        """Go forward; whether that is before the end of the period."""
        time = self.log.time + seconds * TENTHS
        if time >= HOCKEY.length * TENTHS:
            return False
        self.log.time = time
        return True

    def _reach(self, *since: int) -> bool:
        """Go forward until the puck can be at the other end; whether that is before the end of the period.

        Args:
            since: When it was somewhere else.
        """
        return self._forward(max(0, max(since) + _ACROSS - self._now))

    def _attack(self) -> bool:
        """Let who has the puck come to shoot; whether there is time."""
        own = self._puck
        if not self._reach(self._centred, self._shots[1 - own]):
            return False
        self._shots[own] = self._now
        return True

    @property
    def _now(self) -> int:
        return (self.log.period - 1) * HOCKEY.length + self.log.time // TENTHS

    def _able(self, own: int) -> Sequence[str]:
        """The skaters of a team who are not penalised."""
        until, now = self._ice.until, self._now
        if all(end < now for end in until.values()):
            return self._skaters[own]
        return [player for player in self._skaters[own] if until.get(player, -1) < now]

    def _one(self, options: Sequence[Any]) -> Any:
        return options[int(self._draw() * len(options))]

    def _forward_player(self, own: int) -> str:
        """Who shoots: forwards more often."""
        able = self._able(own)
        return str(self._one(able[: len(able) * 2 // 3] if self._draw() < 0.5 else able))

    def _happen(self, name: str) -> None:
        actions: dict[str, Callable[[], None]] = {
            "hit": self._hit,
            "shot_saved": self._saved,
            "shot_wide": self._wide,
            "shot_blocked": self._blocked,
            "giveaway": self._giveaway,
            "takeaway": self._takeaway,
            "penalty": self._penalty,
        }
        if name in actions:
            actions[name]()
        elif name == "puck_out":
            self._stop(name, _STOPS[name], None)
        else:
            self._break_rule(name)

    def _break_rule(self, name: str) -> None:
        """Stop the game for icing or offside; a team with fewer players may ice the puck."""
        own = self._puck
        if name == "icing" and self._sitting(own):
            name = "offside"
        if self._reach(self._centred, *self._shots):
            self._stop(name, _STOPS[name], self._teams[own])

    def _sitting(self, own: int) -> int:
        """How many players of a team are penalised."""
        return len(self._skaters[own]) - len(self._able(own))

    def _faceoff(self) -> None:
        """Two players meet where the game stood still; the winner's team has the puck."""
        centres = [self._centre(own) for own in (0, 1)]
        won = 0 if self._draw() < self._strength else 1
        winner, loser = centres[won], centres[1 - won]
        self._puck = won
        self.log.add("faceoff", f"{winner} wins faceoff against {loser}", self._teams[won], winner, loser)

    def _centre(self, own: int) -> str:
        able = self._able(own)
        options = [
            (player, weight)
            for player, weight in zip(self._skaters[own], _FACEOFF_WEIGHTS, strict=False)
            if player in able
        ]
        position = int(self._draw() * sum(weight for _, weight in options))
        for player, weight in options:
            if position < weight:
                return player
            position -= weight
        return able[0]

    def _stop(self, kind: str, text: str, team: str | None) -> None:
        self.log.add(kind, text, team)
        self._faceoff()

    def _gain(self) -> None:
        """Somebody comes to the puck."""
        self._puck = 0 if self._draw() < self._strength else 1

    def _hit(self) -> None:
        """Who has the puck is hit."""
        own = 1 - self._puck
        player, other = self._one(self._able(own)), self._one(self._able(1 - own))
        self.log.add("hit", f"{player} hits {other}", self._teams[own], player, other)
        self._gain()

    def _saved(self) -> None:
        if not self._attack():
            return
        own = self._puck
        player, keeper = self._forward_player(own), self._keepers[1 - own]
        text = f"{player} {self._one(SHOTS)} saved by {keeper}"
        self.log.add("shot_saved", text, self._teams[own], player, keeper)
        if self._draw() < _HELD:
            self._forward(int(self._draw() * 3))
            self._stop("puck_held", "Goalkeeper holds the puck", self._teams[1 - own])
        else:
            self._gain()

    def _wide(self) -> None:
        if not self._attack():
            return
        own = self._puck
        player = self._forward_player(own)
        text = f"{player} {self._one(SHOTS)} wide {self._one(('left', 'right'))}"
        self.log.add("shot_wide", text, self._teams[own], player)
        self._gain()

    def _blocked(self) -> None:
        if not self._attack():
            return
        own = self._puck
        player, other = self._forward_player(own), self._one(self._able(1 - own))
        text = f"{player} {self._one(self.blockable)} blocked by {other}"
        self.log.add("shot_blocked", text, self._teams[own], player, other)
        self._gain()

    def _goal(self) -> None:
        """A goal, more often of the team that is behind: it takes more risks."""
        home, away = self._ice.score
        risky = self._draw() < 0.12
        if home != away and risky and self.log.time / TENTHS - self.log.events[-1]["t"] >= _ACROSS:
            self._puck = 0 if home < away else 1
        if not self._attack():
            return
        own, ice = self._puck, self._ice
        scorer, shot = self._forward_player(own), self._one(SHOTS)
        ice.goals[scorer] += 1
        ice.score[own] += 1
        helpers: list[str] = []
        for _ in range(max(self._one((0, 1, 2, 2, 2, 2, 1, 2)), int(shot in _TOUCHED))):
            helpers.append(self._one([player for player in self._able(own) if player not in (scorer, *helpers)]))
        self._tell_goal(scorer, shot, helpers)
        self._centred = self._now
        self._faceoff()

    def _tell_goal(self, scorer: str, shot: str, helpers: Sequence[str]) -> None:
        ice = self._ice
        for helper in helpers:
            ice.assists[helper] += 1
        told = ", ".join(f"{helper} ({ice.assists[helper]})" for helper in helpers) or "none"
        text = f"{scorer} goal ({ice.goals[scorer]}) {shot}, assists: {told}"
        self.log.add("goal", text, self._teams[self._puck], scorer, helpers[0] if helpers else None, 1)

    def _giveaway(self) -> None:
        own = self._puck
        player = self._one(self._able(own))
        self.log.add("giveaway", f"{player} giveaway", self._teams[own], player)
        self._puck = 1 - own

    def _takeaway(self) -> None:
        own = 1 - self._puck
        player = self._one(self._able(own))
        self.log.add("takeaway", f"{player} takeaway", self._teams[own], player)
        self._puck = own

    def _penalty(self) -> None:
        """A penalty, mostly of the team without the puck; a team that could not do without another player gets none."""
        own = 1 - self._puck if self._draw() < 0.75 else self._puck
        if self._sitting(own) >= _MOST_PENALISED:
            self._gain()
            return
        player, other = self._one(self._able(own)), self._one(self._able(1 - own))
        text = f"{player} {self._one(_PENALTIES)} against {other}"
        self.log.add("penalty", text, self._teams[own], player, other)
        self._ice.until[player] = self._now + PENALTY
        self._faceoff()

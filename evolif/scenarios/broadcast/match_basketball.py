"""Simulated basketball: four quarters, attempt by attempt.

Who has the ball attempts something: a shot, a turnover, a foul. Rates are those of public play-by-play tables, varied
by match, team and player. Draws are only added, multiplied and compared, and floats are summed in one order, so that
every machine and every version of Python plays the same match.

This is the second edition, in which nothing happens that the rules or two legs do not allow: attempts take the time
they need and beat the shot clock, only who has just rebounded tips a ball in, every shot comes from where it is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from evolif.scenarios.broadcast.clock import BASKETBALL
from evolif.scenarios.broadcast.league import Side, draw_sides
from evolif.scenarios.broadcast.match_log import TENTHS, Event, MatchLog, whole_before
from evolif.util.rng import Stream

T = TypeVar("T")

KINDS: Final = (
    *(f"{shot}_{end}" for shot in ("two", "three") for end in ("made", "missed", "blocked")),
    *("free_made", "free_missed"),
    *("rebound_defensive", "rebound_offensive", "team_rebound"),
    *("bad_pass", "lost_ball", "traveling", "shot_clock"),
    *("foul_shooting", "foul_personal", "foul_offensive"),
    *("substitution", "timeout", "jump_ball", "start", "end"),
)
"""The kinds of events. Of a blocked shot the player is who blocks, and `other` who shot."""

SMALLEST, LARGEST = 10, 13
"""Players of a team."""
FIVE: Final = 5
LENGTH: Final = BASKETBALL.length * TENTHS
LAST_MINUTE: Final = LENGTH - 60 * TENTHS
SHOT_CLOCK: Final = 24 * TENTHS
_SECOND_CHANCE: Final = 14 * TENTHS
"""What the shot clock shows after an offensive rebound, and at least after a foul of the defence."""
_QUICKER: Final = 0.972 * TENTHS
"""What a second of a wait lasts: attempts that have no time are made up for."""
_MOST_FOULS: Final = 5
_BONUS: Final = 5
"""The team foul of a quarter from which on every personal foul gives two free throws."""
_TIMEOUTS: Final = 7
_LAST_TIMEOUTS: Final = 4
"""How many of them may be left for the last quarter."""
_LATE_TIMEOUTS: Final = 2
"""And for its last three minutes."""
_LATE: Final = BASKETBALL.length - 180
_QUARTER_POINTS: Final = range(12, 47)
_QUARTER_ROWS: Final = range(90, 159)
_MATCH_POINTS: Final = range(86, 149)
_PATIENT: Final = 12
"""How often the last quarter is drawn again before the match is."""

# Drawn like cards, without putting them back: the means of what is rare hold over a few hundred matches.
_ATTEMPTS: Final = (
    *("shot",) * 296,
    *("turnover",) * 51,
    *("offensive_foul",) * 6,
    *("personal_foul",) * 22,
    *("shooting_foul",) * 25,
)
_FREE_FALLS: Final = (True,) * 19 + (False,) * 6
TURNOVERS: Final = ("bad_pass",) * 20 + ("lost_ball",) * 14 + ("traveling",) * 21 + ("shot_clock",) * 5

_TWO_FALLS: Final = 0.54
_THREE_FALLS: Final = 0.337
_BLOCKED: Final = {2: 0.153, 3: 0.015}
_AND_ONE: Final = 0.07
_THREE_SHOTS: Final = 0.05
OFFENSIVE_REBOUND: Final = 0.338
TEAM_REBOUND: Final = 0.14
REBOUND_AFTER: Final = (0, 0, 1, 1, 1, 2, 2, 2, 3)
"""Seconds from a miss to the rebound."""
_STINT: Final = 60 * TENTHS
"""How long a player stays on the court, or on the bench, at least."""
_PUT_BACK: Final = 0.4
"""How often who has the rebound goes up again at once."""
_TIP: Final = 0.45
"""How often that is a tip-in."""
_LEAST_SHOWN: Final = 5 * TENTHS
"""With less on the shot clock, the team that missed does not get the ball back."""


class Wait(NamedTuple):
    """How long a team takes to its attempt: seconds at least, and two numbers below which more are drawn."""

    least: float
    more: float
    spread: float


FRESH: Final = Wait(4.0, 10.0, 9.2)
QUICK: Final = Wait(2.0, 7.0, 5.0)
AGAIN: Final = Wait(2.0, 7.0, 7.0)
_KICKED_OUT: Final = Wait(3.0, 4.0, 4.0)
_UP_AGAIN: Final = Wait(1.0, 1.0, 0.9)
_TIPPED: Final = Wait(0.5, 0.6, 0.5)
_BREAK_AWAY: Final = 4 * TENTHS
"""After a steal, sooner than this nobody stops for a jump shot."""

_NEAR: Final = (*("layup",) * 6, "dunk", "dunk", "finger roll")
_MIDDLE: Final[Mapping[str, range]] = {
    "jump shot": range(8, 22),
    "hook shot": range(3, 13),
    "floater": range(4, 14),
    "fadeaway": range(6, 19),
    "bank shot": range(5, 15),
    "pull-up jump shot": range(9, 22),
}
"""Shots from further away, and the feet from which they are taken."""
_MIDDLE_SHOTS: Final = tuple(_MIDDLE)
_FAR: Final = (*("jump shot",) * 6, "pull-up jump shot", "step-back jump shot", "running jump shot")
_UNASSISTED: Final = ("tip-in", "pull-up jump shot", "step-back jump shot")
"""What a player has made for himself."""


@dataclass
class _Court:
    """What a quarter changes, and what is restored when it is drawn again."""

    on: tuple[list[str], list[str]]
    """Who is on the court."""
    score: list[int] = field(default_factory=lambda: [0, 0])
    fouls: dict[str, int] = field(default_factory=dict)
    since: dict[str, int] = field(default_factory=dict)
    """When players entered: tenths from the start of the match, without breaks."""
    timeouts: list[int] = field(default_factory=lambda: [_TIMEOUTS, _TIMEOUTS])


def play(
    stream: Stream, edition: type[BasketballPlay] | None = None
) -> tuple[tuple[Side, Side], list[list[str]], list[Event], list[Any]]:
    """Play a match.

    Args:
        stream: Of the match.
        edition: Of the simulator; None for the one of this module.

    Returns:
        Both sides, who starts, the events in order, and no faceoffs.
    """
    sizes = stream.between(SMALLEST, LARGEST), stream.between(SMALLEST, LARGEST)
    sides = draw_sides(BASKETBALL.name, sizes, stream)
    starters = [list(side.players[:FIVE]) for side in sides]
    player = edition or BasketballPlay
    while (events := player(stream, sides).match()) is None:
        pass
    return sides, starters, events, []


class BasketballPlay:
    """A match in play."""

    threes = 0.437
    """How often a shot counts three."""
    helped = 0.77
    """How often a basket has an assist that may have one."""
    substitutes = (0,) * 12 + (1,) * 6 + (2,) * 4
    """How many of a team change when the game stands still."""

    def __init__(self, stream: Stream, sides: tuple[Side, Side]) -> None:
        self._draw = stream.fraction
        self._attempts: list[str] = []
        self._free: list[bool] = []
        self._losses: list[str] = []
        self._log = MatchLog(BASKETBALL)
        self._sides = sides
        self._teams = [side.team for side in sides]
        shared = self._spread(0.19)
        self._form = [shared * self._spread(0.17), shared * self._spread(0.17)]
        """How well each team shoots."""
        self._pace = self._spread(0.12)
        """How long attempts take."""
        self._weight = {player: self._usage(at) for side in sides for at, player in enumerate(side.players)}
        self._court = _Court((list(sides[0].players[:FIVE]), list(sides[1].players[:FIVE])))
        self._ball = 0
        self._first_ball = 0
        self._team_fouls = [0, 0]
        self._wait = FRESH
        self._began = 0
        """When the team with the ball began to attempt something."""
        self._expires = 0
        """When the shot clock runs out."""
        self._again: str | None = None
        """Who has a rebound and goes up again."""

    def _spread(self, width: float) -> float:
        """A factor around 1, bell-shaped, at most `width` away."""
        return 1 + width * ((self._draw() + self._draw() + self._draw()) * 2 / 3 - 1)

    def _usage(self, at: int) -> int:
        """How often a player shoots, as a weight; the first of a roster more often."""
        return int((1600 if at < 2 else 1000 if at < FIVE else 750) * (0.6 + self._draw()))

    def _one(self, options: Sequence[Any]) -> Any:
        return options[int(self._draw() * len(options))]

    def _card(self, deck: list[T], cards: Sequence[T]) -> T:
        """A card from a deck, which is replaced when it is used up."""
        if not deck:
            deck += cards
        at = int(self._draw() * len(deck))
        deck[at], deck[-1] = deck[-1], deck[at]
        return deck.pop()

    def _most_used(self, five: Sequence[str]) -> str:
        """One of a few players, in proportion to how often they shoot."""
        weight = self._weight
        position = int(self._draw() * sum(weight[player] for player in five))
        for player in five:
            position -= weight[player]
            if position < 0:
                return player
        return five[-1]

    def match(self) -> list[Event] | None:
        """All events; None where the last quarter ended level, or out of bounds, time and again."""
        for period in range(1, BASKETBALL.periods):
            self._fitting_quarter(period)
        for _ in range(_PATIENT):
            court, played = deepcopy(self._court), len(self._log.events)
            self._fitting_quarter(BASKETBALL.periods)
            home, away = self._court.score
            if home != away and home in _MATCH_POINTS and away in _MATCH_POINTS:
                return self._log.events
            self._court = court
            del self._log.events[played:]
        return None

    def _fitting_quarter(self, period: int) -> None:
        """Play a quarter with points and rows as they occur; other ones are drawn again."""
        while True:
            court, played = deepcopy(self._court), len(self._log.events)
            self._quarter(period)
            points = [now - before for now, before in zip(self._court.score, court.score, strict=True)]
            if len(self._log.events) - played in _QUARTER_ROWS and all(own in _QUARTER_POINTS for own in points):
                return
            self._court = court
            del self._log.events[played:]

    def _quarter(self, period: int) -> None:
        """Play a quarter; who is on the court in the end starts the next one."""
        self._log.start(period)
        self._team_fouls = [0, 0]
        if period == 1:
            self._jump_ball()
        else:
            self._ball = self._first_ball if period == BASKETBALL.periods else 1 - self._first_ball
            self._change_in_break()
        self._possess(FRESH, SHOT_CLOCK)
        while self._pass_time():
            self._attempt()
        self._log.end()

    def _jump_ball(self) -> None:
        home, away = (self._one(five) for five in self._court.on)
        self._ball = self._first_ball = int(self._draw() * 2)
        gets = self._one([player for player in self._court.on[self._ball] if player not in (home, away)])
        text = f"{home} vs. {away} ({gets} gains possession)"
        self._log.add("jump_ball", text, self._teams[0], home, away)

    def _change_in_break(self) -> None:
        """Nobody changes when a quarter begins: its line-up has just been told."""

    def _possess(self, wait: Wait, shows: int) -> None:
        """Let a team have the ball from now on.

        Args:
            wait: Until it attempts something.
            shows: What the shot clock shows, in tenths.
        """
        self._wait, self._again = wait, None
        self._expires = self._log.time + shows

    def _pass_time(self) -> bool:
        """Let the time until the next attempt pass; whether any is left for it."""
        log, wait = self._log, self._wait
        least = int(wait.least * TENTHS)
        took = int((wait.least + self._draw() * wait.more + self._draw() * wait.spread) * self._pace * _QUICKER)
        took = min(max(took, least), self._expires - log.time)
        self._began = log.time
        left = LENGTH - log.time
        if took < left:
            self._forward(took)
            return True
        if left < least + 5 or self._draw() < 0.3:
            return False
        log.time = max(log.time + least, LENGTH - 3 - int(self._draw() * 30))
        return True

    def _forward(self, took: int) -> None:
        """Go forward some tenths, to a whole second before the last minute."""
        time = min(self._log.time + took, LENGTH)
        self._log.time = time if time > LAST_MINUTE else whole_before(time)

    def _attempt(self) -> None:
        """Let a card decide; in the last three seconds everybody shoots."""
        hasty = self._log.time > LENGTH - 3 * TENTHS
        match "shot" if hasty else self._card(self._attempts, _ATTEMPTS):
            case "shot":
                self._shot()
            case "turnover":
                self._turnover()
            case "offensive_foul":
                self._offensive_foul()
            case "personal_foul":
                self._personal_foul()
            case "shooting_foul":
                self._shooting_foul()

    def _shooter(self) -> str:
        return self._again or self._most_used(self._court.on[self._ball])

    @property
    def _must_be_near(self) -> bool:
        """Whether there is time for nothing but the basket: after a rebound, or ahead of everybody after a steal."""
        return self._again is not None or (self._wait is QUICK and self._log.time - self._began < _BREAK_AWAY)

    def _shooting_foul(self) -> None:
        shooter, near = self._shooter(), self._must_be_near
        self._foul("shooting", shooter)
        self._free_throws(shooter, 3 if self._draw() < _THREE_SHOTS and not near else 2)

    def _shot(self) -> None:
        own = self._ball
        shooter = self._shooter()
        value = 3 if self._draw() < self.threes and not self._must_be_near else 2
        shot, told = self._kind_of_shot(value)
        kind = "three" if value == 3 else "two"
        falls = (_THREE_FALLS if value == 3 else _TWO_FALLS) * self._form[own]
        if self._draw() < falls:
            self._basket(shooter, kind, shot, told)
        elif self._draw() < _BLOCKED[value] and shot != "tip-in":
            blocker = self._one(self._court.on[1 - own])
            text = f"{blocker} blocks {shooter}'s {told}"
            self._log.add(f"{kind}_blocked", text, self._teams[1 - own], blocker, shooter)
            self._rebound(shows=self._expires - self._log.time)
        else:
            self._log.add(f"{kind}_missed", f"{shooter} misses {told}", self._teams[own], shooter)
            self._rebound()

    def _kind_of_shot(self, value: int) -> tuple[str, str]:
        """The shot, and how rows tell it: from 22 feet or more if it counts three, else from at most 22."""
        if value == 3:
            shot = str(self._one(_FAR))
            return shot, f"{22 + int(self._draw() * self._draw() * 12)}-foot three point {shot}"
        if self._must_be_near or self._draw() < 0.55:
            shot = "tip-in" if self._wait is _TIPPED else str(self._one(_NEAR))
            told = f"two point {shot}"
            return shot, told if self._draw() < 0.6 else f"{1 + int(self._draw() * 3)}-foot {told}"
        shot = str(self._one(_MIDDLE_SHOTS))
        return shot, f"{self._one(_MIDDLE[shot])}-foot two point {shot}"

    def _basket(self, shooter: str, kind: str, shot: str, told: str) -> None:
        own = self._ball
        value = 3 if kind == "three" else 2
        helper = None
        if self._again is None and shot not in _UNASSISTED and self._draw() < self.helped:
            helper = self._one([player for player in self._court.on[own] if player != shooter])
        text = f"{shooter} makes {told} ({helper} assists)" if helper else f"{shooter} makes {told}"
        self._log.add(f"{kind}_made", text, self._teams[own], shooter, helper, value)
        self._court.score[own] += value
        if self._draw() < _AND_ONE:
            self._foul("shooting", shooter)
            self._free_throws(shooter, 1)
            return
        self._turn_over(FRESH)
        if self._draw() < 0.112:
            self._timeout()

    def _turn_over(self, wait: Wait) -> None:
        """Give the other team the ball."""
        self._ball = 1 - self._ball
        self._possess(wait, SHOT_CLOCK)

    def _free_throws(self, shooter: str, count: int) -> None:
        own = self._ball
        falls = False
        for number in range(1, count + 1):
            falls = self._card(self._free, _FREE_FALLS)
            text = f"{shooter} {'makes' if falls else 'misses'} free throw {number} of {count}"
            self._log.add("free_made" if falls else "free_missed", text, self._teams[own], shooter, None, int(falls))
            self._court.score[own] += falls
        if falls:
            self._turn_over(FRESH)
            self._stand_still()
        else:
            self._rebound(0.6)

    def _rebound(self, share: float = 1.0, shows: int = _SECOND_CHANCE) -> None:
        """Somebody gets the ball.

        Args:
            share: Of the usual chance that it is the team that missed.
            shows: What the shot clock shows then: a ball that has not touched the ring does not reset it.
        """
        own, missed = self._ball, self._log.time
        after = self._one(REBOUND_AFTER) * TENTHS
        self._forward(after + int(self._draw() * TENTHS) if self._log.time > LAST_MINUTE else after)
        shows = min(_SECOND_CHANCE, shows - (self._log.time - missed) if shows < _SECOND_CHANCE else shows)
        if self._draw() >= OFFENSIVE_REBOUND * share or shows < _LEAST_SHOWN:
            self._turn_over(FRESH)
            player = self._one(self._court.on[1 - own])
            self._log.add("rebound_defensive", f"{player} defensive rebound", self._teams[1 - own], player)
        elif self._draw() < TEAM_REBOUND:
            self._possess(AGAIN, shows)
            text = f"{self._sides[own].nickname} offensive team rebound"
            self._log.add("team_rebound", text, self._teams[own])
        else:
            player = str(self._one(self._court.on[own]))
            self._log.add("rebound_offensive", f"{player} offensive rebound", self._teams[own], player)
            self._second_chance(player, shows)

    def _second_chance(self, player: str, shows: int) -> None:
        """Who has the rebound goes up again, or passes the ball back out."""
        self._possess(_KICKED_OUT, shows)
        is_free = self._log.events[-2]["kind"] == "free_missed"
        if self._draw() < _PUT_BACK:
            self._again = player
            self._wait = _TIPPED if self._draw() < _TIP and not is_free else _UP_AGAIN

    def _turnover(self) -> None:
        own = self._ball
        kind = self._card(self._losses, TURNOVERS)
        if kind == "shot_clock" and (self._wait is not FRESH or self._expires >= LENGTH):
            kind = "traveling"
        player = self._again or self._one(self._court.on[own])
        if kind in ("bad_pass", "lost_ball"):
            thief = self._one(self._court.on[1 - own])
            self._log.add(kind, f"{player} {kind.replace('_', ' ')} ({thief} steals)", self._teams[own], player, thief)
            self._turn_over(QUICK)
            return
        if kind == "traveling":
            self._log.add(kind, f"{player} traveling", self._teams[own], player)
        else:
            self._log.time = self._expires
            self._log.add(kind, f"{self._sides[own].nickname} shot clock turnover", self._teams[own])
        self._turn_over(FRESH)
        self._stand_still()

    def _fouling(self, own: int) -> str:
        """Who of a team fouls: nobody so often that the rules would send him off."""
        fouls = self._court.fouls
        five = self._court.on[own]
        player = str(self._one([player for player in five if fouls.get(player, 0) < _MOST_FOULS] or five))
        fouls[player] = fouls.get(player, 0) + 1
        return player

    def _foul(self, kind: str, fouled: str) -> None:
        """A foul of the team without the ball."""
        other = 1 - self._ball
        player = self._fouling(other)
        self._team_fouls[other] += 1
        self._log.add(f"foul_{kind}", f"{player} {kind} foul", self._teams[other], player, fouled)

    def _personal_foul(self) -> None:
        fouled = self._shooter()
        self._foul("personal", fouled)
        if self._team_fouls[1 - self._ball] >= _BONUS:
            self._free_throws(fouled, 2)
            return
        self._possess(AGAIN, max(self._expires - self._log.time, _SECOND_CHANCE))
        self._stand_still()

    def _offensive_foul(self) -> None:
        own = self._ball
        player = self._fouling(own)
        text = f"{player} offensive foul"
        self._log.add("foul_offensive", text, self._teams[own], player, self._one(self._court.on[1 - own]))
        self._turn_over(FRESH)
        self._stand_still()

    def _stand_still(self) -> None:
        """What may happen while the clock stands."""
        if self._log.time >= LENGTH:
            return
        if self._draw() < 0.117:
            self._timeout()
        else:
            self._change_players()

    def _timeout(self) -> None:
        """The team with the ball stops the game, if it still may."""
        own = self._ball
        if self._log.time < LENGTH and self._court.timeouts[own] and self._may_stop(own):
            self._court.timeouts[own] -= 1
            self._log.add("timeout", f"{self._sides[own].nickname} timeout", self._teams[own])
            self._change_players()

    def _may_stop(self, own: int) -> bool:
        """Whether a team has a timeout for this part of the match."""
        if self._log.period < BASKETBALL.periods:
            return True
        taken = [
            event["t"]
            for event in self._log.events
            if event["kind"] == "timeout" and event["period"] == self._log.period and event["team"] == self._teams[own]
        ]
        late = self._log.time >= _LATE * TENTHS and sum(time >= _LATE for time in taken) >= _LATE_TIMEOUTS
        return len(taken) < _LAST_TIMEOUTS and not late

    def _change_players(self) -> None:
        for own, side in enumerate(self._sides):
            for _ in range(self._one(self.substitutes)):
                self._change_player(own, side)

    def _change_player(self, own: int, side: Side) -> None:
        """Let one who has played for long leave, and another enter; both have been where they were for a while."""
        five, since = self._court.on[own], self._court.since
        now = (self._log.period - 1) * LENGTH + self._log.time
        tired = min((self._one(five) for _ in range(3)), key=lambda player: since.get(player, 0))
        enters = self._most_used([player for player in side.players if player not in five])
        if not self._may_change(now, since.get(tired), since.get(enters)):
            return
        five[five.index(tired)] = enters
        since[enters] = since[tired] = now
        self._log.add("substitution", f"{enters} enters the game for {tired}", side.team, enters, tired)

    def _may_change(self, now: int, *since: int | None) -> bool:
        """Whether two players have been on the court, or on the bench, for long enough."""
        return now - max(time or 0 for time in since) >= _STINT

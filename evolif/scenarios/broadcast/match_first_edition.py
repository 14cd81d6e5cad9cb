"""Matches as benchmarks of before the second edition have them: the parts that are played otherwise now.

Stored matches are made again from their seed, byte by byte, so nothing of this ever changes.
"""

from __future__ import annotations

from typing import Final

from evolif.scenarios.broadcast.match_basketball import (
    AGAIN,
    FRESH,
    LAST_MINUTE,
    LENGTH,
    OFFENSIVE_REBOUND,
    QUICK,
    REBOUND_AFTER,
    SHOT_CLOCK,
    TEAM_REBOUND,
    TURNOVERS,
    BasketballPlay,
    Wait,
)
from evolif.scenarios.broadcast.match_hockey import SHOTS, HockeyPlay
from evolif.scenarios.broadcast.match_log import TENTHS, whole_before

_ASSISTED: Final = 0.64
_PUT_BACK: Final = Wait(0.0, 4.0, 4.0)
_NEAR: Final = ("layup", "dunk", "tip-in", "finger roll")
_MIDDLE: Final = ("jump shot", "hook shot", "floater", "fadeaway", "bank shot", "pull-up jump shot")
_FAR: Final = ("jump shot", "jump shot", "pull-up jump shot", "step-back jump shot", "running jump shot")


class FirstBasketball(BasketballPlay):
    """A match of basketball in play, by the first edition."""

    threes = 0.411
    helped = 0.64
    substitutes = (0,) * 13 + (1,) * 6 + (2,) * 3

    def _change_in_break(self) -> None:
        self._change_players()

    def _possess(self, wait: Wait, shows: int) -> None:
        self._wait = wait

    @property
    def _must_be_near(self) -> bool:
        return False

    def _may_stop(self, own: int) -> bool:
        return True

    def _may_change(self, now: int, *since: int | None) -> bool:
        return now not in since

    def _pass_time(self) -> bool:
        least, more, spread = self._wait
        took = int((least + self._draw() * more + self._draw() * spread) * TENTHS * self._pace)
        log = self._log
        self._began = log.time
        left = LENGTH - log.time
        if took < left:
            self._forward(took)
            return True
        if left < 5 or left > SHOT_CLOCK or self._draw() < 0.3:
            return False
        log.time = max(log.time, LENGTH - 3 - int(self._draw() * 30))
        return True

    def _kind_of_shot(self, value: int) -> tuple[str, str]:
        if value == 3:
            return "", f"{22 + int(self._draw() * self._draw() * 12)}-foot three point {self._one(_FAR)}"
        if self._draw() < 0.55:
            near = self._one(_NEAR)
            told = f"two point {near}"
            return "", told if self._draw() < 0.6 else f"{1 + int(self._draw() * 4)}-foot {told}"
        return "", f"{5 + int(self._draw() * 17)}-foot two point {self._one(_MIDDLE)}"

    def _rebound(self, share: float = 1.0, shows: int = 0) -> None:
        own = self._ball
        after = self._one(REBOUND_AFTER) * TENTHS
        self._forward(after + int(self._draw() * TENTHS) if self._log.time > LAST_MINUTE else after)
        if self._draw() >= OFFENSIVE_REBOUND * share:
            self._turn_over(FRESH)
            player = self._one(self._court.on[1 - own])
            self._log.add("rebound_defensive", f"{player} defensive rebound", self._teams[1 - own], player)
        elif self._draw() < TEAM_REBOUND:
            self._wait = AGAIN
            text = f"{self._sides[own].nickname} offensive team rebound"
            self._log.add("team_rebound", text, self._teams[own])
        else:
            self._wait = _PUT_BACK
            player = self._one(self._court.on[own])
            self._log.add("rebound_offensive", f"{player} offensive rebound", self._teams[own], player)

    def _turnover(self) -> None:
        own = self._ball
        kind = self._card(self._losses, TURNOVERS)
        expired = self._began + SHOT_CLOCK
        if kind == "shot_clock" and expired >= LENGTH:
            kind = "traveling"
        player = self._one(self._court.on[own])
        if kind in ("bad_pass", "lost_ball"):
            thief = self._one(self._court.on[1 - own])
            self._log.add(kind, f"{player} {kind.replace('_', ' ')} ({thief} steals)", self._teams[own], player, thief)
            self._turn_over(QUICK)
            return
        if kind == "traveling":
            self._log.add(kind, f"{player} traveling", self._teams[own], player)
        else:
            self._log.time = max(self._log.time, expired if expired > LAST_MINUTE else whole_before(expired))
            self._log.add(kind, f"{self._sides[own].nickname} shot clock turnover", self._teams[own])
        self._turn_over(FRESH)
        self._stand_still()


class FirstHockey(HockeyPlay):
    """A match of hockey in play, by the first edition."""

    gap = (3, 15, 15)
    soon = (0, 3)
    blockable = SHOTS

    def _reach(self, *since: int) -> bool:
        return True

    def _sitting(self, own: int) -> int:
        return 0

    def _hit(self) -> None:
        own = 1 - self._puck if self._draw() < 0.8 else self._puck
        player, other = self._one(self._able(own)), self._one(self._able(1 - own))
        self.log.add("hit", f"{player} hits {other}", self._teams[own], player, other)
        self._gain()

    def _goal(self) -> None:
        home, away = self._ice.score
        if home != away and self._draw() < 0.12:
            self._puck = 0 if home < away else 1
        own, ice = self._puck, self._ice
        scorer = self._forward_player(own)
        ice.goals[scorer] += 1
        ice.score[own] += 1
        helpers: list[str] = []
        for _ in range(self._one((0, 1, 2, 2, 2, 2, 1, 2))):
            helpers.append(self._one([player for player in self._able(own) if player not in (scorer, *helpers)]))
        self._tell_goal(scorer, str(self._one(SHOTS)), helpers)
        self._faceoff()

"""Simulated hockey as benchmarks of before the second edition have it: the parts that are played otherwise now.

Stored matches are made again from their seed, byte by byte, so nothing of this ever changes.
"""

from __future__ import annotations

from evolif.scenarios.broadcast.match_hockey import SHOTS, HockeyPlay


class FirstHockey(HockeyPlay):
    """A match in play, by the first edition."""

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

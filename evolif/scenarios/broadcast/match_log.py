"""The events of a match as they are simulated, period by period."""

from __future__ import annotations

from typing import Any

from evolif.scenarios.broadcast.clock import SECOND, Sport, display

Event = dict[str, Any]
"""`{period, t, clock, kind, team, player, pts, other, text}`."""

TENTHS = 10
"""Of a second: simulators count in them."""


def whole_before(time: int) -> int:
    """The whole second at or before a time in tenths."""
    return time - time % TENTHS


class MatchLog:
    """What has happened so far.

    Attributes:
        period: Which one is played.
        time: Tenths of a second elapsed in it.
        events: In order.
    """

    __slots__ = ("_sport", "events", "period", "time")

    def __init__(self, sport: Sport) -> None:
        self._sport = sport
        self.period = 0
        self.time = 0
        self.events: list[Event] = []

    def start(self, period: int) -> None:
        """Begin a period."""
        self.period, self.time = period, 0
        self.add("start", f"Start of {self._sport.label(period)}")

    def end(self) -> None:
        """End the period, and the match after the last one."""
        self.time = self._sport.length * TENTHS
        last = self.period == self._sport.periods
        self.add("end", "End of the match" if last else f"End of {self._sport.label(self.period)}")

    def add(
        self,
        kind: str,
        text: str,
        team: str | None = None,
        player: str | None = None,
        other: str | None = None,
        pts: int = 0,
    ) -> None:
        """Note an event of this moment."""
        whole, tenths = divmod(self.time, TENTHS)
        self.events.append(
            {
                "period": self.period,
                "t": self.time / TENTHS if tenths else whole,
                "clock": display(self.time * (SECOND // TENTHS), self._sport),
                "kind": kind,
                "team": team,
                "player": player,
                "pts": pts,
                "other": other,
                "text": text,
            }
        )

"""How many requests of one model are under way at once: the rules of docs/design/adaptive-limit.md."""

from __future__ import annotations

import asyncio
from collections import deque

from evolif.errors import ContextOverflowError, ModelError, WithheldError

_USED = 0.8
"""Share of the places that must be taken before an answer adds any."""
_SLOW_START_CUT = 0.5
"""What is left of the places when slow start meets the end: it overshoots by up to twice."""
_CUT = 0.8
"""What is left of them later."""
_ROUNDS = 20
"""Rounds of additive growth that add as many places as the threshold."""


class ConnectionLimit:
    """Places for requests, taken first come, first served; adaptive if it begins with fewer than it may have.

    Args:
        ceiling: The most places there ever are.
        first: Places in the beginning. They stay as many as `ceiling`, whatever happens, where None.
    """

    def __init__(self, ceiling: int, first: int | None = None) -> None:
        self._ceiling = ceiling
        self._adaptive = first is not None
        self._places = float(ceiling if first is None else min(first, ceiling))
        self._threshold = float(ceiling)
        """Where slow start ends."""
        self._cut_to = self._places
        """Places after the last cut, or in the beginning."""
        self._in_flight = 0
        self._cuts = 0
        self._answers = 0
        """Answers since the last cut to requests that began after it."""
        self._closed_until = 0.0
        """Nobody begins before this time of the event loop."""
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def ceiling(self) -> int:
        """The most places there ever are."""
        return self._ceiling

    @property
    def places(self) -> int:
        """The places there are now."""
        return int(self._places)

    @property
    def in_flight(self) -> int:
        """Places taken."""
        return self._in_flight

    @property
    def cuts(self) -> int:
        """How often the endpoint wanted less."""
        return self._cuts

    async def take(self) -> Slot:
        """Wait for a place; whoever takes it gives it back by `Slot.leave`."""
        await self._enter()
        return Slot(self)

    async def _enter(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the place came together with the cancellation
                self._leave()
            raise

    def _leave(self) -> None:
        self._in_flight -= 1
        self._admit()

    def _admit(self) -> None:
        """Let in as many as there are places for; comes back by itself when a pause is over."""
        if not self._waiting:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._closed_until:
            loop.call_at(self._closed_until, self._admit)
            return
        while self._waiting and self._in_flight < self.places:
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_flight += 1
                turn.set_result(None)

    def _kept_up(self, began: int) -> None:
        """Count an answer to a request that began after so many cuts."""
        if not self._adaptive or began != self._cuts:
            return
        self._answers += 1
        if self._in_flight < _USED * self.places:
            return
        step = 1.0 if self._slow else max(1.0, self._threshold / _ROUNDS) / self._places
        self._places = min(self._places + step, float(self._ceiling))
        self._admit()

    def _pushed_back(self, began: int, crowd: int, wait: float | None) -> None:
        """Take note that a request was one too many; none begins for `wait` seconds.

        Args:
            began: The cuts before it began.
            crowd: The requests under way when it began, itself included.
            wait: What the endpoint asked for.
        """
        if wait:
            self._closed_until = max(self._closed_until, asyncio.get_running_loop().time() + wait)
        if self._adaptive and began == self._cuts:
            self._cut(crowd)

    def _cut(self, crowd: int) -> None:
        good = self._answers >= self._cut_to / 2  # else it is one storm with the cut before
        left = min(self._places, max(crowd, self._in_flight)) * (_SLOW_START_CUT if self._slow else _CUT)
        self._places = self._cut_to = max(1.0, left)
        if good:
            self._threshold = self._places
        self._answers = 0
        self._cuts += 1

    @property
    def _slow(self) -> bool:
        return self._places < self._threshold


class Slot:
    """The place of one call; between attempts it is given to others."""

    def __init__(self, limit: ConnectionLimit) -> None:
        self._limit = limit
        self._arrive()

    def report(self, fault: ModelError | None) -> None:
        """Let the limit learn how an attempt ended; None stands for an answer."""
        if fault is None or isinstance(fault, ContextOverflowError | WithheldError):
            self._limit._kept_up(self._began)
        elif fault.pushed_back:
            self._limit._pushed_back(self._began, self._crowd, fault.retry_after)

    async def step_aside(self, seconds: float) -> None:
        """Wait without the place, then take one again for the next attempt."""
        self.leave()
        await asyncio.sleep(seconds)
        await self._limit._enter()
        self._arrive()

    def _arrive(self) -> None:
        self._held, self._began, self._crowd = True, self._limit.cuts, self._limit.in_flight

    def leave(self) -> None:
        """Give the place back, if it is held."""
        if self._held:
            self._held = False
            self._limit._leave()

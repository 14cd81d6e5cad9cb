"""How many requests of one model are under way at once."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType

FIRST = 16
"""Requests side by side that an adaptive limit begins with."""
CEILING = 200
"""Requests side by side that an adaptive limit never exceeds."""


class ConnectionLimit:
    """Places for requests: `async with limit: ...` waits for one, first come, first served.

    Args:
        ceiling: The most places there ever are.
        first: Places in the beginning; the ceiling, for good, where None.
    """

    def __init__(self, ceiling: int, first: int | None = None) -> None:
        self._ceiling = ceiling
        self._places = ceiling if first is None else min(first, ceiling)
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def ceiling(self) -> int:
        """The most places there ever are."""
        return self._ceiling

    @property
    def places(self) -> int:
        """The places there are now."""
        return self._places

    @property
    def in_flight(self) -> int:
        """Places taken."""
        return self._in_flight

    async def __aenter__(self) -> None:
        if self._in_flight < self._places and not self._waiting:
            self._in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the place came together with the cancellation
                self._release()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release()

    def _release(self) -> None:
        self._in_flight -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._in_flight < self._places:
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_flight += 1
                turn.set_result(None)

"""A chat model of which a test says what comes of each call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from evolif.models import ChatModel, ChatRequest, Reply

HELLO = ChatRequest(())


class Scripted:
    """Ends each call as scripted, after a few rounds of the event loop; remembers how many were under way at most."""

    name = "test/scripted"
    connections = 4

    def __init__(self, *ends: Reply | Exception, most_connections: int | None = None) -> None:
        self._ends: Iterator[Reply | Exception] = iter(ends)
        self.under_way = 0
        self.peak = 0
        self.calls = 0
        if most_connections is not None:
            self.most_connections = most_connections

    def end(self) -> Reply | Exception:
        return next(self._ends, Reply("ok"))

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        end = self.end()
        try:
            for _ in range(3):
                await asyncio.sleep(0)
        finally:
            self.under_way -= 1
        if isinstance(end, Exception):
            raise end
        return end

    async def aclose(self) -> None:
        self.closed = True


class Faulty:
    """Hands calls on and tells a test of every fault."""

    def __init__(self, model: ChatModel, told: Callable[[Exception], None]) -> None:
        self._model, self._told = model, told
        self.name, self.connections = model.name, model.connections

    async def complete(self, request: ChatRequest) -> Reply:
        try:
            return await self._model.complete(request)
        except Exception as fault:
            self._told(fault)
            raise

    async def aclose(self) -> None:
        await self._model.aclose()

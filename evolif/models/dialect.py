"""How an endpoint wants to be asked, learnt from what it refuses.

Compatible servers disagree about three things that this program sends by itself: whether the longest answer is
`max_tokens` or `max_completion_tokens`, whether there is a `seed`, and whether the role of system messages is `system`
or `developer`. A request that is refused for one of them is sent in the other form, and what that teaches holds for the
endpoint and the model until the process ends. Whatever the user set is never changed: figures would be those of another
setting.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from evolif.models.refused_parameters import LIMITS, ROLE

HEAD_START = 0.5
"""Seconds that the first call gets to find out what the endpoint refuses, and again whenever something is refused."""
_OTHER_LIMIT = dict(zip(LIMITS, reversed(LIMITS), strict=True))


@dataclass(frozen=True, slots=True)
class Dialect:
    """One form of requests."""

    limit: str = "max_tokens"
    """The key of the longest answer."""
    system: str = "system"
    """The role of system messages."""
    seed: bool = True
    """Whether there is a seed."""

    def without(self, refused: str) -> Dialect | None:
        """The form in which to send what is refused in this one; None where there is no other.

        Args:
            refused: A key of the request's body, or `ROLE`.
        """
        if refused == self.limit:
            return replace(self, limit=_OTHER_LIMIT[refused])
        if refused == "seed" and self.seed:
            return replace(self, seed=False)
        if refused == ROLE and self.system == "system":
            return replace(self, system="developer")
        return None

    def restored(self, first: Dialect, refused: str) -> Dialect:
        """This form with the part of another one that was refused in both its shapes.

        Args:
            first: The form that was tried first.
            refused: As for `without`.
        """
        if refused in LIMITS:
            return replace(self, limit=first.limit)
        return replace(self, system=first.system) if refused == ROLE else self


@dataclass(slots=True)
class Knowledge:
    """What this process knows of one model at one endpoint."""

    dialect: Dialect
    settled: set[str] = field(default_factory=set)
    """The parts of requests that were part of one that was answered."""

    def other(self, tried: Dialect, what: str, before: Collection[str]) -> Dialect | None:
        """The form to try next; None where there is no other.

        Args:
            tried: The form of the request, which is not the one known now if another call has learnt in the meantime.
            what: What was refused in it, as for `Dialect.without`.
            before: What was refused in earlier forms of the same request.
        """
        if what in before or tried.without(what) is None:
            return None
        other = self.dialect.without(what) or self.dialect
        return None if other.limit in before else other


_KNOWN: dict[tuple[str, str], Knowledge] = {}
"""By the whole address and the model's name there."""


def known(address: str, model: str, first: Dialect) -> Knowledge:
    """What this process knows of a model.

    Args:
        address: Of the endpoint, in full.
        model: Its name there.
        first: The form to begin with.
    """
    return _KNOWN.setdefault((address, model), Knowledge(first))


def forget() -> None:
    """Forget what was learnt in this process, of all models."""
    _KNOWN.clear()


class Pioneer:
    """Lets one of many first calls find out what is refused, so that not each of them is.

    Args:
        knowledge: What is known of the model.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self._ahead: asyncio.Future[None] | None = None

    @asynccontextmanager
    async def turn(self, parts: Collection[str]) -> AsyncIterator[None]:
        """Hold a call back while another one is ahead with parts that the endpoint may refuse.

        Args:
            parts: Those of the call.
        """
        if self.knowledge.settled.issuperset(parts):
            yield
        elif self._ahead is not None and not self._ahead.done() and self._ahead.get_loop() is _loop():
            await self._follow(self._ahead)
            yield
        else:
            ahead = self._ahead = _loop().create_future()
            try:
                yield
            finally:
                ahead.set_result(None)

    async def _follow(self, ahead: asyncio.Future[None]) -> None:
        """Wait for the call that is ahead; not for its answer, but while it still learns what is refused."""
        done: set[asyncio.Future[None]] = set()
        learnt: Dialect | None = None
        while not done and learnt != self.knowledge.dialect:
            learnt = self.knowledge.dialect
            done, _ = await asyncio.wait({ahead}, timeout=HEAD_START)


def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()

"""A chat model as the program calls it: bounded in how many calls are under way, and repeated where that can help.

This is where a 429 is waited for. A failed attempt that may pass later is repeated a bounded number of times; while it
waits, its slot serves other calls, and the outcome of every single attempt moves the connection limit. The SDKs' own
retries are off: all providers follow the same rules here, and `Retry-After`, somebody else's clock, is obeyed. What is
left is a loop of a dozen lines, which no retry library makes shorter.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field

from evolif.errors import ModelError
from evolif.models.base import DEFAULT_RETRIES, ChatModel, ChatRequest, Reply
from evolif.models.limits import ConnectionLimit, Slot

FIRST_BACKOFF = 1.0
"""Seconds of back-off before the first repeat."""
LONGEST_CALL = 600.0
"""Seconds after which a call is not repeated any more, its attempts and waits together; where two attempts that run
into `--timeout` take longer, it is those."""
LONGEST_WAIT = 120.0
"""Seconds an endpoint may ask us to wait; whoever asks for more is given up for now, and the run can be resumed."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When a failed call is repeated.

    The waits grow exponentially with full jitter: uniform between 0 and the back-off, so that sessions which one burst
    of refusals threw back do not return as one burst. `Retry-After` is waited in full before that.
    """

    most: int = DEFAULT_RETRIES
    """Repeats of a call, at most."""
    first: float = FIRST_BACKOFF
    """Seconds of back-off before the first repeat; doubled for each further one."""
    longest: float = 60.0
    """Seconds of back-off, at most."""
    within: float = LONGEST_CALL
    """Seconds of attempts and waits after which no further repeat begins: five stalls in a row are no passing fault."""
    jitter: random.Random = field(default_factory=random.Random)
    """Seeded by the system, so that no two processes wait alike; results do not depend on it."""

    def wait(self, fault: ModelError, repeats: int, taken: float = 0.0) -> float | None:
        """Seconds until the call is made again, or None where it is not.

        Args:
            fault: How the last attempt ended.
            repeats: Repeats made.
            taken: Seconds that attempts and waits have taken; the time in a queue for a place does not count.
        """
        asked = fault.retry_after or 0.0
        if not fault.retryable or repeats >= self.most or asked > LONGEST_WAIT or taken >= self.within:
            return None
        backoff = min(self.longest, self.first * 2.0 ** min(repeats, 30))
        return asked + self.jitter.uniform(0.0, backoff)


class ManagedModel:
    """A chat model behind a connection limit that repeats what may pass later; implements `ChatModel`.

    Args:
        model: The client.
        limit: How many calls may be under way.
        retries: When a failed attempt is repeated; never where None.
    """

    def __init__(self, model: ChatModel, limit: ConnectionLimit, retries: RetryPolicy | None = None) -> None:
        self._model = model
        self._limit = limit
        self._retries = retries

    def __repr__(self) -> str:
        return f"ManagedModel({self._model!r}, {self._limit.ceiling})"

    @property
    def name(self) -> str:
        """`provider/name`, without secrets."""
        return self._model.name

    @property
    def connections(self) -> int:
        """The most sessions worth running side by side: more would only wait for a slot."""
        return self._limit.ceiling

    @property
    def limit(self) -> ConnectionLimit:
        """Slots there are and slots taken."""
        return self._limit

    def bounded(self, connections: int | None) -> ManagedModel:
        """The same client and retries behind a limit of its own, see `managed`."""
        return ManagedModel(self._model, _limit_of(self._model, connections), self._retries)

    async def complete(self, request: ChatRequest) -> Reply:
        """Wait for a slot, then answer.

        Raises:
            ModelError: at once where a repeat cannot help, else when the last repeat failed too.
        """
        slot = await self._limit.take()
        try:
            return await self.answer(request, slot)
        finally:
            slot.leave()

    async def answer(self, request: ChatRequest, slot: Slot) -> Reply:
        """Like `complete`, in a slot that the caller has taken and gives back."""
        repeats, taken = 0, 0.0
        while True:
            began = time.monotonic()
            try:
                reply = await self._model.complete(request)
            except ModelError as error:
                fault = error
            else:
                if not reply.cached:
                    slot.report(None)
                return reply
            slot.report(fault)
            taken += time.monotonic() - began
            wait = None if self._retries is None else self._retries.wait(fault, repeats, taken)
            if wait is None:
                raise fault
            repeats, taken = repeats + 1, taken + wait
            await slot.step_aside(wait)

    async def aclose(self) -> None:
        """Release what the client holds."""
        await self._model.aclose()


def managed(model: ChatModel, connections: int | None = None) -> ManagedModel:
    """Bound the calls of a model that are under way at once.

    Args:
        model: A client. One of `open_model` keeps its retries; any other is called as it is, once per request.
        connections: The bound, kept for good. Where None, it follows what the endpoint sustains (between 1 and the
            client's `most_connections`) for a client that has such an attribute, and is the client's own number
            otherwise.
    """
    if isinstance(model, ManagedModel):
        return model if connections is None else model.bounded(connections)
    return ManagedModel(model, _limit_of(model, connections))


def _limit_of(model: ChatModel, connections: int | None) -> ConnectionLimit:
    if connections is not None:
        return ConnectionLimit(connections)
    ceiling = int(getattr(model, "most_connections", model.connections))
    return ConnectionLimit(ceiling, model.connections if ceiling > model.connections else None)

"""Asking again: what can pass later, a bounded number of times, with waits that spread.

Our own and not the SDKs': both providers get the same rules, a place is given to others while a call waits, each single
attempt tells the connection limit how it ended, and a clock that is not ours (`Retry-After`) is obeyed. That leaves a
loop of a dozen lines, which no retry library makes shorter.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from evolif._errors import ModelError
from evolif.models._base import ChatModel, ChatRequest, Reply
from evolif.models._limit import held_place

FIRST_BACKOFF = 1.0
"""Seconds of back-off before the first repeat."""
LONGEST_WAIT = 120.0
"""Seconds an endpoint may ask us to wait; whoever asks for more is given up for now, and the run can be resumed."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When to ask again.

    The waits are exponential with full jitter: uniform between 0 and the back-off, so that the sessions which one
    burst of refusals threw back do not return as one burst. `Retry-After` is waited in full before that.
    """

    most: int = 2
    """Repeats of a call, at most."""
    first: float = FIRST_BACKOFF
    """Seconds of back-off before the first repeat; doubled for each further one."""
    longest: float = 60.0
    """Seconds of back-off, at most."""
    jitter: random.Random = field(default_factory=random.Random)
    """Seeded by the system, so that no two processes wait alike; results do not depend on it."""

    def wait(self, fault: ModelError, repeats: int) -> float | None:
        """Seconds until the call is made again after so many repeats, or None where it is not."""
        asked = fault.retry_after or 0.0
        if not fault.retryable or repeats >= self.most or asked > LONGEST_WAIT:
            return None
        backoff = min(self.longest, self.first * 2.0 ** min(repeats, 30))
        return asked + self.jitter.uniform(0.0, backoff)


class RetryingModel:
    """A chat model that is asked again where that can help; implements `ChatModel`."""

    def __init__(self, model: ChatModel, policy: RetryPolicy) -> None:
        self._model = model
        self._policy = policy

    def __repr__(self) -> str:
        return f"RetryingModel({self._model!r}, {self._policy.most})"

    @property
    def name(self) -> str:
        """`provider/name`, without secrets."""
        return self._model.name

    @property
    def connections(self) -> int:
        """How many sessions it is worth running side by side by default."""
        return self._model.connections

    @property
    def most_connections(self) -> int:
        """What an adaptive limit may grow to."""
        return int(getattr(self._model, "most_connections", self._model.connections))

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation.

        Raises:
            ModelError: what cannot pass, at once; what can, when the last repeat failed too.
        """
        place = held_place.get()
        repeats = 0
        while True:
            fault: ModelError
            try:
                reply = await self._model.complete(request)
            except ModelError as error:
                fault = error
            else:
                if place is not None:
                    place.tell(None)
                return reply
            if place is not None:
                place.tell(fault)
            wait = self._policy.wait(fault, repeats)
            if wait is None:
                raise fault
            repeats += 1
            if place is not None:
                await place.step_aside(wait)
            else:
                await asyncio.sleep(wait)

    async def aclose(self) -> None:
        """Release what the model holds."""
        await self._model.aclose()

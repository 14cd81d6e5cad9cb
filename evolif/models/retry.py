"""Asking again: what can pass later, a bounded number of times, with waits that spread.

Our own and not the SDKs': both providers get the same rules, a place is given to others while a call waits, each single
attempt tells the connection limit how it ended, and a clock that is not ours (`Retry-After`) is obeyed. That leaves a
loop of a dozen lines, which no retry library makes shorter.
"""

from __future__ import annotations

import asyncio
import math
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from evolif.errors import ModelError
from evolif.models.base import DEFAULT_RETRIES, ChatModel, ChatRequest, Reply
from evolif.models.limits import held_place

FIRST_BACKOFF = 1.0
"""Seconds of back-off before the first repeat."""
LONGEST_CALL = 600.0
"""Seconds after which a call is not repeated any more, its attempts and waits together; where two attempts that run
into `--timeout` take longer, it is those."""
LONGEST_WAIT = 120.0
"""Seconds an endpoint may ask us to wait; whoever asks for more is given up for now, and the run can be resumed."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When to ask again.

    The waits are exponential with full jitter: uniform between 0 and the back-off, so that the sessions which one
    burst of refusals threw back do not return as one burst. `Retry-After` is waited in full before that.
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
        repeats, taken = 0, 0.0
        while True:
            fault: ModelError
            began = time.monotonic()
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
            taken += time.monotonic() - began
            wait = self._policy.wait(fault, repeats, taken)
            if wait is None:
                raise fault
            repeats, taken = repeats + 1, taken + wait
            if place is not None:
                await place.step_aside(wait)
            else:
                await asyncio.sleep(wait)

    async def aclose(self) -> None:
        """Release what the model holds."""
        await self._model.aclose()


# How long an endpoint asks to be left alone: `retry-after-ms`, `Retry-After` in seconds or as a date.

_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)s")


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read the wait out of an answer's headers.

    Args:
        headers: The answer's, with names in lower case or of a mapping that does not care.
        now: The time that a date is compared with; this machine's where None.

    Returns:
        Seconds from now, at least 0; None where nothing was asked, or nothing that can be read.
    """
    exact = _number(headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    return seconds if seconds is not None or text is None else _until(text, now or datetime.now(UTC))


def duration(text: object) -> float | None:
    """Seconds of a protobuf duration such as `12.5s`."""
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    return float(match[1]) if match else None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None and len(text) < 40 else math.nan
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _until(text: str, now: datetime) -> float | None:
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    # A date without a zone is Greenwich's, as all dates of the protocol are.
    return max(0.0, ((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds())

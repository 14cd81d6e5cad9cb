"""Every wait of a model's calls: the back-off before a repeat, `Retry-After`, and the gate that holds calls back.

A wait concerns the call that was told of it. Whether it concerns the others too is not known at first: one 429 may come
from one busy machine of many. So the gate holds the others back for a moment, then lets one of them try, and so on. An
answer opens it. Refusals in a row close it for as long as the endpoint asks or, if that is more than is accepted, fail
all calls at once, so that the run ends and can be resumed.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from evolif.errors import ModelError, WaitError
from evolif.models.base import DEFAULT_RETRIES

FIRST_BACKOFF = 1.0
"""Seconds of back-off before the first repeat."""
LONGEST_CALL = 600.0
"""Seconds of attempts and waits after which a call is not repeated; more if two timed-out attempts take longer."""
LONGEST_WAIT = 120.0
"""Longest wait that an endpoint may request, in seconds, unless more is accepted (`--wait`)."""
_CONVINCED = 4
"""Refusals in a row, each of a call that began after the one before, that prove that all calls are refused."""
_DOUBT = 0.25
"""How the pause shrinks whenever it was for nothing: one busy machine of twenty must not slow the others down."""
_LEAST_DOUBT = 1 / 64


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When a failed call is repeated, and how long a model may be waited for.

    The waits grow exponentially with full jitter, uniform between 0 and the back-off, so that sessions stopped by one
    burst of refusals do not return in one burst. `Retry-After` is waited in full first.
    """

    most: int = DEFAULT_RETRIES
    """Repeats of a call, at most."""
    first: float = FIRST_BACKOFF
    """Seconds of back-off before the first repeat; doubled for each further one."""
    longest: float = 60.0
    """Seconds of back-off, at most."""
    within: float = LONGEST_CALL
    """Seconds of attempts and waits after which no repeat begins: five stalls in a row are not a transient fault."""
    accepted: float = LONGEST_WAIT
    """The longest wait that an endpoint may ask for, in seconds; beyond it the call fails, and the run can resume."""
    pause: float = 5.0
    """Seconds for which one refused call holds back the others of its model, if it was asked to wait for longer."""
    jitter: random.Random = field(default_factory=random.Random)
    """Seeded by the system, so that two processes wait differently; results do not depend on it."""

    def wait(self, fault: ModelError, repeats: int, taken: float = 0.0) -> float | None:
        """Seconds until the call is repeated; None if it is not.

        Args:
            fault: How the last attempt ended.
            repeats: Repeats so far.
            taken: Seconds of attempts and waits so far; the wait for a slot does not count.
        """
        retry_after = fault.retry_after or 0.0
        if not fault.retryable or repeats >= self.most or retry_after > self.accepted or taken >= self.within:
            return None
        backoff = min(self.longest, self.first * 2.0 ** min(repeats, 30))
        return retry_after + self.jitter.uniform(0.0, backoff)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Calls of one model that wait."""

    calls: int
    seconds: float
    """Until the last of them goes on, as far as is known."""
    reason: str


class Gate:
    """Whether calls of a model may begin; its times are those of the event loop, in seconds."""

    def __init__(self) -> None:
        self.policy = RetryPolicy()
        self.refusals = 0
        """Refusals that counted, since the beginning."""
        self.fault: WaitError | None = None
        """Why no call may begin before `asked_until`; None if they may or wait."""
        self.asked_until = 0.0
        """The end of the last wait that was asked for."""
        self.opens = 0.0
        """No call begins before."""
        self._in_row = 0
        """Refusals since the last answer."""
        self._doubt = 1.0
        self._tried_after: int | None = None
        """How many refusals there were when a call was let through to try."""

    def refused(self, fault: ModelError, began_after: int) -> None:
        """A call was refused that began after so many refusals."""
        now, wait, pause = asyncio.get_running_loop().time(), fault.retry_after, self.policy.pause
        if wait is None:
            if not self._in_row:
                return
            wait = max(0.0, self.asked_until - now)
        elif wait <= pause:
            self.opens = max(self.opens, now + wait)
            return
        is_news = began_after == self.refusals
        self.asked_until = now + wait if is_news else max(self.asked_until, now + wait)
        if is_news:
            self.refusals += 1
            self._in_row += 1
        if self._in_row < _CONVINCED:
            self.opens = max(self.opens, now + pause * self._doubt)
            return
        self._doubt = 1.0
        if wait <= self.policy.accepted:
            self.opens = self.asked_until
        else:
            self.fault = WaitError(self._too_long(fault), everyone=True)

    def answered(self, began_after: int) -> None:
        """A call was answered that began after so many refusals."""
        if self._in_row and began_after == self.refusals:
            self._in_row = 0
            self._open(asyncio.get_running_loop().time())

    def final(self, fault: ModelError) -> ModelError:
        """The fault of a call that is not repeated: a wait that is too long is said as such."""
        if not fault.retryable or (fault.retry_after or 0.0) <= self.policy.accepted:
            return fault
        return WaitError(self._too_long(fault), everyone=self.fault is not None)

    def _too_long(self, fault: ModelError) -> str:
        told = ", as every call is told" if self._in_row >= _CONVINCED else ""
        return f"{str(fault).rstrip('.')}{told}; waits of more than {self.policy.accepted:g} s are not accepted."

    def admits(self, now: float) -> int | None:
        """How many calls may begin now, unless `opens` is in the future; None for any number."""
        if not self._in_row or now >= self.asked_until:
            self.fault = None
            return None
        if self._tried_after == self.refusals:  # the call that tried was not refused: refusals are quick
            self._open(now)
            return None
        return 1

    def tries(self, now: float) -> None:
        """The one call begins."""
        self._tried_after = self.refusals
        self.opens = now + self.policy.pause * self._doubt

    def _open(self, now: float) -> None:
        """Let all calls begin: the wait that was asked for is not for all."""
        if now < self.asked_until:
            self._doubt = max(self._doubt * _DOUBT, _LEAST_DOUBT)
        self.asked_until, self.opens = min(self.asked_until, now), min(self.opens, now)
        self.fault = self._tried_after = None

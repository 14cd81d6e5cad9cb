"""A chat model with a limit on calls in flight, and retries if they can help.

A failed attempt that may succeed later is repeated a bounded number of times. While it waits, its slot serves other
calls, and the outcome of every attempt moves the connection limit. The SDKs' own retries are off: all built-in
providers follow the same rules here, and `Retry-After` is obeyed. A model of a plug-in or of the caller does its own
retries.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable

from evolif.errors import ContextOverflowError, ModelError, WaitError, WithheldError
from evolif.models.base import ChatModel, ChatRequest, Reply
from evolif.models.stalls import awake_time
from evolif.models.waits import Gate, RetryPolicy, Waiting

_USED = 0.8
"""Share of the slots that must be taken before an answer adds any."""
_SLOW_START_CUT = 0.5
"""The share of slots kept at the end of slow start, which overshoots by up to a factor of two."""
_CUT = 0.8
"""The share kept at later cuts."""
_ROUNDS = 20
"""Rounds of additive growth that add as many slots as the threshold."""


class ConnectionLimit:
    """Slots for requests, taken first come, first served; the rules are in docs/design/adaptive-limit.md.

    Args:
        ceiling: Maximum number of slots.
        first: Slots in the beginning; the number then follows what the endpoint sustains. Where None, there are always
            `ceiling` slots.
    """

    def __init__(self, ceiling: int, first: int | None = None) -> None:
        self.ceiling = ceiling
        self.in_flight = 0
        """Slots taken."""
        self.cuts = 0
        """How often the endpoint pushed back."""
        self._adaptive = first is not None
        self._slots = float(ceiling if first is None else min(first, ceiling))
        self._threshold = float(ceiling)
        """The number of slots at which slow start ends."""
        self._after_cut = self._slots
        """Slots after the last cut, or in the beginning."""
        self._answers = 0
        """Answers since the last cut to requests that began after it."""
        self.gate = Gate()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._opening: tuple[asyncio.AbstractEventLoop, float] | None = None
        """The loop and the time of the next look at the gate."""
        self._aside: dict[CallSlot, tuple[float, ModelError]] = {}
        """When calls that wait for their repeat go on, and why they wait."""
        self.repeats: Counter[str] = Counter()
        """How many attempts were repeated, by reason."""

    @property
    def slots(self) -> int:
        """The current number of slots."""
        return int(self._slots)

    async def take(self) -> CallSlot:
        """Wait for a slot; `CallSlot.leave` gives it back."""
        await self._enter()
        return CallSlot(self)

    async def _enter(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            # Either the wait was cancelled, or the slot was granted, or refused, at the moment of cancellation.
            if not turn.cancelled() and turn.exception() is None:
                self._leave()
            raise

    def _leave(self) -> None:
        self.in_flight -= 1
        self._admit()

    def waiting(self) -> tuple[Waiting, ...]:
        """The calls that wait, other than for a free slot; only within the event loop."""
        now, gate, found = asyncio.get_running_loop().time(), self.gate, list[Waiting]()
        held = sum(not turn.done() for turn in self._waiting)
        if held and gate.opens > now:
            found.append(Waiting(held, gate.opens - now, "its endpoint refuses all calls until then"))
        aside: dict[str, list[float]] = {}
        for until, fault in self._aside.values():
            reason = "its endpoint asked for that" if fault.retry_after else "the pause before a repeat"
            reason += f": {fault.short}" * bool(fault.short)
            aside.setdefault(reason, []).append(until - now)
        return (*found, *(Waiting(len(left), max(left), reason) for reason, left in aside.items()))

    def _admit(self) -> None:
        """Admit as many calls as may begin; called again after a pause."""
        if not self._waiting:
            return
        gate, now = self.gate, asyncio.get_running_loop().time()
        if gate.fault is not None and now < gate.asked_until:
            self._refuse_all(gate.fault)
            return
        if now < gate.opens:
            self._admit_later()
            return
        most = gate.admits(now)
        if most is None:
            self._begin(self.slots)
        elif self._begin(min(self.slots, self.in_flight + most)):
            gate.tries(now)
            self._admit_later()

    def _begin(self, slots: int) -> int:
        begun = 0
        while self._waiting and self.in_flight < slots:
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                begun += 1
                turn.set_result(None)
        return begun

    def _admit_later(self) -> None:
        """Look again when the gate opens."""
        loop = asyncio.get_running_loop()
        if self._opening != (loop, self.gate.opens):
            self._opening = (loop, self.gate.opens)
            loop.call_at(self.gate.opens, self._open)

    def _open(self) -> None:
        self._opening = None
        self._admit()

    def _refuse_all(self, fault: WaitError) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_exception(WaitError(str(fault), everyone=True))

    def _answered(self, cuts: int) -> None:
        """Count an answer to a request that began after this many cuts."""
        if not self._adaptive or cuts != self.cuts:
            return
        self._answers += 1
        if self.in_flight < _USED * self.slots:
            return
        step = 1.0 if self._slow_start else max(1.0, self._threshold / _ROUNDS) / self._slots
        self._slots = min(self._slots + step, float(self.ceiling))
        self._admit()

    def _pushed_back(self, cuts: int, in_flight: int) -> None:
        """Note that the endpoint pushed back.

        `cuts` and `in_flight` are those of the moment when the request began, itself included.
        """
        if self._adaptive and cuts == self.cuts:
            self._cut(in_flight)

    def _cut(self, in_flight: int) -> None:
        sustained = self._answers >= self._after_cut / 2  # otherwise it is the same burst as the last cut
        kept = min(self._slots, max(in_flight, self.in_flight)) * (_SLOW_START_CUT if self._slow_start else _CUT)
        self._slots = self._after_cut = max(1.0, kept)
        if sustained:
            self._threshold = self._slots
        self._answers = 0
        self.cuts += 1

    @property
    def _slow_start(self) -> bool:
        return self._slots < self._threshold


class CallSlot:
    """The slot of one call; it is free between attempts."""

    def __init__(self, limit: ConnectionLimit) -> None:
        self._limit = limit
        self._begin()

    def report(self, fault: ModelError | None) -> None:
        """Report how an attempt ended to the limit; None means an answer."""
        limit = self._limit
        if fault is None or isinstance(fault, ContextOverflowError | WithheldError):
            limit.gate.answered(self._refusals)
            limit._answered(self._cuts)
        elif fault.pushed_back:
            limit.gate.refused(fault, self._refusals)
            limit._pushed_back(self._cuts, self._in_flight)

    async def step_aside(self, seconds: float, fault: ModelError) -> None:
        """Wait without the slot because of a fault, then take one again for the next attempt."""
        self.leave()
        limit = self._limit
        limit.repeats[fault.short or "a fault of its endpoint"] += 1
        limit._aside[self] = asyncio.get_running_loop().time() + seconds, fault
        try:
            await asyncio.sleep(seconds)
        finally:
            del limit._aside[self]
        await limit._enter()
        self._begin()

    def _begin(self) -> None:
        limit = self._limit
        self._held, self._cuts, self._in_flight = True, limit.cuts, limit.in_flight
        self._refusals = limit.gate.refusals

    def leave(self) -> None:
        """Give the slot back, if it is held."""
        if self._held:
            self._held = False
            self._limit._leave()


Repeated = Callable[[ModelError], Awaitable[None]]
"""Gets the fault of an attempt before it is repeated."""


async def _ignore(fault: ModelError) -> None:
    pass


class ManagedModel:
    """A chat model with a connection limit and retries; implements `ChatModel`.

    Args:
        model: The client.
        limit: Its slots.
        retries: When a failed attempt is repeated; never if None.
    """

    def __init__(self, model: ChatModel, limit: ConnectionLimit, retries: RetryPolicy | None = None) -> None:
        self.limit = limit
        self._model = model
        self._retries = retries
        if retries is not None:
            limit.gate.policy = retries

    def __repr__(self) -> str:
        return f"ManagedModel({self._model!r}, {self.limit.ceiling})"

    @property
    def name(self) -> str:
        """`provider/name`, without secrets."""
        return self._model.name

    @property
    def connections(self) -> int:
        """The most sessions worth running side by side: more would only wait for a slot."""
        return self.limit.ceiling

    @property
    def timeout(self) -> float | None:
        """Seconds that one attempt may take; None if the client does not say."""
        seconds = getattr(self._model, "timeout", None)
        return seconds if isinstance(seconds, int | float) else None

    @property
    def most_attempts(self) -> int | None:
        """How often a call is tried at most; None if the client decides."""
        return None if self._retries is None else self._retries.most + 1

    def bounded(self, connections: int | None) -> ManagedModel:
        """The same client and retries with another limit, see `managed`."""
        return ManagedModel(self._model, _limit_of(self._model, connections), self._retries)

    async def complete(self, request: ChatRequest) -> Reply:
        """Wait for a slot, then answer.

        Raises:
            ModelError: at once where a repeat cannot help, else after the last repeat.
        """
        slot = await self.limit.take()
        try:
            return await self.answer(request, slot)
        finally:
            slot.leave()

    async def answer(self, request: ChatRequest, slot: CallSlot, repeated: Repeated = _ignore) -> Reply:
        """Like `complete`, in a slot that the caller has taken and gives back.

        Args:
            request: The call.
            slot: The slot.
            repeated: Awaited with the fault of each attempt before it is repeated; what it raises ends the call.
        """
        repeats, taken = 0, 0.0
        while True:
            began = awake_time()
            try:
                reply = await self._model.complete(request)
            except ModelError as error:
                fault = error
            else:
                if not reply.cached:
                    slot.report(None)
                return reply
            slot.report(fault)
            taken += awake_time() - began
            wait = None if self._retries is None else self._retries.wait(fault, repeats, taken)
            if wait is None:
                raise self.limit.gate.final(fault)
            await repeated(fault)
            repeats, taken = repeats + 1, taken + wait
            await slot.step_aside(wait, fault)

    async def aclose(self) -> None:
        """Release the client's resources."""
        await self._model.aclose()


def managed(model: ChatModel, connections: int | None = None) -> ManagedModel:
    """Limit the calls of a model in flight.

    Args:
        model: A client. One of `open_model` keeps its retries; any other is called once per request.
        connections: The limit, which then is fixed. Where None, it follows what the endpoint sustains (between 1 and
            the client's `most_connections`) for a client with that attribute, and else is the client's `connections`.
    """
    if isinstance(model, ManagedModel):
        return model if connections is None else model.bounded(connections)
    return ManagedModel(model, _limit_of(model, connections))


def _limit_of(model: ChatModel, connections: int | None) -> ConnectionLimit:
    if connections is not None:
        return ConnectionLimit(connections)
    ceiling = int(getattr(model, "most_connections", model.connections))
    return ConnectionLimit(ceiling, model.connections if ceiling > model.connections else None)

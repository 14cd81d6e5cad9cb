"""Metering: a policy admits every model call before it is made, and the call is counted afterwards.

A call first takes a slot of the model's connection limit and is decided on only then: after a stop no waiting call of
a model under test is made, and a budget reserves for calls in flight only. The order of one call is slot, policy,
cache, attempts (`evolif.models.ManagedModel`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from evolif.errors import EvolifError, ModelError
from evolif.models import ChatRequest, ManagedModel, ModelCache, Reply
from evolif.models.managed import CallSlot
from evolif.runner.bounds import RequestSize, believable, is_free_of_tokens, upper_bound
from evolif.runner.events import SessionKey
from evolif.runner.ledger import Account, current_account
from evolif.types import Role, Spent, Usage


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call that is about to be made."""

    role: Role
    model: str
    request: ChatRequest
    key: SessionKey | None
    """The session it is made for."""
    size: RequestSize | None = None
    """Of the request as it is sent, where `request` has no messages because they stay in the process that calls."""


@dataclass(frozen=True, slots=True)
class Deny:
    """Why a call may not be made."""

    cause: str
    """One or two words, as in `SessionEnded`: `budget`, `stop rule`."""
    reason: str
    """A sentence."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A call may not be made yet: await this and try again."""

    until: Awaitable[None]


class CallPolicy(Protocol):
    """Decides on every call. A session whose call is denied is censored with the turns it has."""

    def admit(self, call: PlannedCall) -> Deny | Wait | None:
        """None admits the call; `record` then always follows."""
        ...

    def record(self, call: PlannedCall, usage: Usage | None) -> None:
        """The call is over. `usage` has the bound where nobody knows what it used, and is None if it cost nothing."""
        ...


class InFlight(Protocol):
    """A call under way, as a display shows it."""

    def again(self) -> None:
        """Another attempt is made."""
        ...


class AllowAll:
    """Admits every call."""

    def admit(self, call: PlannedCall) -> Deny | None:
        """Never denies."""
        return None

    def record(self, call: PlannedCall, usage: Usage | None) -> None:
        """Do nothing."""


class CallDeniedError(EvolifError):
    """A call was not made: the policy denied it (`deny`), or the run is being stopped (None)."""

    def __init__(self, deny: Deny | None) -> None:
        super().__init__("the run is being stopped" if deny is None else deny.reason)
        self.deny = deny

    def __reduce__(self) -> tuple[type[CallDeniedError], tuple[Deny | None]]:
        return CallDeniedError, (self.deny,)


class _Meter:
    """Counts what one call costs.

    An attempt that failed and may have been paid is over for the policy and the ledger, which then decide on its repeat
    as on any other call: so repeats cannot exceed a budget.

    Args:
        call: The call.
        account: Where its cost is entered; None if it is made for no session.
    """

    def __init__(self, call: PlannedCall, account: Account | None) -> None:
        self._call = call
        self._account = account
        self.admitted = True
        """Whether the policy waits to be told what the call cost."""
        self.reservation = 0
        """In the ledger, for the attempt under way."""
        self.in_flight: InFlight | None = None
        """Where its attempts are counted; None if nobody wants to know."""
        self.usage: Usage | None = None
        """What it counts as: the bound if its usage is unknown, None if it has cost nothing."""

    @property
    def call(self) -> PlannedCall:
        """The call, or its repeat."""
        return self._call

    def repeat(self) -> PlannedCall:
        """Begin to count a repeat, which is admitted as a call of its own."""
        self._call, self.usage, self.reservation, self.admitted = replace(self._call), None, 0, False
        return self._call

    def measure(self, usage: Usage) -> Spent:
        """Count an attempt that was answered, or may have been; `Usage()` if its usage is unknown."""
        call = self._call
        if usage != Usage() or is_free_of_tokens(call.model):
            self._add(usage)
            return Spent(call.role, call.model, usage)
        bound = upper_bound(call.model, call.request)
        self._add(bound)
        return Spent(call.role, call.model, usage, unknown=1, bound=bound.tokens)

    def _add(self, usage: Usage) -> None:
        self.usage = usage if self.usage is None else self.usage + usage

    def failed(self, fault: BaseException) -> None:
        """Count an attempt that failed. Unless it was refused or never sent, it may have been paid."""
        if isinstance(fault, CallDeniedError):
            return  # of a repeat, which was not made
        if not isinstance(fault, ModelError) or fault.may_cost:
            spent = self.measure(Usage())
            if self._account is not None and spent.unknown:
                self._account.enter(spent, self.reservation)
                return
        if self._account is not None:
            self._account.release(self.reservation)


def _unbounded(role: Role) -> AbstractAsyncContextManager[None]:
    return nullcontext()


class MeteredModel:
    """A model whose calls are admitted and counted; implements `ChatModel`.

    Args:
        model: The client with its limit.
        role: The role of its calls.
        policy: Decides on each call.
        stopped: Whether no more calls may be made.
        bounded: Wraps each call, given its role; raises `CallDeniedError` if the call is given up.
        cache: Replies of earlier runs.
        owner: Whether it closes the client.
    """

    def __init__(
        self,
        model: ManagedModel,
        role: Role,
        policy: CallPolicy,
        stopped: Callable[[], bool],
        bounded: Callable[[Role], AbstractAsyncContextManager[InFlight | None]] = _unbounded,
        cache: ModelCache | None = None,
        *,
        owner: bool = True,
    ) -> None:
        self._model = model
        self._role: Role = role
        self._policy = policy
        self._stopped = stopped
        self._bounded = bounded
        self._cache = cache
        self._owner = owner
        # A reservation is a commit of its own before each call. Only a policy such as a budget has a use for it.
        self._reserves = type(policy) is not AllowAll
        self.name = model.name
        self.connections = model.connections

    def as_role(self, role: Role) -> MeteredModel:
        """The same client with its limit, counted in another role."""
        return MeteredModel(self._model, role, self._policy, self._stopped, self._bounded, self._cache, owner=False)

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation.

        Raises:
            CallDeniedError: no call was made, or it was given up after a stop.
        """
        slot = await self._model.limit.take()
        try:
            return await self._complete(request, slot)
        finally:
            slot.leave()

    async def _complete(self, request: ChatRequest, slot: CallSlot) -> Reply:
        account = current_account()
        key = None if account is None else account.key
        if key is not None and request.epoch != key.epoch:
            request = replace(request, epoch=key.epoch)
        call = PlannedCall(self._role, self.name, request, key)
        await self._admit(call)
        meter = _Meter(call, account)
        try:
            async with self._bounded(self._role) as meter.in_flight:
                if self._cache is None:
                    return await self._send(slot, account, meter)
                return await self._cache.complete(request, partial(self._send, slot, account, meter))
        finally:
            if meter.admitted:
                self._policy.record(meter.call, meter.usage)

    async def _send(self, slot: CallSlot, account: Account | None, meter: _Meter) -> Reply:
        """Make the call, with a reservation in the ledger before it and its cost in the account after it."""
        request, model = meter.call.request, meter.call.model
        await self._reserve(account, meter)
        try:
            reply = await self._model.answer(request, slot, partial(self._admit_repeat, account, meter))
        except BaseException as fault:
            meter.failed(fault)
            raise
        if not believable(reply.usage, model, request):
            reply = replace(reply, usage=Usage())
        spent, reservation = meter.measure(reply.usage), meter.reservation
        if account is not None:
            if self._cache is not None:
                # Before the cache has the answer: a kill in between must not make it free.
                spent, reservation = await account.book(spent, reservation), 0
            account.enter(spent, reservation)
        return reply

    async def _reserve(self, account: Account | None, meter: _Meter) -> None:
        if self._reserves and account is not None and account.ledger is not None:
            call = meter.call
            bound = upper_bound(call.model, call.request).tokens
            meter.reservation = await account.reserve(call.role, call.model, bound)

    async def _admit_repeat(self, account: Account | None, meter: _Meter, fault: ModelError) -> None:
        """Settle an attempt that may have been paid, and have its repeat decided on and reserved.

        Raises:
            CallDeniedError: it may not be repeated.
        """
        if meter.in_flight is not None:
            meter.in_flight.again()
        if not fault.may_cost:
            return  # the reservation stands for the repeat
        meter.failed(fault)
        self._policy.record(meter.call, meter.usage)
        await self._admit(meter.repeat())
        meter.admitted = True
        await self._reserve(account, meter)

    async def _admit(self, call: PlannedCall) -> None:
        while True:
            if self._stopped():
                raise CallDeniedError(None)
            decision = self._policy.admit(call)
            if decision is None:
                return
            if isinstance(decision, Deny):
                raise CallDeniedError(decision)
            await decision.until

    async def aclose(self) -> None:
        """Release the client's resources, unless they belong to another role."""
        if self._owner:
            await self._model.aclose()

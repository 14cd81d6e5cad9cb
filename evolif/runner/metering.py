"""Metering: a policy admits every model call before it is made, and the call is counted afterwards.

A call first takes a slot of the model's connection limit and is decided on only then: after a stop no waiting call of
a model under test is made, and a budget reserves for calls in flight only. The order of one call is slot, policy,
cache, attempts (`evolif.models.ManagedModel`).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from evolif.errors import EvolifError
from evolif.models import ChatRequest, ManagedModel, ModelCache, Reply, Slot
from evolif.runner.events import SessionKey
from evolif.types import Role, Spent, Usage


@dataclass(frozen=True, slots=True)
class RequestSize:
    """How large a request is, for estimates of its tokens."""

    bytes: int
    """In UTF-8, with the schema."""
    messages: int
    images: int

    @classmethod
    def of(cls, request: ChatRequest) -> RequestSize:
        """The size of a request."""
        size = sum(len(message.content.encode("utf-8", "replace")) for message in request.messages)
        schema = len(json.dumps(request.schema)) if request.schema is not None else 0
        images = sum(len(message.images) for message in request.messages)
        return cls(size + schema, len(request.messages), images)


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
        """The call is over; `usage` is None if it failed or the cache had the reply."""
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


@dataclass(slots=True)
class Account:
    """The cost of one session's calls since the last `take`."""

    key: SessionKey
    spent: list[Spent] = field(default_factory=list)

    def take(self) -> tuple[Spent, ...]:
        """Everything since the last time."""
        spent, self.spent = tuple(self.spent), []
        return spent


# A context variable, because a judge serves many sessions at once, through code unaware of sessions, yet each call
# belongs to one session.
_account: ContextVar[Account | None] = ContextVar("_account", default=None)


def open_account(key: SessionKey) -> Account:
    """An account for the calls of the current task and its child tasks."""
    account = Account(key)
    _account.set(account)
    return account


def charge(spent: Iterable[Spent]) -> None:
    """Charge usage from elsewhere to the current task's account."""
    account = _account.get()
    if account is not None:
        account.spent.extend(spent)


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
        bounded: Callable[[Role], AbstractAsyncContextManager[object]] = nullcontext,
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

    async def _complete(self, request: ChatRequest, slot: Slot) -> Reply:
        account = _account.get()
        key = None if account is None else account.key
        if key is not None and request.epoch != key.epoch:
            request = replace(request, epoch=key.epoch)
        call = PlannedCall(self._role, self.name, request, key)
        await self._admit(call)
        usage = None
        try:
            async with self._bounded(self._role):
                if self._cache is None:
                    reply = await self._model.answer(request, slot)
                else:
                    reply = await self._cache.complete(request, partial(self._model.answer, request, slot))
            usage = None if reply.cached else reply.usage
        finally:
            self._policy.record(call, usage)
        if account is not None and not reply.cached and self._role not in ("synthesizer", "checker"):
            # The cost of writing a turn does not belong to the session: the benchmark stores it, see `SynthesisRecord`.
            account.spent.append(Spent(self._role, self.name, reply.usage))
        return reply

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

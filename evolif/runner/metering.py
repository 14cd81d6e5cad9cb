"""A turnstile before every model: asked before each call, told of each, counting what it cost.

It stands inside of the model's connection limit, so a call that waited for a place is asked about when it would begin
and not when it was planned: after a stop nobody who still waits is let through, and a budget reserves for calls under
way only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from evolif.errors import EvolifError
from evolif.models import ChatModel, ChatRequest, Reply
from evolif.runner.events import Role, SessionKey, Spent
from evolif.types import Usage


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call that is about to be made."""

    role: Role
    model: str
    request: ChatRequest
    key: SessionKey | None
    """The session it is made for."""


@dataclass(frozen=True, slots=True)
class Deny:
    """Why a call may not be made."""

    cause: str
    """One or two words, as in `SessionEnded`: `budget`, `stop rule`."""
    reason: str
    """A sentence."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A call may not be made yet: await this and ask again."""

    until: Awaitable[None]


class CallPolicy(Protocol):
    """Decides over every call. A session that is stopped here is censored with the turns it has."""

    def ask(self, call: PlannedCall) -> Deny | Wait | None:
        """None lets the call through; `tell` follows then in any case."""
        ...

    def tell(self, call: PlannedCall, usage: Usage | None) -> None:
        """The call is over; None where it failed, or a cache had the answer."""
        ...


class AllowAll:
    """Lets every call through."""

    def ask(self, call: PlannedCall) -> Deny | None:
        """Never stops."""
        return None

    def tell(self, call: PlannedCall, usage: Usage | None) -> None:
        """Looks at nothing."""


class CallDeniedError(EvolifError):
    """A call was not made: the gate said so (`stop`), or the run is being stopped (None)."""

    def __init__(self, stop: Deny | None) -> None:
        super().__init__("the run is being stopped" if stop is None else stop.reason)
        self.stop = stop

    def __reduce__(self) -> tuple[type[CallDeniedError], tuple[Deny | None]]:
        return CallDeniedError, (self.stop,)


@dataclass(slots=True)
class Account:
    """What the calls of one session came to since somebody last took it down."""

    key: SessionKey
    spent: list[Spent] = field(default_factory=list)

    def take(self) -> tuple[Spent, ...]:
        """Everything since the last time."""
        spent, self.spent = tuple(self.spent), []
        return spent


_account: ContextVar[Account | None] = ContextVar("_account", default=None)


def open_account(key: SessionKey) -> Account:
    """An account for the calls of the present task and of those it starts."""
    account = Account(key)
    _account.set(account)
    return account


def charge(spent: Iterable[Spent]) -> None:
    """Put what was spent elsewhere on the present task's account."""
    account = _account.get()
    if account is not None:
        account.spent.extend(spent)


def current_epoch() -> int:
    """The repetition that the present task's session is; 1 outside of sessions."""
    account = _account.get()
    return 1 if account is None else account.key.epoch


class MeteredModel:
    """A model behind a gate; implements `ChatModel`.

    Args:
        model: The client.
        role: In whose name it is asked.
        gate: Decides over each call.
        stopped: Whether nothing may be asked any more.
        bounded: Put around each call; raises `CallDeniedError` where it is given up.
    """

    def __init__(
        self,
        model: ChatModel,
        role: Role,
        gate: CallPolicy,
        stopped: Callable[[], bool],
        bounded: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
    ) -> None:
        self._model = model
        self._role: Role = role
        self._gate = gate
        self._stopped = stopped
        self._bounded = bounded

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)  # what a client says of itself beyond the protocol

    @property
    def name(self) -> str:
        """`provider/name`, without secrets."""
        return self._model.name

    @property
    def connections(self) -> int:
        """How many sessions it is worth running side by side by default."""
        return self._model.connections

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation.

        Raises:
            NotAskedError: nothing was asked, or the call was given up after a stop.
        """
        account = _account.get()
        call = PlannedCall(self._role, self.name, request, account.key if account else None)
        await self._let_through(call)
        usage = None
        try:
            async with self._bounded():
                reply = await self._model.complete(request)
            usage = None if reply.cached else reply.usage
        finally:
            self._gate.tell(call, usage)
        if account is not None and not reply.cached and self._role in ("target", "judge"):
            # What wording a turn costs is not the session's: the benchmark keeps it, see `SynthesisRecord`.
            account.spent.append(Spent(self._role, self.name, reply.usage))
        return reply

    async def _let_through(self, call: PlannedCall) -> None:
        while True:
            if self._stopped():
                raise CallDeniedError(None)
            answer = self._gate.ask(call)
            if answer is None:
                return
            if isinstance(answer, Deny):
                raise CallDeniedError(answer)
            await answer.until

    async def aclose(self) -> None:
        """Release what the client holds."""
        await self._model.aclose()

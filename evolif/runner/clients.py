"""The models of a run opened by their names: targets and judges, each behind a limit and a turnstile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from evolif.errors import InternalError, UsageError
from evolif.instructions import AuthorRole, SynthesizerPool
from evolif.judging import Judge, open_judge
from evolif.models import (
    CachedModel,
    ChatModel,
    ChatRequest,
    RequestCache,
    address_of,
    parse_model_name,
    strip_credentials,
    with_limits,
)
from evolif.runner.events import Role
from evolif.runner.metering import CallPolicy, MeteredModel, current_epoch
from evolif.runner.shutdown import GRACE, LOCAL_GRACE, Shutdown

_CLOSING = 5.0
"""Seconds that clients get to close their connections."""


@dataclass(frozen=True, slots=True)
class Calling:
    """How models are called."""

    base_url: str | None
    max_connections: int | None
    max_retries: int
    timeout: float | None
    seed: int


def names_of(specs: Sequence[str]) -> tuple[str, ...]:
    """The models' names without addresses and keys, in order.

    Raises:
        UsageError: none, a broken name, or one twice.
    """
    if not specs:
        raise UsageError("name at least one model, e.g. --model sim/steady")
    names = [str(parse_model_name(spec)) for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"the model {name} is named twice; repeat dialogues by --epochs, and compare endpoints in runs of "
                "their own"
            )
    return tuple(names)


def endpoint_of(spec: str, base_url: str | None) -> str:
    """Where a model is asked, without user and key; empty for the provider's own endpoint."""
    return strip_credentials(address_of(parse_model_name(spec), base_url) or "")


def describe_judge(names: Sequence[str], rule: str) -> tuple[str, tuple[str, ...]]:
    """A judge's own name and its endpoints; needs no key and opens nothing.

    Raises:
        UsageError: no such judge or rule.
    """
    with _for_the_judge():
        judge = open_judge(names, rule=rule, opener=_Named)
    return ("none", ()) if judge is None else (judge.name, judge.endpoints)


@contextmanager
def _for_the_judge() -> Iterator[None]:
    try:
        yield
    except UsageError as fault:
        told = str(fault)
        raise UsageError(told if "judge" in told else f"the judge: {told}") from None


class _Named:
    """A model of which only the name is needed."""

    connections = 1

    def __init__(self, spec: str) -> None:
        self.name = str(parse_model_name(spec))

    async def complete(self, request: ChatRequest) -> NoReturn:
        """Never asked."""
        raise InternalError(f"{self.name} was asked before it was opened")

    async def aclose(self) -> None:
        """Nothing to release."""


class ClientFactory:
    """Makes the clients of a run.

    Args:
        calling: How models are called.
        gate: Asked before every call.
        stopper: Keeps further turns from being asked.
        open_model: Makes the bare client.
        cache: Of requests; None where every call is made.
    """

    def __init__(
        self,
        calling: Calling,
        gate: CallPolicy,
        stopper: Shutdown,
        open_model: Callable[..., ChatModel],
        cache: RequestCache | None = None,
    ) -> None:
        self._cache = cache
        self._open_model = open_model
        self._calling = calling
        self._gate = gate
        self._stopper = stopper

    def target(self, spec: str) -> ChatModel:
        """A model under test."""
        calling, name = self._calling, str(parse_model_name(spec))
        client = self._cached(spec, calling.base_url, repeats=False)
        behind = MeteredModel(client, "target", self._gate, partial(self._stopper, name), self._bounded("target", name))
        return with_limits(behind, calling.max_connections)

    def judge(self, spec: str) -> ChatModel:
        """A member of a panel; after Ctrl-C it still judges what is answered, for that is paid, if time allows."""
        with _for_the_judge():
            client, name = self._cached(spec, None, repeats=True), str(parse_model_name(spec))
        behind = MeteredModel(
            client, "judge", self._gate, lambda: self._stopper.fault is not None, self._bounded("judge", name)
        )
        return with_limits(behind, None)

    def author(self, model: ChatModel, role: AuthorRole) -> ChatModel:
        """A model that words missing turns, or checks the words."""
        bounded = self._bounded(role, model.name)
        return MeteredModel(model, role, self._gate, lambda: self._stopper.everybody, bounded)

    def _bounded(self, role: Role, name: str) -> Callable[[], AbstractAsyncContextManager[None]]:
        """What bounds a call in flight after a stop."""
        grace = LOCAL_GRACE if name.startswith("local/") else GRACE
        return partial(self._stopper.within, grace, role, name)

    def _cached(self, spec: str, base_url: str | None, *, repeats: bool) -> ChatModel:
        client = self._open(spec, base_url)
        if self._cache is None or parse_model_name(spec).provider == "sim":
            return client  # a simulated model sees more than the messages
        return CachedModel(client, self._cache, endpoint_of(spec, base_url), current_epoch, repeats=repeats)

    def _open(self, spec: str, base_url: str | None) -> ChatModel:
        calling = self._calling
        return self._open_model(
            spec, base_url=base_url, max_retries=calling.max_retries, timeout=calling.timeout, seed=calling.seed
        )


def is_panel(names: Sequence[str]) -> bool:
    """Whether judges are models, which have to be opened."""
    return not set(names) & {"none", "lexical"}


@dataclass(frozen=True, slots=True)
class Clients:
    """Everything of a run that can be asked; nothing is connected before its first call."""

    targets: Mapping[str, ChatModel]
    """By their names, each behind its limit."""
    judges: Mapping[str, ChatModel]
    """Members of the panel, by the names they were given."""
    wording: SynthesizerPool

    async def closing(self, main: Coroutine[Any, Any, None], judge: Judge | None) -> None:
        """Await `main`, then release all connections in the loop that used them, without waiting for long."""
        try:
            await main
        finally:
            closing = [target.aclose() for target in self.targets.values()]
            closing += [judge.aclose()] if judge is not None else []
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSING):
                    await asyncio.gather(*closing, _awaited(self.wording), return_exceptions=True)


async def _awaited(wording: SynthesizerPool) -> None:
    await wording.aclose()

"""The clients of a run: targets, judges and the models that write missing turns."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from evolif.config import EvalConfig
from evolif.errors import InternalError, UsageError
from evolif.instructions import SynthesizerPool
from evolif.judging import Judge, open_judge
from evolif.models import (
    ChatModel,
    ChatRequest,
    ManagedModel,
    ModelCache,
    ModelRef,
    RequestCache,
    address_of,
    managed,
    open_model,
    parse_model_name,
    spec_of,
    strip_credentials,
)
from evolif.runner.metering import CallPolicy, MeteredModel
from evolif.runner.shutdown import GRACE, LOCAL_GRACE, Shutdown
from evolif.synthesis import AuthorRole
from evolif.types import Role

_CLOSING_TIME = 5.0
"""Seconds that clients get to close their connections."""


def model_name(model: ModelRef) -> str:
    """A model's name without address and key.

    Raises:
        UsageError: a broken name.
    """
    return str(parse_model_name(spec_of(model)))


def names_of(models: Sequence[ModelRef]) -> tuple[str, ...]:
    """The models' names without addresses and keys, in order.

    Raises:
        UsageError: none, a broken name, or one twice.
    """
    if not models:
        raise UsageError("name at least one model, e.g. --model sim/steady")
    names = [model_name(model) for model in models]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"the model {name} is named twice; use --epochs to repeat dialogues, and separate runs to "
                "compare endpoints"
            )
    return tuple(names)


def endpoint_of(model: ModelRef, base_url: str | None) -> str:
    """A model's endpoint without user and key; empty for the provider's own endpoint and for objects."""
    if not isinstance(model, str):
        return ""
    return strip_credentials(address_of(parse_model_name(model), base_url) or "")


def describe_judge(names: Sequence[str], rule: str) -> tuple[str, tuple[str, ...]]:
    """A judge's name and endpoints; needs no key and opens nothing.

    Raises:
        UsageError: no such judge or rule.
    """
    with _naming_the_judge():
        judge = open_judge(names, rule=rule, opener=_Named)
    return ("none", ()) if judge is None else (judge.name, judge.endpoints)


@contextmanager
def _naming_the_judge() -> Iterator[None]:
    try:
        yield
    except UsageError as fault:
        message = str(fault)
        raise UsageError(message if "judge" in message else f"the judge: {message}") from None


class _Named:
    """Replaces a model when only the name is needed."""

    connections = 1

    def __init__(self, spec: str) -> None:
        self.name = str(parse_model_name(spec))

    async def complete(self, request: ChatRequest) -> NoReturn:
        """Never called."""
        raise InternalError(f"{self.name} was called before it was opened")

    async def aclose(self) -> None:
        """Nothing to release."""


class ClientFactory:
    """Creates the clients of a run: each is bounded, retried, metered, and cached if the run has a cache.

    Args:
        config: How models are called.
        policy: Decides on every call.
        shutdown: Says which models may still be called.
        cache: Replies of earlier requests.
    """

    def __init__(
        self, config: EvalConfig, policy: CallPolicy, shutdown: Shutdown, cache: RequestCache | None = None
    ) -> None:
        self._config = config
        self._policy = policy
        self._shutdown = shutdown
        self._cache = cache

    def target(self, model: ModelRef) -> MeteredModel:
        """A model under test."""
        config = self._config
        client = managed(self._open(model, config.base_url), config.max_connections)
        stopped = partial(self._shutdown.stopped, model_name(model))
        return self._metered(client, "target", stopped, self._cached(model, config.base_url))

    def judge(self, model: ModelRef) -> MeteredModel:
        """A member of a panel. After Ctrl-C it still judges paid answers, if time allows."""
        with _naming_the_judge():
            client = managed(self._open(model, None))
        cache = self._cached(model, None, repeats=True)
        return self._metered(client, "judge", lambda: self._shutdown.fault is not None, cache)

    def author(self, model: ManagedModel, role: AuthorRole) -> MeteredModel:
        """A model that writes missing turns, or checks them."""
        return self._metered(model, role, lambda: self._shutdown.all_stopped)

    def _metered(
        self, client: ManagedModel, role: Role, stopped: Callable[[], bool], cache: ModelCache | None = None
    ) -> MeteredModel:
        grace = LOCAL_GRACE if client.name.startswith("local/") else GRACE
        bounded = partial(self._shutdown.within, grace, role, client.name)
        return MeteredModel(client, role, self._policy, stopped, bounded, cache)

    def _cached(self, model: ModelRef, base_url: str | None, *, repeats: bool = False) -> ModelCache | None:
        name = model_name(model)
        if self._cache is None or name.startswith("sim/"):
            return None  # a simulated model sees more than the messages
        return ModelCache(self._cache, name, endpoint_of(model, base_url), repeats=repeats)

    def _open(self, model: ModelRef, base_url: str | None) -> ChatModel:
        if not isinstance(model, str):
            return model
        retries, timeout, seed = self._config.max_retries, self._config.timeout, self._config.seed
        return open_model(model, base_url=base_url, max_retries=retries, timeout=timeout, seed=seed)


def is_panel(names: Sequence[str]) -> bool:
    """Whether the judges are models."""
    return not set(names) & {"none", "lexical"}


@dataclass(frozen=True, slots=True)
class Clients:
    """The models of a run; nothing is connected before the first call."""

    targets: Mapping[str, ChatModel]
    """By their names."""
    judges: Mapping[str, ChatModel]
    """Members of the panel, by their given names."""
    wording: SynthesizerPool

    async def closing(self, main: Coroutine[Any, Any, None], judge: Judge | None) -> None:
        """Await `main`, then release all connections in the loop that used them, without waiting for long."""
        try:
            await main
        finally:
            closing: list[Awaitable[None]] = [target.aclose() for target in self.targets.values()]
            closing += [judge.aclose()] if judge is not None else []
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSING_TIME):
                    await asyncio.gather(*closing, self.wording.aclose(), return_exceptions=True)

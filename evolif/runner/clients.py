"""The clients of a run: targets, judges and the models that write missing turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, NoReturn, Protocol

from evolif.config import EvalConfig
from evolif.errors import InternalError, UsageError
from evolif.judging import open_judge
from evolif.models import (
    ChatModel,
    ChatRequest,
    ManagedModel,
    ModelCache,
    ModelRef,
    Parameters,
    RequestCache,
    address_of,
    managed,
    open_model,
    parse_model_name,
    shown_address,
    spec_of,
)
from evolif.models.open import weights_of
from evolif.runner.metering import CallPolicy, MeteredModel
from evolif.runner.shutdown import GRACE, LOCAL_GRACE, Shutdown
from evolif.scenario import get_scenario
from evolif.types import Role, Seat

_NONE: Mapping[str, Any] = MappingProxyType({})
_NO_PARAMETERS = Parameters()
SELF = "self"
"""The partner that is the model under test itself."""
_CLOSING_TIME = 5.0
"""Seconds that clients get to close their connections."""


def model_name(model: ModelRef) -> str:
    """A model's name without address and key.

    Raises:
        UsageError: a broken name.
    """
    return str(parse_model_name(spec_of(model)))


_APART = {
    False: "use --epochs to repeat dialogues, ?as=LABEL to tell two of them apart, and separate runs to compare "
    "endpoints",
    True: "use --epochs to repeat dialogues; files are named without their folders, so rename one of two of one name",
}
"""What to do about a model named twice; by whether it is local."""


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
            raise UsageError(f"the model {name} is named twice; {_APART[name.startswith('local/')]}")
    return tuple(names)


def endpoint_of(model: ModelRef, base_url: str | None) -> str:
    """A model's endpoint without user and key; empty for the provider's own endpoint and for objects."""
    if not isinstance(model, str):
        return ""
    return shown_address(address_of(parse_model_name(model), base_url) or "")


def cache_place(model: ModelRef, base_url: str | None) -> str:
    """What tells a model's stored replies from those of another one of its name: its endpoint, or its weights."""
    return endpoint_of(model, base_url) or weights_of(model)


def describe_judge(names: Sequence[str], rule: str) -> tuple[str, tuple[str, ...]]:
    """A judge's name and endpoints; needs no key and opens nothing.

    Raises:
        UsageError: no such judge or rule.
    """
    with _naming("the judge"):
        judge = open_judge(names, rule=rule, opener=NamedModel)
    return ("none", ()) if judge is None else (judge.name, judge.endpoints)


@contextmanager
def _naming(role: str) -> Iterator[None]:
    try:
        yield
    except UsageError as fault:
        message = str(fault)
        raise UsageError(message if role.split()[-1] in message else f"{role}: {message}") from None


class NamedModel:
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
        scenario: Whose simulated models may be named.
        parameters: What requests to models under test say besides messages and sampling, as the run stores it by name.
    """

    def __init__(
        self,
        config: EvalConfig,
        policy: CallPolicy,
        shutdown: Shutdown,
        cache: RequestCache | None,
        scenario: str,
        parameters: Mapping[str, Mapping[str, Any]] = _NONE,
    ) -> None:
        self._config = config
        self._parameters = parameters
        self._scenario = scenario
        self._policy = policy
        self._shutdown = shutdown
        self._cache = cache

    def target(self, model: ModelRef) -> MeteredModel:
        """A model under test."""
        config, name = self._config, model_name(model)
        stored = self._parameters.get(name, {})
        client = managed(self._open(model, config.base_url, Parameters.from_stored(stored)), config.max_connections)
        stopped = partial(self._shutdown.stopped, name)
        return self._metered(client, "target", stopped, self._cached(model, config.base_url, parameters=stored))

    def judge(self, model: ModelRef) -> MeteredModel:
        """A member of a panel. After Ctrl-C it still judges paid answers, if time allows."""
        with _naming("the judge"):
            client = managed(self._open(model, None))
        cache = self._cached(model, None, repeats=True)
        return self._metered(client, "judge", lambda: self._shutdown.fault is not None, cache)

    def seats(self, models: Sequence[ModelRef], partner: ModelRef | None) -> list[Mapping[Seat, MeteredModel]]:
        """Who speaks in the sessions of each model under test: itself, and a partner if the scenario has one.

        Args:
            models: The models under test.
            partner: `self` for the same client in both seats, a model, or None.
        """
        targets = [self.target(model) for model in models]
        if partner is None:
            return [{"target": target} for target in targets]
        if partner == SELF:
            return [{"target": target, "partner": target.as_role("partner")} for target in targets]
        shared = self._secondary(partner, "partner", "the partner")
        return [{"target": target, "partner": shared} for target in targets]

    def context_model(self, model: ModelRef) -> MeteredModel:
        """The model that a context strategy calls."""
        return self._secondary(model, "context", "the context model")

    def _secondary(self, model: ModelRef, role: Role, name: str) -> MeteredModel:
        with _naming(name):
            client = managed(self._open(model, None), self._config.max_connections)
        return self._metered(client, role, lambda: self._shutdown.all_stopped, self._cached(model, None))

    def author(self, model: ManagedModel, role: Role) -> MeteredModel:
        """A model that writes missing prompts, or checks them."""
        return self._metered(model, role, lambda: self._shutdown.all_stopped)

    def _metered(
        self, client: ManagedModel, role: Role, stopped: Callable[[], bool], cache: ModelCache | None = None
    ) -> MeteredModel:
        grace = LOCAL_GRACE if client.name.startswith("local/") else GRACE
        bounded = partial(self._shutdown.within, grace, client=client)
        self._shutdown.watch(client)
        return MeteredModel(client, role, self._policy, stopped, bounded, cache)

    def _cached(
        self, model: ModelRef, base_url: str | None, *, repeats: bool = False, parameters: Mapping[str, Any] = _NONE
    ) -> ModelCache | None:
        name = model_name(model)
        if self._cache is None or name.startswith("sim/"):
            return None  # a simulated model sees more than the messages
        return ModelCache(self._cache, name, cache_place(model, base_url), repeats=repeats, parameters=parameters)

    def _open(self, model: ModelRef, base_url: str | None, parameters: Parameters = _NO_PARAMETERS) -> ChatModel:
        if not isinstance(model, str):
            return model
        config, name = self._config, parse_model_name(model)
        if name.provider == "sim":
            return get_scenario(self._scenario).player(name.name, config.seed)
        return open_model(
            model,
            base_url=base_url,
            max_retries=config.max_retries,
            timeout=config.timeout,
            seed=config.seed,
            wait=config.wait,
            parameters=parameters,
        )


def parameters_of(
    models: Sequence[ModelRef], given: Mapping[str, Parameters] = MappingProxyType({})
) -> dict[str, dict[str, Any]]:
    """What the requests to models say besides messages and sampling, unless their names tell it, as a run stores it.

    Args:
        models: Those under test.
        given: What a file says, by `provider/name`.
    """
    found = {}
    for model in models:
        name = parse_model_name(spec_of(model))
        own = name.parameters if isinstance(model, str) and name.alias is not None else Parameters()
        whole = own.over(given.get(name.plain, Parameters()))
        if whole:
            found[name.label] = whole.stored()
    return found


def weights_by_name(models: Sequence[ModelRef]) -> dict[str, str]:
    """The first digits of the SHA-256 of each local model's file, by name, see `weights_of`."""
    return {model_name(model): digest for model in models if (digest := weights_of(model))}


def is_panel(names: Sequence[str]) -> bool:
    """Whether the judges are models."""
    return not set(names) & {"none", "lexical"}


@dataclass(frozen=True, slots=True)
class Clients:
    """The models of a run; nothing is connected before the first call."""

    seats: Mapping[str, Mapping[Seat, ChatModel]]
    """Who speaks in the sessions of each model under test, by its name."""
    judges: Mapping[str, ChatModel]
    """Members of the panel, by their given names."""
    context: Mapping[str, ChatModel] = field(default_factory=dict)
    """The models that the context strategy calls, by role."""

    def limits(self, *, partner: bool) -> dict[str, int]:
        """How many sessions of each model under test are worth having alive at once.

        Twice a model's requests if a panel judges or a partner speaks: its slots are used in the meantime. But a model
        that answers one request at a time gets only one session.

        Args:
            partner: Whether a partner speaks.
        """
        more = 2 if self.judges or partner else 1
        targets = {name: seats["target"].connections for name, seats in self.seats.items()}
        return {name: most * (more if most > 1 else 1) for name, most in targets.items()}

    def connections(self, sessions: int) -> int:
        """How many connections they open at most while so many sessions are under way."""
        remote = [seats["target"] for name, seats in self.seats.items() if not name.startswith(("sim/", "local/"))]
        partners = {id(seats["partner"]): seats["partner"] for seats in self.seats.values() if "partner" in seats}
        others = (*partners.values(), *self.judges.values(), *self.context.values())
        asked = sum(min(model.connections, sessions) for model in others)
        return min(sum(model.connections for model in remote), sessions) + asked

    async def closing(self, main: Coroutine[Any, Any, None], *others: Closable | None) -> None:
        """Await `main`, then release all connections in the loop that used them, without waiting for long.

        Args:
            main: What uses them.
            others: What else to close, such as the judge.
        """
        try:
            await main
        finally:
            models = {id(client): client for seats in self.seats.values() for client in seats.values()}
            opened = (*models.values(), *self.context.values(), *(one for one in others if one is not None))
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSING_TIME):
                    await asyncio.gather(*map(_close, opened), return_exceptions=True)


class Closable(Protocol):
    """Something with connections."""

    async def aclose(self) -> None:
        """Release them."""
        ...


async def _close(one: Closable) -> None:
    await one.aclose()  # here, so that one that fails at once keeps no other from being closed

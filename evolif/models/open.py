"""Open a model by its name; a provider's module is imported only when requested."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path

from evolif.errors import UsageError
from evolif.models.base import DEFAULT_RETRIES, ChatModel, ModelRef, Sampling, spec_of
from evolif.models.endpoint import ModelName, check_base_url, parse_model_name, shown, unknown_provider
from evolif.models.managed import ManagedModel, managed
from evolif.models.parameters import Parameters
from evolif.models.providers import providers
from evolif.models.waits import FIRST_BACKOFF, LONGEST_CALL, LONGEST_WAIT, RetryPolicy
from evolif.models.weights import find_weights, weights_digest

ENTRY_POINTS = "evolif.models"
"""Group of plug-ins: entry point `PROVIDER = "module:factory"`, with `factory(name, settings) -> ChatModel`."""
_WITHOUT_ENDPOINT = frozenset({"local", "sim"})
_FACTORIES = {"sim": "evolif.scenario.registry:open_player"}
"""Providers of our own that no client belongs to, by the names of their factories: scenarios are above this package."""
_MOVED_BY = {"openai": "OPENAI_BASE_URL", "google": "GOOGLE_GEMINI_BASE_URL"}
"""Variables that change a provider's default endpoint."""
_TIMEOUTS = {"openai": 120.0, "google": 120.0, "local": 600.0}
"""Seconds for one attempt; a full context takes about a minute to read on one slow thread before the answer begins."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Passed to a plug-in's factory with the name."""

    max_retries: int = DEFAULT_RETRIES
    """Repeats of a call that may succeed later."""
    timeout: float | None = None
    """Seconds for one attempt; None for the plug-in's default."""
    seed: int = 0
    backoff: float = FIRST_BACKOFF
    """Seconds of back-off before the first repeat."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How chat models are reached and sampled; None leaves a value to the provider."""

    base_url: str | None = field(default=None, repr=False)
    """Endpoint of models without their own."""
    max_retries: int = DEFAULT_RETRIES
    timeout: float | None = None
    """Seconds for one attempt."""
    temperature: float | None = None
    max_tokens: int | None = None
    """Longest answer."""
    max_connections: int | None = None
    """Requests side by side per model."""
    seed: int = 0
    """Seeds simulated models and plug-ins."""
    wait: float = LONGEST_WAIT
    """The longest wait in seconds that an endpoint may ask for."""

    def sampling(self, model: ModelRef, local: Sampling) -> Sampling:
        """Temperature and longest answer; for a local model, `local` gives those that are not set here."""
        if not is_local(model):
            return Sampling(self.temperature, self.max_tokens)
        temperature = local.temperature if self.temperature is None else self.temperature
        return Sampling(temperature, local.max_tokens if self.max_tokens is None else self.max_tokens)


_NO_PARAMETERS = Parameters()
Factory = Callable[[ModelName, Settings], ChatModel]


def open_model(
    spec: str,
    *,
    base_url: str | None = None,
    max_retries: int = DEFAULT_RETRIES,
    timeout: float | None = None,
    seed: int = 0,
    backoff: float = FIRST_BACKOFF,
    wait: float = LONGEST_WAIT,
    parameters: Parameters = _NO_PARAMETERS,
) -> ChatModel:
    """Open a model; nothing is connected or started before its first call.

    Args:
        spec: `provider/name?base_url=...&key_env=...`.
        base_url: The endpoint of a name without one; ignored for local and simulated models.
        max_retries: Repeats of a call that may succeed later.
        timeout: Seconds for one attempt; by default 120, and 600 for a local model.
        seed: Seeds simulated models.
        backoff: Seconds of back-off before the first repeat; doubled for each further one.
        wait: The longest wait in seconds that an endpoint may ask for.
        parameters: What its requests say besides messages and sampling; those of the name go over them.

    Raises:
        UsageError: the name, its endpoint, its key or its weights are missing or wrong; the message says what to do.
    """
    name = parse_model_name(spec)
    if base_url is not None and takes_base_url(name):
        name = replace(name, base_url=check_base_url(base_url))
    kind = client_of(name)
    if kind not in _TIMEOUTS:
        return _load_factory(name)(name, Settings(max_retries, timeout, seed, backoff))
    seconds = _TIMEOUTS[kind] if timeout is None else timeout
    client = _open_client(kind, name, seconds, parameters)
    retries = RetryPolicy(max_retries, backoff, within=max(LONGEST_CALL, 2 * seconds, wait), accepted=wait)
    return ManagedModel(client, managed(client).limit, retries)


def open_client(name: ModelName, timeout: float | None, parameters: Parameters) -> ChatModel:
    """The client of a model, without retries and without a limit of its own.

    Args:
        name: The model.
        timeout: Seconds for one call; None for the usual ones.
        parameters: What its requests say besides messages and sampling; those of the name go over them.

    Raises:
        UsageError: as `open_model`.
    """
    kind = client_of(name)
    if kind not in _TIMEOUTS:
        return _load_factory(name)(name, Settings(0, timeout))
    return _open_client(kind, name, _TIMEOUTS[kind] if timeout is None else timeout, parameters)


def client_of(name: ModelName) -> str:
    """Which client a model has: `openai` for all services and servers that speak its protocol, else its provider."""
    return "openai" if name.provider in providers() else name.provider


def _open_client(kind: str, name: ModelName, timeout: float, parameters: Parameters) -> ChatModel:
    if kind == "openai":
        from evolif.models.openai import OpenAIModel

        return OpenAIModel.from_name(name, timeout=timeout, parameters=parameters)
    if name.query or parameters:
        raise UsageError(
            f"{shown(name.plain)} takes no parameters of requests; they work with OpenAI-compatible services, such as "
            "openai/NAME?base_url=URL&key_env=VARIABLE"
        )
    if kind == "google":
        from evolif.models.google import GoogleModel

        return GoogleModel.from_name(name, timeout=timeout)
    from evolif.models.local import LocalModel

    return LocalModel(name.name, timeout=timeout)


def resolve_model(model: ModelRef, options: ModelOptions) -> ManagedModel:
    """The client of a name, or a client that was passed in, behind its connection limit.

    Raises:
        UsageError: as `open_model`.
    """
    if isinstance(model, str):
        model = open_model(
            model,
            base_url=options.base_url,
            max_retries=options.max_retries,
            timeout=options.timeout,
            seed=options.seed,
            wait=options.wait,
        )
    return managed(model, options.max_connections)


def stored_name(model: ModelRef) -> str:
    """A model's label as files keep it, see `ModelName.label`: without endpoint, key and the folder of its weights."""
    return parse_model_name(spec_of(model)).label if isinstance(model, str) or is_local(model) else model.name


def weights_of(model: ModelRef) -> str:
    """The first digits of the SHA-256 of the file that a local model's name gives.

    Empty for other models, for those of the catalogue, whose name says which file it is, and if the file is not there.
    """
    if not (isinstance(model, str) and is_local(model)):
        return ""
    name = parse_model_name(model).name
    return "" if find_weights(name) else weights_digest(Path(name))


def is_local(model: ModelRef) -> bool:
    """Whether a model, or the model of a name, runs on this machine."""
    return spec_of(model).strip().startswith("local/")


def address_of(name: ModelName, base_url: str | None = None) -> str | None:
    """The endpoint that `open_model` uses; None for the provider's default.

    Raises:
        UsageError: the address of the provider needs a variable that is not set.
    """
    moved = os.environ.get(_MOVED_BY.get(name.provider, ""), "").strip()
    known = providers().get(name.provider)
    if known is not None and known.places and name.base_url is None:
        return known.address(name.plain, os.environ)
    given = base_url if takes_base_url(name) else None
    return None if name.provider in _WITHOUT_ENDPOINT else name.base_url or given or moved or None


def takes_base_url(name: ModelName) -> bool:
    """Whether `--base-url` is for this model: not if its name says where it is."""
    return name.base_url is None and name.provider not in _WITHOUT_ENDPOINT and name.provider not in providers()


def _load_factory(name: ModelName) -> Factory:
    """Load the factory of a provider that is not an endpoint: of a scenario's simulated models, or a plug-in's."""
    if name.provider in _FACTORIES:
        module, _, attribute = _FACTORIES[name.provider].partition(":")
        own: Factory = getattr(import_module(module), attribute)
        return own
    if os.environ.get("EVOLIF_PLUGINS") == "0":
        raise unknown_provider(name)
    from importlib.metadata import entry_points

    found = list(entry_points(group=ENTRY_POINTS, name=name.provider))
    if not found:
        raise unknown_provider(name)
    try:
        factory: Factory = found[0].load()
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"{name}: the plug-in {found[0].value} cannot be loaded ({what}); fix or remove it."
        ) from error
    return factory

"""Where an OpenAI-compatible model is and which key goes there: a custom endpoint never gets the default's key."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evolif._errors import UsageError
from evolif.models._names import ModelName, check_base_url
from evolif.models._redact import PLACEHOLDER_KEY

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address and its key; the key is in no repr."""

    base_url: str = DEFAULT_URL
    key: str = field(default=PLACEHOLDER_KEY, repr=False)
    key_env: str | None = None
    """The variable the key came from, for messages."""
    custom: bool = True
    """Whether somebody named the address, so that nothing meant for OpenAI alone may be sent there."""
    trust_env: bool = True
    """Whether the environment's proxies are used; never on loopback, where a proxy would get the key."""

    @property
    def host(self) -> str:
        """The host, for messages."""
        return urlsplit(self.base_url).hostname or self.base_url

    @property
    def is_openai(self) -> bool:
        """Whether this is the original service, which knows parameters that compatible servers do not."""
        return self.host == "api.openai.com"


def resolve_endpoint(name: ModelName) -> Endpoint:
    """Find address and key from the name and the environment.

    `OPENAI_BASE_URL` moves the default endpoint, and `OPENAI_API_KEY` with it: both stand in the same environment.

    Raises:
        UsageError: the variable that should hold the key is missing, empty or holds what no header can carry.
    """
    if name.base_url is not None:
        base_url, variable = check_base_url(name.base_url), name.key_env
    else:
        base_url = check_base_url(os.environ.get("OPENAI_BASE_URL", "").strip() or DEFAULT_URL)
        variable = name.key_env or "OPENAI_API_KEY"
    key = PLACEHOLDER_KEY if variable is None else key_from(variable, name)
    return Endpoint(base_url, key, variable, custom=name.base_url is not None)


def key_from(variable: str, name: ModelName) -> str:
    """Read a key from the environment.

    Raises:
        UsageError: it is missing, empty or holds what no header can carry.
    """
    key = os.environ.get(variable, "").strip()
    if not key:
        raise UsageError(
            f"{name} needs a key: set the environment variable {variable} (keys are read from nowhere else)."
        )
    if not (key.isascii() and key.isprintable()):
        raise UsageError(f"{name}: the key in {variable} has characters that no request can carry; set it again.")
    return key


def make_client(endpoint: Endpoint, *, timeout: float) -> AsyncOpenAI:
    """Make the SDK's client for an endpoint; it repeats nothing. `timeout` is in seconds without a byte."""
    import openai

    from evolif.models._transport import make_http_client

    http_client = make_http_client(timeout=timeout, trust_env=endpoint.trust_env)
    return openai.AsyncOpenAI(
        api_key=endpoint.key,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=http_client.timeout,
        default_headers=_headers(endpoint),
        http_client=http_client,
    )


_MACHINE = "Lang Package-Version OS Arch Runtime Runtime-Version Async".split()
"""What the SDK tells about this machine in headers `X-Stainless-…`; a provider needs none of it to answer."""


def _headers(endpoint: Endpoint) -> dict[str, str]:
    """Headers that keep what the environment holds for OpenAI away from a custom endpoint, and this machine's from all.

    The SDK adds `OPENAI_ORG_ID`, `OPENAI_PROJECT_ID` and every line of `OPENAI_CUSTOM_HEADERS` to each request,
    wherever it goes. Naming a header ourselves wins over the environment, and `omit` leaves it out.
    """
    from openai import omit

    silent = [f"X-Stainless-{name}" for name in _MACHINE]
    headers: dict[str, Any] = dict.fromkeys(silent, omit)  # the SDK's own annotation knows only strings
    if not endpoint.custom:
        return headers
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    ambient = [line.partition(":")[0].strip() for line in lines if ":" in line]
    names = [name for name in ("OpenAI-Organization", "OpenAI-Project", *ambient) if name.lower() != "authorization"]
    return {**headers, **dict.fromkeys(names, omit), "Authorization": f"Bearer {endpoint.key}"}

"""Where an OpenAI-compatible model is and which key goes there: a custom endpoint never gets the default's key."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from evolif.errors import UsageError

if TYPE_CHECKING:
    from openai import AsyncOpenAI


# Names of models: `provider/name?base_url=...&key_env=...`.

KNOWN = "openai/NAME, google/NAME, local/NAME or local/PATH.gguf, sim/perfect, sim/steady, sim/forgetful"
"""What stands in every sentence about a model that is not known."""

_OPTIONS = ("base_url", "key_env")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PROVIDER = re.compile(r"[a-z][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class ModelName:
    """A parsed name; it holds the name of a key's variable and never a key."""

    provider: str
    name: str
    base_url: str | None = None
    key_env: str | None = None

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """`provider/name` without the query, fit for reports."""
        return f"{self.provider}/{self.name}"


def parse_model_name(spec: str) -> ModelName:
    """Read a model's name.

    Values of the query are percent-decoded, so a `&` inside a `base_url` is written `%26`. Of a local file every
    character after `local/` belongs to the path: `local/./weights.gguf`, `local//abs/weights.gguf`.

    Raises:
        UsageError: the name has no provider, an unknown option or an endpoint that cannot be used. Whether the
            provider exists is asked by `open_model`.
    """
    provider, slash, rest = spec.strip().partition("/")
    if not slash:
        raise UsageError(f"{shown(spec)} names no provider: write openai/{shown(spec, '')} (known: {KNOWN}).")
    if not _PROVIDER.fullmatch(provider):
        raise UsageError(f"{shown(spec)} is no model name: write provider/name (known: {KNOWN}).")
    if provider == "local":
        return ModelName(provider, _required(rest, spec))
    name, _, query = rest.partition("?")
    options = _options(query, spec)
    if provider == "sim" and options:
        raise UsageError(f"{shown(spec)}: a simulated model has no endpoint, so leave base_url and key_env out.")
    return ModelName(provider, _required(name, spec), options.get("base_url"), options.get("key_env"))


def unknown_provider(name: ModelName) -> UsageError:
    """The error for a provider that neither this package nor a plug-in has."""
    return UsageError(f"{shown(name.label)}: there is no provider {shown(name.provider)} (known: {KNOWN}).")


def check_base_url(url: str) -> str:
    """Return an endpoint's address as given, if requests can go there.

    Raises:
        UsageError: it is not http(s), has no host, or carries a password (which would end in reports and logs).
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in {"http", "https"} or not url.isprintable() or " " in url:
        raise UsageError("base_url must be an address such as http://127.0.0.1:8000/v1.")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "base_url must not hold a user or password: put the key into a variable and name it by key_env."
        )
    return url


def strip_credentials(url: str) -> str:
    """An endpoint's address without user, password, query and fragment, any of which may hold a key."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def shown(text: str, quote: str = "'", limit: int = 80) -> str:
    """A user's text fit for one line of an error: printable, cut, its query left out (somebody may paste a key)."""
    text = "".join(c for c in text.partition("?")[0] if c.isprintable())
    return f"{quote}{text[:limit]}{'…' if len(text) > limit else ''}{quote}"


def _required(name: str, spec: str) -> str:
    if not name or not name.isprintable():
        raise UsageError(f"{shown(spec)} has no name after the provider (known: {KNOWN}).")
    return name


def _options(query: str, spec: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        key, _, value = part.partition("=")
        if key not in _OPTIONS or key in options:
            raise UsageError(f"{shown(spec)}: after '?' stand base_url=... and key_env=..., each at most once.")
        options[key] = unquote(value)
    if "base_url" in options:
        check_base_url(options["base_url"])
    # The value is not repeated: whoever writes the key itself here must not find it in a log.
    if "key_env" in options and not _VARIABLE.fullmatch(options["key_env"]):
        raise UsageError(f"{shown(spec)}: key_env must be the NAME of an environment variable that holds the key.")
    return options


# A provider's text made fit for an error, a log and a report: no key, no control characters, one short line.

PLACEHOLDER_KEY = "none"
"""What a server without keys is sent, because the SDKs insist on one."""
TEXT_LIMIT = 300
"""Characters of a provider's text that an error repeats."""

_LOOKED_AT = 4000
"""Characters that are looked at at all; what stands later would be cut in any case."""
_SECRETS = re.compile(
    r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?\S+(\s+\S+)?|\b(bearer|basic)\s+\S+|\b(sk|pk|rk)-[\w*.-]{4,}|\bAIza[\w-]{8,}"
    r"|\b(api[-_ ]?key( provided)?|token|secret|password)['\"]?\s*[:=]\s*['\"]?\S+|\S{0,80}\*{3}\S{0,80})"
)


def redact(text: str, key: str) -> str:
    """Make a provider's text fit for a message: one line, no control characters, no key, at most 300 characters.

    Order matters: characters are removed first, since a key cut by them would appear whole afterwards, and the cut to
    300 comes last, since of half a key only the beginning is known.
    """
    text = text[:_LOOKED_AT]
    text = " ".join("".join(c if c.isprintable() else " " if c.isspace() else "" for c in text).split())
    if key and key != PLACEHOLDER_KEY:
        for shape in {key, quote(key, safe="")}:
            text = text.replace(shape, "[key]")
            if len(key) > 12:  # providers like to show the beginning
                text = re.sub(re.escape(shape[:8]) + r"\S*", "[key]", text)
    text = _SECRETS.sub("[key]", text)
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"


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

    from evolif.models.transport import make_http_client

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

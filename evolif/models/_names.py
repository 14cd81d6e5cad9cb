"""Names of models: `provider/name?base_url=...&key_env=...`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from evolif._errors import UsageError

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

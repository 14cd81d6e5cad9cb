"""Names of models, endpoints and keys; a custom endpoint never gets the key of the default one."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import sha256
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

from evolif.errors import ArgumentError, UsageError
from evolif.models.parameters import Parameters, from_query
from evolif.models.providers import OWN, nearest_provider, providers
from evolif.models.weights import CATALOGUE
from evolif.util.suggestions import nearest

if TYPE_CHECKING:
    from openai import AsyncOpenAI


KNOWN = "openai/NAME, anthropic/NAME, google/NAME, local/NAME or local/PATH.gguf, sim/perfect, sim/steady"
"""Shown in errors about an unknown model; `evolif models list` shows all."""

_OPTIONS = ("base_url", "key_env", "as")
_OWN_KEYS = {"openai": ("OPENAI_API_KEY",), "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY")}
"""Variables of keys of providers with a client of their own; one of them is enough."""
_ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_ALIASED = re.compile(r"(\S+) \([A-Za-z0-9_.-]{1,40}\)")
_SAFE = "/:,.-_"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PROVIDER = re.compile(r"[a-z][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class ModelName:
    """A parsed `provider/name?base_url=...&key_env=...&as=...&top_p=...`.

    It holds the name of a key's variable, never a key.
    """

    provider: str
    name: str
    base_url: str | None = field(default=None, repr=False)
    key_env: str | None = None
    alias: str | None = None
    """What reports add to its name instead of its parameters."""
    query: tuple[tuple[str, str], ...] = ()
    """Its parameters as they were given, sorted."""

    def __str__(self) -> str:
        return self.label

    @property
    def plain(self) -> str:
        """`provider/name`, without parameters: what is asked and paid for. Of a local file it has no folder."""
        name = self.name if self.provider != "local" else PurePath(self.name).name or self.name
        return f"{self.provider}/{name}"

    @property
    def label(self) -> str:
        """What reports call it: `provider/name`, and what tells it apart from the same model asked otherwise."""
        if self.alias is not None:
            return f"{self.plain} ({self.alias})"
        told = "&".join(f"{key}={quote(value, safe=_SAFE)}" for key, value in self.query)
        return f"{self.plain}?{told}" if told else self.plain

    @property
    def parameters(self) -> Parameters:
        """What its requests say besides messages and sampling."""
        return from_query(self.query)


def plain_name(label: str) -> str:
    """`provider/name` of a label: without parameters and without what `as=` added.

    Args:
        label: As reports call a model; those of simulated and local models stay as they are.
    """
    if label.startswith(("local/", "sim/")):
        return label
    aliased = _ALIASED.fullmatch(label)
    return aliased[1] if aliased else label.partition("?")[0]


def parse_model_name(spec: str) -> ModelName:
    """Parse a model's name.

    Values of the query are percent-decoded, so a `&` inside a `base_url` is written `%26`. For a local file, everything
    after `local/` is the path: `local/./weights.gguf`, `local//abs/weights.gguf`. The query of a simulated model is
    part of its name, since it says which of many models is meant.

    Raises:
        UsageError: the name has no provider, an unknown option or a wrong endpoint. `open_model` checks whether the
            provider exists.
    """
    provider, slash, rest = spec.strip().partition("/")
    if not slash:
        raise UsageError(f"{shown(spec)} has no provider: {_meant_model(spec.strip())} (known: {KNOWN}).")
    if not _PROVIDER.fullmatch(provider):
        raise UsageError(f"{shown(spec)} is not a model name: write provider/name (known: {KNOWN}).")
    if provider == "local":
        return ModelName(provider, _required(rest, spec))
    name, _, query = rest.partition("?")
    if provider == "sim":
        if any(part.partition("=")[0] in _OPTIONS for part in query.split("&")):
            raise UsageError(f"{shown(spec)}: a simulated model has no endpoint; remove base_url and key_env.")
        return ModelName(provider, _required(rest, spec))  # its scenario reads the query
    options, parameters = _options(query, spec)
    named = _required(name, spec)
    return ModelName(
        provider, named, options.get("base_url"), options.get("key_env"), options.get("as"), tuple(sorted(parameters))
    )


_FAMILIES = {
    "anthropic": ("claude",),
    "deepseek": ("deepseek",),
    "google": ("gemini",),
    "mistral": ("mistral", "magistral", "codestral"),
    "openai": ("gpt", "chatgpt", "o1", "o3", "o4"),
    "xai": ("grok",),
}
"""Whose models have names that begin like this; nothing else is guessed, since a guess sends conversations there."""


_PLAYERS = "evolif.scenario.registry:player_names"
"""Who knows the simulated models: scenarios are above this package."""


def _simulated() -> Sequence[str]:
    """The names of all simulated models, without the provider."""
    module, _, function = _PLAYERS.partition(":")
    return sorted(getattr(import_module(module), function)())


def _meant_model(spec: str) -> str:
    """What to write instead of a name without a provider."""
    word = shown(spec, "")
    if spec in (*OWN, *providers()):
        return f"write {word}/NAME"
    if spec.endswith(".gguf"):
        return f"write local/{word}"
    simulated = _simulated()
    near = nearest(spec.partition("?")[0], (*simulated, *(one.name for one in CATALOGUE)), cutoff=0.75)
    if near is not None:
        return f"did you mean {'sim' if near in simulated else 'local'}/{near}?"
    family = re.split(r"[^a-z0-9]", spec.lower(), maxsplit=1)[0]
    for provider, names in _FAMILIES.items():
        if family in names:
            return f"did you mean {provider}/{word}?"
    return f"write PROVIDER/{word}, or openai/{word}?base_url=URL for a server of your own"


def missing_key(name: ModelName) -> str:
    """The variable of a key that a service's own address needs and that is not set; empty if there is none to miss."""
    known = providers().get(name.provider)
    variables = _OWN_KEYS.get(name.provider, () if known is None or known.key_env is None else (known.key_env,))
    wanted = (name.key_env,) if name.key_env else variables
    return "" if not wanted or any(os.environ.get(one, "").strip() for one in wanted) else wanted[-1]


def unknown_provider(name: ModelName) -> UsageError:
    """The error for a provider that neither this package nor a plug-in offers: the nearest, and the way to any."""
    near = nearest_provider(name.provider)
    meant = f"; did you mean {near}/{shown(name.name, '')}?" if near else "."
    return UsageError(
        f"{shown(name.label)}: unknown provider {shown(name.provider)}{meant} Any other OpenAI-compatible service is "
        f"reached as openai/{shown(name.name, '')}?base_url=URL&key_env=VARIABLE; evolif models list shows those that "
        "are known."
    )


def check_base_url(url: str) -> str:
    """Return an endpoint's address as given.

    Raises:
        UsageError: it is not http(s), has no host, or has a password (which would get into reports and logs).
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in {"http", "https"} or not url.isprintable() or " " in url:
        raise UsageError("base_url must be a URL such as http://127.0.0.1:8000/v1.")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "base_url must not contain a user or password: put the key in an environment "
            "variable and pass its name as key_env."
        )
    return url


_PLAIN = re.compile(
    r"|v[0-9]{1,2}((alpha|beta)[0-9]{0,2})?|api|beta|chat|compatible-mode|gateway|inference|llm|models|openai|paas|proxy"
    r"|serving-endpoints"
)
"""Words of a path that are no secret; the first other one, and everything after it, may be one."""
_DIGEST = re.compile(r"~[0-9a-f]{12}")


def shown_address(url: str) -> str:
    """An endpoint's address as it is stored and shown: without anything that may be a key.

    User, password, query and fragment are left out. Of the path, everything from the first uncommon word on is replaced
    by a digest, which still tells endpoints apart: `https://host/v1/KEY` becomes `https://host/v1/~0123456789ab`. An
    address that went through this before stays as it is.
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # of a foreign run
        return ""
    host = parts.netloc.rpartition("@")[2]
    plain, hidden = _split_path(parts.path)
    if hidden and not _DIGEST.fullmatch(hidden):
        hidden = f"~{sha256(f'{host}{parts.path}'.encode()).hexdigest()[:12]}"
    return urlunsplit((parts.scheme, host, plain + hidden, "", ""))


def address_digest(url: str) -> str:
    """What outputs show in the place of an endpoint's address: `~0123456789ab`, which still tells endpoints apart.

    Args:
        url: As stored; empty for the provider's own address, which stays empty.
    """
    return f"~{sha256(shown_address(url).encode()).hexdigest()[:12]}" if url else ""


def _split_path(path: str) -> tuple[str, str]:
    """The part of a path that may be shown, and the rest."""
    words = path.split("/")
    common = next((i for i, word in enumerate(words) if not _PLAIN.fullmatch(word)), len(words))
    plain = "".join(f"{word}/" for word in words[:common])
    return (path, "") if common == len(words) else (plain, "/".join(words[common:]))


def shown(text: str, quote: str = "'", limit: int = 80) -> str:
    """A user's text for one line of an error: printable, cut, without its query (somebody may paste a key)."""
    text = "".join(c for c in text.partition("?")[0] if c.isprintable())
    return f"{quote}{text[:limit]}{'…' if len(text) > limit else ''}{quote}"


def _required(name: str, spec: str) -> str:
    if not name or not name.isprintable():
        raise UsageError(f"{shown(spec)} has no name after the provider (known: {KNOWN}).")
    return name


def _options(query: str, spec: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Options of the name by key, and parameters of its requests."""
    options: dict[str, str] = {}
    parameters: list[tuple[str, str]] = []
    for part in filter(None, query.split("&")):
        key, equals, value = part.partition("=")
        if key in options or not equals:
            raise UsageError(f"{shown(spec)}: write key=value after '?', each key once; & parts them.")
        if key in _OPTIONS:
            options[key] = unquote(value)
        elif meant := _meant_option(key, value):
            raise UsageError(f"{shown(spec)}: there is no {shown(key)}; did you mean {meant}=?")
        else:
            parameters.append((key, unquote(value)))
    try:
        from_query(parameters)
    except ArgumentError as fault:
        raise UsageError(f"{shown(spec)}: {fault}.") from None
    if "as" in options and not _ALIAS.fullmatch(options["as"]):
        raise UsageError(f"{shown(spec)}: as= needs a label of letters, digits, '.', '_' and '-', at most 40.")
    if "base_url" in options:
        check_base_url(options["base_url"])
    # The value is not repeated: a user may put the key itself here, and it must not get into a log.
    if "key_env" in options and not _VARIABLE.fullmatch(options["key_env"]):
        raise UsageError(f"{shown(spec)}: key_env must be the NAME of an environment variable that holds the key.")
    return options, parameters


def _meant_option(key: str, value: str) -> str | None:
    """The option that a key was probably meant to be; as a parameter, it would go to the provider's own address."""
    if unquote(value).lower().startswith(("http://", "https://")):
        return "base_url"
    near = get_close_matches(key.lower().replace("-", "_"), _OPTIONS[:2], n=1, cutoff=0.75)
    return near[0] if near else None


PLACEHOLDER_KEY = "none"
"""Sent to a server without keys, because the SDKs require one."""
TEXT_LIMIT = 300
"""Characters of a provider's text that an error repeats."""

_SHORTEST_SECRET = 6
"""Characters; what is shorter is a word of messages, too."""
_SHORTEST_PART = 12
"""Characters of a key that are cut out wherever they stand: an endpoint may echo its middle."""
_MOST_READ = 4000
"""Characters read; later ones would be cut anyway."""
_SECRETS = re.compile(
    r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?\S+(\s+\S+)?|\b(bearer|basic)\s+\S+|\b(sk|pk|rk)-[\w*.-]{4,}|\bAIza[\w-]{8,}"
    r"|\b(api[-_ ]?key( provided)?|token|secret|password)['\"]?\s*[:=]\s*['\"]?\S+|\S{0,80}\*{3}\S{0,80})"
)


def redact(text: str, *secrets: str) -> str:
    """Prepare a provider's text for a message: one line, no control characters, no secret, at most 300 characters.

    The order matters. Characters are removed first, since removal could join the parts of a split key; the text is cut
    last, since half a key is not recognised.
    """
    text = text[:_MOST_READ]
    text = " ".join("".join(c if c.isprintable() else " " if c.isspace() else "" for c in text).split())
    for key in secrets:
        if not key or key == PLACEHOLDER_KEY:
            continue
        for shape in {key, quote(key, safe="")}:
            text = text.replace(shape, "[key]")
            if len(key) > _SHORTEST_PART:  # providers often show the beginning
                text = re.sub(re.escape(shape[:8]) + r"\S*", "[key]", text)
            text = _without_parts(text, shape)
    text = _SECRETS.sub("[key]", text)
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"


def _without_parts(text: str, key: str) -> str:
    """A text without runs of a key: places with at least `_SHORTEST_PART` characters of it one after the other."""
    parts = {key[at : at + _SHORTEST_PART] for at in range(len(key) - _SHORTEST_PART + 1)}
    if not any(part in text for part in parts):
        return text
    kept: list[str] = []
    done = at = 0
    while at <= len(text) - _SHORTEST_PART:
        if text[at : at + _SHORTEST_PART] not in parts:
            at += 1
            continue
        end = at + _SHORTEST_PART
        while text[end - _SHORTEST_PART + 1 : end + 1] in parts and end < len(text):
            end += 1
        kept += [text[done:at], "[key]"]
        done = at = end
    return "".join([*kept, text[done:]])


DEFAULT_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address and its key; no repr contains either, since both may be secret."""

    base_url: str = field(default=DEFAULT_URL, repr=False)
    key: str = field(default=PLACEHOLDER_KEY, repr=False)
    key_env: str | None = None
    """The variable of the key, for messages."""
    custom: bool = True
    """Whether the user gave the address, so that data meant only for OpenAI must not be sent there."""
    trust_env: bool = True
    """Whether the environment's proxies are used; not for a local model, whose key a proxy would get."""
    key_header: str | None = None
    """The header of the key; a bearer token in `Authorization` if None."""

    @property
    def host(self) -> str:
        """The host, for messages."""
        return urlsplit(self.base_url).hostname or self.base_url

    @property
    def hidden(self) -> tuple[str, ...]:
        """What no message may repeat of the address: the parts that `shown_address` hides, longest first."""
        parts = urlsplit(self.base_url)
        rest = _split_path(parts.path)[1]
        values = [value for _, value in parse_qsl(parts.query)]
        found = {shape for text in (rest, *rest.split("/"), parts.query, *values) for shape in (text, unquote(text))}
        return tuple(sorted((text for text in found if len(text) >= _SHORTEST_SECRET), key=len, reverse=True))

    @property
    def is_openai(self) -> bool:
        """Whether this is the original service, which has parameters that compatible servers lack."""
        return self.host == "api.openai.com"


def resolve_endpoint(name: ModelName) -> Endpoint:
    """Address and key, from the name, the known providers and the environment.

    `OPENAI_BASE_URL` changes the default endpoint, which then receives `OPENAI_API_KEY`: both belong to the same
    environment.

    Raises:
        UsageError: the key's variable is missing, empty or contains what no header can carry.
    """
    known = providers().get(name.provider)
    if name.base_url is not None:
        base_url, variable = check_base_url(name.base_url), name.key_env
    elif known is not None:
        base_url, variable = known.address(name.plain, os.environ), name.key_env or known.key_env
    else:
        base_url = check_base_url(os.environ.get("OPENAI_BASE_URL", "").strip() or DEFAULT_URL)
        variable = name.key_env or "OPENAI_API_KEY"
    key = PLACEHOLDER_KEY if variable is None else key_from(variable, name)
    header = None if known is None or variable is None else known.key_header
    own = name.base_url is not None or known is not None
    return Endpoint(base_url, key, variable, custom=own, key_header=header)


def key_from(variable: str, name: ModelName) -> str:
    """Read a key from the environment.

    Raises:
        UsageError: it is missing, empty or contains what no header can carry.
    """
    key = os.environ.get(variable, "").strip()
    if not key:
        raise UsageError(
            f"{name} needs a key: set the environment variable {variable} (keys are only read from the environment)."
        )
    if not (key.isascii() and key.isprintable()):
        raise UsageError(
            f"{name}: the key in {variable} contains characters that cannot be sent in a request; set it again."
        )
    return key


def make_client(endpoint: Endpoint, *, timeout: float) -> AsyncOpenAI:
    """The SDK's client for an endpoint, without retries; `timeout` is in seconds without a byte."""
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


def without_bearer(endpoint: Endpoint) -> dict[str, Any]:
    """The header by which each request says that it has no bearer token; the SDK adds one that is left out elsewhere.

    Args:
        endpoint: Its own header of the key decides.
    """
    from openai import omit

    return {} if endpoint.key_header is None else {"Authorization": omit}


_MACHINE = "Lang Package-Version OS Arch Runtime Runtime-Version Async".split()
"""Headers `X-Stainless-…` in which the SDK describes this machine; no provider needs them to answer."""


def _headers(endpoint: Endpoint) -> dict[str, str]:
    """Headers that replace the SDK's own; `omit` leaves a header out.

    The SDK sends `OPENAI_ORG_ID`, `OPENAI_PROJECT_ID` and all `OPENAI_CUSTOM_HEADERS` to custom endpoints too.
    """
    from openai import omit

    headers: dict[str, Any] = {f"X-Stainless-{name}": omit for name in _MACHINE}  # the SDK annotates strings only
    bearer: dict[str, Any] = {"Authorization": f"Bearer {endpoint.key}"}
    if endpoint.key_header is not None:
        bearer = {endpoint.key_header: endpoint.key}  # `without_bearer` leaves the other out
    if not endpoint.custom:
        return headers
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    ambient = [line.partition(":")[0].strip() for line in lines if ":" in line]
    names = [name for name in ("OpenAI-Organization", "OpenAI-Project", *ambient) if name.lower() != "authorization"]
    return {**headers, **dict.fromkeys(names, omit), **bearer}

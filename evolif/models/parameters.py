"""Parameters of requests: what a model is asked with, besides messages and sampling.

They come with a model's name (`openai/NAME?reasoning_effort=low&top_p=0.9`, a dot for each level of nesting), or from
a file (`--model-args FILE`):

    reasoning: {effort: low}          any key of the request body, for every model under test
    headers: {X-Project: MY_VARIABLE} a header, and the environment variable that holds it
    models:
      openai/NAME: {service_tier: flex}   for one model, named without its parameters
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evolif.errors import ArgumentError, InputError, UsageError
from evolif.util.resources import MOST_NESTING, load_data

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,59}(\.[A-Za-z_][A-Za-z0-9_-]{0,59}){0,4}")
_HEADER = re.compile(r"[A-Za-z0-9-]{1,80}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = frozenset(
    "model messages stream stream_options n tools tool_choice functions function_call response_format".split()
)
"""Keys that this program sets, or that change what an answer is."""
_CREDENTIAL = re.compile(r"(?i)(.*[_-])?(api_?key|key|secret|password|authorization|access_token|auth_token)|token")
_OWN_HEADERS = frozenset({"authorization", "content-length", "content-type", "host"})
_LIMITS = ("max_tokens", "max_completion_tokens")
_MOST_TEXT = 20_000
"""Characters of all parameters of a model, as JSON."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """What is added to the requests of one model.

    Attributes:
        body: Keys of the request body, over those that this program sets for sampling.
        headers: Header to the environment variable that holds its value.
    """

    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.body or self.headers)

    def over(self, other: Parameters) -> Parameters:
        """These, and what the others have besides."""
        return Parameters(_merged(other.body, self.body), {**other.headers, **self.headers})

    def stored(self) -> dict[str, Any]:
        """As a run stores them: no value of a header, only the name of its variable."""
        return {**self.body, **({"headers": dict(self.headers)} if self.headers else {})}

    def query(self) -> tuple[str, bool]:
        """How they stand in a model's name, after `?`; and whether that is all of them.

        Lists, empty mappings and headers need a file.
        """
        told: list[str] = []
        whole = _tell(self.body, "", told) and not self.headers
        return "&".join(told), whole

    @classmethod
    def from_stored(cls, data: Mapping[str, Any]) -> Parameters:
        """What a run has stored.

        Raises:
            ArgumentError: it was edited.
        """
        return _from_data(data)

    def apply(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The body of a request with these parameters.

        Args:
            arguments: The body without them.
        """
        replaced = _LIMITS if any(name in self.body for name in _LIMITS) else ()
        return _merged({name: value for name, value in arguments.items() if name not in replaced}, self.body)


def from_query(pairs: Iterable[tuple[str, str]]) -> Parameters:
    """The parameters in a model's name.

    Args:
        pairs: Keys and texts; a text that is a JSON number, truth value or null is that, any other one a string.

    Raises:
        ArgumentError: a key that cannot be set, or one that stands there twice.
    """
    body: dict[str, Any] = {}
    for key, text in pairs:
        if not _KEY.fullmatch(key):
            raise ArgumentError(f"{key[:60]!r} is no parameter of a request; write key=value, such as top_p=0.9")
        body = _merged(body, _nested(key.split("."), _scalar(text)), twice=key)
    return Parameters(_checked(body))


def read_parameters(path: Path, names: Iterable[str]) -> dict[str, Parameters]:
    """The parameters that a file gives each model.

    Args:
        path: The file of `--model-args`.
        names: The models of the run, as `provider/name`.

    Raises:
        InputError: the file is broken, or names a model that the run does not have.
        UsageError: the file cannot be read.
    """
    data = load_data(path)
    if not isinstance(data, dict):
        raise InputError("write keys of the request body, each with its value, such as top_p: 0.9", path=path)
    known = list(names)
    own = data.pop("models", None) or {}
    if not isinstance(own, dict) or not all(isinstance(one, dict) for one in own.values()):
        raise InputError("models: give each model its keys, such as openai/NAME: {top_p: 0.9}", path=path)
    unknown = [str(name) for name in own if name not in known]
    if unknown:
        raise InputError(f"models: {unknown[0][:80]!r} is not played; there is {', '.join(known)}", path=path)
    try:
        everybody = _from_data(data)
        return {name: _from_data(own.get(name, {})).over(everybody) for name in known}
    except ArgumentError as fault:
        raise InputError(str(fault), path=path) from None


def header_values(headers: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """The headers with their values.

    Args:
        headers: Header to variable.
        environment: Of this process.

    Raises:
        UsageError: a variable is missing, or holds what no header can carry.
    """
    found = {}
    for header, variable in headers.items():
        value = environment.get(variable, "").strip()
        if not value:
            raise UsageError(f"the header {header} needs the environment variable {variable}; set it")
        if not (value.isascii() and value.isprintable()):
            raise UsageError(f"{variable} contains characters that the header {header} cannot carry; set it again")
        found[header] = value
    return found


def _from_data(data: Mapping[Any, Any]) -> Parameters:
    headers = data.get("headers") or {}
    if not isinstance(headers, dict):
        raise ArgumentError("headers: give each header the name of an environment variable")
    for header, variable in headers.items():
        if not isinstance(header, str) or not _HEADER.fullmatch(header) or header.lower() in _OWN_HEADERS:
            raise ArgumentError(f"headers: {str(header)[:80]!r} cannot be set; keys belong to ?key_env=VARIABLE")
        if not isinstance(variable, str) or not _VARIABLE.fullmatch(variable):
            # The value is not repeated: it may be the secret itself.
            raise ArgumentError(f"headers: {header} needs the NAME of an environment variable that holds its value")
    return Parameters(_checked({key: value for key, value in data.items() if key != "headers"}), dict(headers))


def _checked(body: Mapping[Any, Any]) -> dict[str, Any]:
    for key in body:
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ArgumentError(f"{str(key)[:60]!r} is no key of a request; give names such as top_p")
        if key in _OURS:
            raise ArgumentError(f"{key} is set by evolif itself; leave it out")
    _refuse_credentials(body)
    try:
        text = json.dumps(body, allow_nan=False)
        length = len(text)
    except (TypeError, ValueError, RecursionError):
        raise ArgumentError("a parameter of a request is no JSON value; give numbers, texts and lists") from None
    if length > _MOST_TEXT:
        raise ArgumentError(f"the parameters of a request have {length} characters; {_MOST_TEXT} are allowed")
    found: dict[str, Any] = json.loads(text)
    return found


def _refuse_credentials(value: Any, depth: int = 0) -> None:
    if depth > MOST_NESTING:  # in a run that was edited; files are not nested deeper
        raise ArgumentError("the parameters of a request are nested too deeply; flatten them")
    if isinstance(value, list):
        for item in value:
            _refuse_credentials(item, depth + 1)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str) and _CREDENTIAL.fullmatch(key):
                raise ArgumentError(
                    f"{key[:60]} looks like a key, and parameters are stored with the run; put the key into an "
                    "environment variable and name it with ?key_env=VARIABLE"
                )
            _refuse_credentials(item, depth + 1)


def _tell(body: Mapping[str, Any], prefix: str, told: list[str]) -> bool:
    """Write the keys of a body as a query; False if some cannot stand there."""
    whole = True
    for key, value in body.items():
        if isinstance(value, Mapping) and value:
            whole = _tell(value, f"{prefix}{key}.", told) and whole
        elif isinstance(value, list | Mapping) or (isinstance(value, str) and _scalar(value) != value):
            whole = False
        else:
            text = value if isinstance(value, str) else json.dumps(value)
            told.append(f"{prefix}{key}={quote(text, safe='/:,.-_')}")
    return whole


def _nested(keys: list[str], value: Any) -> dict[str, Any]:
    first, *rest = keys
    return {first: _nested(rest, value) if rest else value}


def _scalar(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, dict | list) or value in (float("inf"), float("-inf")) or value != value else value


def _merged(below: Mapping[str, Any], above: Mapping[str, Any], twice: str = "") -> dict[str, Any]:
    """Two bodies, key by key; with `twice`, the name of a key that must not be there already."""
    found = dict(below)
    for key, value in above.items():
        if isinstance(found.get(key), Mapping) and isinstance(value, Mapping):
            found[key] = _merged(found[key], value, twice)
        elif key in found and twice:
            raise ArgumentError(f"the parameter {twice[:60]} is given twice; give it once")
        else:
            found[key] = value
    return found

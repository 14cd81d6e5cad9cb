"""The models that an endpoint lists, as names to ask them by.

What a server lists is foreign text: ids that no name can hold are left out, and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from evolif.errors import EvolifError, OutsideError, UsageError
from evolif.models.endpoint import (
    Endpoint,
    ModelName,
    check_base_url,
    make_client,
    parse_model_name,
    resolve_endpoint,
    shown,
    unknown_provider,
    without_bearer,
)
from evolif.models.faults import EndpointErrors, json_object, mapping, retry_after
from evolif.models.openai import error_body
from evolif.models.providers import providers
from evolif.models.stalls import TimeLimit

MOST_MODELS = 10_000
"""Ids that are read; the largest gateways list less than a thousand."""
_LONGEST_ID = 200
_ANY = "NAME"
"""The model of an endpoint that was named without one, for messages."""
_NO_LIST = frozenset({404, 405, 410, 501})
_GOOGLE_PATH = "v1beta/models"
_UNWRITABLE = frozenset("?&#%'\"\\`$ ")
"""Signs that a name would have to escape, or a shell."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What an endpoint lists."""

    host: str
    """For messages."""
    ids: tuple[str, ...]
    """Sorted, each once."""
    left_out: int = 0
    """Ids that no name can hold."""
    more: bool = False
    """Whether the endpoint says that there are others."""


def named_endpoint(text: str) -> ModelName:
    """The endpoint that somebody names to see its models.

    Args:
        text: A provider, a model's name with or without `?base_url=…`, or an address.

    Returns:
        A name with the endpoint; its model does not matter.

    Raises:
        UsageError: it is none of these, or has no endpoint.
    """
    text = text.strip()
    if text.startswith(("http://", "https://")):
        return ModelName("openai", _ANY, check_base_url(text))
    name = parse_model_name(text) if "/" in text else ModelName(text, _ANY)
    if name.provider in ("local", "sim"):
        raise UsageError(f"{name.provider}/ has no endpoint; `evolif models list` shows its models")
    if name.provider not in ("openai", "google", *providers()):
        if "/" not in text:
            raise UsageError(
                f"{shown(text)} is no provider and no address; write one that `evolif models list` shows, or a URL "
                "such as http://127.0.0.1:8000/v1"
            )
        raise unknown_provider(name)
    return name


def spec_for(name: ModelName, model: str) -> str:
    """How a model of an endpoint is named: what `--model` takes.

    Args:
        name: The endpoint, as `named_endpoint` gives it.
        model: Its id there.
    """
    address = None if name.base_url is None else name.base_url.replace("%", "%25").replace("&", "%26")
    options = [("base_url", address), ("key_env", name.key_env)]
    query = "&".join(f"{key}={value}" for key, value in options if value is not None)
    return f"{name.provider}/{model}{'?' * bool(query)}{query}"


async def list_models(name: ModelName, timeout: float) -> Listing:
    """Ask an endpoint for its models.

    Args:
        name: As `named_endpoint` gives it.
        timeout: Seconds for the answer.

    Raises:
        OutsideError: it has no list.
        ModelError: it cannot be reached, refuses the key, or answers something else.
        UsageError: its key or a part of its address is missing.
    """
    google = name.provider == "google"
    endpoint = _google_endpoint(name) if google else resolve_endpoint(name)
    label = name.provider if name.name == _ANY else name.plain
    errors = EndpointErrors(label, endpoint.host, endpoint.key, endpoint.key_env, endpoint.hidden)
    parts = urlsplit(endpoint.base_url)
    path = f"{parts.path.rstrip('/')}/{_GOOGLE_PATH if google else 'models'}"
    body = await _get(parts._replace(path=path).geturl(), endpoint, errors, timeout)
    ids, left_out = _ids(body)
    return Listing(endpoint.host, ids, left_out, bool(body.get("has_more") or body.get("nextPageToken")))


def _google_endpoint(name: ModelName) -> Endpoint:
    from evolif.models.google import resolve_google

    return replace(resolve_google(name), custom=True, key_header="x-goog-api-key")


async def _get(url: str, endpoint: Endpoint, errors: EndpointErrors, timeout: float) -> dict[str, Any]:
    import httpx2
    import openai

    from evolif.models.transport import BodyTooLargeError

    client = make_client(endpoint, timeout=timeout)
    fault: EvolifError
    try:
        async with TimeLimit(timeout):
            options: Any = {"headers": without_bearer(endpoint), "max_retries": 0, "follow_redirects": False}
            answer = await client.get(url, cast_to=httpx2.Response, options=options)
        return _object(answer.content, errors)
    except openai.APIStatusError as error:
        fault = _refused(error, endpoint, errors)
    except (openai.APITimeoutError, TimeoutError) as error:
        fault = errors.timeout(timeout, error)
    except openai.APIConnectionError as error:
        fault = errors.unreachable(error)
    except BodyTooLargeError as error:
        fault = errors.malformed(str(error))
    except openai.OpenAIError as error:
        fault = errors.not_sent(error)
    finally:
        await client.close()
    raise fault  # out here, where no `__context__` holds the provider's answer


def _refused(error: Any, endpoint: Endpoint, errors: EndpointErrors) -> EvolifError:
    if error.status_code in _NO_LIST:
        return OutsideError(
            f"{endpoint.host} has no list of its models (it answered {error.status_code}); name one as its "
            "documentation does"
        )
    return errors.refused(error.status_code, error_body(error), wait=retry_after(error.response.headers))


def _object(content: bytes, errors: EndpointErrors) -> dict[str, Any]:
    """The answer as an object with `data`; some services send the list alone."""
    if content.lstrip()[:1] == b"[":
        return json_object(b'{"data": ' + content + b"}", errors)
    return json_object(content, errors)


def _ids(body: Mapping[str, Any]) -> tuple[tuple[str, ...], int]:
    """The ids, and how many others no name can hold.

    Raises:
        OutsideError: there is no list.
    """
    rows = body.get("data", body.get("models"))
    if not isinstance(rows, list):
        raise OutsideError("the endpoint's answer is no list of models; name one as its documentation does")
    found: set[str] = set()
    left_out = max(0, len(rows) - MOST_MODELS)
    for row in rows[:MOST_MODELS]:
        name = next(_names(row), "")
        if name and len(name) <= _LONGEST_ID and name.isprintable() and not _UNWRITABLE.intersection(name):
            found.add(name)
        else:
            left_out += 1
    return tuple(sorted(found)), left_out


def _names(row: object) -> Iterator[str]:
    """An id, as OpenAI's protocol, Google's and Ollama's own have it."""
    for key in ("id", "name", "model"):
        name = row if isinstance(row, str) else mapping(row).get(key)
        if isinstance(name, str) and name:
            yield name.removeprefix("models/")

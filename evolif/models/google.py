"""Gemini models, through Google's own async SDK (extra `google`)."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evolif.errors import ModelError, UsageError
from evolif.models.base import ChatRequest, Reply
from evolif.models.endpoint import PLACEHOLDER_KEY, Endpoint, ModelName, check_base_url, key_from
from evolif.models.faults import Speaker, clean_text, count, duration, mapping, retry_after
from evolif.types import Usage

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.errors import APIError

    from evolif.models.transport import BoundedClient


# From a Gemini answer as received to a `Reply`; the plain JSON is read, and nothing of it is believed.

_FILTERED = frozenset(
    "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII ESCALATION MODEL_ARMOR"
    " IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION".split()
)
"""Reasons to finish that are the content filter's and not the model's."""
_CUT = frozenset({"MAX_TOKENS", "CONTINUATION"})
_FINISHED = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED", ""}) | _CUT
"""Reasons with which an answer of no text is the model's own."""


def read_google_reply(data: object, speaker: Speaker) -> Reply:
    """Read the JSON of `generateContent`.

    Raises:
        WithheldError: the content filter stopped the request or the answer.
        ModelError: there is no answer in it (retryable).
    """
    body = mapping(data)
    if mapping(body.get("promptFeedback")).get("blockReason"):
        raise speaker.withheld()
    candidates = body.get("candidates")
    candidate = mapping(candidates[0]) if isinstance(candidates, list) and candidates else {}
    if not candidate:
        raise speaker.malformed(clean_text(mapping(body.get("error")).get("message")) or "no candidates")
    finish = clean_text(candidate.get("finishReason"))
    if finish in _FILTERED:
        raise speaker.withheld()
    text, thoughts = _parts(mapping(candidate.get("content")).get("parts"))
    if not text and finish not in _FINISHED:
        raise speaker.malformed(f"no text, and it ended with {finish}")
    return Reply(
        text=text,
        reasoning=thoughts,
        truncated=finish in _CUT,
        usage=_usage(mapping(body.get("usageMetadata"))),
        served_by=clean_text(body.get("modelVersion")),
    )


def retry_info(body: object) -> float | None:
    """Seconds of the `RetryInfo` in an error's details, if there is one."""
    details = mapping(mapping(body).get("error")).get("details")
    for detail in details if isinstance(details, list) else ():
        kind = mapping(detail).get("@type")
        if isinstance(kind, str) and kind.endswith("google.rpc.RetryInfo"):
            return duration(mapping(detail).get("retryDelay"))
    return None


def _parts(parts: object) -> tuple[str, str]:
    """(answer, thoughts)."""
    said: dict[bool, list[str]] = {False: [], True: []}
    for part in parts if isinstance(parts, list) else ():
        said[mapping(part).get("thought") is True].append(clean_text(mapping(part).get("text")))
    return "".join(said[False]), "".join(said[True])


def _usage(usage: Mapping[str, Any]) -> Usage:
    # Thoughts are paid for like any other output but counted apart.
    return Usage(
        count(usage.get("promptTokenCount")),
        count(usage.get("candidatesTokenCount")) + count(usage.get("thoughtsTokenCount")),
    )


CONNECTIONS = 16
MOST_CONNECTIONS = 200
DEFAULT_URL = "https://generativelanguage.googleapis.com"
BASE_URL_ENV = "GOOGLE_GEMINI_BASE_URL"
"""Moves the default endpoint, as it does for the SDK."""
_KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
"""Where the key is looked for, in the SDK's order."""


class GoogleModel:
    """A chat model behind the Gemini API; implements `ChatModel`.

    Args:
        model: The name the API knows it by.
        endpoint: Address and key.
        timeout: Seconds for one call, from its first byte to the last of the answer.
    """

    connections = CONNECTIONS
    most_connections = MOST_CONNECTIONS

    def __init__(self, model: str, endpoint: Endpoint, *, timeout: float = 120.0) -> None:
        self._model = model
        self._endpoint = endpoint
        self._speaker = Speaker(f"google/{model}", endpoint.host, endpoint.key, endpoint.key_env)
        self._timeout = timeout
        self._client: Client | None = None
        self._http: BoundedClient | None = None
        self._answered = False

    @classmethod
    def from_name(cls, name: ModelName, *, timeout: float = 120.0) -> GoogleModel:
        """Make a model from its name; its key comes from the environment.

        Raises:
            UsageError: the SDK is not installed, or the key's variable is not set.
        """
        if not _has_sdk():
            raise UsageError(
                f"{name} needs Google's SDK: install the extra `google`, in a checkout by pip install -e '.[google]'."
            )
        return cls(name.name, resolve_google(name), timeout=timeout)

    def __repr__(self) -> str:
        return f"GoogleModel({self.name!r})"

    @property
    def name(self) -> str:
        """`google/NAME`."""
        return self._speaker.name

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation; nothing is repeated here.

        Raises:
            ContextOverflowError: the conversation is longer than the model's context.
            WithheldError: a safety filter blocked the request or the answer.
            AccessError: no call can pass: wrong key, unknown name, no credit.
            ModelError: anything else at the provider; `retryable` says whether it may pass later.
        """
        body = await self._generate(request)
        try:
            data: object = json.loads(body)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise self._speaker.malformed("the body is no JSON object")
        reply = read_google_reply(data, self._speaker)
        self._answered = True
        return reply

    async def aclose(self) -> None:
        """Close the connections; a later call opens new ones."""
        client, http, self._client, self._http = self._client, self._http, None, None
        if client is not None:
            client.close()
        if http is not None:
            await http.aclose()

    async def _generate(self, request: ChatRequest) -> str:
        import httpx2
        from google.genai.errors import APIError

        from evolif.models.transport import BodyTooLargeError

        fault: ModelError
        try:
            async with asyncio.timeout(self._timeout):
                models = self._opened().aio.models
                answer = await models.generate_content(model=self._model, **_arguments(request))
            received = answer.sdk_http_response
            return str((received and received.body) or "")
        except APIError as error:
            fault = self._refused(error)
        except (TimeoutError, httpx2.TimeoutException):
            fault = self._speaker.timeout(self._timeout)
        except httpx2.HTTPError as error:
            fault = self._speaker.unreachable(error)
        except (BodyTooLargeError, UnicodeError) as error:
            fault = self._speaker.malformed(str(error))
        except ValueError as error:
            fault = self._speaker.unsaid(error)
        raise fault  # out here, where no `__context__` holds the provider's answer

    def _refused(self, error: APIError) -> ModelError:
        headers = getattr(error.response, "headers", {})
        wait = retry_info(error.details)
        wait = retry_after(headers) if wait is None else wait
        return self._speaker.refused(error.code, error.details, wait=wait, answered=self._answered)

    def _opened(self) -> Client:
        if self._client is None:
            from google.genai import Client
            from google.genai.types import HttpOptions

            from evolif.models.transport import make_http_client

            self._http = make_http_client(timeout=self._timeout, trust_env=self._endpoint.trust_env)
            options = HttpOptions(
                base_url=self._endpoint.base_url, timeout=int(self._timeout * 1000), httpx_async_client=self._http
            )
            # Said in so many words, or variables meant for another of Google's services would change who is asked.
            self._client = Client(vertexai=False, api_key=self._endpoint.key, http_options=options)
        return self._client


def resolve_google(name: ModelName) -> Endpoint:
    """Find address and key; an address in the name gets no key but the one that it names.

    Raises:
        UsageError: the variable that should hold the key is missing, empty or holds what no header can carry.
    """
    if name.base_url is not None:
        base_url, variable = check_base_url(name.base_url), name.key_env
    else:
        base_url = check_base_url(os.environ.get(BASE_URL_ENV, "").strip() or DEFAULT_URL)
        variable = name.key_env or next((v for v in _KEYS if os.environ.get(v, "").strip()), _KEYS[1])
    key = PLACEHOLDER_KEY if variable is None else key_from(variable, name)
    return Endpoint(base_url, key, variable, custom=name.base_url is not None)


def _arguments(request: ChatRequest) -> dict[str, Any]:
    sampling = request.sampling
    system = "\n\n".join(m.content for m in request.messages if m.role == "system")
    config: dict[str, Any] = {
        "system_instruction": system or None,
        "temperature": sampling.temperature,
        "max_output_tokens": sampling.max_tokens,
        "seed": None if sampling.seed is None else sampling.seed % 2**31,
        # What the SDK would do beyond one call, and its own reading of the answer, which refuses what it does not know.
        "automatic_function_calling": {"disable": True},
        "automatic_continuation": False,
        "should_return_http_response": True,
    }
    if request.schema is not None:
        config |= {"response_mime_type": "application/json", "response_json_schema": dict(request.schema)}
    roles = {"user": "user", "assistant": "model"}
    # A message without text is refused, and an empty answer is one that may stand in any conversation.
    contents = [
        {"role": roles[m.role], "parts": [{"text": m.content}]}
        for m in request.messages
        if m.role in roles and m.content
    ]
    return {"contents": contents, "config": {k: v for k, v in config.items() if v is not None}}


def _has_sdk() -> bool:
    try:
        return importlib.util.find_spec("google.genai") is not None
    except ModuleNotFoundError:  # not even a `google`
        return False

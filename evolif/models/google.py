"""Gemini models, through Google's own async SDK (extra `google`); the plain JSON of an answer is read."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evolif.errors import ModelError, UsageError
from evolif.models.base import ChatRequest, Reply
from evolif.models.endpoint import PLACEHOLDER_KEY, Endpoint, ModelName, check_base_url, key_from
from evolif.models.faults import EndpointErrors, clean_text, duration, json_object, mapping, retry_after
from evolif.models.stalls import TimeLimit
from evolif.models.usage import gemini_usage
from evolif.types import Message

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.errors import APIError

    from evolif.models.transport import BoundedClient


CONNECTIONS = 16
MOST_CONNECTIONS = 200
DEFAULT_URL = "https://generativelanguage.googleapis.com"
BASE_URL_ENV = "GOOGLE_GEMINI_BASE_URL"
"""Changes the default endpoint, as in the SDK."""
_KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
"""Variables of the key, in the SDK's order."""

_FILTERED = frozenset(
    "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII ESCALATION MODEL_ARMOR"
    " IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION".split()
)
"""Finish reasons of the content filter."""
_TOOLS = ("functionCall", "executableCode", "codeExecutionResult")
_CUT = frozenset({"MAX_TOKENS", "CONTINUATION"})
_FINISHED = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED", ""}) | _CUT
"""Finish reasons for which an answer without text counts as the model's answer."""


def _read_reply(body: Mapping[str, Any], errors: EndpointErrors) -> Reply:
    if mapping(body.get("promptFeedback")).get("blockReason"):
        raise errors.withheld(may_cost=True)
    candidates = body.get("candidates")
    candidate = mapping(candidates[0]) if isinstance(candidates, list) and candidates else {}
    if not candidate:
        raise errors.malformed(clean_text(mapping(body.get("error")).get("message")) or "no candidates")
    finish = clean_text(candidate.get("finishReason"))
    if finish in _FILTERED:
        raise errors.withheld(may_cost=True)
    problem = _problem(candidate.get("content"))
    if problem:
        raise errors.malformed(problem)
    text, thoughts = _parts(mapping(candidate.get("content")).get("parts"))
    if not text and finish not in _FINISHED:
        raise errors.malformed(f"no text, and it ended with {finish}")
    usage = gemini_usage(body.get("usageMetadata"), has_text=bool(text))
    return Reply(text, thoughts, finish in _CUT, usage, clean_text(body.get("modelVersion")))


def _problem(content: object) -> str:
    """What makes an answer unusable, in words; empty if it is one, however weak."""
    parts = content.get("parts") if isinstance(content, Mapping) else content
    if parts is None:
        return ""
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        return "content that is no text"
    if any(part.get(call) for part in parts for call in _TOOLS):
        return "a call of a tool, and none was offered"
    return "" if all(isinstance(part.get("text") or "", str) for part in parts) else "content that is no text"


def _retry_info(body: object) -> float | None:
    """Seconds of the `RetryInfo` in an error's details, if there is one."""
    details = mapping(mapping(body).get("error")).get("details")
    for detail in details if isinstance(details, list) else ():
        kind = mapping(detail).get("@type")
        if isinstance(kind, str) and kind.endswith("google.rpc.RetryInfo"):
            return duration(mapping(detail).get("retryDelay"))
    return None


def _parts(parts: object) -> tuple[str, str]:
    """Answer and thoughts."""
    texts: dict[bool, list[str]] = {False: [], True: []}
    for part in parts if isinstance(parts, list) else ():
        texts[mapping(part).get("thought") is True].append(clean_text(mapping(part).get("text")))
    return "".join(texts[False]), "".join(texts[True])


class GoogleModel:
    """A chat model behind the Gemini API; implements `ChatModel`.

    Args:
        model: Its name in the API.
        endpoint: Address and key.
        timeout: Seconds for one call, from its first byte to the last of the answer.
    """

    connections = CONNECTIONS
    most_connections = MOST_CONNECTIONS

    def __init__(self, model: str, endpoint: Endpoint, *, timeout: float = 120.0) -> None:
        self._model = model
        self._endpoint = endpoint
        self._errors = EndpointErrors(f"google/{model}", endpoint.host, endpoint.key, endpoint.key_env, endpoint.hidden)
        self._timeout = timeout
        self._client: Client | None = None
        self._http: BoundedClient | None = None
        self._answered = False

    @classmethod
    def from_name(cls, name: ModelName, *, timeout: float = 120.0) -> GoogleModel:
        """A model by its name; the key is read from the environment.

        Raises:
            UsageError: the SDK is not installed, or the key's variable is not set.
        """
        if not _has_sdk():
            raise UsageError(
                f"{name} needs Google's SDK: install the extra `google` (in a checkout: pip install -e '.[google]')."
            )
        return cls(name.name, resolve_google(name), timeout=timeout)

    def __repr__(self) -> str:
        return f"GoogleModel({self.name!r})"

    @property
    def name(self) -> str:
        """`google/NAME`."""
        return self._errors.name

    @property
    def timeout(self) -> float:
        """Seconds for one attempt."""
        return self._timeout

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation in a single attempt.

        Raises:
            ContextOverflowError: the conversation is longer than the model's context.
            WithheldError: a safety filter blocked the request or the answer.
            AccessError: no call can succeed: wrong key, unknown name, no credit.
            ModelError: any other fault of the provider; `retryable` says whether a repeat may succeed.
        """
        reply = _read_reply(json_object(await self._generate(request), self._errors), self._errors)
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
            async with TimeLimit(self._timeout):
                models = self._open().aio.models
                answer = await models.generate_content(model=self._model, **_arguments(request))
            received = answer.sdk_http_response
            return str((received and received.body) or "")
        except APIError as error:
            fault = self._refused(error)
        except (TimeoutError, httpx2.TimeoutException):
            fault = self._errors.timeout(self._timeout)
        except httpx2.HTTPError as error:
            fault = self._errors.unreachable(error)
        except (BodyTooLargeError, UnicodeError) as error:
            fault = self._errors.malformed(str(error))
        except ValueError as error:
            fault = self._errors.not_sent(error)
        raise fault  # out here, where no `__context__` holds the provider's answer

    def _refused(self, error: APIError) -> ModelError:
        headers = getattr(error.response, "headers", {})
        wait = _retry_info(error.details)
        wait = retry_after(headers) if wait is None else wait
        return self._errors.refused(error.code, error.details, wait=wait, answered=self._answered)

    def _open(self) -> Client:
        if self._client is None:
            from google.genai import Client
            from google.genai.types import HttpOptions

            from evolif.models.transport import make_http_client

            self._http = make_http_client(timeout=self._timeout, trust_env=self._endpoint.trust_env)
            options = HttpOptions(
                base_url=self._endpoint.base_url, timeout=int(self._timeout * 1000), httpx_async_client=self._http
            )
            # Explicit, or variables meant for another of Google's services would change the endpoint.
            self._client = Client(vertexai=False, api_key=self._endpoint.key, http_options=options)
        return self._client


def resolve_google(name: ModelName) -> Endpoint:
    """Address and key of a model; a custom address gets only the key specified in the name.

    Raises:
        UsageError: the key's variable is missing, empty or contains what no header can carry.
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
    systems = [m for m in request.messages if m.role == "system"]
    if any(m.images for m in systems):
        raise ValueError("a system text can hold no images")
    system = "\n\n".join(m.content for m in systems)
    config: dict[str, Any] = {
        "system_instruction": system or None,
        "temperature": sampling.temperature,
        "max_output_tokens": sampling.max_tokens,
        "seed": None if sampling.seed is None else sampling.seed % 2**31,
        # A single call with the plain response: the SDK's own parser rejects unknown values.
        "automatic_function_calling": {"disable": True},
        "automatic_continuation": False,
        "should_return_http_response": True,
    }
    if request.schema is not None:
        config |= {"response_mime_type": "application/json", "response_json_schema": dict(request.schema)}
    roles = {"user": "user", "assistant": "model"}
    # Google refuses a message without text, and any conversation may contain an empty answer.
    contents = [
        {"role": roles[m.role], "parts": _content(m) if m.images else [{"text": m.content}]}
        for m in request.messages
        if m.role in roles and (m.content or m.images)
    ]
    return {"contents": contents, "config": {k: v for k, v in config.items() if v is not None}}


def _content(message: Message) -> list[dict[str, Any]]:
    """The text of a message, if any, and its images."""
    text = [{"text": message.content}] if message.content else []
    images = ({"mime_type": image.media_type, "data": image.data} for image in message.images)
    return [*text, *({"inline_data": image} for image in images)]


def _has_sdk() -> bool:
    try:
        return importlib.util.find_spec("google.genai") is not None
    except ModuleNotFoundError:  # not even a `google`
        return False

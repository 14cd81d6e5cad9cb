"""Models of any OpenAI-compatible server, through the official async SDK.

Compatible servers differ in all optional parts, so the plain JSON of an answer is read: missing, null and mistyped
fields all occur.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evolif.errors import ModelError
from evolif.models.base import ChatRequest, Reply
from evolif.models.dialect import Dialect, Pioneer, known
from evolif.models.endpoint import Endpoint, ModelName, make_client, resolve_endpoint, without_bearer
from evolif.models.faults import EndpointErrors, clean_text, json_object, mapping, retry_after, served_by
from evolif.models.parameters import Parameters, header_values
from evolif.models.refused_parameters import LIMITS, SYSTEM
from evolif.models.stalls import TimeLimit
from evolif.models.usage import chat_usage
from evolif.types import Message

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI


Carry = Callable[[bytes], Awaitable[tuple[int, bytes]]]
"""Brings the JSON of a request to the endpoint over connections of the caller's; gives the answer's status and body."""
_NO_PARAMETERS = Parameters()
_THINK = re.compile(r"\s*<think>(.*?)(?:</think>\s*|\Z)(.*)\Z", re.DOTALL)
"""A leading block of reasoning; an unclosed one extends to the end."""

_TOOLS = ("tool_calls", "function_call")
CONNECTIONS = 16
MOST_CONNECTIONS = 200


def _read_reply(body: Mapping[str, Any], errors: EndpointErrors) -> Reply:
    choices = body.get("choices")
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    if not choice:
        raise errors.malformed(_error_text(body) or "no choices")
    finish = choice.get("finish_reason")
    if finish == "content_filter":
        raise errors.withheld(may_cost=True)
    if finish == "error" or not isinstance(choice.get("message"), Mapping):
        raise errors.malformed(_error_text(choice) or "no message")
    problem = _problem(choice["message"], finish)
    if problem:
        raise errors.malformed(problem)
    text, reasoning = _message(choice["message"])
    return Reply(text, reasoning, finish == "length", chat_usage(body.get("usage")), served_by(body.get("model")))


def split_reasoning(text: str) -> tuple[str, str]:
    """Split a leading `<think>` block off: (answer, reasoning)."""
    match = _THINK.match(text)
    return (match[2], match[1].strip()) if match else (text, "")


def _problem(message: Mapping[str, Any], finish: object) -> str:
    """What makes a message unusable, in words; empty if it is an answer, however weak.

    The server wrote the types and parsed the calls, so neither is the model's failure.
    """
    if finish in _TOOLS or any(message.get(call) for call in _TOOLS):
        return "a call of a tool, and none was offered"
    content = message.get("content")
    usable = all(map(_is_part, content)) if isinstance(content, list) else content is None or isinstance(content, str)
    return "" if usable else "content that is no text"


def _is_part(part: object) -> bool:
    """Whether a part of a message has the shape of one; parts of other kinds than text are left out of the answer."""
    if not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
        return False
    return part["type"] != "text" or isinstance(part.get("text"), str)


def _message(message: Mapping[str, Any]) -> tuple[str, str]:
    given = clean_text(message.get("reasoning_content")) or clean_text(message.get("reasoning"))
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    plain = content if isinstance(content, str) else "".join(_part(p, "text") for p in parts)
    # A refusal is in a separate field but is still the model's answer.
    text, leading = split_reasoning(clean_text(plain or clean_text(message.get("refusal"))))
    thoughts = (given, "".join(_part(p, "thinking") for p in parts), leading)
    return text, "\n".join(t for t in thoughts if t)


def _part(part: object, kind: str) -> str:
    """The text of one part of a content list, if it is of a kind; thoughts may be lists of texts again."""
    if not isinstance(part, Mapping) or part.get("type") != kind:
        return ""
    value = part.get(kind)
    parts = value if isinstance(value, list) else [{"text": value}]
    return "".join(clean_text(mapping(p).get("text")) for p in parts)


def _error_text(body: Mapping[str, Any]) -> str:
    """The message of an error that comes as a completion."""
    error = body.get("error")
    return clean_text(error) or clean_text(mapping(error).get("message"))


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint; implements `ChatModel`."""

    most_connections = MOST_CONNECTIONS
    """Upper bound of an adaptive limit."""

    def __init__(
        self,
        model: str,
        endpoint: Endpoint,
        *,
        label: str | None = None,
        timeout: float = 120.0,
        connections: int = CONNECTIONS,
        parameters: Parameters = _NO_PARAMETERS,
        carry: Carry | None = None,
    ) -> None:
        """Nothing is opened before the first call.

        Args:
            model: Its name at the endpoint.
            endpoint: Address and key.
            label: Its name in reports; `openai/MODEL` by default.
            timeout: Seconds for one call, from its first byte to the last of the answer.
            connections: Sessions worth running side by side.
            parameters: What each request says besides messages and sampling.
            carry: Sends requests in place of the SDK, with the key and without `timeout`. Where it raises `OSError`,
                the endpoint could not be reached.

        Raises:
            UsageError: a variable that holds a header is not set.
        """
        self._model = model
        self._endpoint = endpoint
        self._label = label or f"openai/{model}"
        self._parameters = parameters
        self._headers = header_values(parameters.headers, os.environ)
        hidden = (*endpoint.hidden, *self._headers.values())
        given = frozenset(parameters.body)
        self._errors = EndpointErrors(self._label, endpoint.host, endpoint.key, endpoint.key_env, hidden, given)
        parts = urlsplit(endpoint.base_url)
        self._url = parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions").geturl()
        # Compatible servers support `max_tokens`, which OpenAI rejects for its newer models.
        first = Dialect("max_completion_tokens" if endpoint.is_openai else "max_tokens")
        self._pioneer = Pioneer(known(endpoint.base_url, model, first))
        self._timeout = timeout
        self._connections = connections
        self._carry = carry
        self._client: AsyncOpenAI | None = None
        self._bearer: dict[str, Any] = {}
        self._answered = False
        self.heard: Callable[[Mapping[str, Any]], None] | None = None
        """Gets the JSON of each answer."""

    @classmethod
    def from_name(
        cls, name: ModelName, *, timeout: float = 120.0, parameters: Parameters = _NO_PARAMETERS
    ) -> OpenAIModel:
        """A model by its name; keys are read from the environment, and parameters of the name go over the others.

        Raises:
            UsageError: the key's variable, or that of a header, is not set.
        """
        own = name.parameters.over(parameters)
        return cls(name.name, resolve_endpoint(name), label=name.label, timeout=timeout, parameters=own)

    def __repr__(self) -> str:
        return f"OpenAIModel({self._label!r})"

    @property
    def name(self) -> str:
        """`provider/name`, without secrets."""
        return self._label

    @property
    def dialect(self) -> Dialect:
        """The form in which requests are sent now."""
        return self._pioneer.knowledge.dialect

    @property
    def timeout(self) -> float:
        """Seconds for one attempt."""
        return self._timeout

    @property
    def connections(self) -> int:
        """Sessions worth running side by side by default."""
        return self._connections

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation in a single attempt.

        Raises:
            ContextOverflowError: the conversation is longer than the model's context.
            WithheldError: the provider's content filter refused the request or the answer.
            AccessError: no call can succeed: wrong key, unknown name, no credit.
            ModelError: any other fault of the provider; `retryable` says whether a repeat may succeed.
        """
        parts = _parts(request, self._errors.given)
        async with self._pioneer.turn(parts):
            data = await self._accepted(request)
        self._pioneer.knowledge.settled |= parts
        reply = _read_reply(data, self._errors)
        self._answered = True
        return reply

    async def aclose(self) -> None:
        """Close the connections; a later call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _accepted(self, request: ChatRequest) -> dict[str, Any]:
        """What the endpoint answers to the request, in the first of its forms that it does not refuse."""
        knowledge = self._pioneer.knowledge
        begun = dialect = knowledge.dialect
        refused: list[str] = []
        while True:
            try:
                return await self._exchange(self._arguments(request, dialect), refused)
            except ModelError as fault:
                what = fault.parameter
                other = None if what in self._errors.given else knowledge.other(dialect, what, refused)
                if other is None:
                    knowledge.dialect = knowledge.dialect.restored(begun, what)
                    raise
                refused.append(what)
                knowledge.dialect = dialect = other

    async def _exchange(self, arguments: dict[str, Any], before: Collection[str]) -> dict[str, Any]:
        """The JSON of an answer that is no error."""
        refused = partial(self._errors.refused, answered=self._answered, sent=_sent(arguments), before=before)
        post = self._post if self._carry is None else partial(self._carried, self._carry)
        content = json.dumps(arguments).encode()
        del arguments  # thousands of calls wait for minutes, each with its conversation
        data = json_object(await post(content, refused), self._errors)
        status = _status_inside(data)
        if status is None:
            if self.heard is not None:
                self.heard(data)
            return data
        raise refused(status, data)

    async def _post(self, content: bytes, refused: Callable[..., ModelError]) -> bytes:
        import httpx2
        from openai import OpenAIError

        fault: ModelError
        try:
            # The SDK's timeout counts from the last byte received, so a slowly dripping body needs another limit.
            async with TimeLimit(self._timeout):
                # `chat.completions.create` walks through the whole conversation for types and files, which costs three
                # times the processor time of everything else; `post` is the SDK's public way around it.
                client = self._open()
                response = await client.post(
                    self._url, content=content, cast_to=httpx2.Response, options=self._options(client)
                )
            return response.content
        except OpenAIError as error:
            fault = self._fault(error, refused)
        except TimeoutError:
            fault = self._errors.timeout(self._timeout)
        raise fault  # out here, where no `__context__` holds the provider's answer

    async def _carried(self, carry: Carry, content: bytes, refused: Callable[..., ModelError]) -> bytes:
        try:
            status, body = await carry(content)
        except OSError as error:
            fault = self._errors.unreachable(error)
        else:
            if status < 300:
                return body
            fault = refused(status, json_or_text(body.decode("utf-8", "replace")))
        raise fault

    def _fault(self, error: Exception, refused: Callable[..., ModelError]) -> ModelError:
        import openai

        from evolif.models.transport import BodyTooLargeError

        match error:
            case openai.APITimeoutError():
                return self._errors.timeout(self._timeout, error)
            case openai.APIConnectionError():
                return self._errors.unreachable(error)
            case openai.APIStatusError():
                return refused(error.status_code, error_body(error), wait=retry_after(error.response.headers))
            case BodyTooLargeError():
                return self._errors.malformed(str(error))
            case _:
                return self._errors.not_sent(error)

    def _options(self, client: AsyncOpenAI) -> Any:
        """What the SDK would otherwise work out for every request, in a fifth of its processor time.

        The type of this dictionary is not public.
        """
        from openai import omit

        headers = {"x-stainless-retry-count": omit, "x-stainless-read-timeout": omit, **self._bearer, **self._headers}
        return {
            "headers": headers,
            "params": {},
            "max_retries": 0,
            "timeout": client.timeout,
            "follow_redirects": False,
        }

    def _open(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = make_client(self._endpoint, timeout=self._timeout)
            self._bearer = without_bearer(self._endpoint)
        return self._client

    def _arguments(self, request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
        sampling = request.sampling
        seed = sampling.seed if dialect.seed else None
        optional = {"temperature": sampling.temperature, dialect.limit: sampling.max_tokens, "seed": seed}
        arguments: dict[str, Any] = {key: value for key, value in optional.items() if value is not None}
        if request.schema is not None:
            schema = {"name": "answer", "schema": dict(request.schema), "strict": True}
            arguments["response_format"] = {"type": "json_schema", "json_schema": schema}
        roles = {SYSTEM: dialect.system}
        messages = [
            {"role": roles.get(m.role, m.role), "content": _content(m) if m.images else m.content}
            for m in request.messages
        ]
        return self._parameters.apply({"model": self._model, "messages": messages, **arguments})


def _parts(request: ChatRequest, given: Collection[str]) -> frozenset[str]:
    """The parts of a request that have another form, see `Dialect`."""
    sampling = request.sampling
    parts = {
        "limit": sampling.max_tokens is not None and not any(limit in given for limit in LIMITS),
        "seed": sampling.seed is not None and "seed" not in given,
        SYSTEM: any(message.role == SYSTEM for message in request.messages),
    }
    return frozenset(part for part, there in parts.items() if there)


def _sent(arguments: Mapping[str, Any]) -> frozenset[str]:
    """The parameters of a request, among them `SYSTEM` for messages of that kind."""
    roles = {message["role"] for message in arguments["messages"]}
    return frozenset(arguments) - {"model", "messages"} | ({SYSTEM} if roles & {SYSTEM, "developer"} else frozenset())


def _content(message: Message) -> list[dict[str, Any]]:
    """The text of a message, if any, and its images."""
    text = [{"type": "text", "text": message.content}] if message.content else []
    urls = (f"data:{image.media_type};base64,{b64encode(image.data).decode('ascii')}" for image in message.images)
    return [*text, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]


def error_body(error: APIStatusError) -> object:
    """The JSON of an error as it was sent, else its text; the SDK keeps only what is under `error`."""
    return json_or_text(error.response.text)


def json_or_text(text: str) -> object:
    """What a text holds as JSON, else the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _status_inside(data: dict[str, Any]) -> int | None:
    """The status of a fault that a gateway writes into the body of an answer of status 200."""
    error = data.get("error")
    code = error.get("code") if isinstance(error, dict) and not data.get("choices") else None
    return code if isinstance(code, int) and not isinstance(code, bool) and 400 <= code < 600 else None

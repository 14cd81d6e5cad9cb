"""Any OpenAI-compatible server, through the official async SDK."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from evolif._errors import ModelError
from evolif.models._base import ChatRequest, Reply
from evolif.models._endpoint import Endpoint, make_client, resolve_endpoint
from evolif.models._faults import fault_of, malformed, timeout_fault, withheld
from evolif.models._names import ModelName
from evolif.models._reply import read_reply

if TYPE_CHECKING:
    from openai import AsyncOpenAI

CONNECTIONS = 16
_LONGEST_RETRY_AFTER = 120.0
"""Seconds for which the SDK at most obeys a `Retry-After`."""


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint; implements `ChatModel`."""

    def __init__(
        self,
        model: str,
        endpoint: Endpoint,
        *,
        label: str | None = None,
        max_retries: int = 2,
        timeout: float = 120.0,
        connections: int = CONNECTIONS,
    ) -> None:
        """Describe the model; nothing is opened before the first call.

        Args:
            model: the name the endpoint knows it by.
            endpoint: address and key.
            label: what reports call it; `openai/MODEL` by default.
            max_retries: how often the SDK repeats a call that may pass later, before the error is ours.
            timeout: seconds for one attempt.
            connections: how many sessions it is worth running side by side.
        """
        self._model = model
        self._endpoint = endpoint
        self._label = label or f"openai/{model}"
        self._max_retries = max_retries
        self._timeout = timeout
        self._connections = connections
        self._client: AsyncOpenAI | None = None

    @classmethod
    def from_name(cls, name: ModelName, *, max_retries: int = 2, timeout: float = 120.0) -> OpenAIModel:
        """Make a model from its name; its key comes from the environment.

        Raises:
            UsageError: the key's variable is not set.
        """
        return cls(name.name, resolve_endpoint(name), label=name.label, max_retries=max_retries, timeout=timeout)

    def __repr__(self) -> str:
        return f"OpenAIModel({self._label!r})"

    @property
    def name(self) -> str:
        """`provider/name`, without secrets."""
        return self._label

    @property
    def connections(self) -> int:
        """How many sessions it is worth running side by side by default."""
        return self._connections

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation.

        Raises:
            ContextOverflowError: the conversation is longer than the model's context.
            WithheldError: the provider's content filter refused the request or the answer.
            ModelError: anything else at the provider; `retryable` says whether it may pass later.
        """
        body = await self._post(request)
        try:
            data: object = json.loads(body)
        except (ValueError, RecursionError):  # bad UTF-8 is one too
            data = None
        return read_reply(
            data if isinstance(data, dict) else {"error": "the body is no JSON object"},
            malformed=lambda what: malformed(self._label, self._endpoint, what),
            withheld=lambda: withheld(self._label),
        )

    async def aclose(self) -> None:
        """Close the connections; a later call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _post(self, request: ChatRequest) -> bytes:
        from openai import OpenAIError

        client = self._opened()
        fault: ModelError
        try:
            # The SDK's timeout counts from the last byte received: a body that drips needs an end of its own.
            async with asyncio.timeout(self._deadline):
                raw = await client.chat.completions.with_raw_response.create(**self._arguments(request))
            return bytes(raw.content)
        except OpenAIError as error:
            fault = fault_of(error, name=self._label, endpoint=self._endpoint, timeout=self._timeout)
        except TimeoutError:
            fault = timeout_fault(self._label, self._endpoint, self._deadline)
        raise fault  # out here, where no `__context__` holds the provider's answer

    @property
    def _deadline(self) -> float:
        return self._timeout * (self._max_retries + 1) + _LONGEST_RETRY_AFTER * self._max_retries

    def _opened(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = make_client(self._endpoint, max_retries=self._max_retries, timeout=self._timeout)
        return self._client

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        sampling = request.sampling
        # Compatible servers know `max_tokens`, the original refuses it for its newer models.
        limit = "max_completion_tokens" if self._endpoint.is_openai else "max_tokens"
        optional = {"temperature": sampling.temperature, limit: sampling.max_tokens, "seed": sampling.seed}
        arguments: dict[str, Any] = {key: value for key, value in optional.items() if value is not None}
        if request.schema is not None:
            schema = {"name": "answer", "schema": dict(request.schema), "strict": True}
            arguments["response_format"] = {"type": "json_schema", "json_schema": schema}
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        return {"model": self._model, "messages": messages, **arguments}

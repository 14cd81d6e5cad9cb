"""A chat model as the synthesizer agent calls it: messages and a schema in, one text out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evolif.errors import ContextOverflowError, ModelError, WithheldError
from evolif.models import ChatModel, ChatRequest, Sampling
from evolif.scenarios.instructions.synthesis.chat import Completion
from evolif.types import Message


class StructuredModel:
    """Adapts a `ChatModel` for `evolif.scenarios.instructions.synthesis`.

    A server that refuses JSON schemas gets none from then on; refusal is detected if the same request succeeds without
    one.

    Args:
        model: The client; `evolif.models.managed` limits its calls.
        sampling: Temperature and longest answer; the provider's defaults if None.
        name: Replaces the model's name if that contains a local path.
        structured: Whether it answers better in JSON than in plain text.
    """

    def __init__(
        self, model: ChatModel, sampling: Sampling | None = None, name: str | None = None, *, structured: bool = True
    ) -> None:
        self.name = name or model.name
        self.connections = model.connections
        self.structured = structured
        self._model = model
        self._sampling = sampling or Sampling()
        self._supports_schemas: bool | None = None
        """None if not known yet."""

    async def ask(self, messages: tuple[Message, ...], schema: Mapping[str, Any] | None) -> Completion:
        """Answer.

        Raises:
            WithheldError: the provider's content filter refused.
            ModelError: the endpoint failed and retrying did not help.
        """
        if schema is None or self._supports_schemas is False:
            return await self._complete(messages, None)
        try:
            completion = await self._complete(messages, schema)
        except (WithheldError, ContextOverflowError):
            raise
        except ModelError as fault:
            if self._supports_schemas or fault.retryable:
                raise
            refusal = fault
        else:
            self._supports_schemas = True
            return completion
        try:
            completion = await self._complete(messages, None)
        except ModelError:
            raise refusal from None
        self._supports_schemas = False
        return completion

    async def _complete(self, messages: tuple[Message, ...], schema: Mapping[str, Any] | None) -> Completion:
        reply = await self._model.complete(ChatRequest(messages, self._sampling, schema=schema))
        return Completion(reply.text, reply.usage, reply.truncated)

    async def aclose(self) -> None:
        """Release the client's resources."""
        await self._model.aclose()

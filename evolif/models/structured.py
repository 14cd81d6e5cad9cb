"""A chat model as the synthesizer agent asks it: one question, one text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evolif.errors import ContextOverflowError, ModelError, WithheldError
from evolif.models.base import ChatModel, ChatRequest, Sampling
from evolif.synthesis import Completion
from evolif.types import Message


class StructuredModel:
    """Makes of a `ChatModel` what `evolif.synthesis.agent` needs (its `AskedModel`).

    A server that refuses JSON schemas is asked without one from then on; whether it is the schema that it refuses shows
    when the same question passes without.

    Args:
        model: The client; `evolif.models.managed` bounds its calls.
        sampling: Temperature and longest answer; the provider's own where None.
        name: What it is called where its own name tells of this machine.
        structured: Whether it answers better in JSON than in bare words.
    """

    def __init__(
        self,
        model: ChatModel,
        sampling: Sampling | None = None,
        name: str | None = None,
        *,
        structured: bool = True,
    ) -> None:
        self._model = model
        self._structured = structured
        self._name = name or model.name
        self._sampling = sampling or Sampling()
        self._schemas: bool | None = None
        """Whether the server knows schemas; None where nobody knows yet."""

    @property
    def name(self) -> str:
        """`provider/name`."""
        return self._name

    @property
    def connections(self) -> int:
        """The most questions worth asking side by side: more would only wait."""
        return self._model.connections

    @property
    def structured(self) -> bool:
        """Whether it answers better in JSON than in bare words."""
        return self._structured

    async def ask(self, messages: tuple[Message, ...], schema: Mapping[str, Any] | None) -> Completion:
        """Answer.

        Raises:
            WithheldError: the provider's content filter refused.
            ModelError: the endpoint failed and retrying did not help.
        """
        if schema is None or self._schemas is False:
            return await self._complete(messages, None)
        try:
            heard = await self._complete(messages, schema)
        except (WithheldError, ContextOverflowError):
            raise
        except ModelError as fault:
            if self._schemas or fault.retryable:
                raise
            refusal = fault
        else:
            self._schemas = True
            return heard
        try:
            heard = await self._complete(messages, None)
        except ModelError:
            raise refusal from None
        self._schemas = False
        return heard

    async def _complete(self, messages: tuple[Message, ...], schema: Mapping[str, Any] | None) -> Completion:
        reply = await self._model.complete(ChatRequest(messages, self._sampling, schema=schema))
        return Completion(reply.text, reply.usage, reply.truncated)

    async def aclose(self) -> None:
        """Release what the client holds."""
        await self._model.aclose()

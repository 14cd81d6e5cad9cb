"""The protocol of all chat models: request, reply and `ChatModel`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from evolif.types import Message, Prompt, Usage

DEFAULT_RETRIES = 5
"""Repeats of a call that may succeed later, with back-offs of 1, 2, 4, 8 and 16 s; the average wait is half of that. So
a 15-second outage of an endpoint costs no session, and no call waits longer than about 30 seconds."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Decoding settings; None leaves a value to the provider."""

    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call. Only simulated models see `prompt` and `epoch`; models behind an API never do."""

    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    schema: Mapping[str, Any] | None = None
    """A JSON schema for the answer, where the provider supports them."""
    prompt: Prompt | None = None
    epoch: int = 1
    """Repetition of the dialogue; a cache keeps repetitions apart."""
    drawn: str = ""
    """The random part of the messages, such as the number in a fence; a cache ignores it."""

    @property
    def lasting(self) -> tuple[Message, ...]:
        """The messages without their random part: the same for the same question."""
        if not self.drawn:
            return self.messages
        zeros = "0" * len(self.drawn)
        return tuple(Message(m.role, m.content.replace(self.drawn, zeros), m.images) for m in self.messages)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer as received, with reasoning separate."""

    text: str
    reasoning: str = ""
    truncated: bool = False
    """Cut at the token limit; the answer is judged as it is."""
    usage: Usage = field(default_factory=Usage)
    served_by: str = ""
    """The exact model version the provider named."""
    seconds: float | None = None
    """How long it took, where the answer is a stored one; None if the caller measures it."""
    cached: bool = False
    """Taken from a cache: no call was made, so it says nothing about the endpoint."""


class ChatModel(Protocol):
    """A model that answers conversations.

    `complete` raises `ContextOverflowError`, `WithheldError` or another `ModelError`; anything else is a bug.
    """

    @property
    def name(self) -> str:
        """`provider/name`, without secrets."""
        ...

    @property
    def connections(self) -> int:
        """Default number of concurrent sessions."""
        ...

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation."""
        ...

    async def aclose(self) -> None:
        """Release connections and child processes."""
        ...


ModelRef: TypeAlias = str | ChatModel
"""A model's name, or a model object."""


def as_list(models: ModelRef | Sequence[ModelRef]) -> list[ModelRef]:
    """One model or several, as a list."""
    return list(models) if isinstance(models, Sequence) and not isinstance(models, str) else [models]


def spec_of(model: ModelRef) -> str:
    """The name as given, or the name of a model object."""
    return model if isinstance(model, str) else model.name

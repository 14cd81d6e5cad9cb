"""The one protocol every chat model speaks, whoever serves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from evolif.types import Message, Turn, Usage

DEFAULT_RETRIES = 5
"""Repeats of a call that may pass later: back-offs of 1, 2, 4, 8 and 16 s, of which half is waited on the average. So
an endpoint that is gone for a quarter of a minute costs no session, and nobody waits for more than half a minute."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Decoding settings; None leaves a value to the provider."""

    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call. `turn` is what a simulated user knows of the turn; models behind an API never see it."""

    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    schema: Mapping[str, Any] | None = None
    """A JSON schema the answer should follow, where the provider has them."""
    turn: Turn | None = None
    depth: int = 1
    """How many turns the topic of `turn` has had, this one included."""
    epoch: int = 1
    """Which repetition of the dialogue the call belongs to; a cache keeps repetitions apart."""
    drawn: str = ""
    """What in the messages is drawn anew for each call, such as the number in a fence; a cache looks past it."""

    @property
    def lasting(self) -> tuple[Message, ...]:
        """The messages as they are when the same is asked again."""
        if not self.drawn:
            return self.messages
        return tuple(Message(m.role, m.content.replace(self.drawn, "0" * len(self.drawn))) for m in self.messages)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, as received: reasoning apart, flags kept."""

    text: str
    reasoning: str = ""
    truncated: bool = False
    """Cut at the token limit; the answer is judged as it stands."""
    usage: Usage = field(default_factory=Usage)
    served_by: str = ""
    """The exact model version the provider named."""
    cached: bool = False
    """Taken from a cache: nobody was asked, so it says nothing about the endpoint."""


class ChatModel(Protocol):
    """A model that answers conversations.

    `complete` raises `ContextOverflowError`, `WithheldError` or `ModelError` and nothing else that is expected.
    """

    @property
    def name(self) -> str:
        """`provider/name`, without secrets."""
        ...

    @property
    def connections(self) -> int:
        """How many sessions it is worth running side by side by default."""
        ...

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the conversation."""
        ...

    async def aclose(self) -> None:
        """Release connections and child processes."""
        ...


ModelRef: TypeAlias = str | ChatModel
"""A model's name, or a model that the caller has opened."""


def as_list(models: ModelRef | Sequence[ModelRef]) -> list[ModelRef]:
    """One model or several, as a list."""
    return list(models) if isinstance(models, Sequence) and not isinstance(models, str) else [models]


def spec_of(model: ModelRef) -> str:
    """The name as it was given, or an opened model's own."""
    return model if isinstance(model, str) else model.name

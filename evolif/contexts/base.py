"""What a context strategy is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from evolif.types import Exchange, Message, Prompt

Shown = Literal["full", "summary"]
Embedder: TypeAlias = str | Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""An embedder's name, or a function from texts to vectors of one length."""


@dataclass(frozen=True, slots=True)
class OwnCost:
    """What a context strategy itself took at one turn. Money is booked elsewhere, where its model is called."""

    calls: int = 0
    """Of its model; an answer from a cache is one, too."""
    prompt_tokens: int = 0
    """Of these calls, by `count_tokens`, so that they can be added to context tokens."""
    completion_tokens: int = 0
    """Of the answers, counted in the same way; reasoning included, where the provider shows it."""
    embedded: int = 0
    """Texts that no earlier turn of the session embedded. A resumed session embeds again, and counts nothing twice."""
    seconds: float = field(default=0.0, compare=False)
    """Its own work and its calls, by the clock. Never the same twice."""
    fallbacks: int = 0
    """Decisions that were CONTINUE, and summaries that were made by rules, because the model's were of no use."""

    @property
    def tokens(self) -> int:
        """Tokens of prompts and answers together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: OwnCost) -> OwnCost:
        return OwnCost(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.embedded + other.embedded,
            self.seconds + other.seconds,
            self.fallbacks + other.fallbacks,
        )


NO_COST = OwnCost()


@dataclass(frozen=True, slots=True)
class Context:
    """What one call is shown."""

    messages: tuple[Message, ...]
    """The system text first, whole; the prompt's messages last."""
    shown: Mapping[int, Shown] = field(default_factory=dict)
    """How earlier rounds are shown, by number; the others are not shown. Rounds are the seat's own, from 1."""
    decision: Mapping[str, Any] | None = None
    """What the strategy decided at this turn, as JSON values; None if it decides nothing."""
    cost: OwnCost = NO_COST
    """What the strategy itself took."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """What is new at this turn, as JSON values: it is stored with the turn, and comes back in `Exchange.notes`."""


class ContextStrategy(Protocol):
    """Chooses the messages of a call. It keeps no state: the past with its notes is all that it knows."""

    @property
    def name(self) -> str:
        """Its name with all parameters; `open_strategy` opens an equal one by it."""
        ...

    async def build(self, system: str, past: Sequence[Exchange], prompt: Prompt) -> Context:
        """Choose what the next call is shown.

        Args:
            system: What the seat is told before anything else; empty for nothing.
            past: The seat's own exchanges, oldest first, with the notes of earlier calls.
            prompt: What is asked next.

        Raises:
            ModelError: a model that the strategy calls failed; the session is suspended.
        """
        ...

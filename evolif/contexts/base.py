"""What a context strategy is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from evolif.types import Exchange, Message, Prompt, Spent

Shown = Literal["full", "summary"]
Embedder: TypeAlias = str | Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""An embedder's name, or a function from texts to vectors of one length."""


@dataclass(frozen=True, slots=True)
class Context:
    """What one call is shown."""

    messages: tuple[Message, ...]
    """The system text first, whole; the prompt's messages last."""
    shown: Mapping[int, Shown] = field(default_factory=dict)
    """How earlier rounds are shown, by number; the others are not shown. Rounds are the seat's own, from 1."""
    decision: Mapping[str, Any] | None = None
    """What the strategy decided at this turn, as JSON values; None if it decides nothing."""
    cost: tuple[Spent, ...] = ()
    """The strategy's own calls, in the role `context`."""
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

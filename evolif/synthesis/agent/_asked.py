"""What the agent needs of a chat model: one question, one text back. Layers above wire real clients in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from evolif.domain import Message, Usage


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model said."""

    text: str
    usage: Usage = field(default_factory=Usage)
    truncated: bool = False
    """Cut at the token limit."""


class AskedModel(Protocol):
    """A model that can be asked; `evolif.models.Asked` makes one of a chat model."""

    @property
    def name(self) -> str:
        """`provider/name`, without secrets; what a turn's `source` says."""
        ...

    @property
    def structured(self) -> bool:
        """Whether it answers better in JSON than in bare words."""
        ...

    async def ask(self, messages: tuple[Message, ...], schema: Mapping[str, Any] | None) -> Heard:
        """Answer; in the form of the schema, if there is one, where the provider has such a thing.

        Raises:
            WithheldError: the provider's content filter refused.
            ModelError: the endpoint failed and retrying did not help.
        """
        ...

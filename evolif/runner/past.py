"""What a session under way keeps of the prompts that were answered.

Thousands of sessions wait for an answer at the same time, and each has its past in memory. Most of a prompt, beside its
text, is the payload that answers are judged by, as a tree of small objects. Once it is judged, the payload is kept as
the text that the store has of it, and parsed when a scenario looks at it: that is how a resumed session gets it, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic_core import PydanticSerializationError, from_json, to_json

from evolif.types import Prompt

_MOST_KEPT = 1024
"""Prompts packed lately: other models and epochs ask the same ones at about the same time."""


class PackedPayload(Mapping[str, Any]):
    """A payload as JSON text.

    Args:
        text: An object in JSON.
    """

    __slots__ = ("_text",)

    def __init__(self, text: bytes) -> None:
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self._parsed()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parsed())

    def __len__(self) -> int:
        return len(self._parsed())

    def __repr__(self) -> str:
        return repr(self._parsed())

    def _parsed(self) -> dict[str, Any]:
        parsed: dict[str, Any] = from_json(self._text)
        return parsed


class PromptPacker:
    """Packs the prompts of a run; sessions that were asked the same one share it."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int, str], Prompt] = {}

    def __call__(self, prompt: Prompt) -> Prompt:
        """The same prompt with a packed payload, or as it is where nothing is gained."""
        if not prompt.payload or isinstance(prompt.payload, PackedPayload) or not prompt.digest:
            return prompt
        key = (prompt.dialogue, prompt.turn, prompt.digest)
        known = self._kept.get(key)
        if known is not None and known.messages == prompt.messages:
            return known
        try:
            text = to_json(prompt.payload)
        except PydanticSerializationError:  # half a surrogate pair, from a hostile text
            return prompt
        if b"NaN" in text or b"Infinity" in text:
            return prompt
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        packed = self._kept[key] = replace(prompt, payload=PackedPayload(text))
        return packed

"""What a strategy itself costs: its own calls, their tokens and its time, apart from those of the model under test."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from evolif.models import ChatModel, ChatRequest, Reply
from evolif.types import Usage


@dataclass(slots=True)
class Cost:
    """Calls and seconds, summed up."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Count the seconds within, and the calls of `CountedModel`s there."""
        before, began = _current.set(self), time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - began
            _current.reset(before)

    def add(self, usage: Usage, calls: int = 1) -> None:
        """Count calls."""
        self.calls += calls
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens

    def figures(self, questions: int) -> dict[str, Any]:
        """The sums, and what is a question's share of them; None where there was no question."""
        sums = {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "seconds": self.seconds,
        }
        share = {name: value / questions for name, value in sums.items()} if questions else None
        return {**sums, "per_question": share}


_current: ContextVar[Cost | None] = ContextVar("current cost", default=None)


class CountedModel:
    """A model whose calls are counted where `Cost.measured` is in force; implements `ChatModel`.

    Args:
        model: Answers the calls.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """As the model's."""
        return self._model.name

    @property
    def connections(self) -> int:
        """As the model's."""
        return self._model.connections

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer, and count the call; a failed one counts without tokens."""
        cost, usage = _current.get(), Usage()
        try:
            reply = await self._model.complete(request)
            usage = reply.usage
            return reply
        finally:
            if cost is not None:
                cost.add(usage)

    async def aclose(self) -> None:
        """Release the model's connections."""
        await self._model.aclose()

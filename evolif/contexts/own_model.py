"""The model that a context strategy calls (`--context-model`), and what its calls cost at one turn."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from typing import Any

from evolif.contexts.base import OwnCost
from evolif.contexts.tokens import count_tokens
from evolif.errors import ContextOverflowError, UsageError, WithheldError
from evolif.models import ChatModel, ChatRequest, SchemaCalls
from evolif.text import normalise
from evolif.types import Message
from evolif.util.resources import data_path, load_data

ROLE = "context"
"""The role of a strategy's model among `models`."""
_MOST_SHOWN = 24_000
"""Characters between two fences; of a longer text the first two thirds of them and the last third are shown."""
MOST_OF_MESSAGE = 8_000
"""Characters that are shown of one message."""
_MOST_TOKENS = 2048
"""Of a reply, a reasoning model's thoughts included."""


@dataclass(slots=True)
class Tally:
    """Sums up what a strategy takes while it builds one context. It begins to count when it is made."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embedded: int = 0
    fallbacks: int = 0
    began: float = field(default_factory=time.perf_counter)

    def cost(self) -> OwnCost:
        """What was taken until now."""
        seconds = round(time.perf_counter() - self.began, 6)
        return OwnCost(self.calls, self.prompt_tokens, self.completion_tokens, self.embedded, seconds, self.fallbacks)


class OwnModel:
    """Asks a strategy's model; its replies are hostile input, like what people said.

    Args:
        models: By role.
        name: Of the strategy, for the error.

    Raises:
        UsageError: there is no model for the role `context`, or a simulated one, or the extra `contexts` is not
            installed.
    """

    def __init__(self, models: Mapping[str, ChatModel], name: str) -> None:
        if ROLE not in models:
            raise UsageError(
                f"the context strategy {name} calls a model of its own: name it with --context-model PROVIDER/NAME"
            )
        if models[ROLE].name.startswith("sim/"):
            raise UsageError(
                f"the context strategy {name} asks its model questions, and {models[ROLE].name} is a simulated one, "
                "which only plays benchmarks: name another one with --context-model PROVIDER/NAME"
            )
        count_tokens("")
        self._calls = SchemaCalls(models[ROLE])

    async def ask(self, told: str, asked: str, tally: Tally, schema: Mapping[str, Any] | None = None) -> str:
        """The reply without reasoning.

        Args:
            told: The system text.
            asked: The question.
            tally: Counts the call.
            schema: The form of the answer; None for any.

        Raises:
            NoUseError: the provider's content filter refused, or the question is too long for the model.
            ModelError: the provider cannot be reached.
        """
        request = ChatRequest((Message("system", told), Message("user", asked)))
        tally.calls += 1
        tally.prompt_tokens += count_tokens(told) + count_tokens(asked)
        try:
            reply, _ = await self._calls.complete(request, _MOST_TOKENS, schema)
        except (WithheldError, ContextOverflowError) as fault:
            raise NoUseError(str(fault)) from fault
        tally.completion_tokens += count_tokens(reply.text) + count_tokens(reply.reasoning)
        return normalise(reply.text).strip()


class NoUseError(Exception):
    """The model gives nothing that can be used, however often it is asked the same."""


def fenced(text: str) -> str:
    """A text between two equal lines that it does not contain: data, wherever it speaks to a model.

    The line follows from the text, so that the same question is asked again in the same words.
    """
    text = shortened(text.encode("utf-8", "replace").decode("utf-8"), _MOST_SHOWN)
    line = f"==== {blake2b(text.encode(), digest_size=8).hexdigest()} ===="
    return f"{line}\n{text}\n{line}"


def shortened(text: str, longest: int = MOST_OF_MESSAGE) -> str:
    """A text up to a number of characters; of a longer one its two ends."""
    tail = longest // 3
    return text if len(text) <= longest else f"{text[: longest - tail]}\n[…]\n{text[-tail:]}"


@cache
def wording() -> dict[str, Any]:
    """What a strategy's model is asked."""
    found: dict[str, Any] = load_data(data_path("seeds", "prompts", "context.yaml"))
    return found

"""A scripted model for Inspect and for our own runner, which says the same to both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from evolif.models import ChatRequest, Reply

TEXTS = [
    "Here is a short answer. It has two sentences.",
    "- one\n- two\n- three\n- four",
    "# Title\n\n**bold** words, and 12 of them in two lines.\nThe end!",
    '{"answer": "none"}',
    "say: hello\n\nThe final answer is 3.",
]


def text_for(told: Sequence[tuple[str, str]]) -> str:
    """One of the texts, whichever the conversation decides."""
    return TEXTS[int(hashlib.sha256(json.dumps(list(told)).encode()).hexdigest(), 16) % len(TEXTS)]


class OurModel:
    """The scripted model as evolif has models."""

    name, connections = "mockllm/model", 8

    async def complete(self, request: ChatRequest) -> Reply:
        return Reply(text_for([(one.role, one.content) for one in request.messages]))

    async def aclose(self) -> None:
        pass


def output(text: str) -> ModelOutput:
    """An answer of the scripted model; with a usage, since Inspect would fetch a tokenizer to count it."""
    given = ModelOutput.from_content("mockllm/model", text)
    given.usage = ModelUsage(input_tokens=1, output_tokens=3, total_tokens=4)
    return given


def scripted(seen: list[Any] | None = None) -> Model:
    """The scripted model as Inspect has models; notes the messages of each call."""

    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        if seen is not None:
            seen.append(messages)
        told = [one for one in messages if one.role in ("system", "user", "assistant")]
        return output(text_for([(one.role, one.text) for one in told]))

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)

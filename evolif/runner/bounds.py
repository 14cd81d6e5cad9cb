"""The most tokens that a call can use, and whether what an endpoint reports of it can be true."""

from __future__ import annotations

import json
from dataclasses import dataclass

from evolif.models import ChatRequest
from evolif.types import Usage

ASSUMED_ANSWER = 32_768
"""Assumed tokens of an answer without a maximum."""
ABSURD = 100
"""How often the bound a report must exceed to be nonsense. Servers that ignore the maximum, or count reasoning beside
it, do exceed the bound; their reports are true."""

_BYTES_PER_TOKEN = 2
"""In UTF-8 bytes: prose has about four, digit tables and non-Latin scripts about two."""
_TOKENS_PER_MESSAGE, _TOKENS_PER_CALL = 8, 64
"""Tokens that chat templates add to the text."""
_TOKENS_PER_IMAGE = 25_600
"""Most models count 250 to 6,400; gpt-4o-mini counts 25,501 for 1,024 pixels squared."""


@dataclass(frozen=True, slots=True)
class RequestSize:
    """How large a request is, for estimates of its tokens."""

    bytes: int
    """In UTF-8, with the schema."""
    messages: int
    images: int

    @classmethod
    def of(cls, request: ChatRequest) -> RequestSize:
        """The size of a request."""
        size = sum(len(message.content.encode("utf-8", "replace")) for message in request.messages)
        schema = len(json.dumps(request.schema)) if request.schema is not None else 0
        images = sum(len(message.images) for message in request.messages)
        return cls(size + schema, len(request.messages), images)


def upper_bound(model: str, request: ChatRequest, size: RequestSize | None = None) -> Usage:
    """The most tokens a call can use: a generous estimate of the prompt, and the longest answer requested.

    Simulated models use no tokens.

    Args:
        model: Its name.
        request: The call.
        size: Its size, where its messages are elsewhere.
    """
    if is_free_of_tokens(model):
        return Usage()
    size = size or RequestSize.of(request)
    prompt = -(-size.bytes // _BYTES_PER_TOKEN) + _TOKENS_PER_MESSAGE * size.messages + _TOKENS_PER_CALL
    prompt += _TOKENS_PER_IMAGE * size.images
    longest = request.sampling.max_tokens
    return Usage(prompt, ASSUMED_ANSWER if longest is None else longest)


def is_free_of_tokens(model: str) -> bool:
    """Whether a model is simulated, and so uses no tokens."""
    return model.startswith("sim/")


def believable(usage: Usage, model: str, request: ChatRequest) -> bool:
    """Whether a client's report of a call can be true.

    No call uses no tokens, but a simulated one's; clients report what they could not read as `Usage()`.
    """
    prompt, answer = usage.prompt_tokens, usage.completion_tokens
    parts = ((usage.cached_tokens, prompt), (usage.reasoning_tokens, answer), (usage.image_tokens, prompt))
    if not all(map(_is_count, (prompt, answer))) or not all(_is_count(part) and part <= of for part, of in parts):
        return False  # the client is a plug-in's or the caller's
    tokens = prompt + answer
    if is_free_of_tokens(model):
        return not tokens
    # Working out the bound reads the whole conversation; no bound is below that of an empty one.
    return tokens > 0 and (tokens <= ABSURD * _TOKENS_PER_CALL or tokens <= ABSURD * upper_bound(model, request).tokens)


def _is_count(number: object) -> bool:
    return type(number) is int and number >= 0

"""The tokens of a call as endpoints report them, each in its own spelling.

Two counts differ between providers, and would be counted twice or not at all if they were taken alike. Reasoning is
part of the completion at OpenAI and beside it at xAI and Google; the reported total tells which. Tokens from a
provider's cache are part of the prompt at OpenAI and beside it where a gateway passes Anthropic's own counts on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evolif.models.faults import mapping
from evolif.types import Usage

_MOST = 2**53
"""No provider counts so far, and no database holds much more."""

_CACHED = ("cached_tokens", "prompt_cache_hit_tokens", "num_cached_tokens", "cache_read_input_tokens")
"""OpenAI's name, which OpenRouter, xAI, Groq and Fireworks share; DeepSeek's, Mistral's and Anthropic's."""


def count(value: object) -> int | None:
    """A number of tokens; None if it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST else None


def usage_of(prompt: object, *answer: object) -> Usage:
    """Tokens that an endpoint reports, the answer's as a sum; `Usage()`, that is unknown, where one is no number."""
    asked, written = count(prompt), [count(one) for one in answer]
    known = [one for one in written if one is not None]
    return Usage() if asked is None or len(known) < len(written) else Usage(asked, sum(known))


def chat_usage(reported: object) -> Usage:
    """The usage object of a chat completion, in OpenAI's spelling or a relative of it.

    Args:
        reported: Of the answer's body; anything.

    Returns:
        `Usage()`, which means unknown, without the two numbers that all endpoints share.

    Example:
        ```python
        chat_usage({"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14})
        ```
    """
    told = mapping(reported)
    asked, written = count(told.get("prompt_tokens")), count(told.get("completion_tokens"))
    if asked is None or written is None:
        return Usage()
    of_prompt, of_answer = mapping(told.get("prompt_tokens_details")), mapping(told.get("completion_tokens_details"))
    cached = _first(_CACHED, of_prompt, told)
    reasoning = _first(("reasoning_tokens",), of_answer, told)
    beside = max(0, (count(told.get("total_tokens")) or 0) - asked - written)
    stored = cached + _first(("cache_creation_input_tokens",), told)
    if beside and beside == stored:
        asked += stored
    elif beside and reasoning in (0, beside):
        written, reasoning = written + beside, beside
    image = _first(("image_tokens",), of_prompt)
    return Usage(asked, written, min(cached, asked), min(reasoning, written), min(image, asked))


def gemini_usage(reported: object, *, has_text: bool) -> Usage:
    """The usage of an answer of the Gemini API, which counts thoughts beside the answer and leaves zeros out.

    Args:
        reported: Its `usageMetadata`; anything.
        has_text: Whether the answer has a text, which then has tokens.
    """
    told = mapping(reported)
    thoughts = told.get("thoughtsTokenCount", 0)
    usage = usage_of(told.get("promptTokenCount"), told.get("candidatesTokenCount", None if has_text else 0), thoughts)
    if usage == Usage():
        return usage
    asked, written = usage.prompt_tokens, usage.completion_tokens
    cached, image = count(told.get("cachedContentTokenCount")) or 0, sum(_images(told))
    return Usage(asked, written, min(cached, asked), count(thoughts) or 0, min(image, asked))


def _images(told: Mapping[str, Any]) -> Iterator[int]:
    """Tokens of the prompt's images, as Gemini lists them by modality."""
    details = told.get("promptTokensDetails")
    for detail in map(mapping, details if isinstance(details, list) else ()):
        if detail.get("modality") == "IMAGE":
            yield count(detail.get("tokenCount")) or 0


def _first(names: tuple[str, ...], *places: Mapping[str, Any]) -> int:
    """The first number that is there under any of the names; 0 for none."""
    found = (count(place.get(name)) for place in places for name in names)
    return next((number for number in found if number is not None), 0)

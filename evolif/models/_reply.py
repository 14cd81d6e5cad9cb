"""From a chat completion as received to a `Reply`.

Servers that call themselves compatible differ in everything that is optional, so the plain JSON is read and nothing is
believed: missing, null and mistyped fields are all met in the wild.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from evolif._errors import ModelError
from evolif.domain import Usage
from evolif.models._base import Reply
from evolif.models._json import clean_text, count, mapping

_THINK = re.compile(r"\s*<think>(.*?)(?:</think>\s*|\Z)(.*)\Z", re.DOTALL)
"""A leading block of reasoning; one that never ends is reasoning to the last character."""

Faults = Callable[[str], ModelError]
"""Makes the error for an answer that is none, from a few words on what is wrong with it."""


def read_reply(data: object, *, malformed: Faults, withheld: Callable[[], ModelError]) -> Reply:
    """Read the JSON of a chat completion.

    Raises:
        WithheldError: the content filter stopped the answer.
        ModelError: there is no answer in it (retryable).
    """
    body = mapping(data)
    choices = body.get("choices")
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    if not choice:
        raise malformed(_error_text(body) or "no choices")
    finish = choice.get("finish_reason")
    if finish == "content_filter":
        raise withheld()
    if finish == "error" or not isinstance(choice.get("message"), Mapping):
        raise malformed(_error_text(choice) or "no message")
    text, reasoning = _message(choice["message"])
    return Reply(
        text=text,
        reasoning=reasoning,
        truncated=finish == "length",
        usage=_usage(body.get("usage")),
        served_by=clean_text(body.get("model")),
    )


def split_reasoning(text: str) -> tuple[str, str]:
    """Split a leading `<think>` block off: (answer, reasoning)."""
    match = _THINK.match(text)
    return (match[2], match[1].strip()) if match else (text, "")


def _message(message: Mapping[str, Any]) -> tuple[str, str]:
    given = clean_text(message.get("reasoning_content")) or clean_text(message.get("reasoning"))
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    plain = content if isinstance(content, str) else "".join(_part(p, "text") for p in parts)
    # A refusal stands in a field of its own but is the model's answer all the same.
    text, leading = split_reasoning(clean_text(plain or clean_text(message.get("refusal"))))
    thoughts = (given, "".join(_part(p, "thinking") for p in parts), leading)
    return text, "\n".join(t for t in thoughts if t)


def _part(part: object, kind: str) -> str:
    """The text of one part of a content list, if it is of a kind; thoughts may be lists of texts again."""
    if not isinstance(part, Mapping) or part.get("type") != kind:
        return ""
    value = part.get(kind)
    parts = value if isinstance(value, list) else [{"text": value}]
    return "".join(clean_text(mapping(p).get("text")) for p in parts)


def _usage(value: object) -> Usage:
    usage = mapping(value)
    return Usage(count(usage.get("prompt_tokens")), count(usage.get("completion_tokens")))


def _error_text(body: Mapping[str, Any]) -> str:
    """What a provider says in a completion that is an error in disguise."""
    error = body.get("error")
    return clean_text(error) or clean_text(mapping(error).get("message"))

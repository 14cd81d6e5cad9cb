"""What the SDK raises, said in our error tree, without keys.

A fault is made here and raised by the caller outside its `except` block: an SDK exception left as `__context__` would
carry the provider's whole answer, key included where the provider echoes it, into whoever logs the traceback.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from evolif._errors import ContextOverflowError, ModelError, WithheldError
from evolif.models._endpoint import PLACEHOLDER_KEY, Endpoint

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAIError

TEXT_LIMIT = 300
"""Characters of a provider's text that an error repeats."""

_SECRETS = re.compile(
    r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?\S+(\s+\S+)?|\b(bearer|basic)\s+\S+|\b(sk|pk|rk)-[\w*.-]{4,}|\bAIza[\w-]{8,}"
    r"|\b(api[-_]?key|token|secret|password)['\"]?\s*[:=]\s*['\"]?\S+)"
)
_OVERFLOW = re.compile(
    r"(?i)context[ _-]?(length|window|size)|contextwindow|maximum context|max_model_len|prompt is too long"
    r"|(input|prompt)( token count)?[^.]{0,60}(too long|too large|exceeds? the maximum)"
    r"|too many (input |prompt )?tokens|reduce the length of the (messages|prompt)|max_new_tokens` must be"
)
_FILTERED = re.compile(
    r"(?i)content[ _-]?(filter|policy_violation|management policy|policy violation)|responsibleaipolicy"
    r"|flagged (by|as)|moderation|safety system"
)
_OVERFLOW_STATUS = {400, 413, 422, 500}  # 500: llama.cpp, when the context fills while it answers
_FILTER_STATUS = {400, 403, 422, 451}
_NEVER_PASSES = ("insufficient_quota", "billing_hard_limit_reached")


def redact(text: str, key: str) -> str:
    """Make a provider's text fit for a message: one line, no control characters, no key, at most 300 characters.

    Order matters: characters are removed first, since a key cut by them would appear whole afterwards, and the cut
    comes last, since half a key matches nothing.
    """
    text = " ".join("".join(c if c.isprintable() else " " if c.isspace() else "" for c in text).split())
    if key and key != PLACEHOLDER_KEY:
        text = text.replace(key, "[key]")
        if len(key) > 12:  # providers like to show the beginning
            text = re.sub(re.escape(key[:8]) + r"\S*", "[key]", text)
    text = _SECRETS.sub("[key]", text)
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"


def fault_of(error: OpenAIError, *, name: str, endpoint: Endpoint, timeout: float) -> ModelError:
    """Say an SDK exception in our tree; the caller raises the result."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return timeout_fault(name, endpoint, timeout)
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__).__name__ if error.__cause__ else "connection error"
        return ModelError(f"{name}: {endpoint.host} could not be reached ({cause}); is it running?", retryable=True)
    if isinstance(error, openai.APIStatusError):
        return _status_fault(error, name, endpoint)
    text = redact(str(error), endpoint.key)
    return ModelError(f"{name}: the request could not be made: {text}", retryable=False)


def timeout_fault(name: str, endpoint: Endpoint, timeout: float) -> ModelError:
    """The error for an answer that did not come in time."""
    return ModelError(f"{name}: {endpoint.host} gave no answer within {timeout:g} s; try again later.", retryable=True)


def malformed(name: str, endpoint: Endpoint, what: str) -> ModelError:
    """The error for an answer that is none; servers recover from these, so it may pass later."""
    text = redact(what, endpoint.key)
    return ModelError(f"{name}: {endpoint.host} answered with no usable completion ({text}).", retryable=True)


def withheld(name: str) -> WithheldError:
    """The error for what the provider's content filter refused."""
    return WithheldError(f"{name}: the provider's content filter refused this conversation.")


def _status_fault(error: APIStatusError, name: str, endpoint: Endpoint) -> ModelError:
    status, evidence = error.status_code, _evidence(error.body)
    if status in _OVERFLOW_STATUS and _OVERFLOW.search(evidence):
        return ContextOverflowError(f"{name}: the conversation no longer fits: {redact(_said(error), endpoint.key)}")
    if status in _FILTER_STATUS and _FILTERED.search(evidence):
        return withheld(name)
    passing = status in {408, 409, 425, 429} or status >= 500
    retryable = passing and not any(code in evidence for code in _NEVER_PASSES)
    said = redact(_said(error), endpoint.key)
    advice = _advice(status, endpoint, retryable)
    return ModelError(f"{name}: {endpoint.host} answered {status}: {said}; {advice}.", retryable=retryable)


def _advice(status: int, endpoint: Endpoint, retryable: bool) -> str:
    if retryable:
        return "try again later"
    if status in {401, 403}:
        return (
            f"check the key in {endpoint.key_env}"
            if endpoint.key_env
            else "name the variable that holds its key: openai/NAME?key_env=MY_KEY"
        )
    if status == 404:
        return "check the model's name and base_url"
    return "the same request will not pass again"


def _said(error: APIStatusError) -> str:
    body: Any = error.body
    for key in ("error", "message", "detail"):
        body = body.get(key, body) if isinstance(body, dict) else body
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str) if body else "no text"


def _evidence(body: object) -> str:
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)

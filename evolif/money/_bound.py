"""The most that a call can come to, told before it is made."""

from __future__ import annotations

import json
from dataclasses import dataclass

from evolif.domain import Usage
from evolif.models import ChatRequest

ASSUMED_ANSWER = 32_768
"""Tokens of an answer whose length nobody bounded."""

_BYTES = 2
"""Bytes of UTF-8 per token: prose has about four, tables of digits and scripts other than Latin about two."""
_PER_MESSAGE, _PER_CALL = 8, 64
"""Tokens that chat templates put around what is said."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Tokens that a call can come to, at most."""

    usage: Usage

    @property
    def tokens(self) -> int:
        """Of prompt and answer together."""
        return self.usage.prompt_tokens + self.usage.completion_tokens


def upper_bound(model: str, request: ChatRequest) -> Bound:
    """A generous estimate of the prompt, and the longest answer that was asked for.

    Simulated models take no tokens.
    """
    if model.startswith("sim/"):
        return Bound(Usage())
    size = sum(len(message.content.encode("utf-8", "replace")) for message in request.messages)
    size += len(json.dumps(request.schema)) if request.schema is not None else 0
    prompt = -(-size // _BYTES) + _PER_MESSAGE * len(request.messages) + _PER_CALL
    longest = request.sampling.max_tokens
    return Bound(Usage(prompt, ASSUMED_ANSWER if longest is None else longest))

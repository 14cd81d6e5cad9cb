"""Requests that go over connections of the caller's: read and refused as those of the SDK are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from evolif.errors import AccessError, ContextOverflowError, ModelError
from evolif.models import ChatRequest, Reply, Sampling
from evolif.models.endpoint import Endpoint
from evolif.models.openai import OpenAIModel
from evolif.types import Message

from .server import completion

ASKED = ChatRequest((Message("system", "Be brief."), Message("user", "Hi")), Sampling(max_tokens=9))
TOO_LONG = {"error": {"message": "This model's maximum context length is 9 tokens.", "code": "context_length_exceeded"}}


def asked(carry: Callable[[bytes], Awaitable[tuple[int, bytes]]]) -> Reply:
    model = OpenAIModel("tiny", Endpoint("http://nowhere.invalid/v1", "kk-secret-key"), carry=carry)
    return asyncio.run(model.complete(ASKED))


def test_the_caller_gets_the_body_and_gives_the_answer() -> None:
    bodies = []

    async def carry(content: bytes) -> tuple[int, bytes]:
        bodies.append(json.loads(content))
        return 200, json.dumps(completion("<think>so</think>Hello.", finish="length")).encode()

    reply = asked(carry)
    assert (reply.text, reply.reasoning, reply.truncated) == ("Hello.", "so", True)
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    assert bodies == [{"model": "tiny", "messages": messages, "max_tokens": 9}]


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (400, json.dumps(TOO_LONG), ContextOverflowError, "no longer fits the context"),
        (401, '{"error": {"message": "no: kk-secret-key"}}', AccessError, r"answered 401: no: \[key\]"),
        (503, "busy", ModelError, "answered 503: busy; try again later"),
        (200, "<html>", ModelError, "the body is not a JSON object"),
    ],
)
def test_refusals_are_told_as_those_over_the_sdk(status: int, body: str, kind: type[ModelError], words: str) -> None:
    async def carry(content: bytes) -> tuple[int, bytes]:
        return status, body.encode()

    with pytest.raises(kind, match=words):
        asked(carry)


def test_a_broken_connection_may_be_tried_again() -> None:
    async def carry(content: bytes) -> tuple[int, bytes]:
        raise ConnectionResetError

    with pytest.raises(ModelError, match="could not be reached") as caught:
        asked(carry)
    assert caught.value.retryable

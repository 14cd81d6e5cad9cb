"""A context model whose replies a test scripts, and conversations under a strategy that calls it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolif.contexts import Context, ContextStrategy
from evolif.models import ChatRequest, Reply
from evolif.types import Exchange, Message, Prompt

Answer = Callable[[ChatRequest], "Reply | str | Exception"]


@dataclass
class Scripted:
    """Answers by a function and remembers what it was asked."""

    answer: Answer
    connections: int = 1
    name: str = "fake/context"
    asked: list[ChatRequest] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        answer = self.answer(request)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer) if isinstance(answer, str) else answer

    async def aclose(self) -> None:
        """Nothing to release."""


class Letters:
    """Counts the letters j, q, v and z, so that similarities can be seen."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.seen += texts
        return [[float(text.count(letter)) for letter in "jqvz"] for text in texts]


def said(**fields: Any) -> str:
    """A reply with one object."""
    return json.dumps(fields)


def is_about(request: ChatRequest, what: str) -> bool:
    """Whether a call asks for `topic`, `branch`, `summary` or `condense`."""
    marks = {
        "topic": "every topic so far",
        "branch": "alternatives that",
        "summary": "one round of",
        "condense": "notes on",
    }
    return marks[what] in request.messages[0].content


def played(strategy: ContextStrategy, turns: Sequence[tuple[str, str]]) -> tuple[list[Exchange], list[Context]]:
    """A conversation with the context of each turn."""
    past: list[Exchange] = []
    contexts: list[Context] = []
    for number, (query, reply) in enumerate(turns, 1):
        asked = Prompt(1, number, (Message("user", query),))
        contexts.append(asyncio.run(strategy.build("Rules.", past, asked)))
        past.append(Exchange(asked, reply, reply, contexts[-1].notes))
    return past, contexts

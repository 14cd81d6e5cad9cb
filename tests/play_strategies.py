"""Context strategies played turn by turn with an embedder that counts words, and a model that answers by a function."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evolif.contexts import Context, open_strategy
from evolif.models.base import ChatRequest, Reply
from evolif.types import Exchange, Message, Prompt, Usage

Rounds = Sequence[tuple[str, str]]


class Talker:
    """A chat model that answers by a function, and remembers what it was asked."""

    connections = 4

    def __init__(self, answer: Callable[[ChatRequest], str], name: str = "fake/talker") -> None:
        self.name, self.answer = name, answer
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        return Reply(self.answer(request), usage=Usage(100, 10))

    async def aclose(self) -> None:
        pass


def by_words(*vocabulary: str) -> Callable[[Sequence[str]], list[list[float]]]:
    """An embedder that counts the words of a vocabulary."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        found = [re.findall(r"[a-z]+", text.casefold()) for text in texts]
        return [[float(words.count(word)) for word in vocabulary] for words in found]

    return embed


def play(
    name: str, rounds: Rounds, query: str | None = None, *, system: str = "", embedder: Any = None
) -> list[Context]:
    """The context of every round, and that of one query more.

    Args:
        name: Of the strategy.
        rounds: Queries and what was heard of the answers; more was answered than heard.
        query: The one more.
        system: The system text.
        embedder: Of the strategy.
    """

    async def run() -> list[Context]:
        strategy = open_strategy(name, embedder=embedder)
        past: list[Exchange] = []
        contexts = []
        for i, (said, heard) in enumerate([*rounds, *([(query, "")] if query is not None else [])]):
            prompt = Prompt(0, 2 * i + 1, (Message("user", said),))
            context = await strategy.build(system, tuple(past), prompt)
            contexts.append(context)
            past.append(Exchange(prompt, f"{heard} <unheard>", heard, context.notes))
        return contexts

    return asyncio.run(run())


def flat(context: Context) -> list[tuple[str, str]]:
    """Role and content of its messages."""
    return [(m.role, m.content) for m in context.messages]


def actions(context: Context) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The decisions on topic and branch; None is to go on."""
    go: Mapping[str, Any] = {"action": "CONTINUE"}
    decision = context.decision or {}
    return decision.get("topic") or go, decision.get("branch") or go

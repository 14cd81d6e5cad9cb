"""A model whose every answer a test scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from evolif.models import ChatRequest, Reply

Answer = Callable[[ChatRequest], "Reply | str | Exception"]


@dataclass
class Scripted:
    """Answers by a function and remembers what it was asked."""

    answer: Answer
    connections: int = 1
    name: str = "fake/model"
    asked: list[ChatRequest] = field(default_factory=list)
    closed: int = 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        answer = self.answer(request)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer) if isinstance(answer, str) else answer

    async def aclose(self) -> None:
        self.closed += 1

    @property
    def turns(self) -> list[tuple[int, int]]:
        """(dialogue, turn) of every call, in order."""
        return [(r.prompt.dialogue, r.prompt.turn) for r in self.asked if r.prompt is not None]


def number(request: ChatRequest) -> int:
    """The turn's number in its dialogue."""
    assert request.prompt is not None
    return request.prompt.turn


def witness(request: ChatRequest) -> str:
    """The answer that satisfies the turn."""
    assert request.prompt is not None and request.prompt.payload["witness"] is not None
    return request.prompt.payload["witness"]


def good_but(*bad: int) -> Answer:
    """The witness, but an empty answer at these turns."""
    return lambda request: "" if number(request) in bad else witness(request)


def fault_at(turn: int, fault: Exception) -> Answer:
    """The witness, but a fault at this turn."""
    return lambda request: fault if number(request) == turn else witness(request)

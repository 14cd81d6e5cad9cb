"""A judge model whose every reply a test scripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evolif.judging import Judge, open_judge
from evolif.judging.records import JudgeCache
from evolif.models import ChatRequest, Reply
from evolif.types import Usage

Said = Reply | str | Exception


def grade(score: object, rationale: str = "Because of its words.") -> str:
    return json.dumps({"rationale": rationale, "score": score})


@dataclass
class Asked:
    """Gives its replies in turn, the last one for ever; each costs 100 and 10 tokens."""

    replies: list[Said]
    name: str = "fake/judge"
    answer: Callable[[ChatRequest], Said] | None = None
    requests: list[ChatRequest] = field(default_factory=list)
    connections: int = 4
    closed: int = 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.requests.append(request)
        if self.answer is not None:
            said = self.answer(request)
        else:
            said = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Reply) else Reply(said, usage=Usage(100, 10), served_by="judge-2026")

    async def aclose(self) -> None:
        self.closed += 1


def panel(*models: Asked, rule: str = "mean", cache: JudgeCache | None = None) -> Judge:
    judge = open_judge(models, rule=rule, cache=cache)
    assert judge is not None
    return judge


def scoring(scores: Sequence[object]) -> list[Asked]:
    """One model for each score."""
    return [Asked([grade(score)], f"fake/{number}") for number, score in enumerate(scores, 1)]

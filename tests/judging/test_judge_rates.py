"""A panel asked in words of the caller's own: each member once, never twice for the same words and scale."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from evolif.errors import JudgeError, ModelError, WithheldError
from evolif.judging import Panel, load_rubric
from evolif.judging.panel import Member
from evolif.judging.records import MemoryJudgeCache
from evolif.models import ChatRequest, Reply
from evolif.types import Message, Usage

ASKED = (Message("user", "How good is it?"),)


class Judge:
    connections = 4

    def __init__(self, answer: Callable[[ChatRequest], str | Exception], name: str = "fake/judge") -> None:
        self.name = name
        self.asked: list[ChatRequest] = []
        self._answer = answer

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        answer = self._answer(request)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, usage=Usage(3, 2))

    async def aclose(self) -> None:
        pass


def panel(*judges: Judge, rule: str = "mean") -> Panel:
    cache = MemoryJudgeCache()
    return Panel([Member(judge, "", cache) for judge in judges], rule, load_rubric(), cache)


def rated(panel: Panel, scale: str = "") -> tuple[float | None, tuple[str, ...]]:
    value, scores = asyncio.run(panel.rate(ASKED, float, 50, scale))
    return value, tuple(score.problem for score in scores)


def test_the_same_words_on_the_same_scale_are_paid_for_once() -> None:
    judge = Judge(lambda request: "0.5")
    one = panel(judge)
    assert [rated(one, scale)[0] for scale in ("a", "a", "b")] == [0.5, 0.5, 0.5]
    assert len(judge.asked) == 2
    assert judge.asked[0].messages == ASKED
    assert (judge.asked[0].schema, judge.asked[0].sampling.temperature, judge.asked[0].sampling.max_tokens) == (
        None,
        0,
        50,
    )


def test_a_reply_without_a_score_is_asked_for_once_and_not_kept() -> None:
    judge = Judge(lambda request: "good")
    one = panel(judge)
    for _ in range(2):
        value, (problem,) = rated(one)
        assert value is None and "good" in problem
    assert len(judge.asked) == 2


def test_a_model_that_takes_no_temperature_is_asked_without_one() -> None:
    judge = Judge(lambda request: "1" if request.sampling.temperature is None else ModelError("no temperature"))
    one = panel(judge)
    assert rated(one, "a")[0] == rated(one, "b")[0] == 1.0
    assert [request.sampling.temperature for request in judge.asked] == [0, None, None]


def test_a_refusal_by_a_content_filter_is_no_score() -> None:
    value, (problem,) = rated(panel(Judge(lambda request: WithheldError("no"))))
    assert value is None and "content filter" in problem


def test_more_than_half_of_the_members_have_to_give_a_score() -> None:
    said = {"fake/a": "0", "fake/b": "x", "fake/c": "0.5"}
    judges = [Judge(lambda request, name=name: said[name], name) for name in said]
    assert rated(panel(*judges))[0] == 0.25
    assert rated(panel(*judges[:2]))[0] is None
    said["fake/b"] = "1"
    assert rated(panel(*judges, rule="median"))[0] == 0.5


def test_a_member_out_of_reach_is_an_error_after_the_others_were_asked() -> None:
    judges = [Judge(lambda request: ModelError("down", retryable=True), "fake/a"), Judge(lambda request: "1", "fake/b")]
    with pytest.raises(JudgeError, match="down") as caught:
        rated(panel(*judges))
    assert caught.value.spent == {"fake/b": (3, 2)}

"""Verdicts that count, and a heuristic that never does."""

from __future__ import annotations

import asyncio

import pytest

from evolif import InternalError, UsageError
from evolif.judging import Criterion, Judge, Judgement, LexicalJudge, open_judge
from evolif.scenarios.instructions.constraints import GROUPS, get_group
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.verdicts import judge_turn
from evolif.text import Reading
from evolif.types import Verdict

HAPPY = Constraint("emotion", {"emotion": "happy"})
BULLETS = Constraint("bullets", {"count": 2})
JOY = "I am so happy and delighted! What a wonderful, joyful day; we smile and cheer, glad of the fun we share."

CLEAR = {
    ("emotion", "happy"): JOY,
    ("emotion", "sad"): "I am sad and lonely. Grief and tears fill the house; I cry and mourn my loss with sorrow.",
    ("emotion", "neutral"): "The train leaves at nine. It stops at two stations. The trip takes forty minutes.",
    ("emotion", "angry"): "I am furious. This is outrageous and ridiculous. I hate it. What shameful rage!",
    ("emotion", "excited"): "Wow, this is amazing and incredible! I am thrilled, so excited, it is awesome and epic!",
    ("emotion", "frustrated"): "Ugh, I am stuck. It is annoying, pointless, a waste. I am fed up, frustrated.",
    ("audience", "child"): "Imagine a big game. You play with a friend. The teacher tells a fun story at school.",
    ("audience", "youth"): "Your exam and your class matter, so study with friends. Put your phone and the app away.",
    ("audience", "adult"): "Plan the family budget around work, so that you can manage the mortgage, the insurance and "
    "every invoice that a professional schedule brings with it.",
    ("audience", "senior"): "After many years of work, a gentle retirement with rest is good for your health. "
    "Your grandchildren keep the memories, and the pension is comfortable.",
    ("style", "formal"): "Furthermore, we shall provide the documents accordingly. Therefore, please ensure receipt.",
    ("style", "informal"): "Yeah, it's pretty cool stuff, guys. Lots of folks just wanna hang out, okay?",
    ("style", "active voice"): "We wrote the report. The team checks it. You send the letter today.",
    ("style", "passive voice"): "The report was written by us. It is checked by the team. The letter was sent today.",
}  # fmt: skip


def judge_answer(constraints: tuple[Constraint, ...], answer: str, judge: Judge | None) -> Judgement:
    return asyncio.run(judge_turn(constraints, answer, judge))


def lexical(criterion: Criterion, reading: Reading) -> Verdict:
    return asyncio.run(LexicalJudge().assess(criterion, reading))


def criterion(group: str, value: str) -> Criterion:
    return Criterion(group, {group: value}, "a sentence")


@pytest.mark.parametrize(("group", "value"), list(CLEAR))
def test_lexical_accepts_a_clear_example_and_refuses_a_clear_opposite(group: str, value: str) -> None:
    verdict = lexical(criterion(group, value), Reading(CLEAR[group, value], None))
    assert verdict.satisfied is True, verdict.found
    assert verdict.group == group and value in verdict.expected and "of 10" in verdict.found
    opposites = {"neutral": JOY, "active voice": CLEAR["style", "passive voice"]}
    dull = (
        "The train leaves at nine, and nobody knows whether it's going to stop in the town of the other people there."
    )
    against = lexical(criterion(group, value), Reading(opposites.get(value, dull), None))
    assert against.satisfied is False, against.found


def test_every_value_of_the_subjective_pools_has_an_example_and_can_be_judged() -> None:
    pools = {(g, v) for g in GROUPS if get_group(g).subjective for v in get_group(g).data["pool"]["values"]}
    assert pools == set(CLEAR)


def test_an_unreadable_answer_fails_the_heuristic() -> None:
    for answer in ("", "<think>never ends"):
        assert lexical(criterion("emotion", "happy"), Reading(answer, None)).satisfied is False


def test_the_heuristic_accepts_nothing_that_it_has_no_words_for() -> None:
    verdict = lexical(Criterion("politeness", {"weight": 2}, "The answer is polite."), Reading(JOY, None))
    assert verdict.satisfied is False and "no word list" in verdict.found


def test_without_a_judge_subjective_groups_are_not_judged() -> None:
    judged = judge_answer((HAPPY, BULLETS), f"{JOY}\n\n- one\n- two", None)
    assert [(v.group, v.satisfied) for v in judged.verdicts] == [("emotion", None), ("bullets", True)]
    assert judged.heuristic == ()


@pytest.mark.parametrize("answer", ["", "   ", "<think>never ends", JOY])
def test_heuristic_verdicts_stand_apart_and_never_enter_the_verdicts(answer: str) -> None:
    judge = open_judge("lexical")
    judged = judge_answer((HAPPY, BULLETS), answer, judge)
    assert [v.satisfied for v in judged.verdicts] == [None, False]
    assert [v.group for v in judged.heuristic] == ["emotion"]
    assert judged.heuristic[0].satisfied is (answer == JOY)


def test_an_empty_answer_fails_every_rule() -> None:
    verdicts = judge_answer((BULLETS, Constraint("forbidden", {"keywords": ["x"]})), "", None).verdicts
    assert [v.satisfied for v in verdicts] == [False, False]


def test_there_is_no_judge_by_default_and_unknown_ones_are_refused() -> None:
    assert open_judge("none") is None
    with pytest.raises(UsageError, match="openai/gpt-5"):
        open_judge("openai/gpt-5")


def test_a_checker_that_breaks_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Verdict:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(type(get_group("bullets")), "check", broken)
    with pytest.raises(InternalError, match=r"bullets failed: ZeroDivisionError"):
        judge_answer((BULLETS,), "- one", None)


def test_a_reading_or_a_judge_that_breaks_is_our_fault_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(LexicalJudge):
        async def assess(self, criterion: Criterion, reading: Reading) -> Verdict:
            raise KeyError("no such list")

    with pytest.raises(InternalError, match="KeyError"):
        judge_answer((HAPPY,), "text", Broken())

    def deep(*_: object, **__: object) -> Reading:
        raise RecursionError("too deep")

    monkeypatch.setattr("evolif.scenarios.instructions.verdicts.Reading", deep)
    with pytest.raises(InternalError, match="RecursionError"):
        judge_answer((BULLETS,), "a text that nobody has read", None)

"""From replies to a verdict: rules of a panel, replies that cannot be read, faults, and the cache."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from asked import Asked, grade, panel, scoring

from evolif.errors import (
    AccessError,
    ContextOverflowError,
    InternalError,
    JudgeError,
    ModelError,
    OutsideError,
    WithheldError,
)
from evolif.judging import Judge, Judgement, SqliteJudgeCache, open_judge
from evolif.judging.records import CachedScore, dump_records, load_records
from evolif.models import ChatRequest, Reply
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.verdicts import judge_turn
from evolif.types import Usage

HAPPY = Constraint("emotion", {"emotion": "happy"})
FORMAL = Constraint("style", {"style": "formal"})
BULLETS = Constraint("bullets", {"count": 2})
TEXT = "- one\n- two"


def judged(judge: Judge | None, *constraints: Constraint, answer: str = TEXT) -> Judgement:
    return asyncio.run(judge_turn(constraints or (HAPPY,), answer, judge))


def outcome(scores: list[object], rule: str = "mean") -> tuple[bool | None, float | None]:
    [record] = judged(panel(*scoring(scores), rule=rule)).records
    return record.satisfied, record.score


@pytest.mark.parametrize(
    ("scores", "rule", "satisfied"),
    [
        ([7], "mean", True),
        ([6], "mean", False),
        ([6.5], "mean", True),
        ([6], "majority", False),
        ([7], "median", True),
        ([10, 3, 6], "mean", True),  # 6.33
        ([10, 3, 5], "mean", False),  # 6
        ([10, 10, 6], "majority", True),
        ([10, 6, 6], "majority", False),
        ([10, 6], "majority", False),  # a tie is no majority
        ([10, 6, 6], "median", False),
        ([1, 7, 7], "median", True),
        ([10, 3], "median", True),  # 6.5
    ],
)
def test_a_panel_comes_to_a_verdict_by_its_rule(scores: list[object], rule: str, satisfied: bool) -> None:
    assert outcome(scores, rule)[0] is satisfied


@pytest.mark.parametrize(
    ("scores", "satisfied", "score"),
    [
        (["?"], None, None),
        ([9, "?"], None, None),  # half is not enough
        ([9, "?", 8], True, 8.5),
        (["?", "?", 9], None, None),
    ],
)
def test_a_verdict_needs_scores_of_more_than_half(
    scores: list[object], satisfied: bool | None, score: float | None
) -> None:
    assert outcome(scores) == (satisfied, score)


def test_the_verdict_says_scores_and_why_and_the_record_keeps_everybody() -> None:
    models = scoring([9, 4, 8])
    told = judged(panel(*models), BULLETS, HAPPY)
    rules, verdict = told.verdicts
    assert rules.satisfied is True and verdict.satisfied is True and told.heuristic == ()
    assert verdict.expected == "The answer clearly expresses happiness throughout. (scored above 6 of 10)"
    assert verdict.found == "mean 7 of 10 (9, 4, 8): Because of its words."
    [record] = told.records
    assert [(s.judge, s.score, s.attempts, s.cached) for s in record.scores] == [
        ("fake/1", 9, 1, False), ("fake/2", 4, 1, False), ("fake/3", 8, 1, False),
    ]  # fmt: skip
    assert {s.served_by for s in record.scores} == {"judge-2026"} and {s.temperature for s in record.scores} == {0}
    assert told.usage == {f"fake/{n}": Usage(100, 10) for n in (1, 2, 3)} and set(told.calls.values()) == {1}
    assert load_records(dump_records(told.records)) == told.records
    assert load_records(dump_records(())) == ()


def test_of_one_judge_and_of_a_majority_the_verdict_says_what_decided() -> None:
    assert judged(panel(*scoring([3]))).verdicts[0].found == "3 of 10: Because of its words."
    found = judged(panel(*scoring([9, 8, 2]), rule="majority")).verdicts[0].found
    assert found == "2 of 3 accept (9, 8, 2 of 10): Because of its words."


def test_the_rationale_that_is_shown_is_of_somebody_who_agrees_with_the_verdict() -> None:
    for_it, against = Asked([grade(10, "Glad.")], "fake/1"), Asked([grade(1, "Cold.")], "fake/2")
    assert judged(panel(for_it, against)).verdicts[0].found == "mean 5.5 of 10 (10, 1): Cold."


def test_every_constraint_is_asked_apart_at_temperature_0_with_a_schema() -> None:
    model = Asked([grade(8)])
    told = judged(panel(model), HAPPY, BULLETS, FORMAL)
    assert [v.satisfied for v in told.verdicts] == [True, True, True]
    assert len(model.requests) == 2 and told.usage == {"fake/judge": Usage(200, 20)}
    for request in model.requests:
        assert request.sampling.temperature == 0 and request.sampling.max_tokens == 2048
        assert request.schema is not None and request.prompt is None and TEXT in request.messages[1].content


def test_reasoning_is_not_shown_to_a_judge() -> None:
    model = Asked([grade(8)])
    judged(panel(model), answer=f"<think>I must sound glad.</think>{TEXT}")
    assert "sound glad" not in model.requests[0].messages[1].content


@pytest.mark.parametrize("answer", ["", "   ", "<think>never ends", "x" * 70_000])
def test_an_answer_that_cannot_be_read_fails_without_a_call(answer: str) -> None:
    model = Asked([grade(10)])
    told = judged(panel(model), HAPPY, BULLETS, answer=answer)
    assert [v.satisfied for v in told.verdicts] == [False, False] and model.requests == []
    assert told.verdicts[0].found == told.records[0].reason == told.verdicts[1].found
    assert told.usage == {}


def test_what_cannot_be_read_is_asked_again_and_every_call_is_paid() -> None:
    model = Asked(["I would rather not.", Reply('{"rationale": "', truncated=True, usage=Usage(100, 10)), grade(9)])
    told = judged(panel(model))
    [score] = told.records[0].scores
    assert (score.score, score.attempts, score.problem) == (9, 3, "")
    assert told.usage == {"fake/judge": Usage(300, 30)} and told.calls == {"fake/judge": 3}
    asked = [request.messages[1].content for request in model.requests]
    assert ["earlier reply" in text for text in asked] == [False, True, True]


def test_what_stays_unreadable_is_not_judged_and_never_a_score() -> None:
    model = Asked(["I would rather not."])
    told = judged(panel(model), HAPPY, BULLETS)
    assert [v.satisfied for v in told.verdicts] == [None, True] and len(model.requests) == 3
    assert told.verdicts[0].found == "not judged: fake/judge: the reply contains no score"
    assert told.records[0].scores[0].score is None and told.usage == {"fake/judge": Usage(300, 30)}
    assert told.calls == {"fake/judge": 3}


def test_a_reply_cut_at_its_limit_says_so() -> None:
    told = judged(panel(Asked([Reply('{"rationale": "so', truncated=True)])))
    assert "cut at 2048 tokens" in told.verdicts[0].found


def test_a_content_filters_refusal_is_no_verdict_and_no_fault() -> None:
    model = Asked([WithheldError("fake/judge: refused")])
    told = judged(panel(model))
    assert told.verdicts[0].satisfied is None and len(model.requests) == 3
    assert "content filter" in told.verdicts[0].found


def test_a_filter_that_refuses_once_is_asked_again() -> None:
    assert judged(panel(Asked([WithheldError("refused"), grade(9)]))).verdicts[0].satisfied is True


@pytest.mark.parametrize("retryable", [True, False])
def test_a_providers_fault_is_a_judge_error(retryable: bool) -> None:
    fault = ModelError("fake/judge: host answered 500", retryable=retryable)
    with pytest.raises(
        JudgeError, match="the judge model could not be called: fake/judge: host answered 500"
    ) as caught:
        judged(panel(Asked([fault])))
    assert caught.value.retryable is retryable and caught.value.spent == {}


def test_a_judges_full_context_is_not_the_conversations() -> None:
    with pytest.raises(JudgeError) as caught:
        judged(panel(Asked([ContextOverflowError("too long")])))
    assert not isinstance(caught.value, ContextOverflowError)


def test_a_client_that_breaks_suspends_and_its_text_is_not_repeated() -> None:
    with pytest.raises(JudgeError, match=r"failed unexpectedly \(KeyError\)") as caught:
        judged(panel(Asked([KeyError("Bearer secret")])))
    assert "secret" not in str(caught.value)


def test_what_is_no_models_fault_goes_through_as_it_is() -> None:
    with pytest.raises(OutsideError, match="budget") as caught:
        judged(panel(Asked([OutsideError("the budget is spent")])), HAPPY, FORMAL)
    assert not isinstance(caught.value, ModelError)


def test_after_a_fault_what_was_paid_is_told_and_the_rest_is_not_asked_again() -> None:
    def once(request: ChatRequest) -> str | Exception:
        return grade(8) if "happiness" in request.messages[1].content else ModelError("down", retryable=True)

    model, other = Asked([], answer=once), Asked(["?", "?", grade(9)], "fake/other")
    judge = panel(model, other)
    with pytest.raises(JudgeError) as caught:
        judged(judge, HAPPY, FORMAL)
    assert caught.value.spent["fake/judge"] == (100, 10)
    assert sum(prompt for prompt, _ in caught.value.spent.values()) == 100 * (1 + len(other.requests))
    model.answer, asked, others = (lambda _: grade(8)), len(model.requests), len(other.requests)
    told = judged(judge, HAPPY, FORMAL)
    assert [v.satisfied for v in told.verdicts] == [True, True]
    assert len(model.requests) == asked + 1 and len(other.requests) == others
    assert told.calls == {"fake/judge": 1, "fake/other": 0} and told.usage == {"fake/judge": Usage(100, 10)}


def test_a_key_that_opens_nothing_is_not_tried_again() -> None:
    model = Asked([AccessError("fake/judge: wrong key")])
    judge = panel(model)
    for _ in range(2):
        with pytest.raises(JudgeError, match="wrong key") as caught:
            judged(judge, HAPPY)
        assert isinstance(caught.value.__cause__, AccessError)
    assert len(model.requests) == 1


def form(request: ChatRequest) -> tuple[bool, bool]:
    return request.schema is not None, request.sampling.temperature is not None


@pytest.mark.parametrize(
    ("takes", "tried"), [((True, True), 1), ((False, True), 2), ((True, False), 3), ((False, False), 4)]
)
def test_a_server_without_schemas_or_temperature_is_asked_without(takes: tuple[bool, bool], tried: int) -> None:
    def answer(request: ChatRequest) -> str | Exception:
        return grade(8) if form(request) == takes else ModelError("400: unknown parameter")

    model = Asked([], answer=answer)
    judge = panel(model)
    [score] = judged(judge).records[0].scores
    assert score.score == 8 and len(model.requests) == tried and score.attempts == 1
    assert score.temperature == (0 if takes[1] else None)
    judged(judge, FORMAL)
    assert [form(request) for request in model.requests[tried:]] == [takes]


def test_a_fault_that_is_not_the_forms_is_told_as_it_first_was() -> None:
    model = Asked([ModelError("first"), ModelError("other")])
    with pytest.raises(JudgeError, match="first"):
        judged(panel(model))
    assert len(model.requests) == 4


def test_the_same_text_and_question_cost_once_per_judge_and_survive_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite"
    first = Asked([grade(8, "Glad.")])
    judge = panel(first, cache=SqliteJudgeCache(path))
    before = judged(judge)
    asyncio.run(judge.aclose())
    assert first.closed == 1
    second = Asked([grade(1)])
    again = panel(second, cache=SqliteJudgeCache(path))
    told = judged(again)
    assert second.requests == [] and told.usage == {} and told.verdicts == before.verdicts
    [score] = told.records[0].scores
    assert (score.score, score.rationale, score.cached, score.attempts) == (8, "Glad.", True, 0)
    assert score.served_by == "judge-2026" and score.temperature == 0
    assert judged(again, answer=TEXT + "!").verdicts[0].satisfied is False
    asyncio.run(again.aclose())
    other = panel(Asked([grade(1)], "fake/other"), cache=SqliteJudgeCache(path))
    assert judged(other).verdicts[0].satisfied is False
    asyncio.run(other.aclose())


def test_that_there_was_no_score_is_not_kept() -> None:
    model = Asked(["?", "?", "?", grade(8)])
    judge = panel(model)
    assert judged(judge).verdicts[0].satisfied is None
    assert judged(judge).verdicts[0].satisfied is True


def test_a_file_that_is_no_cache_is_told(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite"
    path.write_bytes(b"not a database, but long enough to be looked at" * 100)
    with pytest.raises(OutsideError, match=r"scores\.sqlite"):
        SqliteJudgeCache(path).get("key")
    with pytest.raises(OutsideError, match="cannot be stored"):
        SqliteJudgeCache(tmp_path / "missing" / "scores.sqlite").put("key", CachedScore(8, "", "", 0))


def test_a_cache_that_nobody_used_leaves_no_file_and_a_closed_one_opens_again(tmp_path: Path) -> None:
    cache = SqliteJudgeCache(tmp_path / "scores.sqlite")
    cache.close()
    assert list(tmp_path.iterdir()) == []
    cache.put("key", CachedScore(8, "Glad.", "judge-2026", None))
    cache.close()
    assert cache.get("key") == CachedScore(8, "Glad.", "judge-2026", None) and cache.get("other") is None
    cache.close()


def test_judged_again_what_rules_said_stays_and_the_rest_is_asked_anew() -> None:
    before = judged(panel(Asked([grade(8)])), BULLETS, HAPPY)
    stored = (replace(before.verdicts[0], satisfied=False, found="as it was"), before.verdicts[1])

    async def again(judge: Judge | None) -> Judgement:
        return await judge_turn((BULLETS, HAPPY), TEXT, judge, stored=stored)

    told = asyncio.run(again(panel(Asked([grade(2)]))))
    assert told.verdicts[0] == stored[0] and told.verdicts[1].satisfied is False
    assert [v.satisfied for v in asyncio.run(again(None)).verdicts] == [False, None]
    with pytest.raises(InternalError, match="other constraints"):
        asyncio.run(judge_turn((HAPPY,), TEXT, None, stored=stored))


def test_without_a_judge_nothing_is_asked_and_lexical_stands_apart() -> None:
    assert [v.satisfied for v in judged(None, HAPPY, BULLETS).verdicts] == [None, True]
    told = judged(open_judge("lexical"), HAPPY, BULLETS)
    assert [v.satisfied for v in told.verdicts] == [None, True]
    assert [v.group for v in told.heuristic] == ["emotion"] and told.records == ()

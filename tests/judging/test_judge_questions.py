"""Questions that a judge answers with yes or no and a quotation: what is asked, what is read, what it comes to."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from asked import Asked, grade, panel

from evolif import UsageError, check_query, evaluate, generate
from evolif.judging import Criterion, Judgement
from evolif.judging.questions import QuestionList
from evolif.judging.rubric import load_rubric
from evolif.models import ChatRequest
from evolif.scenarios.instructions.constraints import JUDGED_GROUPS, describe, get_group, parse_constraint
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.verdicts import judge_turn

TEXT = "Oh, *marvellous*. Another form to fill in – how I have longed for it!"
TWO = Criterion("tone", {"tone": "sarcastic"}, "It is sarcastic.", questions=("Is it?", "All through?"))
SARCASTIC = Constraint("tone", {"tone": "sarcastic"})


def asked(text: str = TEXT) -> QuestionList:
    return QuestionList(TWO, text, load_rubric())


def answers(*given: tuple[int, str, str]) -> str:
    return json.dumps({"answers": [{"question": n, "answer": a, "quotation": q} for n, a, q in given]})


def test_the_request_has_every_question_and_no_scale() -> None:
    request = asked().request()
    told = "\n".join(str(message.content) for message in request.messages)
    assert "1. Is it?\n" in told and "2. All through?" in told and TEXT in told
    assert "9-10" not in told and "{" not in told.replace('{"answers"', "").replace('{"question"', "")


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        (answers((1, "yes", "Oh, marvellous"), (2, "yes", "how I have  longed")), 10),
        (answers((2, "yes", "LONGED for it"), (1, "yes", "“another form”")), 10),
        (answers((1, "yes", "Oh, marvellous"), (2, "no", "")), 3),
        (answers((1, "no", ""), (2, "no", "")), 1),
        (f"```json\n{answers((1, 'no', ''), (2, 'yes', 'form'))}\n```", 3),
    ],
)
def test_all_must_hold(reply: str, score: float) -> None:
    read = asked().read(reply)
    assert read.score == score and read.rationale


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "empty"),
        ("x" * 30_000, "too long"),
        ("yes, yes", "one list"),
        ('{"answers": "yes"}', "one list"),
        ('{"answers": ["yes", "yes"]}', "not objects"),
        (answers((1, "yes", "form")), "does not answer question 2"),
        (answers((1, "yes", "form"), (1, "no", ""), (2, "no", "")), "twice"),
        (answers((1, "yes", "form"), (3, "no", "")), "not asked"),
        (answers((1, "perhaps", "form"), (2, "no", "")), "neither yes nor no"),
        (answers((1, "yes", "I love paperwork"), (2, "no", "")), "not in the text"),
        (answers((1, "yes", " … "), (2, "no", "")), "not in the text"),
        (answers((1, "no", ""), (2, "no", "")) * 2, "one list"),
        ('{"answers": [{"question": true, "answer": "no"}]}', "not asked"),
    ],
)
def test_what_cannot_be_read_has_no_score(reply: str, problem: str) -> None:
    read = asked().read(reply)
    assert read.score is None and problem in read.problem


def test_other_questions_are_another_entry_of_the_cache() -> None:
    other = Criterion("tone", {"tone": "sarcastic"}, "It is sarcastic.", questions=("Is it?", "Really?"))
    keys = {QuestionList(one, TEXT, load_rubric()).key("j") for one in (TWO, other)}
    assert len(keys) == 2 and asked().key("j") in keys


def judged(judge: Asked) -> Judgement:
    return asyncio.run(judge_turn([SARCASTIC], TEXT, panel(judge)))


def test_the_verdict_says_how_many_were_asked_and_what_was_quoted() -> None:
    judge = Asked([answers((1, "yes", "marvellous"), (2, "yes", "form"), (3, "yes", "longed"))])
    [verdict] = judged(judge).verdicts
    assert verdict.satisfied and verdict.expected.endswith("(yes to 3 questions)") and "“marvellous”" in verdict.found
    [verdict] = judged(Asked([answers((1, "yes", "marvellous"), (2, "yes", "form"), (3, "no", ""))])).verdicts
    assert verdict.satisfied is False and "no to: Does this mockery run" in verdict.found


def test_a_made_up_quotation_is_asked_again_and_then_not_judged() -> None:
    made_up = answers((1, "yes", "I adore it"), (2, "no", ""), (3, "no", ""))
    judge = Asked([made_up, answers((1, "no", ""), (2, "no", ""), (3, "no", ""))])
    [verdict] = judged(judge).verdicts
    assert verdict.satisfied is False and len(judge.requests) == 2
    [verdict] = judged(Asked([made_up])).verdicts
    assert verdict.satisfied is None and "not in the text" in verdict.found


@pytest.mark.parametrize("group", JUDGED_GROUPS)
def test_every_value_has_questions_and_a_description(group: str) -> None:
    data = get_group(group).data
    assert list(data["questions"]) == data["pool"]["values"]
    for value in data["pool"]["values"]:
        constraint = parse_constraint({"group": group, "params": {{"persona": "as"}.get(group, group): value}})
        assert value in describe(constraint)
        assert 2 <= len(get_group(group).questions(constraint.params)) <= 4


def obliging(request: ChatRequest) -> str:
    """Says yes to everything and quotes the beginning of the text; where it is to score, 9."""
    told = str(request.messages[-1].content)
    numbers = [line[0] for line in told.splitlines() if line[1:3] == ". " and line[0] in "1234"]
    if not numbers:
        return grade(9)
    words = told.split("====")[2].split()
    return answers(*((int(number), "yes", " ".join(words[:3])) for number in dict.fromkeys(numbers)))


def test_a_set_with_judged_kinds_is_made_completed_and_played(tmp_path: Path) -> None:
    bench = generate(tmp_path / "b", dialogues=4, turns=8, seed=5, judged=True)
    assert bench.header.judged and '"judged": true' in bench.header.to_json()
    turns = [turn for number in bench.dialogues() for turn in bench.turns(number)]
    added = [one.group for turn in turns for one in turn.operations if one.kind == "add"]
    share = sum(get_group(group).subjective for group in added) / len(added)
    assert 0.2 < share < 0.5 and {"persona", "tone"} <= {*added}
    assert all(not check_query(turn, turn.query) for turn in turns)
    assert generate(tmp_path / "b", dialogues=4, turns=8, seed=5).header.judged
    run = evaluate(bench, "sim/perfect", tmp_path / "run", judge=Asked([], answer=obliging), max_turns=8)
    verdicts = [v for s in run.sessions() for t in s.turns for v in t.verdicts if get_group(v.group).subjective]
    assert verdicts and all(verdict.satisfied for verdict in verdicts)


def test_profiles_without_a_load_have_no_place_for_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no place for judged"):
        generate(tmp_path / "b", dialogues=1, profile="objective", judged=True)

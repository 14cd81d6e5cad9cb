"""Released files in and out, numbered goals, and what a judge's reply says."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import InputError
from evolif.exchange.ntm_files import import_released
from evolif.scenarios.shifts import generate
from evolif.scenarios.shifts.released import (
    ReleasedDialogue,
    count_goals,
    describe_released,
    read_released,
    read_score,
    to_released,
    write_released,
)


def line(**changes: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "conversation_id": "c1",
        "metadata": {"rounds": "2"},
        "user_turns": [{"turn_id": 1, "content": "Hi"}, {"turn_id": 2, "content": "Bye\u2028é"}],
        "checkpoint_question": "(1) Says hi. (2) Says bye.",
    }
    return {**whole, **changes}


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines), encoding="utf-8")
    return path


def test_a_file_is_read_and_written_back(tmp_path: Path) -> None:
    lines = [line(), line(conversation_id="c2", note="kept", metadata={"rounds": "2", "by": "x"})]
    dialogues = read_released(write(tmp_path / "in.jsonl", *lines))
    first = dialogues[0]
    assert (first.conversation_id, first.metadata["rounds"]) == ("c1", "2")
    assert first.user_turns[1]["content"] == "Bye\u2028é"
    assert count_goals(first.checkpoint_question) == 2
    write_released(tmp_path / "out.jsonl", dialogues)
    assert [json.loads(one) for one in (tmp_path / "out.jsonl").read_text("utf-8").split("\n")[:-1]] == lines
    assert read_released(tmp_path / "out.jsonl") == dialogues


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (line(conversation_id=1), "conversation_id must be a text"),
        (line(metadata={"rounds": 2}), "metadata must be an object whose rounds are a text"),
        (line(metadata={}), "metadata must be"),
        (line(user_turns={}), "user_turns must be a list"),
        (line(user_turns=[{"turn_id": True, "content": "x"}]), "user_turns must be a list"),
        (line(user_turns=[{"turn_id": 1}]), "user_turns must be a list"),
        ({key: value for key, value in line().items() if key != "checkpoint_question"}, "checkpoint_question must be"),
        ([], "not a JSON object"),
        (3, "not a JSON object"),
        (line(note=float("nan")), "not a number in JSON"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, broken: object, says: str) -> None:
    path = write(tmp_path / "in.jsonl", line(), broken)
    with pytest.raises(InputError, match=says) as fault:
        read_released(path)
    assert (fault.value.path, fault.value.line) == (path, 2)


@pytest.mark.parametrize("end", ["", "\n\n"])
def test_the_end_of_a_file_may_lack_a_line_break_or_have_one_too_many(tmp_path: Path, end: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(f"{json.dumps(line())}\n\n{json.dumps(line(conversation_id='c2'))}{end}", encoding="utf-8")
    assert [dialogue.conversation_id for dialogue in read_released(path)] == ["c1", "c2"]


def test_what_is_no_file_of_lines_is_refused(tmp_path: Path) -> None:
    (tmp_path / "deep.jsonl").write_text("[" * 100_000)
    for name in ("deep.jsonl", "absent.jsonl", "."):
        with pytest.raises(InputError):
            read_released(tmp_path / name)


def test_a_generated_dialogue_becomes_a_released_one(tmp_path: Path) -> None:
    goals = [
        {"slot": "budget_eur", "type": "number", "value": 900, "polarity": "present"},
        {"slot": "tools", "type": "item", "value": "saw (2)", "polarity": "absent"},
        {"slot": "host", "type": "text", "value": "Ida", "polarity": "absent"},
    ]
    turns = [SimpleNamespace(turn=1, query="Plan a shed."), SimpleNamespace(turn=2, query="All of it, please.")]
    dialogue = SimpleNamespace(rounds=2, turns=turns, checkpoints=goals)
    write_released(tmp_path / "out.jsonl", [dialogue])
    [released] = read_released(tmp_path / "out.jsonl")
    assert released == to_released(dialogue, 1)
    assert released.conversation_id == "1"
    assert released.metadata == {"rounds": "2"}
    assert released.user_turns == [
        {"turn_id": 1, "content": "Plan a shed."},
        {"turn_id": 2, "content": "All of it, please."},
    ]
    assert released.checkpoint_question.endswith(
        "(1) “budget eur” is 900. (2) The list “tools” does not hold saw [2]. (3) “host” has no value."
    )
    assert count_goals(released.checkpoint_question) == 3


def test_the_file_of_generated_dialogues_says_what_they_say(tmp_path: Path) -> None:
    ours = list(generate(24, seed=5))
    for name in ("ours.jsonl", "again.jsonl"):
        write_released(tmp_path / name, ours)
    assert (tmp_path / "ours.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()
    theirs = read_released(tmp_path / "ours.jsonl")
    assert [other.conversation_id for other in theirs] == [str(number) for number in range(1, 25)]
    for one, other in zip(ours, theirs, strict=True):
        assert other.metadata["rounds"] == str(one.rounds)
        assert [turn["content"] for turn in other.user_turns] == [turn.query for turn in one.turns]
        assert count_goals(other.checkpoint_question) == len(one.checkpoints)
        for goal in one.checkpoints:
            said = goal["type"] == "item" or (goal["type"] == "text" and goal["polarity"] == "present")
            assert not said or goal["value"] in other.checkpoint_question
    # A user's “7 April 2027” states a goal that says 2027-04-07.
    assert import_released(tmp_path / "ours.jsonl", tmp_path / "bench").left_out == ()


def test_duplicates_say_the_same_in_the_same_order() -> None:
    def dialogue(*contents: str) -> ReleasedDialogue:
        turns = [{"turn_id": at, "content": content} for at, content in enumerate(contents, 7)]
        return ReleasedDialogue.model_validate(line(user_turns=turns))

    twice = [dialogue("a", "b"), dialogue("b", "a"), dialogue("a", "b"), dialogue("a b"), dialogue("a", "b")]
    assert describe_released([*twice, dialogue("A", "b"), dialogue("a", "b ")]) == {
        "dialogues": 7,
        "user_turns": 13,
        "min_turns": 1,
        "max_turns": 2,
        "duplicate_dialogues": 2,
    }
    assert describe_released([])["min_turns"] is None


@pytest.mark.parametrize(
    ("question", "goals"),
    [
        ("(1) a (2) b ( 3 ) c", 3),
        ("(1) a (1) b", 2),
        ("1) a (b) (2a) (1.5) (-1)", 0),
        ("", 0),
        ("((12))", 1),
        ("(\t1\t)(10)(11)", 3),
        ("in (2024) [1] {2} (1", 1),
        ("(１) (١)", 0),
    ],
)
def test_goals_are_counted(question: str, goals: int) -> None:
    assert count_goals(question) == goals


@pytest.mark.parametrize(
    ("text", "total", "score"),
    [
        ("3/5", None, (3, 5)),
        (" 3 / 5 .\n", 5, (3, 5)),
        ("0/5", 5, (0, 5)),
        ("5/5", 5, (5, 5)),
        ("3\n/\n5", None, (3, 5)),
        ("03/5", None, (3, 5)),
        ("3/5", 4, None),
        ("6/5", None, None),
        ("0/0", None, None),
        ("3/5..", None, None),
        ("Score: 3/5", None, None),
        ("3/5/5", None, None),
        ("-3/5", None, None),
        ("+3/5", None, None),
        ("1.5/5", None, None),
        ("1 3/5", None, None),
        ("**3/5**", None, None),
        ("٣/٥", None, None),
        ("３/５", None, None),
        ("²/5", None, None),
        ("3", None, None),
        ("", None, None),
        ("1/" + "9" * 5000, None, None),
    ],
)
def test_a_score_is_the_whole_reply(text: str, total: int | None, score: tuple[int, int] | None) -> None:
    assert read_score(text, total=total) == score


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("3/5", (3, 5)),
        ("Goals 1 and 2 are met: 2/5", (122, 5)),
        ("3/5 (60%)/x", (3, 560)),
        ("3/0", (3, 0)),
        ("6/5", (6, 5)),
        ("and/or: 4 of 7 of 9", (4, 7)),
        ("3/x 5", (3, 5)),
        ("/4 of 7", (4, 7)),
        ("4 / / 7", (4, 7)),
        ("7/ then 8/9", (7, 8)),
        ("4 of 7, that is 57", (4, 7)),
        ("4 of 7", (4, 7)),
        ("4", (4, 1)),
        ("none", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_the_release_takes_digits_from_anywhere(text: str, score: tuple[int, int]) -> None:
    assert read_score(text, total=99, as_released=True) == score


@given(st.text(alphabet="0123/. x\n"))
def test_whatever_counts_as_a_score_is_possible(text: str) -> None:
    score = read_score(text)
    if score is not None:
        assert 0 <= score[0] <= score[1] > 0
        assert read_score(text, as_released=True) == score

"""Released dialogues as a benchmark holds them: goals without a type, and those that nobody stated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evolif.errors import InputError
from evolif.scenarios.shifts.importing import goals_in, is_released, is_stated, read_playable, released_lines
from evolif.scenarios.shifts.released import ReleasedDialogue

SAID = (
    "Plan a weekend in Ghent for four friends.",
    "Our budget is 1,200 euros.",
    "No museums on Sunday, please.",
    "The visit begins on 7 April 2027.",
)
QUESTION = (
    "Which hold? (1) The trip goes to Ghent. (2) The budget is 1200 euros.\n( 3 ) A guide called Ana is booked. x/y"
)


def released(question: str = QUESTION, said: tuple[str, ...] = SAID) -> ReleasedDialogue:
    turns = [{"turn_id": number, "content": text} for number, text in enumerate(said, 1)]
    return ReleasedDialogue(
        conversation_id="7", metadata={"rounds": "3"}, user_turns=turns, checkpoint_question=question
    )


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "released.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def test_a_date_is_stated_as_it_is_written_or_as_people_say_it() -> None:
    goals = "(1) We go to Lisbon. (2) We leave on 2027-04-07."
    told = {
        "We leave on 7 April 2027 for Lisbon.": [],
        "We leave on 2027-04-07 for Lisbon.": [],
        "We leave on 17 April 2027 for Lisbon.": [2],
        "We leave on 7 April 2027 for Riga.": [1],
        "We leave.": [1, 2],
    }
    for said, unstated in told.items():
        last = released_lines(released(goals, (said, "Now the plan.")))[-1]
        assert [goal["number"] for goal in last["left_out"]] == unstated


def test_goals_are_what_follows_each_number() -> None:
    assert goals_in("Count: (1) a; ( 2 ) b\n c (3)") == ["a;", "b c", ""]
    assert goals_in("no goal (at all)") == []


@pytest.mark.parametrize(
    ("goal", "stated"),
    [
        ("The trip goes to Ghent.", True),
        ("The plan is for four friends, and in Ghent.", True),
        ("The budget is 1200 euros.", True),
        ("The budget is 900 euros.", False),
        ("The plan mentions Lisbon.", False),
        ("There is no museum on a Sunday.", True),
        ("Breakfast comes with vegan pancakes.", False),
        ("The visit is on 2027-04-07.", True),
        ("The visit is on 2027-04-17.", False),
        ("The visit is on 2027-05-07.", False),
    ],
)
def test_a_goal_is_stated_if_its_numbers_names_and_half_of_its_words_are_said(goal: str, stated: bool) -> None:
    assert is_stated(goal, SAID) is stated


def test_goals_that_nobody_stated_are_kept_apart() -> None:
    lines = released_lines(released())
    assert [line["query"] for line in lines] == list(SAID)
    assert {line["labels"]["rounds"] for line in lines} == {len(SAID)}
    assert [goal["number"] for goal in lines[-1]["goals"]] == [1, 2]
    [apart] = lines[-1]["left_out"]
    assert (apart["number"], apart["stated"]) == (3, False)
    assert all("goals" not in line for line in lines[:-1])


def test_they_may_count() -> None:
    last = released_lines(released(), "keep")[-1]
    assert [goal["stated"] for goal in last["goals"]] == [True, True, False]
    assert last["left_out"] == []


def test_a_file_is_known_by_its_first_line(tmp_path: Path) -> None:
    assert is_released(written(tmp_path, released().model_dump()))
    assert not is_released(written(tmp_path, {"conversation_id": "1"}))
    assert not is_released(tmp_path)
    assert not is_released(tmp_path / "none.jsonl")
    (tmp_path / "deep.jsonl").write_text("[" * 100_000, encoding="utf-8")
    assert not is_released(tmp_path / "deep.jsonl")


def test_there_must_be_something_to_ask(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="conversation 7 has no user turn"):
        read_playable(written(tmp_path, released(said=()).model_dump()))
    with pytest.raises(InputError, match="no dialogue in it"):
        read_playable(written(tmp_path))

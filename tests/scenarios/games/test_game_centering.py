"""Centering: transitions between turns and their score."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError
from evolif.scenarios.games import centering

NOUNS = st.lists(st.sampled_from(["lamp", "door", "star", "row"]), max_size=3)
DIALOGUES = st.lists(st.fixed_dictionaries({"subj": NOUNS, "obj": NOUNS, "other": NOUNS}), max_size=8)


def turn(subj: str = "", obj: str = "", other: str = "") -> dict[str, list[str]]:
    return {"subj": subj.split(), "obj": obj.split(), "other": other.split()}


def test_lamp_and_door() -> None:
    found = centering([turn("lamp", "door"), turn("lamp"), turn("door", "lamp")])
    assert found == {"transitions": ["START", "SMOOTH", "RETAIN"], "CS": 1.5}


@pytest.mark.parametrize(
    ("third", "expected"),
    [
        (turn("lamp"), "CONTINUE"),  # again the lamp, and about it
        (turn("star", "lamp"), "RETAIN"),  # again the lamp, but about a star
        (turn("", "", "lamp"), "RETAIN"),  # again the lamp, about nothing in particular
        (turn("door"), "SMOOTH"),  # now the door, and about it
        (turn("", "door"), "SMOOTH"),  # without a subject, the first object is what a turn is about
        (turn("star", "door"), "ROUGH"),  # now the door, but about a star
        (turn("star"), "ROUGH"),  # nothing of before
        (turn(), "ROUGH"),
    ],
)
def test_transitions(third: dict[str, list[str]], expected: str) -> None:
    found = centering([turn("lamp"), turn("lamp", "door"), third])
    assert found["transitions"] == ["START", "SMOOTH", expected]


def test_the_center_is_the_first_phrase_of_the_turn_before_not_of_this_one() -> None:
    # The lamp comes first before, so it is what is taken up, though this turn is about the door.
    assert centering([turn("lamp", "door"), turn("door", "lamp")])["transitions"] == ["START", "ROUGH"]
    assert centering([turn("", "", "door lamp"), turn("door", "lamp")])["transitions"] == ["START", "SMOOTH"]


def test_a_center_that_was_lost_is_not_continued() -> None:
    found = centering([turn("lamp"), turn("lamp"), turn("star"), turn("star")])
    assert found["transitions"] == ["START", "SMOOTH", "ROUGH", "SMOOTH"]
    assert found["CS"] == pytest.approx(2 / 3)


def test_short_dialogues_have_no_score() -> None:
    assert centering([]) == {"transitions": [], "CS": None}
    assert centering([turn("lamp")]) == {"transitions": ["START"], "CS": None}
    assert centering([turn("lamp"), turn("star")]) == {"transitions": ["START", "ROUGH"], "CS": 0}


def test_a_role_may_be_missing() -> None:
    assert centering([{"subj": ["lamp"]}, {"obj": ("lamp",)}])["transitions"] == ["START", "SMOOTH"]


@pytest.mark.parametrize("parsed", [["lamp"], [{"subj": "lamp"}], [{"obj": [1]}], [None]])
def test_what_is_no_turn_is_refused(parsed: list[Any]) -> None:
    with pytest.raises(ArgumentError, match="noun phrases"):
        centering(parsed)


@given(DIALOGUES)
def test_the_score_stays_below_three_and_the_second_turn_continues_nothing(parsed: list[dict[str, list[str]]]) -> None:
    found = centering(parsed)
    names = found["transitions"]
    assert len(names) == len(parsed)
    assert names[:1] == ["START"][: len(parsed)]
    assert set(names[1:]) <= {"CONTINUE", "RETAIN", "SMOOTH", "ROUGH"}
    assert names[1:2] not in (["CONTINUE"], ["RETAIN"])
    if len(parsed) > 1:
        worth = 3 * names.count("CONTINUE") + 2 * names.count("RETAIN") + names.count("SMOOTH")
        assert found["CS"] == pytest.approx(worth / (len(parsed) - 1))
        assert 0 <= worth < 3 * (len(parsed) - 1)


@given(NOUNS.filter(bool), st.integers(3, 9))
def test_who_stays_with_one_thing_continues(nouns: list[str], turns: int) -> None:
    names = centering([{"subj": nouns, "obj": [], "other": []}] * turns)["transitions"]
    assert names == ["START", "SMOOTH", *["CONTINUE"] * (turns - 2)]

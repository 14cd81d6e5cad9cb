"""Unrelated problems between the parts of a match."""

from __future__ import annotations

import re

import pytest
from page_referee import SPORTS, all_turns

each_sport = pytest.mark.parametrize("sport", SPORTS)


@each_sport
def test_a_problem_has_five_options_and_one_answer(sport: str) -> None:
    for _, turn in all_turns("TS", sport, "M", 24):
        question = turn["question"]
        assert sorted(question["options"]) == list("ABCDE")
        assert len(set(question["options"].values())) == 5
        assert question["text"] in turn["message"]
        for letter, option in question["options"].items():
            assert re.search(rf"\b{letter}\b.? *{re.escape(option)}", turn["message"])


def test_no_problem_comes_twice() -> None:
    texts = [turn["question"]["text"] for sport in SPORTS for _, turn in all_turns("TS", sport, "M", 24)]
    assert len(texts) == 24 * (12 + 9)
    assert len(set(texts)) == len(texts)


@each_sport
def test_answers_are_spread_over_the_letters(sport: str) -> None:
    letters = [turn["key"] for _, turn in all_turns("TS", sport, "M", 24)]
    for letter in "ABCDE":
        assert letters.count(letter) / len(letters) == pytest.approx(0.2, abs=0.09)


@each_sport
def test_a_problem_has_nothing_to_do_with_the_match(sport: str) -> None:
    for _, turn in all_turns("TS", sport, "M", 8):
        text = turn["question"]["text"]
        for team, players in turn["names"]["roster"].items():
            assert team not in text
            assert not any(player in text for player in players)
        assert turn["distance"] is None

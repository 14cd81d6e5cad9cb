"""The budget of a turn, whose turn it is, and what of both was used."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError
from evolif.scenarios.games import RegexTokenizer, budget, turn_meta, usage

WORDS = RegexTokenizer()


@pytest.mark.parametrize(
    ("tokens", "turns", "per_turn", "words", "per_player"),
    [
        (200, 10, 20, 14, 100),
        (256, 2, 128, 89, 128),
        (256, 4, 64, 44, 128),
        (256, 8, 32, 22, 128),
        (256, 16, 16, 11, 128),
        (100, 6, 16, 11, 48),
        (7, 8, 0, 0, 0),
    ],
)
def test_tokens_are_shared_among_turns(tokens: int, turns: int, per_turn: int, words: int, per_player: int) -> None:
    assert budget(tokens, turns) == {
        "tokens_per_turn": per_turn,
        "stated_words": words,
        "tokens_per_player": per_player,
    }


def test_rounding_alone_costs_no_word() -> None:
    assert 0.7 * 90 < 63  # what rounding makes of it
    assert budget(180, 2)["stated_words"] == 63
    assert budget(260, 2, 1 / 1.3)["stated_words"] == 100
    assert budget(256, 4, 1)["stated_words"] == 64


@given(st.integers(1, 10**6), st.integers(1, 500), st.integers(1, 40))
def test_words_are_those_of_exact_arithmetic(tokens: int, half: int, twentieths: int) -> None:
    own = budget(tokens, 2 * half, twentieths / 20)
    assert own["stated_words"] == int(Fraction(twentieths, 20) * (tokens // (2 * half)))
    assert 2 * own["tokens_per_player"] <= tokens


@pytest.mark.parametrize("turns", [3, 1, 0, -2, 2.0, True, "4"])
def test_turns_that_two_players_cannot_share_are_refused(turns: int) -> None:
    with pytest.raises(ArgumentError, match=r"even number|at least 2"):
        budget(256, turns)
    with pytest.raises(ArgumentError, match=r"even number|at least 2"):
        turn_meta(1, turns)


@pytest.mark.parametrize("tokens", [0, -1, 256.0, True])
def test_what_is_no_budget_is_refused(tokens: int) -> None:
    with pytest.raises(ArgumentError, match="total_tokens"):
        budget(tokens, 4)


@pytest.mark.parametrize("factor", [0, -1, float("nan"), float("inf"), True, "0.7"])
def test_what_is_no_factor_is_refused(factor: float) -> None:
    with pytest.raises(ArgumentError, match="words_factor"):
        budget(256, 4, factor)


def test_players_take_turns_and_the_second_has_the_last() -> None:
    assert turn_meta(3, 6) == {"player": 0, "turns_left": 4, "final": False, "penultimate": False}
    assert turn_meta(5, 6) == {"player": 0, "turns_left": 2, "final": False, "penultimate": True}
    assert turn_meta(6, 6) == {"player": 1, "turns_left": 1, "final": True, "penultimate": False}
    assert turn_meta(1, 2) == {"player": 0, "turns_left": 2, "final": False, "penultimate": True}


@pytest.mark.parametrize("turn", [0, 7, -1, 1.0, True])
def test_there_is_no_other_turn(turn: int) -> None:
    with pytest.raises(ArgumentError, match="turn is"):
        turn_meta(turn, 6)


def test_usage_counts_by_player() -> None:
    assert usage(["Is it red?", "No, blue.", "", "Two"], 8, 32, WORDS) == {
        "turns_used": 4,
        "turn_fraction": 0.5,
        "tokens_p0": 4,
        "tokens_p1": 5,
        "token_fraction": 9 / 32,
    }
    assert usage([], 2, 256, WORDS)["token_fraction"] == 0


@pytest.mark.parametrize(
    ("texts", "cap", "total", "message"),
    [(["a"] * 3, 2, 256, "3 texts"), (["a"], 0, 256, "cap"), (["a"], 2, 0, "total"), ("ab", 2, 256, "list of texts")],
)
def test_impossible_usage_is_refused(texts: list[str], cap: int, total: int, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        usage(texts, cap, total, WORDS)

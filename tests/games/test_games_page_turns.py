"""Budgets, turns, tokens and summaries, as the page on private-information games states them.

Nothing here knows how the package is built: only the pinned names of `evolif.scenarios.games` are called.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise, product
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.games import (
    RegexTokenizer,
    SubwordTokenizer,
    budget,
    guess_and_check,
    isotoken,
    truncate,
    turn_meta,
    usage,
)

PATTERN = r"\w+|[^\w\s]"
WORDS = RegexTokenizer(PATTERN)


@pytest.fixture(scope="module")
def subwords() -> SubwordTokenizer:
    pytest.importorskip("tokenizers", reason="needs the extra `games`")
    return SubwordTokenizer()


# Budget


@pytest.mark.parametrize(
    ("total", "turns", "per_turn", "words", "per_player"),
    [
        (200, 10, 20, 14, 100),
        (256, 2, 128, 89, 128),
        (256, 4, 64, 44, 128),
        (256, 8, 32, 22, 128),
        (256, 16, 16, 11, 128),
        (100, 6, 16, 11, 48),
        (255, 2, 127, 88, 127),
        (10, 10, 1, 0, 5),
        (20, 2, 10, 7, 10),  # 0.7 * 10 is 7.0, and 0.7 * 30 is 20.999999999999996
        (60, 2, 30, 21, 30),
    ],
)
def test_a_budget_is_cut_into_equal_turns(total: int, turns: int, per_turn: int, words: int, per_player: int) -> None:
    assert budget(total, turns) == {"tokens_per_turn": per_turn, "stated_words": words, "tokens_per_player": per_player}


@pytest.mark.parametrize(
    ("per_turn", "factor", "words"),
    [(10, 0.1, 1), (30, 0.1, 3), (100, 0.29, 29), (50, 0.58, 29), (16, 1.0, 16), (13, 1 / 1.3, 10), (128, 1 / 1.3, 98)],
)
def test_words_are_rounded_down_with_a_little_to_spare(per_turn: int, factor: float, words: int) -> None:
    assert budget(per_turn * 2, 2, factor)["stated_words"] == words
    assert budget(per_turn * 2, 2, words_factor=factor)["stated_words"] == words


@given(st.integers(1, 5000), st.integers(1, 40), st.integers(1, 100))
def test_a_budget_follows_its_formula_in_exact_numbers(total: int, half: int, percent: int) -> None:
    turns = 2 * half
    if total < turns:
        return
    made = budget(total, turns, percent / 100)
    assert made["tokens_per_turn"] == total // turns
    assert made["stated_words"] == floor(Fraction(percent, 100) * (total // turns))
    assert made["tokens_per_player"] == total // turns * half


@pytest.mark.parametrize("turns", [1, 3, 5, 15, 0, -2])
def test_odd_or_no_turns_are_an_error(turns: int) -> None:
    with pytest.raises(UsageError):
        budget(256, turns)


def test_a_negative_budget_is_an_error() -> None:
    with pytest.raises(UsageError):
        budget(-1, 2)


# Turns


@pytest.mark.parametrize(
    ("turn", "turns", "player", "left", "final", "penultimate"),
    [
        (3, 6, 0, 4, False, False),
        (1, 2, 0, 2, False, True),
        (2, 2, 1, 1, True, False),
        (1, 4, 0, 4, False, False),
        (3, 4, 0, 2, False, True),
        (4, 4, 1, 1, True, False),
        (15, 16, 0, 2, False, True),
        (16, 16, 1, 1, True, False),
        (8, 16, 1, 9, False, False),
    ],
)
def test_turns_count_from_one(turn: int, turns: int, player: int, left: int, final: bool, penultimate: bool) -> None:
    assert turn_meta(turn, turns) == {"player": player, "turns_left": left, "final": final, "penultimate": penultimate}


@pytest.mark.parametrize("turns", [2, 4, 8, 16])
def test_players_alternate_and_one_turn_is_final(turns: int) -> None:
    metas = [turn_meta(turn, turns) for turn in range(1, turns + 1)]
    assert [meta["player"] for meta in metas] == [0, 1] * (turns // 2)
    assert [meta["turns_left"] for meta in metas] == list(range(turns, 0, -1))
    assert [meta["final"] for meta in metas] == [False] * (turns - 1) + [True]
    assert [meta["penultimate"] for meta in metas].index(True) == turns - 2


@pytest.mark.parametrize(("turn", "turns"), [(0, 4), (5, 4), (-1, 4), (1, 3), (1, 0)])
def test_a_turn_outside_its_game_is_an_error(turn: int, turns: int) -> None:
    with pytest.raises(UsageError):
        turn_meta(turn, turns)


# Cutting


@pytest.mark.parametrize(
    ("text", "tokens", "cut"),
    [
        ("a b c", 2, "a b"),
        ("a b c", 3, "a b c"),
        ("a b c  \n", 3, "a b c  \n"),
        ("  a b c", 2, "  a b"),
        ("a, b, c", 2, "a,"),
        ("a, b, c", 3, "a, b"),
        ("a b   c", 2, "a b"),
        ("don't go", 2, "don'"),
        ("a b", 0, ""),
        ("", 0, ""),
        ("", 5, ""),
        ("   ", 0, ""),
        ("   ", 1, "   "),
        ("naïve café!", 2, "naïve café"),
        ("🏳️ x", 1, "🏳"),
    ],
)
def test_a_text_ends_where_its_last_allowed_token_ends(text: str, tokens: int, cut: str) -> None:
    assert truncate(text, tokens, WORDS) == cut


def test_fewer_than_no_tokens_are_an_error() -> None:
    with pytest.raises(UsageError):
        truncate("a", -1, WORDS)


@given(st.text(max_size=60), st.integers(0, 12))
def test_a_cut_text_is_a_beginning_with_as_many_tokens_as_allowed(text: str, tokens: int) -> None:
    cut = truncate(text, tokens, WORDS)
    matches = list(re.finditer(PATTERN, text))
    assert text.startswith(cut)
    if tokens == 0:
        assert cut == ""
    elif len(matches) <= tokens:
        assert cut == text
    else:
        assert len(cut) == matches[tokens - 1].end()


def test_each_match_of_the_pattern_is_a_token() -> None:
    text = "I've 2 lamps, no?"
    assert [text[slice(*span)] for span in WORDS.spans(text)] == ["I", "'", "ve", "2", "lamps", ",", "no", "?"]
    assert RegexTokenizer(r"[a-z]").spans("ab1c") == [(0, 1), (1, 2), (3, 4)]


def test_tokenizers_with_different_patterns_have_different_names() -> None:
    assert RegexTokenizer(PATTERN).name == WORDS.name
    assert RegexTokenizer(r"\w+").name != WORDS.name


@pytest.mark.parametrize(
    "text", ["The lamp is on the table, isn't it?", "wörld — “quoted” 山田", "row 7?", "  two  spaces\n\nand lines "]
)
def test_subwords_cut_at_every_limit_to_a_growing_beginning(subwords: SubwordTokenizer, text: str) -> None:
    cuts = [truncate(text, limit, subwords) for limit in range(len(subwords.spans(text)) + 2)]
    assert cuts[0] == "" and cuts[-1] == cuts[-2] == text
    assert all(later.startswith(earlier) for earlier, later in pairwise(cuts))
    assert all(len(subwords.spans(cut)) <= limit for limit, cut in enumerate(cuts))


@pytest.mark.parametrize("sign", ["🏴", "𓀀", "𐍈"])
def test_a_character_whose_byte_tokens_do_not_all_fit_goes(subwords: SubwordTokenizer, sign: str) -> None:
    text = f"a {sign} b"
    spans = subwords.spans(text)
    of_sign = [number for number, (start, end) in enumerate(spans, 1) if start == 2 and end == 3]
    assert len(of_sign) > 1, "this sign is one token; take another"
    for limit in of_sign[:-1]:
        assert sign not in truncate(text, limit, subwords)
        assert "\ufffd" not in truncate(text, limit, subwords)
    assert truncate(text, of_sign[-1], subwords) == f"a {sign}"


def test_the_short_form_of_a_row_fits_sixteen_tokens(subwords: SubwordTokenizer) -> None:
    assert len(subwords.spans("row 7?")) <= 16


def test_subwords_have_a_name_of_their_own(subwords: SubwordTokenizer) -> None:
    assert subwords.name == SubwordTokenizer().name != WORDS.name


# Usage


def test_usage_counts_turns_and_tokens_of_each_player() -> None:
    assert usage(["a b", "c", "d e f"], 4, 16, WORDS) == {
        "turns_used": 3,
        "turn_fraction": 0.75,
        "tokens_p0": 5,
        "tokens_p1": 1,
        "token_fraction": 0.375,
    }


@pytest.mark.parametrize(
    ("texts", "cap", "total", "expected"),
    [
        (["", ""], 2, 256, (2, 1.0, 0, 0, 0.0)),
        (["one, two."], 16, 8, (1, 0.0625, 4, 0, 0.5)),
        (["a", "b", "c", "d"], 4, 4, (4, 1.0, 2, 2, 1.0)),
        ([], 4, 4, (0, 0.0, 0, 0, 0.0)),
    ],
)
def test_usage_of_short_dialogues(
    texts: list[str], cap: int, total: int, expected: tuple[int, float, int, int, float]
) -> None:
    assert tuple(usage(texts, cap, total, WORDS).values()) == expected


def test_usage_counts_with_the_tokenizer_it_is_given() -> None:
    assert usage(["ab cd"], 2, 10, RegexTokenizer(r"\w"))["tokens_p0"] == 4


# Accuracy against turns


@pytest.mark.parametrize(
    ("accuracy", "gain", "best", "monotone"),
    [
        ({2: 0.5, 4: 0.6, 8: 0.7}, 0.2, 8, True),
        ({2: 0.5, 4: 0.7, 8: 0.6}, 0.1, 4, False),
        ({2: 0.5, 4: 0.5, 8: 0.5}, 0.0, 2, True),
        ({2: 0.7, 4: 0.6, 8: 0.5}, -0.2, 2, False),
        ({8: 0.7, 2: 0.5, 4: 0.7}, 0.2, 4, True),
        ({"2": 0.5, "16": 0.9, "8": 0.8, "4": 0.7}, 0.4, 16, True),
        ({2: 0.5, 4: 0.5 - 5e-13}, 0.0, 2, True),
        ({2: 0.5, 4: 0.5 - 5e-12}, 0.0, 2, False),
        ({4: 0.25}, 0.0, 4, True),
    ],
)
def test_the_isotoken_summary(accuracy: dict[int, float], gain: float, best: int, monotone: bool) -> None:
    made = isotoken(accuracy)
    assert made["gain"] == pytest.approx(gain, abs=1e-10)
    assert (made["best_turns"], made["monotone_non_decreasing"]) == (best, monotone)
    assert type(made["best_turns"]) is int and type(made["monotone_non_decreasing"]) is bool


@pytest.mark.parametrize("accuracy", [{}, {"two": 0.5}, {2: 0.5, "2": 0.6}])
def test_no_or_doubtful_turn_budgets_are_an_error(accuracy: dict[int, float]) -> None:
    with pytest.raises(UsageError):
        isotoken(accuracy)


# Guess-and-check


@pytest.mark.parametrize(
    ("n", "turns", "p"),
    [(10, 4, 0.36), (9, 2, 17 / 81), (16, 16, 0.75), (25, 2, 49 / 625), (9, 20, 1.0), (4, 100, 1.0), (10, 1, 0.0)],
)
def test_the_closed_form_of_guess_and_check(n: int, turns: int, p: float) -> None:
    assert guess_and_check(n, turns) == pytest.approx(p, abs=1e-12)


def test_an_odd_turn_adds_nothing_to_guess_and_check() -> None:
    assert [guess_and_check(9, turns) for turns in (3, 5, 7)] == [guess_and_check(9, turns) for turns in (2, 4, 6)]


@pytest.mark.parametrize(("n", "half"), [(4, 1), (4, 2), (5, 3), (5, 2)])
def test_guess_and_check_agrees_with_a_count_of_all_cases(n: int, half: int) -> None:
    """Each player tries its rows in an order that is uniform for the partner: it wins if the shared row is among h."""
    places = list(product(range(n), repeat=2))
    won = sum(first < half or second < half for first, second in places)
    assert guess_and_check(n, 2 * half) == pytest.approx(won / len(places), abs=1e-12)


@pytest.mark.parametrize(("n", "turns"), [(0, 4), (-1, 4), (9, -2)])
def test_guess_and_check_without_rows_is_an_error(n: int, turns: int) -> None:
    with pytest.raises(UsageError):
        guess_and_check(n, turns)

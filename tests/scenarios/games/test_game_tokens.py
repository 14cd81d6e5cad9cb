"""What counts as a token, and texts cut after a number of them."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evolif.contexts import tokenizer_name
from evolif.errors import ArgumentError, UsageError
from evolif.scenarios.games import RegexTokenizer, SubwordTokenizer, truncate
from evolif.scenarios.games.tokens import Tokenizer

WORDS = RegexTokenizer(r"\w+|[^\w\s]")
installed = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `games`")


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(0, ""), (1, "  Is"), (2, "  Is it"), (3, "  Is it?"), (4, "  Is it? \nYes"), (5, "  Is it? \nYes.  ")],
)
def test_a_text_ends_with_its_last_token_and_a_short_one_stays_as_it_is(limit: int, expected: str) -> None:
    assert truncate("  Is it? \nYes.  ", limit, WORDS) == expected


def test_white_space_is_no_token_and_stays_within_any_limit_but_nothing() -> None:
    assert WORDS.spans(" \n ") == []
    assert truncate(" \n ", 1, WORDS) == " \n "
    assert truncate(" \n ", 0, WORDS) == ""
    assert truncate("", 3, WORDS) == ""


def test_every_match_is_a_token_but_an_empty_one() -> None:
    assert RegexTokenizer(r"\d*").spans("a12b3") == [(1, 3), (4, 5)]
    assert RegexTokenizer("..").spans("abcde") == [(0, 2), (2, 4)]


def test_tokenizers_of_one_pattern_have_one_name() -> None:
    assert RegexTokenizer().name == WORDS.name != RegexTokenizer(r"\w+").name
    assert WORDS.name.startswith("regex-")


@pytest.mark.parametrize("pattern", ["(", "*", 3])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ArgumentError):
        RegexTokenizer(pattern)


@pytest.mark.parametrize("limit", [-1, 1.0, True, "2"])
def test_what_is_no_limit_is_refused(limit: int) -> None:
    with pytest.raises(ArgumentError, match="whole number of at least 0"):
        truncate("a b", limit, WORDS)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ArgumentError, match="is no text"):
        truncate(None, 3, WORDS)


class Halves:
    """Says of each character that it is two tokens, of which the first half has no width."""

    name = "halves"

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [span for at in range(len(text)) for span in ((at, at), (at, at + 1))]


@pytest.mark.parametrize(("limit", "expected"), [(1, ""), (2, "a"), (3, "a"), (4, "ab"), (6, "abc")])
def test_a_character_goes_if_not_all_its_tokens_fit(limit: int, expected: str) -> None:
    assert truncate("abc", limit, Halves()) == expected


@installed
@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("hello world again", 2, "hello world"),
        ("hello world ", 2, "hello world"),
        ("a😀b", 1, "a"),
        ("a😀b", 4, "a"),
        ("a😀b", 5, "a😀"),
        ("a😀b", 6, "a😀b"),
        ("日本語", 1, ""),  # the first token is the space before a text, which has no character of its own
        ("日本語", 2, "日"),
        ("half \ud83d a pair", 2, "half \ud83d"),
    ],
)
def test_subwords_are_cut_between_characters(text: str, limit: int, expected: str) -> None:
    assert truncate(text, limit, SubwordTokenizer()) == expected


@installed
def test_the_name_of_subwords_holds_the_digest_of_their_file() -> None:
    assert SubwordTokenizer().name == "l2_supercat-93248f2a9ec36c7b"


def test_without_the_extra_subwords_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolif.scenarios.games.tokens.tokenizer_name", lambda: None)
    with pytest.raises(UsageError, match="extra `games`"):
        SubwordTokenizer()


def check_cut(text: str, limit: int, tokenizer: Tokenizer) -> None:
    cut = truncate(text, limit, tokenizer)
    assert text.startswith(cut)
    assert len(tokenizer.spans(cut)) <= limit
    assert truncate(cut, limit, tokenizer) == cut
    assert (cut == text) == (limit > 0 and len(tokenizer.spans(text)) <= limit) or not text


@given(st.text(), st.integers(0, 12))
def test_words_that_stay_fit(text: str, limit: int) -> None:
    check_cut(text, limit, WORDS)


@installed
@given(st.text(st.characters() | st.sampled_from("a b<s>\n😀語")), st.integers(0, 12))
@example("<s>😀</s>", 2)
@example("\ud83d\ud83d", 2)
def test_subwords_that_stay_fit(text: str, limit: int) -> None:
    check_cut(text, limit, SubwordTokenizer())


@pytest.mark.sampled
@installed
@pytest.mark.parametrize("text", ["a" * 10**6, " " * 10**6, "row 7? " * 140_000, "\n" * 10**6, "<s>" * 330_000])
def test_a_million_characters_are_cut_in_seconds(text: str) -> None:
    start = time.perf_counter()
    assert len(truncate(text, 8, SubwordTokenizer())) <= 8 * 16
    assert len(truncate(text, 8, WORDS)) <= len(text)
    assert time.perf_counter() - start < 10

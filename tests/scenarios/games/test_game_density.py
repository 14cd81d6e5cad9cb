"""Lexical density: tokens, the stop list, content, novelty."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError
from evolif.scenarios.games import content_ratio, lexical_density, novelty
from evolif.scenarios.games.density import lexical_tokens, stop_words
from evolif.util.resources import data_path

DOORS = ["Green door, green lamp", "A lamp", "No"]
TALK = st.lists(st.lists(st.sampled_from(["lamp", "door", "the", "no", "red", "isn't", "7"])).map(" ".join), max_size=5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't", ["do", "n't"]),
        ("I’m", ["i", "'m"]),
        ("can't won’t", ["ca", "n't", "wo", "n't"]),
        ("It's Anna's", ["it", "'s", "anna", "'s"]),
        ("we'd we'll we're we've", ["we", "'d", "we", "'ll", "we", "'re", "we", "'ve"]),
        ("o'clock rock'n'roll", ["o'clock", "rock'n", "roll"]),
        ("shouldn't've", ["should", "n't", "ve"]),
        ("n't 's don'", ["n't", "s", "don"]),
        ("boards' 'row'", ["boards", "row"]),
        ("row_7 x-ray 3.5", ["row", "7", "x", "ray", "3", "5"]),
        ("1990's it's5", ["1990", "'s", "it", "'s", "5"]),
        ("Élan 日本", ["élan", "日本"]),
        ("ain't cat't", ["ai", "n't", "cat't"]),
        (" ?! ", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert lexical_tokens(text) == expected


def test_the_stop_list_has_371_words() -> None:
    words = [
        word
        for line in data_path("seeds", "stop-words.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
        for word in line.split()
    ]
    assert len(words) == len(set(words)) == len(stop_words()) == 371
    assert all(word == word.lower() and "’" not in word for word in words)
    assert {"n't", "'ll", "the", "yeah", "board"} & stop_words() == {"n't", "'ll", "the", "yeah"}


def test_312_of_them_are_spacys() -> None:
    spacy = pytest.importorskip("spacy.lang.en.stop_words", reason="spaCy is not installed")
    plain = {word for word in spacy.STOP_WORDS if not set("‘’") & set(word)}
    assert len(plain) == 312
    assert plain < stop_words()
    assert len(stop_words() - plain) == 59


def test_what_is_split_off_is_a_stop_word() -> None:
    for text in ("isn't", "it's", "I'd", "I'm", "we're", "we've", "we'll"):
        assert lexical_tokens(text)[1] in stop_words()


def test_green_doors() -> None:
    first = (2 * math.log(3) + math.log(3) + math.log(1.5)) / 3
    assert content_ratio(DOORS) == 5 / 7
    assert first == pytest.approx(1.2338, abs=5e-5)
    assert novelty(DOORS) == pytest.approx((first + math.log(1.5)) / 3)
    assert novelty(DOORS) == pytest.approx(0.5464, abs=5e-5)
    assert lexical_density(DOORS) == pytest.approx(39.03, abs=5e-3)


def test_what_every_utterance_says_is_not_new() -> None:
    assert novelty(["red lamp", "lamp"]) == pytest.approx(math.log(2) / 2)
    assert novelty(["lamp lamp", "lamp"]) == 0


@pytest.mark.parametrize("utterances", [[], [""], ["", "?!"], ["the", "of it"]])
def test_without_content_all_is_zero(utterances: list[str]) -> None:
    assert content_ratio(utterances) == novelty(utterances) == lexical_density(utterances) == 0


def test_a_single_utterance_has_no_novelty() -> None:
    assert novelty(["green door"]) == lexical_density(["green door"]) == 0
    assert content_ratio(["a green door"]) == 2 / 3


@given(TALK)
def test_novelty_by_its_definition(utterances: list[str]) -> None:
    content = [[token for token in lexical_tokens(text) if token not in stop_words()] for text in utterances]
    total = 0.0
    for own in content:
        values = [own.count(token) * math.log(len(content) / sum(token in o for o in content)) for token in set(own)]
        positive = [value for value in values if value > 0]
        total += sum(positive) / len(positive) if positive else 0
    assert novelty(utterances) == pytest.approx(total / len(content) if content else 0)
    assert 0 <= content_ratio(utterances) <= 1


@given(TALK)
def test_the_order_of_utterances_does_not_count(utterances: list[str]) -> None:
    assert lexical_density(utterances[::-1]) == pytest.approx(lexical_density(utterances))


@pytest.mark.parametrize("utterances", ["green door", [None], 3])
def test_what_is_no_list_of_texts_is_refused(utterances: list[str]) -> None:
    for measure in (content_ratio, novelty, lexical_density):
        with pytest.raises(ArgumentError, match="text"):
            measure(utterances)


@pytest.mark.sampled
@pytest.mark.parametrize("piece", ["a", "a'", "n't ", "'", " ", "don’t", "😀", "lamp door "])
def test_a_million_characters_take_seconds(piece: str) -> None:
    text = piece * (10**6 // len(piece))
    begin = time.perf_counter()
    lexical_density([text, text, "lamp"])
    assert time.perf_counter() - begin < 10

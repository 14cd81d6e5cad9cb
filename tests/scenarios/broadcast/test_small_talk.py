"""Small talk: as long as wanted, about anything but a match."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from unrelated_words import SPORT_WORDS, league_names

from evolif.errors import ArgumentError, InputError
from evolif.scenarios.broadcast.problems import problem
from evolif.scenarios.broadcast.small_talk import LONGEST, SHORTEST, read_topics, small_talk, topics_of


def test_a_message_is_as_long_as_wanted() -> None:
    off = [
        (number, length)
        for length in range(SHORTEST, LONGEST, 23)
        for number in range(0, 2 * len(read_topics()), 3)
        if not 0.85 * length <= len(small_talk(number, length, seed=3)) <= 1.15 * length
    ]
    assert off == []


def test_every_topic_is_as_long_as_a_problem() -> None:
    for number in range(300):
        made = problem(number, seed=3)
        length = max(SHORTEST, len(made["text"]) + sum(len(option) + 4 for option in made["options"].values()))
        assert abs(len(small_talk(number, length, seed=3)) / length - 1) <= 0.15


def test_a_message_says_what_it_is_about_and_ends_with_a_question() -> None:
    heads = {topic.said[0]: topic for topic in read_topics()}
    for number in range(400):
        text = small_talk(number, 230, seed=5)
        [head] = [head for head in heads if text.startswith(head)]
        assert any(text.endswith(question) for question in heads[head].ask)
        assert "\n" not in text and "  " not in text


def test_topics_come_once_in_each_round() -> None:
    topics = read_topics()
    assert len(topics) >= 36
    for start in (0, len(topics)):
        texts = [small_talk(number, 200, seed=5) for number in range(start, start + len(topics))]
        heads = {next(topic.said[0] for topic in topics if text.startswith(topic.said[0])) for text in texts}
        assert len(heads) == len(topics)


def test_one_topic_has_many_messages() -> None:
    topics = len(read_topics())
    assert len({small_talk(number, 230, seed=5) for number in range(20 * topics)}) > 12 * topics


def test_sentences_are_sentences_and_none_stands_twice() -> None:
    said = [sentence for topic in read_topics() for sentence in topic.said]
    asked = [question for topic in read_topics() for question in topic.ask]
    assert all(sentence[0].isupper() and sentence.endswith((".", "!")) for sentence in said)
    assert all(question[0].isupper() and question.endswith("?") for question in asked)
    assert len(set(said)) == len(said)


def test_nothing_touches_a_match() -> None:
    text = " ".join(sentence for topic in read_topics() for sentence in (*topic.said, *topic.ask))
    assert not re.search(r"\d", text)
    words = set(re.findall("[A-Za-z]+", text.replace("’", "'").replace("n't", "")))
    assert {word.lower() for word in words} & SPORT_WORDS == set()
    assert {word.title() for word in words} & league_names() == set()


def test_messages_are_pure() -> None:
    texts = [small_talk(number, 260, seed=1) for number in range(80)]
    assert texts == [small_talk(number, 260, seed=1) for number in range(80)]
    assert texts != [small_talk(number, 260, seed=2) for number in range(80)]
    assert len(small_talk(10**30, 260, seed=1)) > 200


@pytest.mark.parametrize(("number", "length"), [(-1, 200), (0, 10), (0, 10**9), (0, 200.0), (True, 200), ("1", 200)])
def test_bad_arguments(number: Any, length: Any) -> None:
    with pytest.raises(ArgumentError):
        small_talk(number, length, seed=0)


@pytest.mark.parametrize(
    "data",
    [None, [], {}, ["a"], [{}], [{"said": ["A."], "ask": []}], [{"said": [1], "ask": ["B?"]}],
     [{"said": ["A."] * 11, "ask": ["B?"]}], [{"said": [" "], "ask": ["B?"]}]],
)  # fmt: skip
def test_a_bad_data_file(data: Any) -> None:
    with pytest.raises(InputError) as found:
        topics_of(data, Path("talk.yaml"))
    assert found.value.path == Path("talk.yaml")

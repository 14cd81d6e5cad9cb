"""A stored description states the parameters, or it does not; the wording is free."""

from __future__ import annotations

import itertools

import pytest

from evolif.scenarios.instructions.audit.descriptions import description_matches
from evolif.scenarios.instructions.constraints import GROUPS, DrawContext, describe, get_group
from evolif.scenarios.instructions.tracker import load_profile, load_topics
from evolif.scenarios.instructions.turns import Constraint
from evolif.util.rng import Stream

WORDS = {"unit": "words", "relation": "less_than", "count": 1100}
CASES = [
    ("length", WORDS, "Keep it under 1,100 words.", True),
    ("length", WORDS, "The response must contain less than 1100 words.", True),
    ("length", WORDS, "At most 1099 words, please.", True),
    ("length", WORDS, "No more than 1100 words.", False),
    ("length", WORDS, "The response must contain more than 1100 words.", False),
    ("length", WORDS, "The response must contain less than 1100 sentences.", False),
    ("length", WORDS, "The response must contain less than 100 words.", False),
    ("length", {**WORDS, "relation": "exactly", "count": 3, "unit": "paragraphs"}, "Write three paragraphs.", True),
    ("length", {**WORDS, "relation": "exactly", "count": 10}, "The response must contain more than 10 words.", False),
    ("length", {**WORDS, "relation": "more_than", "count": 10}, "Write 11 words or more.", True),
    ("bullets", {"count": 9}, "Use exactly nine bullet points.", True),
    ("bullets", {"count": 9}, "The answer must contain exactly 4 bullet points.", False),
    ("start_with", {"mode": "letter", "value": "z"}, "Begin with the letter Z.", True),
    ("start_with", {"mode": "letter", "value": "z"}, "End with the letter Z.", False),
    ("start_with", {"mode": "letter", "value": "a"}, "Begin with a letter of your choice, b.", False),
    ("end_with", {"mode": "emoji", "value": "😎"}, "The last thing is 😎", True),
    ("end_with", {"mode": "emoji", "value": "😎"}, "The response must use all lowercase letters.", False),
    ("start_with", {"mode": "keyword", "value": "app store"}, "Open with 'App Store'.", True),
    ("start_with", {"mode": "keyword", "value": "app store"}, "Open with 'app stores'.", False),
    ("end_with", {"mode": "quotation", "left": "《", "right": "》"}, "It ends with a quotation in 《》.", True),
    ("end_with", {"mode": "quotation", "left": "《", "right": "》"}, "It ends with a quotation in «».", False),
    ("format", {"mode": "csv"}, "The response must be valid CSV.", True),
    ("format", {"mode": "csv"}, "The response must be valid HTML.", False),
    ("existence", {"counts": {"tea": 2, "milk": 5}}, "Mention tea twice and milk five times.", True),
    ("existence", {"counts": {"tea": 2, "milk": 5}}, "Mention tea twice.", False),
    ("existence", {"counts": {"tea": 2}}, "Mention tea 3 times.", False),
    ("existence", {"counts": {"tea": 2}}, "Do not mention tea 2 times.", False),
    ("forbidden", {"keywords": ["app"]}, "Avoid the word app.", True),
    ("forbidden", {"keywords": ["app"]}, "Use the word app.", False),
    ("forbidden", {"keywords": ["app", "store"]}, "Never say app.", False),
    ("case", {"mode": "all_upper"}, "The response must use ALL UPPERCASE letters.", True),
    ("case", {"mode": "all_upper"}, "The response must use all lowercase letters.", False),
    ("case", {"mode": "share", "percent": 29}, "Approximately 29% of the letters should be uppercase.", True),
    ("case", {"mode": "share", "percent": 30}, "Approximately 29% of the letters should be uppercase.", False),
    ("case", {"mode": "all_upper"}, "Approximately 29% of the letters should be uppercase.", False),
    ("punctuation", {"mode": "exclude", "mark": "."}, "The response must not contain the punctuation: '.'.", True),
    ("punctuation", {"mode": "include", "mark": "."}, "The response must not contain the punctuation: '.'.", False),
    ("punctuation", {"mode": "exclude", "mark": "."}, "The response must contain exactly 800 words.", False),
    ("punctuation", {"mode": "exclude", "mark": ","}, "Write it without any comma.", True),
    ("punctuation", {"mode": "include", "mark": "￥"}, "The response must contain the punctuation '￥'.", True),
    ("emotion", {"emotion": "angry"}, "Let anger show.", True),
    ("emotion", {"emotion": "angry"}, "The response should adopt a 'frustrated' emotional tone.", False),
    ("audience", {"audience": "youth"}, "Write for young people.", True),
    ("audience", {"audience": "youth"}, "Write so that you reach adults.", False),
    ("style", {"style": "passive voice"}, "Use the passive voice.", True),
    ("style", {"style": "informal"}, "Adopt a 'formal' style.", False),
]


@pytest.mark.parametrize(("group", "params", "text", "expected"), CASES)
def test_parameters_are_looked_for(group, params, text, expected):
    assert description_matches(Constraint(group, params), text) is expected


@pytest.mark.sampled
@pytest.mark.parametrize("group", GROUPS)
def test_an_empty_description_states_nothing_and_our_own_say_everything(group):
    profile, keywords = load_profile("paper"), load_topics()[0].keywords
    stream = Stream(1, 2, 3)
    drawn = [get_group(group).draw(stream, DrawContext(keywords, profile.pools[group], {})) for _ in range(40)]
    for params, fmt in itertools.product(drawn, (None, "json", "html")):
        constraint = Constraint(group, params)
        assert description_matches(constraint, describe(constraint, fmt), fmt)
        assert not description_matches(constraint, " ")
        if group in ("existence", "forbidden"):
            continue  # a description of more keywords states fewer of them, too
        others = [Constraint(group, p) for p in drawn if str(p).lower() != str(params).lower()]
        assert not any(description_matches(other, describe(constraint, fmt), fmt) for other in others)

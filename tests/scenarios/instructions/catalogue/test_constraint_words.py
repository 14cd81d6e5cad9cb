"""The pattern language, and the patterns for constraints in a prompt: what they find, and what they leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolif.errors import InputError
from evolif.scenarios.instructions.catalogue.personas import PatternFile, load_patterns
from evolif.scenarios.instructions.tracker import load_topics

LINES = (Path(__file__).parent / "constraint_prompts.txt").read_text(encoding="utf-8").splitlines()
CASES = [tuple(part.strip() for part in line.split("|", 1)) for line in LINES if line and line[0] != "#"]
PLANTED = [case for case in CASES if case[0] != "none"]
INNOCENT = [prompt for category, prompt in CASES if category == "none"]


def search(prompt):
    return load_patterns("seeds", "constraint-words.yaml").search(prompt)


@pytest.mark.parametrize(("category", "prompt"), PLANTED)
def test_a_planted_constraint_is_found(category, prompt):
    assert category in {match.category for match in search(prompt)}


def test_there_are_enough_of_both_kinds():
    assert len(PLANTED) >= 120 and len(INNOCENT) >= 60
    assert len({category for category, _ in PLANTED}) == 11


@pytest.mark.parametrize("prompt", INNOCENT)
def test_what_only_sounds_alike_is_left_alone(prompt):
    assert search(prompt) == []


def test_no_stored_prompt_raises_a_false_alarm():
    assert {topic.id: found for topic in load_topics() if (found := search(topic.prompt))} == {}


def test_the_words_that_fit_are_told():
    [match] = search("Our hive is silent. Tell me why in three sentences, if you can.")
    assert (match.category, match.found) == ("length", "in three sentences")


@pytest.fixture
def patterns(tmp_path):
    def make(*lines, sets="{animal: [cat, guinea pig, horse*]}"):
        path = tmp_path / "own.yaml"
        quoted = "".join(f"    - {line!r}\n" for line in lines)
        path.write_text(f"sets: {sets}\npatterns:\n  own:\n{quoted}", encoding="utf-8")
        return PatternFile(path)

    return make


LANGUAGE = [
    ("cat", "A Cat!", "the cats"),
    ("step by step", "Step-by-step.", "step by my step"),
    ("horse*", "horseback", "a hor se"),
    ("(cat|guinea pig) food", "guinea pig food", "pig food"),
    ("[a|my own] cat .", "my own cat.", "a cat sits"),
    (". cat", "Yes; cat", "my cat"),
    ("<animal> food", "horsey food", "dog food"),
    ("# cats", "twenty five cats", "some cats"),
    ("## cats", "2 cats", "one cats"),
    ("_ cats", "old cats", "cats"),
    ("feed ~2 cats", "feed all my cats", "feed all of my cats"),
    ("feed ~2 cats", "feed cats", "Feed me. The cats"),
    ("feed ~3!to cats", "feed the old cats", "feed milk to cats"),
    ("Polish cat", "a Polish cat", "polish cat"),
    ("don't purr", "don’t purr", "do not purr"),
]


@pytest.mark.parametrize(("pattern", "fits", "does_not"), LANGUAGE)
def test_the_pattern_language(patterns, pattern, fits, does_not):
    assert patterns(pattern).search(fits)
    assert not patterns(pattern).search(does_not)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("cat <plant>", "the set <plant>, which does not exist"),
        ("cat (dog", "“(”, which is not allowed here"),
        ("(a|b [c]) cat", "the alternative “b [c]”"),
        ("(a||b) cat", "the alternative “”"),
        ("# ~3", "no word of its own"),
        ("cat ~", "cannot be read to its end"),
    ],
)
def test_a_broken_pattern_is_told_by_name(patterns, pattern, said):
    with pytest.raises(InputError) as caught:
        patterns(pattern)
    assert said in str(caught.value) and "own.yaml" in str(caught.value) and pattern in str(caught.value)


@pytest.mark.parametrize("text", ["[]", "patterns: 5", "sets: {}"])
def test_a_file_of_another_form_is_told(tmp_path, text):
    path = tmp_path / "own.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="patterns"):
        PatternFile(path)


def test_a_long_text_of_near_matches_is_read(patterns):
    # Every word could begin the pattern, and none ends it.
    text = "write write write write " * 400
    assert load_patterns("seeds", "constraint-words.yaml").search(text) == []
    assert patterns("write ~12 write ~12 cat").search(text) == []

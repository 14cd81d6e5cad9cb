"""Instructions of the catalogue: translated where a constraint group says the same, refused with a reason otherwise."""

from __future__ import annotations

import time
from typing import Any

import pytest

from evolif.scenarios.recorded import Unsupported, instruction_score
from evolif.scenarios.recorded.constraint_checks import _TRANSLATED, _UNTRANSLATED, check_score, constraint_of

CATALOGUE = """
change_case:capital_letter change_case:capital_word_frequency change_case:lowercase combination:repeat_prompt
combination:two_responses content:placeholder content:postscript format:bullet_list format:constrained_response
format:json_format format:multiple_sections format:number_highlighted_sections format:title keywords:existence
keywords:forbidden_words keywords:frequency keywords:letter_frequency language:response_language
length_constraints:nth_paragraph_first_word length_constraints:number_paragraphs length_constraints:number_sentences
length_constraints:number_words punctuation:no_comma startend:end_phrase startend:quotation startend:start_char
startend:start_emoji
""".split()


def test_every_name_of_the_catalogue_is_either_translated_or_refused() -> None:
    assert sorted([*_TRANSLATED, *_UNTRANSLATED]) == CATALOGUE


@pytest.mark.parametrize(
    ("name", "args", "follows", "breaks"),
    [
        ("change_case:capital_letter", {}, "ALL IN CAPITALS.", "Not all."),
        ("change_case:capital_letter", {}, "TOUT EN CAPITALES.", "Pas tout."),
        ("change_case:lowercase", None, "all small.", "Not all."),
        ("format:json_format", {}, '```json\n{"a": 1}\n```', '{"a": 1} as you asked'),
        ("format:bullet_list", {"num_bullets": 2}, "* one\n* two", "* one\n* two\n* three"),
        ("detectable_format:number_bullet_lists", {"num_bullets": 2.0}, "- one\n- two", "- one"),
        ("keywords:forbidden_words", {"forbidden_words": ["cat", " dog "]}, "A concatenated dogma.", "My Dog."),
        ("language:response_language", {"lang": "French"}, "Le chat est dans la maison.", "The cat is in the house."),
        ("language:response_language", {"language": "de"}, "Die Katze ist im Haus.", "The cat is in the house."),
        (
            "length_constraints:number_sentences",
            {"num_sentences": 2, "relation": "less than"},
            "Only one.",
            "One. And two.",
        ),
        ("length_constraints:number_words", {"num_words": 3, "relation": "less than"}, "two words", "three words now"),
        ("length_constraints:number_words", {"num_words": 3, "relation": "at least"}, "three words now", "two words"),
        (
            "length_constraints:number_words",
            {"num_words": 3, "relation": "more than"},
            "now these are four",
            "three words now",
        ),
        ("punctuation:no_comma", {}, "No comma; really.", "Well, one."),
        ("startend:end_phrase", {"end_phrase": "Any other questions?"}, "Yes.\n\nAny other questions?", "Questions?"),
        ("startend:start_char", {"letter": "k"}, "Kiel is nice.", "In Kiel."),
    ],
)
def test_translated_instructions(name: str, args: dict[str, Any] | None, follows: str, breaks: str) -> None:
    assert instruction_score(follows, name, args) == 1.0
    assert instruction_score(breaks, name, args) == 0.0
    assert instruction_score(None, name, args) == 0.0
    assert constraint_of(name, args).group in (
        "bullets case end_with forbidden format language length punctuation start_with".split()
    )


@pytest.mark.parametrize(
    "name", [*_UNTRANSLATED, "no:such", "", "detectable_format:title", "change_case:english_capital"]
)
def test_the_rest_is_refused_with_a_reason(name: str) -> None:
    with pytest.raises(Unsupported, match=r"not supported: \w") as caught:
        instruction_score("an answer", name, {})
    assert caught.value.kind == "unsupported"
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("format:bullet_list", {"num_bullets": 0}),
        ("language:response_language", {"lang": "Klingon"}),
        ("length_constraints:number_words", {"num_words": 0, "relation": "at least"}),
        ("startend:start_char", {"letter": "é"}),
        ("startend:start_char", {"letter": "ab"}),
    ],
)
def test_values_that_no_group_takes_are_refused(name: str, args: dict[str, Any]) -> None:
    with pytest.raises(Unsupported) as caught:
        instruction_score("an answer", name, args)
    assert caught.value.kind == "unsupported"


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("format:bullet_list", {}),
        ("format:bullet_list", {"num_bullets": True}),
        ("format:bullet_list", {"num_bullets": -1}),
        ("format:bullet_list", {"num_bullets": 1.5}),
        ("format:bullet_list", {"num_bullets": float("nan")}),
        ("format:bullet_list", {"num_bullets": 10**30}),
        ("keywords:forbidden_words", {"forbidden_words": "cat"}),
        ("keywords:forbidden_words", {"forbidden_words": []}),
        ("keywords:forbidden_words", {"forbidden_words": ["cat", 5]}),
        ("keywords:forbidden_words", {"forbidden_words": ["x" * 201]}),
        ("language:response_language", {}),
        ("length_constraints:number_words", {"num_words": 5}),
        ("length_constraints:number_words", {"num_words": 5, "relation": "at most"}),
        ("length_constraints:number_words", {"num_words": 5, "relation": ["less than"]}),
        ("startend:end_phrase", {"end_phrase": "  "}),
        ("startend:end_phrase", {"end_phrase": 5}),
    ],
)
def test_arguments_that_do_not_fit_are_named(name: str, args: dict[str, Any]) -> None:
    with pytest.raises(Unsupported, match=r"inst_args needs|inst_args has|at most 200") as caught:
        constraint_of(name, args)
    assert caught.value.kind == "bad_args"


def test_the_format_of_the_turn_decides_what_the_text_is() -> None:
    letter = {"mode": "letter", "value": "k"}
    assert check_score('{"kiel": 1}', "start_with", letter, fmt="json") == 1.0
    assert check_score("<b>kiel</b>", "start_with", letter, fmt="html") == 1.0
    assert instruction_score('{"k": "a", "b": "c"}', "punctuation:no_comma", {}, fmt="json") == 1.0
    assert instruction_score('{"k": "a", "b": "c"}', "punctuation:no_comma", {}) == 0.0


def test_a_subjective_group_needs_a_judge() -> None:
    with pytest.raises(Unsupported, match="needs a judge") as caught:
        check_score("I am so happy!", "emotion", {"emotion": "happy"})
    assert caught.value.kind == "judge"


@pytest.mark.sampled
@pytest.mark.parametrize("piece", ["[a ", "* ", "`", "<a ", "a, "])
def test_a_hostile_megabyte_is_judged_in_seconds(piece: str) -> None:
    began = time.process_time()
    for size in (1 << 20, 1 << 16):
        answer = piece * (size // len(piece))
        assert instruction_score(answer, "punctuation:no_comma", {}) in (0.0, 1.0)
        assert instruction_score(answer, "format:json_format", {}) == 0.0
    assert time.process_time() - began < 10

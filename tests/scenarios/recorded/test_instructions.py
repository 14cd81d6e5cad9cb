"""Instructions of the catalogue: by the constraint group that says the same, by a reading of their own, as released."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from evolif.scenarios.recorded import Unsupported, instruction_score
from evolif.scenarios.recorded.constraint_checks import check_score, instruction_of
from evolif.scenarios.recorded.own_readings import OWN_READINGS
from evolif.scenarios.recorded.released_readings import RELEASED_READINGS

CASES = Path(__file__).parent / "cases"

CATALOGUE = """
change_case:capital_letter change_case:capital_word_frequency change_case:lowercase combination:repeat_prompt
combination:two_responses content:placeholder content:postscript format:bullet_list format:constrained_response
format:json_format format:multiple_sections format:number_highlighted_sections format:title keywords:existence
keywords:forbidden_words keywords:frequency keywords:letter_frequency language:response_language
length_constraints:nth_paragraph_first_word length_constraints:number_paragraphs length_constraints:number_sentences
length_constraints:number_words punctuation:no_comma startend:end_phrase startend:quotation startend:start_char
startend:start_emoji
""".split()


def test_every_name_of_the_catalogue_is_read_as_released() -> None:
    assert sorted(RELEASED_READINGS) == CATALOGUE


ANSWERS = [json.loads(line) for line in (CASES / "ifeval.jsonl").read_text(encoding="utf-8").split("\n") if line]
"""80 answers for each of IFEval's kinds, with the verdicts of its own code and of UniDial-EvalKit's release."""
DIFFERENCES = yaml.safe_load((CASES / "ifeval_differences.yaml").read_text(encoding="utf-8"))
KINDS = sorted({case["kind"] for case in ANSWERS})


def test_the_answers_cover_all_kinds() -> None:
    assert len(ANSWERS) == 2000 and len(KINDS) == 25
    for kind in KINDS:
        verdicts = [case["ifeval"] for case in ANSWERS if case["kind"] == kind]
        assert verdicts.count(True) > 30 and verdicts.count(False) > 30, kind


@pytest.mark.sampled
@pytest.mark.parametrize("kind", KINDS)
def test_answers_beside_the_public_implementations(kind: str) -> None:
    found: dict[str, list[int]] = defaultdict(list)
    for number, case in enumerate(ANSWERS):
        if case["kind"] == kind:
            own = bool(instruction_score(case["answer"], kind, case["args"]))
            released = bool(instruction_score(case["answer"], kind, case["args"], as_released=True))
            found["ifeval"] += [number] if own is not case["ifeval"] else []
            found["release"] += [number] if released is not case["release"] else []
    for reading in ("ifeval", "release"):
        assert found[reading] == DIFFERENCES[reading].get(kind, {"answers": []})["answers"], reading


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
        ("startend:end_phrase", {"end_phrase": "Any other questions?"}, "Yes.\n\nAny other questions?", "Questions?"),
        ("startend:start_char", {"letter": "k"}, "Kiel is nice.", "In Kiel."),
        ("format:bullet_list", {"num_bullets": 0}, "Here:\n* one", "No list here."),
        ("keywords:existence", {"keywords": ["cat", "Dog"]}, "A cat, a dog.", "A cat, a dogma."),
        ("keywords:frequency", {"keyword": "cat", "frequency": 2, "relation": "at least"}, "Cat, cat.", "Cats, cat."),
        (
            "format:multiple_sections",
            {"section_spliter": "SECTION", "num_sections": 2},
            "SECTION 1\nOne.\n\nSECTION 2\nTwo.",
            "SECTION 1\nOne. See SECTION 2.",
        ),
    ],
)
def test_translated_instructions(name: str, args: dict[str, Any] | None, follows: str, breaks: str) -> None:
    assert instruction_score(follows, name, args) == 1.0
    assert instruction_score(breaks, name, args) == 0.0
    assert instruction_score(None, name, args) == 0.0
    constraint = instruction_of(name, args).constraint
    assert constraint is not None and constraint.group in (
        "bullets case end_with existence forbidden format labels language length punctuation start_with".split()
    )


@pytest.mark.parametrize(
    ("name", "args", "follows", "breaks"),
    [
        (
            "change_case:capital_word_frequency",
            {"capital_frequency": 2, "capital_relation": "at least"},
            "NASA, UN",
            "UN",
        ),
        ("change_case:english_capital", {}, "ALL OF IT IS IN CAPITALS.", "TOUT CELA EST EN CAPITALES."),
        ("change_case:english_lowercase", {}, "all of it is small, says the man.", "tout cela est en petites lettres."),
        ("combination:repeat_prompt", {"prompt_to_repeat": "Name a river."}, "Name a river.\nThe Elbe.", "The Elbe."),
        ("combination:two_responses", {}, "One.\n******\nTwo.", "One.\n******\nOne."),
        ("content:placeholder", {"num_placeholders": 1}, "Dear [name],", "- [ ] see [this](https://example.org)"),
        ("content:placeholder", {"num_placeholder": 1}, "Dear [name],", "Dear Ann,"),
        ("content:postscript", {"postscript_marker": "P.S."}, "Bye.\n\n**P.S.** More.", "At 5 p.s. we left."),
        ("content:postscript", {"postscript_marker": "P.P.S"}, "Bye. P.P.S. More.", "Bye.\nP.S. More."),
        (
            "content:postscript",
            {"postscript_marker": "P.S."},
            "Text. P.S. See you!\nBest,\nBob",
            "P.S. I Love You is a film.\nIt is old.",
        ),
        ("punctuation:no_comma", {}, "No comma; really.", "Well, one."),
        ("punctuation:no_comma", {}, "狗偷了一只袜子。", "狗偷了一只袜子，跑了。"),
        ("content:placeholder", {"num_placeholders": 2}, "Dear [Name]: hello [Firm], bye", "[Name] saw [1] and [2]."),
        ("content:placeholder", {"num_placeholders": 1}, "```\nHi [name]\n```", "```python\nx[name]\n```"),
        ("content:placeholder", {"num_placeholders": 1}, "Re: [Subject]: urgent", "See it.\n\n[guide]: https://a.org"),
        ("format:constrained_response", {"response_options": ["Yes", "Yes, if", "No"]}, "Yes, if", "Yes, or no"),
        ("combination:repeat_prompt", {"prompt_to_repeat": 'Tell "Tom" it.'}, "Tell “Tom” it. Hi!", "Tell Tom it. Hi!"),
        ("format:title", {}, "<<Joy>>\nText", "`1 << 3 >> 1`"),
        ("startend:quotation", {}, '"He asked: "Where?" and left."', '"Yes," said the dog. "I took it."'),
        ("startend:quotation", {}, "„Er sagte „ja“ und ging.“", "„A“ und „B“"),
        ("change_case:english_capital", {}, "NO PROBLEM, I WILL DO IT.", "GUTEN MORGEN MEINE LIEBEN FREUNDE"),
        ("change_case:english_lowercase", {}, "my dog is called max", "mi perro se llama max y come mucho"),
        (
            "length_constraints:nth_paragraph_first_word",
            {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "但是"},
            "海。\n\n但是风大。",
            "海。\n\n风大。",
        ),
        ("format:constrained_response", {}, "My answer is no.", "My answer is no. My answer is yes."),
        ("format:constrained_response", {"response_options": ["Red", "Blue"]}, "Blue!", "Bluebird."),
        ("format:number_highlighted_sections", {"num_highlights": 2}, "*a* and __b__", "* a\n* `*b*`"),
        ("format:title", {}, "<<On tea>>\nIt is hot.", "<< >>\nIt is hot."),
        ("keywords:frequency", {"keyword": "cat", "frequency": 2, "relation": "less than"}, "A cat.", "Cat, cat."),
        ("keywords:existence", {"keywords": ["👍"]}, "Well done 👍", "Well done"),
        ("keywords:letter_frequency", {"letter": "e", "let_frequency": 3, "let_relation": "at least"}, "eEe", "ee"),
        ("language:response_language", {"language": "sw"}, "Habari za asubuhi, rafiki yangu mpendwa.", "Good morning."),
        (
            "length_constraints:nth_paragraph_first_word",
            {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "river"},
            "One.\n\n**River** edge.",
            "River.\n\nOne.",
        ),
        ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "One.\n***\nTwo.", "A ***very*** short one."),
        ("startend:quotation", {}, "“All of it.”", "'All of it.'"),
        ("startend:start_char", {"letter": "é"}, "Été.", "Hiver."),
        ("startend:start_emoji", {}, "🎉 Done.", "Done 🎉"),
    ],
)
def test_instructions_with_a_reading_of_their_own(name: str, args: dict[str, Any], follows: str, breaks: str) -> None:
    assert instruction_of(name, args).constraint is None or name.startswith("keywords:existence")
    assert instruction_score(follows, name, args) == 1.0
    assert instruction_score(breaks, name, args) == 0.0
    assert instruction_score(None, name, args) == 0.0


@pytest.mark.parametrize("name", ["no:such", "", "change_case", "keywords:fewer"])
def test_the_rest_is_refused_with_the_names_that_there_are(name: str) -> None:
    for as_released in (False, True):
        with pytest.raises(Unsupported, match=r"not supported: \w") as caught:
            instruction_score("an answer", name, {}, as_released=as_released)
        assert caught.value.kind == "unsupported"
        assert isinstance(caught.value, ValueError)


def test_missing_arguments_are_not_followed_as_released_and_refused_here() -> None:
    # The data of Multi-IF names the argument `num_placeholders`, which the release does not read: always 0 there.
    args = {"num_placeholders": 1}
    assert instruction_score("Dear [name],", "detectable_content:number_placeholders", args, as_released=True) == 0.0
    assert instruction_score("Dear [name],", "detectable_content:number_placeholders", args) == 1.0
    for name in RELEASED_READINGS:
        assert instruction_score("x, y", name, {"frequency": "many"}, as_released=True) in (0.0, 1.0)
    with pytest.raises(Unsupported, match="needs “num_placeholders”"):
        instruction_score("Dear [name],", "content:placeholder", {})


def test_values_that_ask_for_nothing_are_refused() -> None:
    with pytest.raises(Unsupported) as caught:
        instruction_score("an answer", "length_constraints:number_words", {"num_words": 0, "relation": "at least"})
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
        ("language:response_language", {"lang": "Klingon"}),
        ("startend:start_char", {"letter": "ab"}),
        ("keywords:existence", {"keywords": []}),
        ("keywords:frequency", {"keyword": "a", "frequency": 1, "relation": "more than"}),
        ("keywords:letter_frequency", {"letter": "ab", "let_frequency": 1, "let_relation": "at least"}),
        ("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 1, "nth_paragraph": 2, "first_word": "a"}),
        ("content:postscript", {"postscript_marker": "."}),
        ("combination:repeat_prompt", {"prompt_to_repeat": "x" * 20_001}),
    ],
)
def test_arguments_that_do_not_fit_are_named(name: str, args: dict[str, Any]) -> None:
    with pytest.raises(Unsupported, match=r"inst_args needs|inst_args has|at most 200") as caught:
        instruction_of(name, args)
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


HOSTILE = [
    "[a ",
    "* ",
    "`",
    "<a ",
    "a, ",
    "[",
    "<<",
    "```",
    "\n",
    "\n ",
    "- ",
    "*a",
    "_a ",
    "p.s",
    "***",
    '"',
    "{",
    "१।",
]
ARGS = {
    "num_placeholder": 1, "num_placeholders": 1, "postscript_marker": "P.S.", "num_bullets": 3, "num_sections": 2,
    "section_spliter": "a", "num_highlights": 10**9, "num_sentences": 5, "relation": "at least", "num_words": 5,
    "keyword": "a" * 99 + "b", "keywords": ["a" * 99 + "b"], "frequency": 1, "forbidden_words": ["a" * 99 + "b"],
    "letter": "a", "let_frequency": 1, "let_relation": "at least", "capital_frequency": 1,
    "capital_relation": "at least", "num_paragraphs": 3, "nth_paragraph": 2, "first_word": "a", "end_phrase": "a b",
    "prompt_to_repeat": "a b", "lang": "English", "response_options": ["a" * 99 + "b"],
}  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_answers_are_judged_in_seconds(piece: str) -> None:
    for name in sorted({*CATALOGUE, *OWN_READINGS}):
        for size in (1 << 16, 1 << 18):
            answer = (piece * (size // len(piece)))[: size - 1]
            began = time.process_time()
            for as_released in (False, True):
                if name in RELEASED_READINGS or not as_released:
                    assert instruction_score(answer, name, ARGS, as_released=as_released) in (0.0, 1.0)
            assert time.process_time() - began < 5, name

"""Scores of one answer, and of what a memory brings back, as the page of the schema has them: tables and edges."""

from __future__ import annotations

import time
from typing import Any

import pytest

from evolif.scenarios.recorded import (
    NoScore,
    Unsupported,
    exact_match,
    instruction_score,
    judge_score,
    metric_name,
    numeric_match,
    retrieval_scores,
    rouge2_recall,
    word_f1,
    word_precision,
    word_recall,
)


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        ("the cat sat", "the cat", 2 / 3),
        ("  The CAT  ", "the cat", 1.0),
        ("a a a", "a a b", 2 / 3),
        ("don't", "t don", 1.0),
        ("snake_case", "snake case", 0.0),
        ("Ärger 東京 x", "ÄRGER 東京", 2 / 3),
        ("", "a", 0.0),
        ("?!", "a", 0.0),
        (None, "a", 0.0),
        ("a", "", 0.0),
        ("a b", ["c", "a", "b a"], 1.0),
    ],
)
def test_word_precision(prediction: Any, reference: Any, score: float) -> None:
    assert word_precision(prediction, reference) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    ("prediction", "reference", "score", "binary"),
    [
        ("the cat sat", "the cat", 1.0, 1.0),
        ("the", "the cat", 0.5, 0.0),
        ("a", "a a", 0.5, 0.0),
        ("a", "", 0.0, 0.0),
        ("a", "...", 0.0, 0.0),
        (None, "a", 0.0, 0.0),
        ("a", ["a b", "a b c d"], 0.5, 0.0),
        ("x", ["y z", "X"], 1.0, 1.0),
    ],
)
def test_word_recall(prediction: Any, reference: Any, score: float, binary: float) -> None:
    assert word_recall(prediction, reference) == pytest.approx(score, abs=1e-12)
    assert word_recall(prediction, reference, binary=True) == binary


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        ("a b", "a c", 0.5),
        ("a", "a b c", 0.5),
        ("a", "b", 0.0),
        ("", "", 0.0),
        (None, "a", 0.0),
        # The best F1 of one reference: precision of the first and recall of the second would make 1.
        ("a b", ["a b c d", "a"], 2 / 3),
    ],
)
def test_word_f1(prediction: Any, reference: Any, score: float) -> None:
    assert word_f1(prediction, reference) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        ("red, blue", "blue, green", 0.5),
        ("blue,red", "red , blue", 1.0),
        ("red apple, blue", "apple", 2 / 3),
        ("red", "red,, ,", 1.0),
        ("red", ", ,", 0.0),
        ("", "red, blue", 0.0),
        (None, "red", 0.0),
        ("red", ["green, blue", "red, blue"], 0.5),
        # Without splitting it would be 4/5.
        ("a b", "a, b c", (2 / 3 + 1 / 2) / 2),
    ],
)
def test_word_f1_of_several_answers(prediction: Any, reference: Any, score: float) -> None:
    assert word_f1(prediction, reference, multi_answer=True) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        ("I think <final_answer> Paris </final_answer>", "paris", 1.0),
        ("<final_answer>A</final_answer> no: <final_answer>B</final_answer>", "B", 1.0),
        ("<final_answer>A</final_answer> no: <final_answer>B</final_answer>", "A", 0.0),
        ("  YES\n", "yes", 1.0),
        ("yes.", "yes", 0.0),
        ("x </final_answer>", "x", 1.0),
        ("<final_answer>x</final_answer> done", "x", 0.0),
        ("<final_answer>x</final_answer> done", "x</final_answer> DONE", 1.0),
        ("x</final_answer></final_answer>", "x", 0.0),
        ("x</final_answer></final_answer>", "x</final_answer>", 1.0),
        ("<final_answer>", "", 1.0),
        (None, "x", 0.0),
        ("x", "  X ", 1.0),
        ("b", ["a", "B"], 1.0),
        ("c", ["a", "b"], 0.0),
    ],
)
def test_exact_match(prediction: Any, reference: Any, score: float) -> None:
    assert exact_match(prediction, reference) == score


def test_exact_match_takes_other_tokens_literally() -> None:
    assert exact_match("so [[42]]", "42", start="[[", end="]]") == 1.0
    assert exact_match("a.*b(c$", "b(c", start=".*", end="$") == 1.0
    assert exact_match("<final_answer>42</final_answer>", "42", start="[[", end="]]") == 0.0


@pytest.mark.parametrize(
    ("prediction", "reference", "score", "released"),
    [
        ("The answer is 42.", "42", 1.0, 1.0),
        ("first 41, then 42", "42", 1.0, 1.0),
        ("first 42, then 41", "42", 0.0, 0.0),
        ("it owes -1,250.75 pounds", "-1250.75", 1.0, 1.0),
        ("1,234,567", "1234567.0", 1.0, 1.0),
        # The release reads 2020,202 and 1.
        ("2020,2021", "2021", 1.0, 0.0),
        ("1,2345", "2345", 1.0, 0.0),
        ("12,34", "34", 1.0, 1.0),
        ("1,250.75", "250.75", 0.0, 0.0),
        ("pages 4-9", "9", 1.0, 0.0),
        ("pages 4-9", "-9", 0.0, 1.0),
        ("x-5", "5", 1.0, 0.0),
        ("f(x)-5", "5", 1.0, 0.0),
        ("a[0]-5", "5", 1.0, 0.0),
        ("{1}-5", "5", 1.0, 0.0),
        ("x = -5", "-5", 1.0, 1.0),
        ("(-5)", "-5", 1.0, 1.0),
        ("--5", "-5", 1.0, 1.0),
        ("- 5", "5", 1.0, 1.0),
        ("0.3333333", "0.3333335", 1.0, 1.0),
        ("1.0", "1.000002", 0.0, 0.0),
        ("-0", "0", 1.0, 1.0),
        (" none ", "none", 1.0, 1.0),
        ("None", "none", 0.0, 0.0),
        ("five", "5", 0.0, 0.0),
        (None, "5", 0.0, 0.0),
        ("7", ["six", "5", "7.0"], 1.0, 1.0),
        ("99999999999999999999", "99999999999999999998", 0.0, 0.0),
        ("9" * 6000, "9" * 6000, 1.0, 1.0),
        ("9" * 6000, "8" * 6000, 0.0, 0.0),
    ],
)
def test_numeric_match(prediction: Any, reference: Any, score: float, released: float) -> None:
    assert numeric_match(prediction, reference) == score
    assert numeric_match(prediction, reference, as_released=True) == released


@pytest.mark.parametrize(
    "text", ["1,111" * 100_000, "1" * 400_000, "-" * 400_000, "1." * 200_000, ",111" * 100_000, "\u0660" * 100_000]
)
def test_hostile_numbers_take_no_time(text: str) -> None:
    begun = time.perf_counter()
    assert numeric_match(text, "5") == 0.0
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize(
    ("text", "low", "high", "score"),
    [
        ('{"Score": 7, "Rationale": "fine"}', 0, 10, 0.7),
        ('  {"score": "7.5"}\n', 0, 10, 0.75),
        ('{"score": 1}', 1, 10, 0.0),
        ('{"score": 10}', 1, 10, 1.0),
        ('{"score": 1}', 0, 10, 0.1),
        ('{"score": 0}', -5, 5, 0.5),
        ('{"score": -5}', -5, 5, 0.0),
        ('{"score": 2, "Score": 9}', 0, 10, 0.9),
        ('```json\n{"Score": 5}\n```', 0, 10, 0.5),
        ('```\n{"Score": 5}', 0, 10, 0.5),
        ('```json\n{"why": "a ``` inside",\n "Score": 5}\n```', 0, 10, 0.5),
        ('```json {"score": 5}```', 0, 10, 0.5),
        ("Well: {'score': 8, 'why': it's good}", 0, 10, 0.8),
        ('"SCORE" : "6.5", but', 0, 10, 0.65),
        ('"score": 3, later "score": 9', 0, 10, 0.3),
        ('"score": "none", then "score": 4', 0, 10, 0.4),
        ("'score': -2 of five,", -5, 5, 0.3),
    ],
)
def test_judge_score(text: str, low: float, high: float, score: float) -> None:
    assert judge_score(text, low, high) == pytest.approx(score, abs=1e-12)
    assert judge_score(text, low, high, as_released=True) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Score: 8",
        "8",
        "null",
        '"score"',
        '[{"score": 5}]',
        '{"Score": null, "score": 5}',
        '{"score": "8/10"}',
        '{"score": "good"}',
        '{"score": "Infinity"}',
        '{"score": [5]}',
        '{"score": {"score": 5}}',
        "[" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_a_reply_without_a_score_raises_in_either_way(text: str) -> None:
    assert issubclass(NoScore, ValueError)
    for as_released in (False, True):
        with pytest.raises(NoScore):
            judge_score(text, 0, 10, as_released=as_released)


@pytest.mark.parametrize(
    ("text", "released"),
    [
        ('{"score": 11}', 1.1),
        ('{"score": -1}', -0.1),
        ('{"verdict": "good"}', 0.0),
        ("{}", 0.0),
        ('{"SCORE": 5}', 0.0),
        ('"score": 20, he said', 2.0),
    ],
)
def test_what_only_the_release_takes_for_a_score(text: str, released: float) -> None:
    with pytest.raises(NoScore):
        judge_score(text, 0, 10)
    assert judge_score(text, 0, 10, as_released=True) == pytest.approx(released, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    ['{"score": true}', '{"score": NaN}', '{"score": Infinity}', '{"score": 1e999}', '{"score": ' + "9" * 6000 + "}"],
)
def test_booleans_and_infinities_are_no_score(text: str) -> None:
    with pytest.raises(NoScore):
        judge_score(text, 0, 10)


@pytest.mark.parametrize(
    ("class_name", "args", "name"),
    [
        ("llm_judge", {"scale": 5, "template_name": "clarity"}, "llm_judge->clarity"),
        ("recall", {}, "recall"),
        ("recall", {"binary": True}, "recall"),
        ("m", {"name": 3, "Template_NAME": "x", "other_name": "y"}, "m->x"),
        ("m", {"filename": "f", "name": "n"}, "m->f"),
        ("m", {"name": None}, "m"),
        ("m", {"title": "name"}, "m"),
        ("evolif_check", {"group_name": "length", "params": {"name": "no"}}, "evolif_check->length"),
    ],
)
def test_metric_name(class_name: str, args: dict[str, Any], name: str) -> None:
    assert metric_name(class_name, args) == name


FRENCH = "Le renard brun saute par-dessus le chien paresseux, puis il rentre chez lui pour dormir."


@pytest.mark.parametrize(
    ("name", "args", "follows", "fails"),
    [
        ("change_case:capital_letter", {}, "HELLO, YOU 2", "HELLo"),
        ("change_case:lowercase", {}, "hello, you 2", "Hello"),
        ("punctuation:no_comma", {}, "one; two", "one, two"),
        ("keywords:forbidden_words", {"forbidden_words": ["art", "war"]}, "A party of warriors", "the Art of peace"),
        ("format:json_format", {}, '{"a": [1]}', "{'a': 1}"),
        ("format:json_format", {}, '```json\n{"a": 1}\n```', "```json\nno\n```"),
        ("startend:start_char", {"letter": "k"}, "Keep it", "We keep"),
        ("startend:end_phrase", {"end_phrase": "that is all"}, "Done: That is all", "that is all, friend"),
        ("length_constraints:number_words", {"num_words": 3, "relation": "less than"}, "one two", "one two three"),
        ("length_constraints:number_words", {"num_words": 3, "relation": "at least"}, "one two three", "one two"),
        (
            "length_constraints:number_words",
            {"num_words": 3, "relation": "more than"},
            "one two three four",
            "one two three",
        ),
        (
            "length_constraints:number_sentences",
            {"num_sentences": 2, "relation": "at least"},
            "It is late. We go home.",
            "It is late, e.g. dark.",
        ),
        (
            "length_constraints:number_sentences",
            {"num_sentences": 2, "relation": "less than"},
            "It is late.",
            "It is late. We go home.",
        ),
        ("format:bullet_list", {"num_bullets": 2}, "- one\n- two", "- one\n- two\n- three"),
        (
            "language:response_language",
            {"lang": "French"},
            FRENCH,
            "The brown fox jumps over the lazy dog, then sleeps.",
        ),
    ],
)
def test_instruction_score(name: str, args: dict[str, Any], follows: str, fails: str) -> None:
    assert instruction_score(follows, name, args) == 1.0
    assert instruction_score(fails, name, args) == 0.0
    assert instruction_score("", name, args) == 0.0


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("no:such_instruction", {}),
        ("", {}),
        ("keywords:letter_frequency", {"letter": "a", "let_frequency": 3, "let_relation": "at least"}),
        ("combination:two_responses", {}),
        ("format:title", {}),
        # Ours counts exactly; theirs asks for at least one.
        ("keywords:existence", {"keywords": ["a"]}),
        ("length_constraints:number_words", {}),
        ("length_constraints:number_words", {"num_words": "many", "relation": "less than"}),
        ("length_constraints:number_words", {"num_words": 3, "relation": "about"}),
        ("language:response_language", {"lang": "Klingon"}),
    ],
)
def test_what_no_group_says_is_unsupported(name: str, args: dict[str, Any]) -> None:
    with pytest.raises(Unsupported):
        instruction_score("An answer.", name, args)


@pytest.mark.parametrize(
    ("gold", "snippet", "score"),
    [
        ("the cat sat", "the cat ran", 0.5),
        ("The cat-SAT!", "so the\ncat_sat", 1.0),
        ("a b a b", "a b", 1 / 3),
        ("a b", "b a", 0.0),
        ("cat", "cat", 0.0),
        ("", "the cat", 0.0),
        ("the cat", "", 0.0),
        ("東京 大阪", "東京 大阪", 0.0),
        ("café au lait", "caf au", 0.5),
    ],
)
def test_rouge2_recall(gold: str, snippet: str, score: float) -> None:
    assert rouge2_recall(gold, snippet) == pytest.approx(score, abs=1e-12)


GOLDS = ["the cat sat on the mat", "a dog barked at night"]
NOISE = "nothing of the kind"


@pytest.mark.parametrize(
    ("golds", "snippets", "threshold", "hits", "recall"),
    [
        (GOLDS, [GOLDS[0], GOLDS[1]], 1.0, (1.0, 1.0, 1.0), 1.0),
        (GOLDS, [NOISE, NOISE, f"User: {GOLDS[1]}!"], 1.0, (0.0, 1.0, 1.0), 0.5),
        (GOLDS, [NOISE] * 5 + [GOLDS[0]], 1.0, (0.0, 0.0, 1.0), 0.5),
        (GOLDS, [NOISE] * 10 + GOLDS, 1.0, (0.0, 0.0, 0.0), 0.0),
        (GOLDS, [], 1.0, (0.0, 0.0, 0.0), 0.0),
        # One of five bigrams is exactly the threshold of memories that rewrite.
        (GOLDS[:1], ["the cat slept"], 0.2, (1.0, 1.0, 1.0), 1.0),
        (GOLDS[:1], ["the cat slept"], 1.0, (0.0, 0.0, 0.0), 0.0),
        # Two snippets do not add up.
        (GOLDS[:1], ["the cat sat on", "on the mat"], 1.0, (0.0, 0.0, 0.0), 0.0),
        (["Mia!"], ["her name is mia"], 1.0, (1.0, 1.0, 1.0), 1.0),
        (["Mia"], ["a miaow"], 1.0, (0.0, 0.0, 0.0), 0.0),
        (["東京  タワー"], ["昨日、東京 タワーに"], 1.0, (1.0, 1.0, 1.0), 1.0),
        (["東京"], ["大阪"], 1.0, (0.0, 0.0, 0.0), 0.0),
        (["ПРИВЕТ"], ["он сказал привет"], 1.0, (1.0, 1.0, 1.0), 1.0),
        (["", GOLDS[0]], ["", GOLDS[0]], 1.0, (0.0, 1.0, 1.0), 0.5),
        ([""], [""], 0.0, (0.0, 0.0, 0.0), 0.0),
    ],
)
def test_retrieval_scores(
    golds: list[str], snippets: list[str], threshold: float, hits: tuple[float, ...], recall: float
) -> None:
    assert retrieval_scores(golds, snippets, threshold) == {
        "hit@1": hits[0],
        "hit@5": hits[1],
        "hit@10": hits[2],
        "recall": pytest.approx(recall),
    }


def test_retrieval_scores_at_other_depths() -> None:
    found = retrieval_scores(GOLDS, [GOLDS[0], NOISE, GOLDS[1]], 1.0, ks=(2, 3), top=2)
    assert found == {"hit@2": 1.0, "hit@3": 1.0, "recall": 0.5}


@pytest.mark.parametrize("snippets", [[], [NOISE]])
def test_without_golds_there_is_no_recall(snippets: list[str]) -> None:
    found = retrieval_scores([], snippets, 1.0)
    assert set(found.values()) == {None}
    assert found.keys() == {"hit@1", "hit@5", "hit@10", "recall"}

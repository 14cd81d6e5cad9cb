"""The metrics against a naive reading of their definitions, and the entries' arguments."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.recorded import (
    Unsupported,
    exact_match,
    metric_name,
    numeric_match,
    word_f1,
    word_precision,
    word_recall,
)
from evolif.scenarios.recorded.metrics import metric_of

MEGABYTE = 1 << 20
TEXTS = st.text(alphabet="aAbBçÇß_1 ,.-\n", max_size=40)


def naive_overlap(first: list[str], second: list[str]) -> int:
    """The size of the common multiset, word by word."""
    left, shared = list(second), 0
    for word in first:
        if word in left:
            left.remove(word)
            shared += 1
    return shared


def naive(prediction: str, reference: str) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    words, gold = (re.findall(r"\w+", text.strip().lower()) for text in (prediction, reference))
    shared = naive_overlap(words, gold)
    precision = shared / len(words) if words else 0.0
    recall = shared / len(gold) if gold else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@given(TEXTS, TEXTS)
def test_overlap_is_that_of_multisets(prediction: str, reference: str) -> None:
    precision, recall, f1 = naive(prediction, reference)
    assert word_precision(prediction, reference) == pytest.approx(precision, abs=1e-12)
    assert word_recall(prediction, reference) == pytest.approx(recall, abs=1e-12)
    assert word_f1(prediction, reference) == pytest.approx(f1, abs=1e-12)
    assert word_recall(prediction, reference, binary=True) == float(recall >= 1)


@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_the_best_of_several_references_counts(prediction: str, references: list[str]) -> None:
    each = [naive(prediction, reference) for reference in references] or [(0.0, 0.0, 0.0)]
    best = [max(scores) for scores in zip(*each, strict=True)]
    found = [metric(prediction, references) for metric in (word_precision, word_recall, word_f1)]
    assert found == pytest.approx(best, abs=1e-12)


@given(TEXTS, TEXTS)
def test_several_answers_are_paired_with_their_best(prediction: str, reference: str) -> None:
    golds = [part.strip() for part in reference.split(",") if part.strip()]
    best = [max(naive(part, gold)[2] for part in prediction.split(",")) for gold in golds]
    expected = sum(best) / len(best) if best else 0.0
    assert word_f1(prediction, reference, multi_answer=True) == pytest.approx(expected, abs=1e-12)


def test_words_by_example() -> None:
    assert word_precision("the red, red hat", "Red hat") == 0.5
    assert word_recall("the red, red hat", "Red hat") == 1.0
    assert word_f1("the red, red hat", "Red hat") == pytest.approx(2 / 3)
    assert word_f1("cats, dogs", "dogs, birds", multi_answer=True) == 0.5
    assert word_f1("cats, dogs", ["birds", "dogs, cats"], multi_answer=True) == 1.0
    assert word_recall("no information", ["no information available", "not mentioned"], binary=True) == 0.0
    assert word_recall("It is NOT mentioned.", ["no information available", "not mentioned"], binary=True) == 1.0
    assert [word_precision(None, "a"), word_recall("a", None), word_f1(None, None), word_f1("a", [])] == [0.0] * 4


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        ("I think <final_answer> (B) </final_answer>", "(b)", 1.0),
        ("<final_answer>a</final_answer> no, <final_answer>b", "B", 1.0),
        ("(b)", " (B) ", 1.0),
        ("b</final_answer>", "b", 1.0),
        ("b</final_answer></final_answer>", "b", 0.0),
        ("<final_answer>b</final_answer>.", "b", 0.0),
        ("<final_answer>b is it", "b", 0.0),
        ("STRASSE", "Straße", 1.0),
        ("b", ["a", "b"], 1.0),
        ("b", [], 0.0),
        (None, "", 1.0),
    ],
)
def test_exact_match(prediction: str | None, reference: str | list[str], score: float) -> None:
    assert exact_match(prediction, reference) == score


def test_exact_match_with_other_tokens() -> None:
    assert exact_match("so: b!", "b", start="so:", end="!") == 1.0
    assert exact_match("<final_answer>b", "b", start="") == 0.0
    assert exact_match("<final_answer>b</final_answer>", "b", end="") == 0.0


@pytest.mark.parametrize(
    ("prediction", "reference", "score", "released"),
    [
        ("It is 1,250.75 in all.", "1250.75", 1.0, 1.0),
        ("first 3, then -1,250.75", "-1250.75", 1.0, 1.0),
        ("pages 4-9", "9", 1.0, 0.0),
        ("pages 4-9", "-9", 0.0, 1.0),
        ("COVID-19", "19", 1.0, 0.0),
        ("(a)-5", "5", 1.0, 0.0),
        ("f[1]-5", "5", 1.0, 0.0),
        ("x=-5", "-5", 1.0, 1.0),
        ("x_-5", "-5", 1.0, 1.0),
        ("(-5)", "-5", 1.0, 1.0),
        ("- 5", "5", 1.0, 1.0),
        ("-5", "-5", 1.0, 1.0),
        ("the years 2020,2021", "2021", 1.0, 0.0),
        ("12.", "12", 1.0, 1.0),
        ("0.5", "0.50", 1.0, 1.0),
        ("1.0000005", "1", 1.0, 1.0),
        ("1.00001", "1", 0.0, 0.0),
        ("0.000001", "0", 0.0, 0.0),
        ("no number", " no number ", 1.0, 1.0),
        ("no number", "No number", 0.0, 0.0),
        ("no number", "5", 0.0, 0.0),
        ("5", "five", 0.0, 0.0),
        ("10000000000000000000000000000001", "10000000000000000000000000000002", 0.0, 0.0),
        ("7", ["8", "7"], 1.0, 1.0),
        ("7", [], 0.0, 0.0),
        (None, "7", 0.0, 0.0),
    ],
)
def test_numeric_match(prediction: str | None, reference: str | list[str], score: float, released: float) -> None:
    assert numeric_match(prediction, reference) == score
    assert numeric_match(prediction, reference, as_released=True) == released


def test_a_typographic_minus_is_a_sign() -> None:
    assert numeric_match("It is −5.", "-5") == 1.0
    assert numeric_match("3−5", "5") == 1.0


@given(st.text(alphabet="0123,.- (a", max_size=20), st.integers(-(10**40), 10**40))
def test_the_last_number_of_a_text_decides(before: str, number: int) -> None:
    assert numeric_match(f"{before} is {number:,}", str(number)) == 1.0
    assert numeric_match(f"{before} is {number:,}", str(number + 1)) == 0.0


@pytest.mark.parametrize(
    ("class_name", "args", "name"),
    [
        ("llm_judge", {"scale": 5, "template_name": "clarity"}, "llm_judge->clarity"),
        ("llm_judge", {"name": 5, "Filename": "b", "template_name": "a"}, "llm_judge->b"),
        ("evolif_check", {"group_name": "length", "params": {"name": "x"}}, "evolif_check->length"),
        ("f1_score", {"multi_answer": True}, "f1_score"),
        ("f1_score", {}, "f1_score"),
        ("f1_score", None, "f1_score"),
    ],
)
def test_metric_name(class_name: str, args: dict[str, Any] | None, name: str) -> None:
    assert metric_name(class_name, args) == name


@pytest.mark.parametrize(
    ("class_name", "args", "prediction", "reference", "score"),
    [
        ("precision", {}, "a b", "b", 0.5),
        ("recall", {"binary": True}, "a", "a b", 0.0),
        ("recall", None, "a", "a b", 0.5),
        ("f1_score", {"multi_answer": True}, "a, b", "b, c", 0.5),
        ("exact_match", {"start": "=", "end": "."}, "x = b.", "b", 1.0),
        ("exact_match", {"split_special_start_token": "=", "split_special_end_token": None}, "x = b", "b", 1.0),
        ("exact_match", {"split_special_start_token": None}, "<final_answer>b", "b", 0.0),
        ("numeric_match", {}, "4-9", "9", 1.0),
        ("instruction_following", {"inst_name": "punctuation:no_comma", "inst_args": None}, "none", None, 1.0),
        ("evolif_check", {"group_name": "forbidden", "params": {"keywords": ["cat"]}}, "a cat", None, 0.0),
    ],
)
def test_an_entry_is_scored_by_its_arguments(
    class_name: str, args: dict[str, Any] | None, prediction: str, reference: str | None, score: float
) -> None:
    metric = metric_of(class_name)
    checked = metric.check(args)
    assert not metric.is_judged(checked)
    assert metric.needs_reference == (reference is not None)
    assert metric.score(prediction, reference, checked) == score


@pytest.mark.parametrize(
    ("class_name", "args", "kind"),
    [
        ("precision", {"binary": True}, "bad_args"),
        ("recall", {"binary": "yes"}, "bad_args"),
        ("recall", {"multi_answer": True}, "bad_args"),
        ("f1_score", {"binary": True}, "bad_args"),
        ("exact_match", {"start": 5}, "bad_args"),
        ("llm_judge", {"min_score": 5, "max_score": 5}, "bad_args"),
        ("llm_judge", {"max_score": float("inf")}, "bad_args"),
        ("instruction_following", {}, "bad_args"),
        ("instruction_following", {"inst_name": "length_constraints:number_words"}, "bad_args"),
        ("instruction_following", {"inst_name": "combination:three_responses"}, "unsupported"),
        ("instruction_following", {"inst_name": "combination:three_responses", "as_released": True}, "unsupported"),
        ("code_match", {}, "unsupported"),
        ("code_match", {"regex": ["no such kind", True]}, "bad_args"),
        ("code_match", {"regex": ["function", "("]}, "bad_args"),
        ("evolif_check", {"group_name": "length"}, "bad_args"),
        ("evolif_check", {"group_name": "length", "params": {"count": 5}}, "bad_args"),
        ("evolif_check", {"group_name": "no such group", "params": {}}, "unsupported"),
    ],
)
def test_arguments_are_checked_before_anything_is_asked(class_name: str, args: dict[str, Any], kind: str) -> None:
    with pytest.raises(Unsupported) as caught:
        metric_of(class_name).check(args)
    assert caught.value.kind == kind


def test_metrics_that_are_not_there() -> None:
    with pytest.raises(Unsupported, match="known metrics are precision, recall") as caught:
        metric_of("bleu")
    assert caught.value.kind == "unknown_metric"


def test_a_judge_scores_what_rules_cannot() -> None:
    judge = metric_of("llm_judge")
    args = judge.check({"template_name": "clarity", "scale": 5, "criteria": ["short"]})
    assert judge.is_judged(args)
    assert args == {"template_name": "clarity", "min_score": 1, "max_score": 10, "scale": 5, "criteria": ["short"]}
    check = metric_of("evolif_check")
    subjective = check.check({"group_name": "emotion", "params": {"emotion": "happy"}})
    assert check.is_judged(subjective)
    for metric, arguments in ((judge, args), (check, subjective)):
        with pytest.raises(Unsupported) as caught:
            metric.score("an answer", None, arguments)
        assert caught.value.kind == "judge"


@pytest.mark.sampled
@pytest.mark.parametrize(
    "answer",
    [
        "9" * MEGABYTE,
        "1,234" * (MEGABYTE // 5),
        "1" + ",234" * (MEGABYTE // 4),
        "-" * MEGABYTE,
        "a," * (MEGABYTE // 2),
        ",".join(f"a b{number}" for number in range(MEGABYTE // 10)),
        "<final_answer>" * (MEGABYTE // 14),
        " " * MEGABYTE + "x",
    ],
    ids=["digits", "numbers", "groups", "minus", "same parts", "parts", "tokens", "spaces"],
)
def test_a_hostile_megabyte_is_scored_in_seconds(answer: str) -> None:
    began = time.process_time()
    for metric in (word_precision, word_recall, word_f1, exact_match, numeric_match):
        assert 0 <= metric(answer, ["a b1, a b2", "77"]) <= 1
    assert 0 <= word_f1(answer, "a b1, a b2, c", multi_answer=True) <= 1
    assert 0 <= numeric_match(answer, "77", as_released=True) <= 1
    assert time.process_time() - began < 10

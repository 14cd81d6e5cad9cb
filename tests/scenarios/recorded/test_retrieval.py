"""How much of the evidence snippets bring back."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif import UsageError
from evolif.scenarios.recorded import retrieval_scores, rouge2_recall

words = st.lists(st.sampled_from(["red", "blue", "Green", "7", "lamp"]), max_size=8)


def naive(gold: list[str], snippet: list[str]) -> float:
    """Takes the snippet's pairs away one by one."""
    pairs = [(a.lower(), b.lower()) for a, b in pairwise(gold)]
    left = [(a.lower(), b.lower()) for a, b in pairwise(snippet)]
    shared = 0
    for pair in pairs:
        if pair in left:
            left.remove(pair)
            shared += 1
    return shared / len(pairs) if pairs else 0.0


@given(gold=words, snippet=words)
def test_rouge2_recall_counts_pairs_as_often_as_both_have_them(gold: list[str], snippet: list[str]) -> None:
    assert rouge2_recall(" - ".join(gold), "; ".join(snippet)) == naive(gold, snippet)


@pytest.mark.parametrize(
    ("gold", "snippet", "expected"),
    [
        ("the red lamp", "I saw THE RED, LAMP!", 1.0),
        ("the red lamp", "the red door", 0.5),
        ("a b a b", "a b", 1 / 3),
        ("don't go", "don t go", 1.0),
        ("lamp", "lamp", 0.0),
        ("", "lamp", 0.0),
        ("naïve idea here", "na ve idea here", 1.0),
    ],
)
def test_rouge2_recall(gold: str, snippet: str, expected: float) -> None:
    assert rouge2_recall(gold, snippet) == pytest.approx(expected, abs=1e-15)


def test_scores_of_ranked_snippets() -> None:
    snippets = ["nothing of it", "User: my dog is called Rex\nAssistant: a fine name", "", "we met in Oslo in May"]
    golds = ["my dog is called Rex", "we met in Oslo in May", "I was born in 1980"]
    found = retrieval_scores(golds, snippets, 1.0, ks=(1, 2, 5))
    assert found == {"hit@1": 0.0, "hit@2": 1.0, "hit@5": 1.0, "recall": 2 / 3}
    assert retrieval_scores(golds, snippets, 1.0, top=2)["recall"] == pytest.approx(1 / 3)


def test_no_golds_and_no_snippets() -> None:
    nothing = {"hit@1": None, "hit@5": None, "hit@10": None, "recall": None}
    assert retrieval_scores([], ["a snippet"], 1.0) == nothing
    assert retrieval_scores([], [], 1.0) == nothing
    assert retrieval_scores(["a gold"], [], 1.0) == {"hit@1": 0.0, "hit@5": 0.0, "hit@10": 0.0, "recall": 0.0}


def test_a_hit_counts_the_first_k_and_recall_the_first_ten() -> None:
    snippets = ["other words here"] * 10 + ["the red lamp"]
    found = retrieval_scores(["the red lamp"], snippets, 1.0, ks=(10, 11))
    assert found == {"hit@10": 0.0, "hit@11": 1.0, "recall": 0.0}


@pytest.mark.parametrize(
    ("gold", "snippet", "threshold", "matches"),
    [
        ("a b c d e f", "a b x y z", 0.2, True),
        ("a b c d e f g", "a b x y z", 0.2, False),
        ("a b c d e f", "a b x y z", 1.0, False),
        ("Rex", "his name is rex.", 1.0, True),
        ("Rex", "Rexford", 1.0, False),
        ("犬の名前はレックス", "User: 犬の名前はレックス\nAssistant: はい", 1.0, True),
        ("犬の名前はレックス", "猫の名前", 1.0, False),
        ("Привет,  мир", "он сказал: ПРИВЕТ, МИР!", 1.0, True),
        ("", "anything", 1.0, False),
        ("   ", "any thing   at all", 1.0, False),
    ],
)
def test_what_matches(gold: str, snippet: str, threshold: float, matches: bool) -> None:
    found = retrieval_scores([gold], [snippet], threshold)
    assert (found["hit@1"], found["recall"]) == (float(matches), float(matches))


def test_a_share_that_is_the_threshold_but_for_rounding_matches() -> None:
    gold = " ".join(f"w{place}" for place in range(11))
    assert rouge2_recall(gold, "w0 w1 w2 w3") == 0.3
    assert retrieval_scores([gold], ["w0 w1 w2 w3"], 0.1 + 0.2)["hit@1"] == 1.0


@pytest.mark.parametrize("threshold", [-0.01, -1, 1.01, float("nan")])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold must be from 0 to 1"):
        retrieval_scores(["a gold"], ["a snippet"], threshold)


def test_one_text_instead_of_a_list_is_refused() -> None:
    with pytest.raises(UsageError, match="put the one text into a list"):
        retrieval_scores("a gold", ["a snippet"], 1.0)
    with pytest.raises(UsageError, match="put the one text into a list"):
        retrieval_scores(["a gold"], "a snippet", 1.0)
    with pytest.raises(UsageError, match="at least 1 snippet"):
        retrieval_scores(["a gold"], ["a snippet"], 1.0, ks=(0,))


def test_time_grows_with_the_length_only() -> None:
    text = "a b " * 100_000
    began = time.perf_counter()
    assert retrieval_scores([text], [text], 1.0)["recall"] == 1.0
    assert time.perf_counter() - began < 5

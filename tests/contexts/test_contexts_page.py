"""What the page of context strategies says of messages, similarities, the gate and sizes, from the page alone."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from itertools import product
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.contexts import (
    act,
    act_drop,
    branch_gate,
    cosine,
    count_tokens,
    fork_point,
    full_history,
    last_turns,
    retrieval_k,
    retrieval_messages,
    top_k,
)
from evolif.types import Message

Pairs = list[tuple[str, str]]
TURNS: Pairs = [("u1", "a1"), ("u2", "a2"), ("u3", "a3"), ("u4", "a4"), ("u5", "a5")]
MANY = st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8)), max_size=9)
COMPONENTS = st.integers(-4, 4).map(float)
FIELDS = st.integers(1, 3).flatmap(
    lambda n: st.tuples(
        st.lists(COMPONENTS, min_size=n, max_size=n), st.lists(st.lists(COMPONENTS, min_size=n, max_size=n), max_size=8)
    )
)


def shown(rounds: Sequence[int], query: str = "q", system: str = "") -> list[tuple[str, str]]:
    """The messages that show some of `TURNS`, written out."""
    head = [("system", system)] if system else []
    body = [part for n in rounds for part in (("user", f"u{n}"), ("assistant", f"a{n}"))]
    return [*head, *body, ("user", query)]


def flat(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(m.role, m.content) for m in messages]


def written(turns: Pairs, query: str, system: str) -> list[tuple[str, str]]:
    head = [("system", system)] if system else []
    return [*head, *[m for u, a in turns for m in (("user", u), ("assistant", a))], ("user", query)]


# Full history and the latest rounds


def test_messages_are_those_of_the_domain() -> None:
    with pytest.warns(DeprecationWarning):
        domain_message = importlib.import_module("evolif.domain").Message
    messages = full_history(TURNS, "q", "s")
    assert isinstance(messages, tuple)
    assert all(isinstance(m, domain_message) for m in messages)


@pytest.mark.parametrize("system", ["", "Be brief."])
@pytest.mark.parametrize("rounds", range(6))
def test_the_full_history_shows_everything(rounds: int, system: str) -> None:
    assert flat(full_history(TURNS[:rounds], "q", system)) == shown(range(1, rounds + 1), system=system)


def test_no_system_text_is_the_default() -> None:
    assert [m.role for m in full_history([], "q")] == ["user"]
    assert [m.role for m in last_turns(TURNS, "q", 0)] == ["user"]
    assert [m.role for m in retrieval_messages([], "q", [1.0], [], 3)] == ["user"]


@pytest.mark.parametrize(
    ("k", "rounds"), [(0, []), (1, [5]), (2, [4, 5]), (4, [2, 3, 4, 5]), (5, [1, 2, 3, 4, 5]), (99, [1, 2, 3, 4, 5])]
)
@pytest.mark.parametrize("system", ["", "Be brief."])
def test_the_latest_rounds(k: int, rounds: list[int], system: str) -> None:
    assert flat(last_turns(TURNS, "q", k, system)) == shown(rounds, system=system)


def test_four_latest_rounds_unless_told() -> None:
    assert flat(last_turns(TURNS, "q")) == shown([2, 3, 4, 5])
    assert flat(last_turns(TURNS, "q", system="s")) == shown([2, 3, 4, 5], system="s")


@pytest.mark.parametrize("k", [-1, -4])
def test_a_negative_number_of_rounds_is_an_error(k: int) -> None:
    with pytest.raises(ValueError):
        last_turns(TURNS, "q", k)


def test_the_system_text_stays_whole() -> None:
    system = "  First line.\n\n" + "long " * 5_000 + "\n"
    for messages in (
        full_history(TURNS, "q", system),
        last_turns(TURNS, "q", 1, system),
        retrieval_messages(TURNS, "q", [1.0], [[1.0]] * 5, 2, system),
    ):
        assert messages[0] == Message("system", system)
        assert sum(m.role == "system" for m in messages) == 1


@given(MANY, st.text(max_size=5), st.text(max_size=5))
def test_full_history_and_a_window_that_holds_everything_are_the_same(turns: Pairs, query: str, system: str) -> None:
    assert flat(full_history(turns, query, system)) == written(turns, query, system)
    assert last_turns(turns, query, len(turns), system) == full_history(turns, query, system)


@given(MANY, st.integers(0, 12))
def test_a_window_is_the_full_history_of_the_latest_rounds(turns: Pairs, k: int) -> None:
    latest = turns[max(0, len(turns) - k) :]
    assert last_turns(turns, "q", k, "s") == full_history(latest, "q", "s")


# Similarity


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ([1, 0], [1, 0], 1.0),
        ([1, 0], [0, 1], 0.0),
        ([1, 0], [-1, 0], -1.0),
        ([3, 4], [4, 3], 0.96),
        ([1, 1], [1, 0], 1 / sqrt(2)),
        ([1, 2, 3], [4, 5, 6], 32 / sqrt(14 * 77)),
        ([2, 0], [7, 0], 1.0),
        ([0, 0], [1, 2], 0.0),
        ([1, 2], [0, 0], 0.0),
        ([0, 0], [0, 0], 0.0),
        ([0.0, -0.0], [5, 5], 0.0),
        ([5], [-3], -1.0),
        ([1e-200, 0], [1e-200, 0], 1.0),
        ([1e200, 1e200], [1e200, 0], 1 / sqrt(2)),
    ],
)
def test_the_cosine(a: list[float], b: list[float], value: float) -> None:
    assert cosine(a, b) == pytest.approx(value, abs=1e-12)
    assert cosine(b, a) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [([1.0], [1.0, 2.0]), ([], [1.0]), ([1.0, 2.0, 3.0], [1.0, 2.0])])
def test_vectors_of_unequal_lengths_have_no_cosine(a: list[float], b: list[float]) -> None:
    with pytest.raises(ValueError):
        cosine(a, b)


@given(FIELDS, st.integers(1, 9))
def test_the_cosine_does_not_depend_on_lengths(field: tuple[list[float], list[list[float]]], times: int) -> None:
    query, vectors = field
    for vector in vectors:
        assert isclose(cosine(query, vector), cosine([x * times for x in query], vector), abs_tol=1e-9)


@pytest.mark.parametrize(
    ("vectors", "k", "positions"),
    [
        ([[1, 0], [0, 1], [1, 1]], 1, [0]),
        ([[1, 0], [0, 1], [1, 1]], 2, [0, 2]),
        ([[1, 0], [0, 1], [1, 1]], 3, [0, 2, 1]),
        ([[1, 0], [0, 1], [1, 1]], 50, [0, 2, 1]),
        ([[1, 0], [0, 1], [1, 1]], 0, []),
        ([[1, 0], [2, 0], [3, 0]], 2, [2, 1]),
        ([[0, 1], [0, 2], [0, -1]], 3, [2, 1, 0]),
        ([[0, 0], [-1, 0], [0, 1]], 3, [2, 0, 1]),
        ([[-1, 0], [0, 0]], 1, [1]),
        ([], 3, []),
        ([[1, 0], [1, 1e-7]], 2, [1, 0]),  # apart by 5e-15: a tie
        ([[1, 1e-7], [1, 0]], 2, [1, 0]),
        ([[1, 0], [1, 1e-5]], 2, [0, 1]),  # apart by 5e-11: none
    ],
)
def test_the_most_similar_come_first_and_of_a_tie_the_later(
    vectors: list[list[float]], k: int, positions: list[int]
) -> None:
    assert list(top_k([1.0, 0.0], vectors, k)) == positions


def test_all_are_tied_with_a_zero_query() -> None:
    assert list(top_k([0.0, 0.0], [[1, 0], [0, 1], [1, 1], [0, 0]], 3)) == [3, 2, 1]


@pytest.mark.parametrize("k", [-1, -100])
def test_a_negative_k_is_an_error(k: int) -> None:
    with pytest.raises(ValueError):
        top_k([1.0], [[1.0]], k)
    with pytest.raises(ValueError):
        retrieval_messages([("u", "a")], "q", [1.0], [[1.0]], k)


@given(FIELDS, st.integers(0, 10))
def test_top_k_sorts_by_similarity_then_by_age(field: tuple[list[float], list[list[float]]], k: int) -> None:
    query, vectors = field
    keys = [(-round(cosine(query, v), 12), -i) for i, v in enumerate(vectors)]
    assert list(top_k(query, vectors, k)) == sorted(range(len(vectors)), key=keys.__getitem__)[:k]


@pytest.mark.parametrize(
    ("vectors", "position", "similarity"),
    [
        ([[1, 0], [0, 1]], 0, 1.0),
        ([[0, 1], [1, 0]], 1, 1.0),
        ([[1, 0], [0, 1], [5, 0]], 2, 1.0),
        ([[0, 1]], 0, 0.0),
        ([[-1, 0], [-2, 0]], 1, -1.0),
        ([[3, 4], [4, 3]], 1, 0.8),
        ([[0, 0], [0, 0]], 1, 0.0),
        ([[1, 0], [1, 1e-7]], 1, 1.0),
    ],
)
def test_the_fork_point_is_the_most_similar_node(vectors: list[list[float]], position: int, similarity: float) -> None:
    found, value = fork_point([1.0, 0.0], vectors)
    assert found == position
    assert value == pytest.approx(similarity, abs=1e-12)


def test_nothing_has_no_fork_point() -> None:
    with pytest.raises(ValueError):
        fork_point([1.0], [])


@given(FIELDS)
def test_the_fork_point_is_the_first_of_top_k(field: tuple[list[float], list[list[float]]]) -> None:
    query, vectors = field
    if vectors:
        position, similarity = fork_point(query, vectors)
        assert [position] == list(top_k(query, vectors, 1))
        assert similarity == pytest.approx(cosine(query, vectors[position]))


# Retrieval

AXES = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0.6, 0.8, 0], [0.8, 0, 0.6]]


@pytest.mark.parametrize(
    ("query", "k", "rounds"),
    [
        ([1, 0, 0], 1, [1]),
        ([1, 0, 0], 2, [1, 5]),
        ([1, 0, 0], 3, [1, 4, 5]),
        ([0, 1, 0], 2, [2, 4]),
        ([0, 0, 1], 2, [3, 5]),
        ([1, 0, 0], 4, [1, 3, 4, 5]),  # rounds 2 and 3 are tied: the later
        ([1, 0, 0], 5, [1, 2, 3, 4, 5]),
        ([1, 0, 0], 9, [1, 2, 3, 4, 5]),
        ([1, 0, 0], 0, []),
        ([0, 0, 0], 2, [4, 5]),
    ],
)
@pytest.mark.parametrize("system", ["", "s"])
def test_retrieval_puts_the_chosen_rounds_in_order_of_time(
    query: list[float], k: int, rounds: list[int], system: str
) -> None:
    messages = retrieval_messages(TURNS, "q", query, AXES, k, system)
    assert isinstance(messages, tuple)
    assert flat(messages) == shown(rounds, system=system)


@pytest.mark.parametrize("vectors", [[], [[1.0]], [[1.0]] * 6])
def test_every_round_needs_a_vector(vectors: list[list[float]]) -> None:
    with pytest.raises(ValueError):
        retrieval_messages(TURNS, "q", [1.0], vectors, 2)


@given(FIELDS, st.integers(0, 9))
def test_retrieval_shows_whole_rounds_once(field: tuple[list[float], list[list[float]]], k: int) -> None:
    query, vectors = field
    turns = [(f"u{i}", f"a{i}") for i in range(len(vectors))]
    messages = flat(retrieval_messages(turns, "q", query, vectors, k, "s"))
    chosen = sorted(top_k(query, vectors, k))
    assert messages == written([turns[i] for i in chosen], "q", "s")


@pytest.mark.parametrize(("rounds", "k"), [(0, 3), (1, 3), (10, 3), (15, 3), (16, 5), (20, 5), (25, 5), (99, 5)])
def test_how_many_rounds_are_retrieved(rounds: int, k: int) -> None:
    assert retrieval_k(rounds) == k


# The gate


@pytest.mark.parametrize(
    ("similarity", "fork", "current", "ancestor", "open_"),
    [
        (0.61, "b1", "b0", False, True),
        (0.6, "b1", "b0", False, False),  # strictly
        (0.59, "b1", "b0", False, False),
        (0.61, "b0", "b0", True, True),
        (0.6, "b0", "b0", True, False),
        (0.99, "b0", "b0", False, False),  # the current node itself
        (0.99, "b0", "b2", True, True),
        (-1.0, "b1", "b0", True, False),
        (1.0, "b10", "b1", False, True),
    ],
)
def test_the_gate(similarity: float, fork: str, current: str, ancestor: bool, open_: bool) -> None:
    assert branch_gate(similarity, fork, current, ancestor) is open_


@pytest.mark.parametrize(("theta", "open_"), [(0.0, True), (0.4, True), (0.499, True), (0.5, False), (0.9, False)])
def test_the_gate_has_a_threshold(theta: float, open_: bool) -> None:
    assert branch_gate(0.5, "b1", "b0", False, theta=theta) is open_


@pytest.mark.parametrize(
    ("fork", "ancestor", "parent", "root", "open_"),
    [
        ("b0", True, False, False, True),  # a grandparent
        ("b0", True, True, False, False),  # the direct parent no longer counts
        ("b1", True, True, False, True),  # unless it is on another branch
        ("b1", False, False, False, True),
        ("b0", False, False, False, False),
        ("b1", False, False, True, False),  # no branch decision at the root
        ("b0", True, False, True, False),
    ],
)
def test_the_gate_as_released(fork: str, ancestor: bool, parent: bool, root: bool, open_: bool) -> None:
    result = branch_gate(0.9, fork, "b0", ancestor, as_released=True, is_direct_parent=parent, at_root=root)
    assert result is open_


@pytest.mark.parametrize(("parent", "root"), list(product([False, True], repeat=2)))
@pytest.mark.parametrize("ancestor", [False, True])
@pytest.mark.parametrize("fork", ["b0", "b1"])
def test_parent_and_root_only_matter_as_released(fork: str, ancestor: bool, parent: bool, root: bool) -> None:
    result = branch_gate(0.9, fork, "b0", ancestor, is_direct_parent=parent, at_root=root)
    assert result is (fork == "b1" or ancestor)


# Counting tokens


@cache
def tokenizer() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    spec = find_spec("wordllama")
    assert spec is not None and spec.submodule_search_locations
    [path] = Path(spec.submodule_search_locations[0], "tokenizers").glob("*.json")
    return tokenizers.Tokenizer.from_file(str(path))


def own_count(text: str) -> int:
    return len(tokenizer().encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize(
    "text",
    ["", "a", "hello", "Hello, world!", "  two  spaces ", "line\nbreak", "Übergröße", "旅行計画", "🙂🙂", "1234567890"],
)
def test_tokens_are_those_of_the_tokenizer_in_the_wheel(text: str) -> None:
    assert count_tokens(text) == own_count(text)


def test_words_are_not_tokens() -> None:
    assert count_tokens("") == 0
    assert isinstance(count_tokens("word"), int)
    assert count_tokens("antidisestablishmentarianism") > 1
    assert count_tokens("the " * 100) >= 100


@given(st.text(alphabet="abc déñ,.!?\n123", max_size=60))
def test_the_count_is_the_same_every_time(text: str) -> None:
    assert count_tokens(text) == count_tokens(text) == own_count(text)


# Context tokens


def dialogue(rounds: int, *tokens: int) -> dict[str, Any]:
    return {"rounds": rounds, "context_tokens": list(tokens)}


@pytest.mark.parametrize(
    ("dialogues", "by_rounds", "overall"),
    [
        ([dialogue(10, 20, 40, 60), dialogue(15, 100)], {"10": 40.0, "15": 100.0}, 55.0),  # the page's example
        ([dialogue(10, 20), dialogue(15, 100), dialogue(10, 40, 60)], {"10": 40.0, "15": 100.0}, 55.0),
        ([dialogue(10, 0, 10), dialogue(10, 50)], {"10": 20.0}, 20.0),  # of turns, not of dialogues' means
        ([dialogue(100, 1), dialogue(9, 3), dialogue(20, 5)], {"9": 3.0, "20": 5.0, "100": 1.0}, 3.0),
        ([dialogue(10, 7), dialogue(20)], {"10": 7.0}, 7.0),  # a class without turns
        ([dialogue(10), dialogue(10, 4)], {"10": 4.0}, 4.0),
        ([dialogue(10, 0)], {"10": 0.0}, 0.0),
        ([dialogue(10)], {}, None),
        ([], {}, None),
    ],
)
def test_context_tokens_a_turn(dialogues: list[dict[str, Any]], by_rounds: dict[str, float], overall: float) -> None:
    result = act(dialogues)
    assert set(result) == {"by_rounds", "overall"}
    assert result["by_rounds"] == pytest.approx(by_rounds)
    assert list(result["by_rounds"]) == list(by_rounds)
    assert result["overall"] == pytest.approx(overall)


DIALOGUES = st.lists(
    st.builds(dialogue, st.sampled_from([5, 10, 15, 20, 25, 100]), st.integers(0, 999), st.integers(0, 999)), max_size=9
)


@given(DIALOGUES)
def test_overall_pools_all_turns(dialogues: list[dict[str, Any]]) -> None:
    result = act(dialogues)
    every = [t for d in dialogues for t in d["context_tokens"]]
    assert result["overall"] == (pytest.approx(sum(every) / len(every)) if every else None)
    assert list(result["by_rounds"]) == sorted(result["by_rounds"], key=int)
    for name, value in result["by_rounds"].items():
        of_class = [t for d in dialogues if str(d["rounds"]) == name for t in d["context_tokens"]]
        assert value == pytest.approx(sum(of_class) / len(of_class))


@pytest.mark.parametrize(
    ("strategy", "full", "drop"),
    [
        ({"10": 50.0}, {"10": 100.0}, -50.0),
        ({"10": 50.0, "20": 50.0}, {"10": 100.0, "20": 200.0}, -62.5),  # classes count alike
        ({"10": 100.0}, {"10": 100.0}, 0.0),
        ({"10": 150.0}, {"10": 100.0}, 50.0),  # no saving
        ({"10": 0.0}, {"10": 10.0}, -100.0),
        ({"10": 80.0, "15": 120.0}, {"10": 100.0, "15": 100.0}, 0.0),
        ({"10": 50.0, "15": 1.0}, {"10": 100.0}, -50.0),  # an extra class is ignored
        ({"10": 90.0, "15": 60.0, "20": 30.0}, {"10": 100.0, "15": 100.0, "20": 100.0}, -40.0),
    ],
)
def test_the_drop_of_context_tokens(strategy: dict[str, float], full: dict[str, float], drop: float) -> None:
    assert act_drop(strategy, full) == pytest.approx(drop)


@pytest.mark.parametrize(
    ("strategy", "full"),
    [
        ({}, {"10": 100.0}),
        ({"15": 100.0}, {"10": 100.0}),
        ({"10": 1.0}, {"10": 100.0, "15": 100.0}),
        ({"10": 1.0}, {"10": 0.0}),
        ({"10": 1.0, "15": 1.0}, {"10": 5.0, "15": 0.0}),
    ],
)
def test_what_has_no_drop(strategy: dict[str, float], full: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        act_drop(strategy, full)


def test_the_drop_reads_what_act_gives() -> None:
    full = act([dialogue(10, 100, 300), dialogue(20, 400)])
    short = act([dialogue(10, 50, 50), dialogue(20, 300)])
    assert act_drop(short["by_rounds"], full["by_rounds"]) == pytest.approx(-50.0)

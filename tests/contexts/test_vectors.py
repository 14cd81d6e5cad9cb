"""Cosine, the most similar vectors, and the fork point."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, nan, sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evolif import UsageError
from evolif.contexts import cosine, fork_point, top_k

NUMBERS = st.integers(-6, 6).map(float)
PAIRS = st.integers(0, 5).flatmap(lambda n: st.tuples(*[st.lists(NUMBERS, min_size=n, max_size=n)] * 2))
SETS = st.integers(1, 3).flatmap(
    lambda n: st.tuples(
        st.lists(NUMBERS, min_size=n, max_size=n), st.lists(st.lists(NUMBERS, min_size=n, max_size=n), max_size=9)
    )
)


def by_definition(a: Sequence[float], b: Sequence[float]) -> float:
    """The cosine from exact sums."""
    products = [sum((Fraction(x) * Fraction(y) for x, y in zip(p, q, strict=True)), Fraction()) for p, q in pairs(a, b)]
    dot, squares_a, squares_b = products
    return float(dot) / sqrt(squares_a * squares_b) if squares_a and squares_b else 0.0


def pairs(a: Sequence[float], b: Sequence[float]) -> list[tuple[Sequence[float], Sequence[float]]]:
    return [(a, b), (a, a), (b, b)]


@given(PAIRS)
def test_the_cosine_is_as_defined(vectors: tuple[list[float], list[float]]) -> None:
    a, b = vectors
    assert cosine(a, b) == pytest.approx(by_definition(a, b), abs=1e-14)
    assert cosine(a, b) == cosine(b, a)


def test_opposite_directions_are_the_ends_and_zero_is_like_nothing() -> None:
    assert cosine([3.0, 4.0], [6.0, 8.0]) == 1.0 and cosine([3.0, 4.0], [-3.0, -4.0]) == -1.0
    assert cosine([1.0, 0.0], [0.0, 7.0]) == 0.0
    assert cosine([0.0, 0.0], [1.0, 2.0]) == cosine([1.0, 2.0], [0.0, 0.0]) == cosine([], []) == 0.0


@given(PAIRS, st.integers(-900, 900), st.integers(-900, 900))
def test_lengths_do_not_matter(vectors: tuple[list[float], list[float]], up: int, down: int) -> None:
    a, b = vectors
    assert cosine([x * 2.0**up for x in a], [x * 2.0**down for x in b]) == pytest.approx(cosine(a, b), abs=1e-14)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_a_vector_is_as_similar_to_itself_as_can_be(vector: list[float]) -> None:
    assume(any(vector))
    assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-12)
    assert -1.0 <= cosine(vector, vector[::-1]) <= 1.0


@given(SETS, st.integers(0, 12))
def test_the_most_similar_come_first_and_of_equals_the_later(
    given_vectors: tuple[list[float], list[list[float]]], k: int
) -> None:
    query, vectors = given_vectors
    left = list(range(len(vectors)))
    expected = []
    while left and len(expected) < k:
        best = left[0]
        for place in left[1:]:
            if by_definition(query, vectors[place]) > by_definition(query, vectors[best]) - 1e-13:
                best = place
        expected.append(best)
        left.remove(best)
    assert top_k(query, vectors, k) == expected
    if vectors:
        place, similarity = fork_point(query, vectors)
        assert [place] == top_k(query, vectors, 1) and similarity == cosine(query, vectors[place])


def test_similarities_that_agree_to_twelve_decimals_are_a_tie() -> None:
    def at(similarity: float) -> list[float]:
        return [similarity, sqrt(1 - similarity**2)]

    query = [1.0, 0.0]
    assert top_k(query, [at(0.5 + 3e-13), at(0.5)], 2) == [1, 0]
    assert top_k(query, [at(0.5 + 3e-12), at(0.5)], 2) == [0, 1]
    assert fork_point(query, [at(0.5 + 3e-13), at(0.5)])[0] == 1


def test_what_cannot_be_compared_is_a_wrong_value_and_wrong_usage() -> None:
    for kind in (ValueError, UsageError):
        with pytest.raises(kind, match="the lengths of two vectors differ: 2 and 1"):
            cosine([1.0, 2.0], [1.0])
        with pytest.raises(kind, match="the lengths of two vectors differ: 1 and 0"):
            top_k([1.0], [[1.0], []], 1)
        with pytest.raises(kind, match="at least 0, not -1"):
            top_k([1.0], [[1.0]], -1)
        with pytest.raises(kind, match="no vector, so there is no fork point"):
            fork_point([1.0], [])
        for number in (nan, inf, -inf):
            with pytest.raises(kind, match="a number that is not finite"):
                cosine([number, 1.0], [1.0, 1.0])

"""Similarity of vectors: the cosine, the most similar ones, and the fork point of a topic tree."""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, isfinite, ldexp, sqrt
from operator import mul

from evolif.errors import ArgumentError

_DIGITS = 12
"""Decimals to which similarities are compared; equal ones are a tie."""
_SMALLEST, _LARGEST = 1e-100, 1e100
"""Between these, products of two sums of squares neither vanish nor overflow."""


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """The cosine of the angle between two vectors, from -1 to 1; 0 where one of them is all zero.

    Args:
        a: A vector of finite numbers.
        b: Another of the same length.

    Raises:
        ArgumentError: their lengths differ, or a number is not finite; it is a ValueError, too.
    """
    if len(a) != len(b):
        raise ArgumentError(f"the lengths of two vectors differ: {len(a)} and {len(b)}; use one embedder for both")
    (a, squares_a), (b, squares_b) = _scaled(a), _scaled(b)
    if not squares_a or not squares_b:
        return 0.0
    similarity = sum(map(mul, a, b)) / sqrt(squares_a * squares_b)
    return float(min(1.0, max(-1.0, similarity)))


def top_k(query_vector: Sequence[float], vectors: Sequence[Sequence[float]], k: int) -> list[int]:
    """The positions of the vectors most similar to a query, from 0: most similar first, of equals the later one first.

    Similarities that are equal to 12 decimals are a tie.

    Args:
        query_vector: The query's vector.
        vectors: In the order of time.
        k: How many positions; there may be fewer vectors.

    Raises:
        ArgumentError: `k` is negative, lengths differ, or a number is not finite; it is a ValueError, too.
    """
    if k < 0:
        raise ArgumentError(f"the number of vectors to find must be at least 0, not {k}")
    ranked = sorted(((_rank(query_vector, vector), place) for place, vector in enumerate(vectors)), reverse=True)
    return [place for _, place in ranked[:k]]


def fork_point(query_vector: Sequence[float], vectors: Sequence[Sequence[float]]) -> tuple[int, float]:
    """The vector most similar to a query, of equals the latest one: its position from 0, and the similarity.

    Args:
        query_vector: The query's vector.
        vectors: Those of a tree's nodes, over all branches, in the order of time.

    Raises:
        ArgumentError: there is no vector, lengths differ, or a number is not finite; it is a ValueError, too.
    """
    best = top_k(query_vector, vectors, 1)
    if not best:
        raise ArgumentError("there is no vector, so there is no fork point; ask once the tree has a node")
    return best[0], cosine(query_vector, vectors[best[0]])


def _rank(query_vector: Sequence[float], vector: Sequence[float]) -> float:
    return round(cosine(query_vector, vector), _DIGITS)


def _scaled(vector: Sequence[float]) -> tuple[Sequence[float], float]:
    """A vector of the same direction, and the sum of its squares, which is 0 only where all numbers are."""
    squares = sum(map(mul, vector, vector))
    if _SMALLEST < squares < _LARGEST:
        return vector, squares
    if not all(map(isfinite, vector)):
        raise ArgumentError("a vector has a number that is not finite; mend the embedder that gave it")
    # A power of two changes no digit.
    exponent = frexp(max(map(abs, vector), default=0.0))[1]
    vector = [ldexp(number, -exponent) for number in vector]
    return vector, sum(map(mul, vector, vector))

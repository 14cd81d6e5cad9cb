"""How alike the texts of a whole catalogue are: the cosine of their TF-IDF vectors."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolif.scenarios.instructions.catalogue.index import function_words, stem, words

COMMON_STEM = 200
"""Texts that a stem may occur in and still bring two of them together. A more common one weighs little; without a
limit, time would grow with the square of a file of near copies."""


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two texts by number, the earlier one first."""

    first: int
    second: int
    cosine: float
    """From 0, no stem in common, to 1, the same stems in the same numbers."""


def similar_pairs(texts: Sequence[str], least: float) -> Iterator[SimilarPair]:
    """For each text the nearest earlier one, if their cosine reaches `least`, which is above 0.

    A text is the vector of its content stems: how often each occurs, times `ln((1 + n) / (1 + df)) + 1`, where `n` is
    the number of texts and `df` the number of those that contain the stem (Salton and Buckley 1988, smoothed).
    """
    vectors = _vectors([Counter(stem(word) for word in words(text) if word not in function_words()) for text in texts])
    holders: dict[str, list[int]] = defaultdict(list)
    for second, vector in enumerate(vectors):
        likely = {first for key in vector for first in holders[key]}
        near = max(((_dot(vectors[first], vector), -first) for first in likely), default=(0.0, 0))
        if near[0] >= least:
            yield SimilarPair(-near[1], second, round(near[0], 3))
        for key in vector:
            if len(holders[key]) < COMMON_STEM:
                holders[key].append(second)


def _vectors(counts: Sequence[Counter[str]]) -> list[dict[str, float]]:
    """The vectors, each of length 1."""
    holding = Counter(key for count in counts for key in count)
    vectors = []
    for count in counts:
        raw = {key: n * (math.log((1 + len(counts)) / (1 + holding[key])) + 1) for key, n in count.items()}
        length = math.hypot(*raw.values()) or 1.0
        vectors.append({key: value / length for key, value in raw.items()})
    return vectors


def _dot(one: dict[str, float], other: dict[str, float]) -> float:
    if len(one) > len(other):
        one, other = other, one
    return math.fsum(value * other[key] for key, value in one.items() if key in other)

"""The strategy `retrieval:K`: the rounds most similar to the query, put back into the order of time."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace

from evolif.contexts.base import Context, Embedder, OwnCost
from evolif.contexts.history import chosen_rounds, chosen_turns
from evolif.contexts.round_vectors import NEW_TEXTS, NOTE, RoundVectors
from evolif.contexts.vectors import top_k
from evolif.errors import ArgumentError
from evolif.text import plural
from evolif.types import Exchange, Message, Prompt

ROUNDS_LABEL = "rounds"
"""The label of a prompt with the number of rounds that its dialogue will have."""
_LONG = 15
"""Dialogues of more rounds are shown five of them by default, others three."""


def retrieval_k(rounds: int) -> int:
    """How many rounds `retrieval` shows by default: three up to 15 rounds, then five.

    Args:
        rounds: Of the whole dialogue; where it is open-ended, the rounds so far.
    """
    return 3 if rounds <= _LONG else 5


def retrieval_messages(
    turns: Sequence[tuple[str, str]],
    query: str,
    query_vector: Sequence[float],
    vectors: Sequence[Sequence[float]],
    k: int,
    system: str = "",
) -> tuple[Message, ...]:
    """The messages of the rounds most similar to a query, in the order of time.

    Args:
        turns: Texts of user and assistant, oldest first.
        query: What the user says next.
        query_vector: Its vector.
        vectors: One of each round.
        k: How many rounds are shown, at most; of equally similar ones the later.
        system: The system text, which is always shown; empty for none.

    Raises:
        ArgumentError: `k` is negative, there is not one vector for each round, lengths of vectors differ, or a number
            is not finite; it is a ValueError, too.
    """
    if len(turns) != len(vectors):
        raise ArgumentError(
            f"there are {plural(len(turns), 'round')} and {len(vectors)} vectors; give one vector for each round"
        )
    return chosen_turns((turns[place] for place in sorted(top_k(query_vector, vectors, k))), query, system)


class Retrieval:
    """Shows the rounds whose vectors (`RoundVectors`) are most similar to the query's.

    Args:
        k: How many; None for `retrieval_k` of the label `rounds`, or of the rounds so far.
        embedder: What makes vectors; None for the default.

    Raises:
        ArgumentError: a negative number.
        UsageError: there is no such embedder, or the extra `contexts` is not installed.
    """

    def __init__(self, k: int | None = None, embedder: Embedder | None = None) -> None:
        if k is not None and k < 0:
            raise ArgumentError(f"the number of rounds must be at least 0, not {k}")
        self.k = k
        self._vectors = RoundVectors(embedder)
        self.name = f"retrieval{'' if k is None else f':{k}'}?embedder={self._vectors.name}"

    async def build(self, system: str, past: Sequence[Exchange], prompt: Prompt) -> Context:
        """System text, the most similar rounds, prompt.

        Raises:
            UsageError: the embedder gives other vectors than when the session began, or none that can be compared.
        """
        if not past:
            return chosen_rounds((), system, past, prompt)
        began = time.perf_counter()
        rounds, query = self._vectors(past, prompt.query)
        k = retrieval_k(_rounds(past, prompt)) if self.k is None else self.k
        best = sorted(top_k(query, [each.vector for each in rounds], k))
        context = chosen_rounds(best, system, past, prompt, {NOTE: rounds[-1].digest})
        return replace(context, cost=OwnCost(embedded=NEW_TEXTS, seconds=round(time.perf_counter() - began, 6)))


def _rounds(past: Sequence[Exchange], prompt: Prompt) -> int:
    """The number of rounds of the dialogue, or, where nothing says so, of those so far."""
    label = re.fullmatch("[0-9]{1,9}", str(prompt.labels.get(ROUNDS_LABEL)))
    return int(label[0]) if label else len(past)

"""The strategy `retrieval:K`: the rounds most similar to the query, put back into the order of time."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from math import hypot, isfinite

from evolif.contexts.base import Context, Embedder
from evolif.contexts.embedding import embedder_name, open_embedder, shortened
from evolif.contexts.history import chosen_rounds, chosen_turns
from evolif.contexts.vectors import top_k
from evolif.errors import ArgumentError, UsageError
from evolif.types import Exchange, Message, Prompt

ROUNDS_LABEL = "rounds"
"""The label of a prompt with the number of rounds that its dialogue will have."""
NOTE = "round"
"""The note with the digest of the latest round's vector."""
_LONG = 15
"""Dialogues of more rounds are shown five of them by default, others three."""
_KEPT = 4096
"""Vectors of rounds that are kept: 8 MB of 256 dimensions."""


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
        raise ArgumentError(f"there are {len(turns)} rounds and {len(vectors)} vectors; give one vector for each round")
    return chosen_turns((turns[place] for place in sorted(top_k(query_vector, vectors, k))), query, system)


@dataclass(frozen=True, slots=True)
class _Embedded:
    """A round's vector, and the digest of it."""

    vector: array[float]
    digest: str


class Retrieval:
    """Shows the rounds whose vectors are most similar to the query's.

    Of a round, the vector is that of the user's text and what was heard of the answer, up to 256 words. Vectors are
    worked out again when a session is resumed. Each turn notes the digest of the latest round's vector, so that a
    session is not continued by an embedder that gives others.

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
        self._embed = open_embedder(embedder)
        self._embedder = embedder_name(embedder)
        self.name = f"retrieval{'' if k is None else f':{k}'}?embedder={self._embedder}"
        # Saves work only: whatever is not in it is worked out again.
        self._kept: dict[bytes, _Embedded] = {}

    async def build(self, system: str, past: Sequence[Exchange], prompt: Prompt) -> Context:
        """System text, the most similar rounds, prompt.

        Raises:
            UsageError: the embedder gives other vectors than when the session began, or none that can be compared.
        """
        if not past:
            return chosen_rounds((), system, past, prompt)
        rounds, query = self._vectors(past, prompt.query)
        self._compare(rounds, past)
        k = retrieval_k(_rounds(past, prompt)) if self.k is None else self.k
        best = sorted(top_k(query, [each.vector for each in rounds], k))
        return chosen_rounds(best, system, past, prompt, {NOTE: rounds[-1].digest})

    def _vectors(self, past: Sequence[Exchange], query: str) -> tuple[list[_Embedded], array[float]]:
        """The vectors of all rounds, and the query's."""
        keyed = [(_key(text), text) for text in map(_text, past)]
        texts = dict(keyed)
        known = {key: self._kept[key] for key in texts if key in self._kept}
        new = [key for key in texts if key not in known]
        *made, asked = self._embedded([*(texts[key] for key in new), query])
        known.update((key, _Embedded(vector, _digest(vector))) for key, vector in zip(new, made, strict=True))
        if len(self._kept) + len(new) > _KEPT:
            self._kept.clear()
        self._kept.update((key, known[key]) for key in new[:_KEPT])
        return [known[key] for key, _ in keyed], asked

    def _embedded(self, texts: list[str]) -> list[array[float]]:
        vectors = [array("d", vector) for vector in self._embed(texts)]
        if len(vectors) != len(texts):
            raise ArgumentError(
                f"the embedder {self._embedder} gave {len(vectors)} vectors for {len(texts)} texts; mend it"
            )
        return vectors

    def _compare(self, rounds: Sequence[_Embedded], past: Sequence[Exchange]) -> None:
        """Compare the vectors of all rounds but the latest with what the turn after each noted."""
        for number, (each, after) in enumerate(zip(rounds, islice(past, 1, None), strict=False), 1):
            noted = after.notes.get(NOTE)
            if isinstance(noted, str) and noted != each.digest:
                raise UsageError(
                    f"the embedder {self._embedder} gives round {number} another vector than when the session was "
                    "played; go back to the version that was installed then, or start a new run"
                )


def _text(exchange: Exchange) -> str:
    """What is embedded of a round."""
    return shortened(f"{exchange.prompt.query}\n{exchange.heard}")


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _rounds(past: Sequence[Exchange], prompt: Prompt) -> int:
    """The number of rounds of the dialogue, or, where nothing says so, of those so far."""
    label = re.fullmatch("[0-9]{1,9}", str(prompt.labels.get(ROUNDS_LABEL)))
    return int(label[0]) if label else len(past)


def _digest(vector: Sequence[float]) -> str:
    """Of a vector's direction to four decimals: machines differ in the last digits of a sum."""
    length = hypot(*vector)
    if not isfinite(length):
        raise ArgumentError("a vector has a number that is not finite; mend the embedder that gave it")
    parts = ",".join(str(round(number / length * 10_000)) for number in vector) if length else ""
    return blake2b(parts.encode(), digest_size=8).hexdigest()

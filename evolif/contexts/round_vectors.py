"""Vectors of a session's rounds and of the query, for the strategies that compare them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from math import hypot, isfinite

from evolif.contexts.base import Embedder
from evolif.contexts.embedding import embedder_name, open_embedder, shortened
from evolif.errors import ArgumentError, UsageError
from evolif.types import Exchange

NOTE = "round"
"""The note with the digest of the latest round's vector."""
NEW_TEXTS = 2
"""Texts that a turn embeds which has a past: the latest round and the query."""
_KEPT = 4096
"""Vectors of rounds that are kept: 8 MB of 256 dimensions."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A round's vector, and the digest of it."""

    vector: array[float]
    digest: str


class RoundVectors:
    """Embeds rounds and queries.

    Of a round, the vector is that of the user's text and what was heard of the answer, up to 256 words. Vectors are
    worked out again when a session is resumed. Each turn notes the digest of the latest round's vector, so that a
    session is not continued by an embedder that gives others.

    Args:
        embedder: What makes vectors; None for the default.

    Raises:
        UsageError: there is no such embedder, or the extra `contexts` is not installed.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embed = open_embedder(embedder)
        self.name = embedder_name(embedder)
        # Saves work only: whatever is not in it is worked out again.
        self._kept: dict[bytes, Embedded] = {}

    def __call__(self, past: Sequence[Exchange], query: str) -> tuple[list[Embedded], array[float]]:
        """The vectors of all rounds, and the query's.

        Raises:
            UsageError: the embedder gives other vectors than when the session began, or none that can be compared.
        """
        rounds, asked = self._vectors(past, query)
        self._compare(rounds, past)
        return rounds, asked

    def _vectors(self, past: Sequence[Exchange], query: str) -> tuple[list[Embedded], array[float]]:
        keyed = [(_key(text), text) for text in map(_text, past)]
        texts = dict(keyed)
        known = {key: self._kept[key] for key in texts if key in self._kept}
        new = [key for key in texts if key not in known]
        *made, asked = self._embedded([*(texts[key] for key in new), query])
        known.update((key, Embedded(vector, _digest(vector))) for key, vector in zip(new, made, strict=True))
        if len(self._kept) + len(new) > _KEPT:
            self._kept.clear()
        self._kept.update((key, known[key]) for key in new[:_KEPT])
        return [known[key] for key, _ in keyed], asked

    def _embedded(self, texts: list[str]) -> list[array[float]]:
        vectors = [array("d", vector) for vector in self._embed(texts)]
        if len(vectors) != len(texts):
            raise ArgumentError(f"the embedder {self.name} gave {len(vectors)} vectors for {len(texts)} texts; mend it")
        return vectors

    def _compare(self, rounds: Sequence[Embedded], past: Sequence[Exchange]) -> None:
        """Compare the vectors of all rounds but the latest with what the turn after each noted."""
        for number, (each, after) in enumerate(zip(rounds, islice(past, 1, None), strict=False), 1):
            noted = after.notes.get(NOTE)
            if isinstance(noted, str) and noted != each.digest:
                raise UsageError(
                    f"the embedder {self.name} gives round {number} another vector than when the session was "
                    "played; go back to the version that was installed then, or start a new run"
                )


def _text(exchange: Exchange) -> str:
    """What is embedded of a round."""
    return shortened(f"{exchange.prompt.query}\n{exchange.heard}")


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _digest(vector: Sequence[float]) -> str:
    """Of a vector's direction to four decimals: machines differ in the last digits of a sum."""
    length = hypot(*vector)
    if not isfinite(length):
        raise ArgumentError("a vector has a number that is not finite; mend the embedder that gave it")
    parts = ",".join(str(round(number / length * 10_000)) for number in vector) if length else ""
    return blake2b(parts.encode(), digest_size=8).hexdigest()

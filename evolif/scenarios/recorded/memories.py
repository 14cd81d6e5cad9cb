"""Memories: they take in a dialogue unit by unit, and answer a question with snippets.

`bm25:K` and `embed:K` store units as they are. A plug-in names its factory in the entry point group `evolif.memories`;
it is imported only when it is named.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from evolif.contexts.base import Embedder
from evolif.contexts.embedding import DEFAULT_EMBEDDER, embedder_name, open_embedder, shortened
from evolif.errors import ArgumentError, UsageError
from evolif.models import ChatModel
from evolif.models.endpoint import shown
from evolif.scenarios.recorded.units import Unit
from evolif.util.suggestions import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "evolif.memories"
"""Group of plug-ins: entry point `NAME = "module:factory"`, with `factory(name, *, models, embedder)`, where `name` is
as requested, with parameters; it returns a new, empty `Memory`."""
DEFAULT_K = 10
"""Snippets per question, where a name has no K."""
_DIGITS = 12
"""Decimals to which scores are compared; equal ones are a tie."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """What a memory gives for a question."""

    text: str
    units: tuple[int, ...] = ()
    """The units that it comes from, numbered from 1 in the order of ingestion; empty if unknown."""
    score: float | None = None
    """The higher, the better; None if the memory has no scores."""


class Memory(Protocol):
    """What is known of one dialogue. Inherit from it to get the defaults.

    A fault of a model is raised as `ModelError`: the dialogue's question is then counted as failed. Anything else that
    is raised is a bug, and ends the comparison.
    """

    rewrites: bool = False
    """Whether snippets are the memory's own words; evidence is then matched by a lower threshold."""

    async def ingest(self, unit: Unit) -> None:
        """Take in the next unit; they come in the order of the dialogue."""
        ...

    async def query(self, question: str, k: int) -> Sequence[Snippet]:
        """Up to k snippets, best first. The same question may be asked again, and changes nothing."""
        ...

    async def fork(self) -> Memory:
        """An independent copy: what one takes in, the other does not know.

        Raises:
            NotImplementedError: it cannot be copied; every dialogue is then taken in anew. It has to say so when it is
                still empty.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """Release what it holds."""
        return


@dataclass(frozen=True, slots=True)
class MemoryStrategy:
    """A memory by its name, and how many snippets a question gets."""

    name: str
    """With all its parameters."""
    k: int
    new: Callable[[], Memory]
    """Gives an empty memory."""


def open_memories(
    name: str, *, models: Mapping[str, ChatModel] | None = None, embedder: Embedder | None = None
) -> MemoryStrategy:
    """Find a kind of memory by its name.

    Args:
        name: `bm25:K`, `embed:K`, `embed:K?embedder=wordllama`, or the name of a plug-in, which may have parameters
            too: a number directly after its colon is K.
        models: The models that a plug-in may call, by role.
        embedder: What makes vectors of texts, for names that name none; None for the default.

    Raises:
        UsageError: there is no such memory, a parameter is out of range, or what it needs is not installed.
    """
    base = memory_base(name)
    if base == "bm25":
        return _bm25(name)
    if base == "embed":
        return _embed(name, embedder)
    point = _plugins().get(base)
    if point is None:
        near = did_you_mean(name, memory_names())
        raise UsageError(f"unknown memory “{shown(name, '')}”{near}; there are {', '.join(memory_names())}")
    return _plugin(point, name, models or {}, embedder)


def memory_names() -> tuple[str, ...]:
    """What there is: the memories of this package with their parameters, and plug-ins by name."""
    return ("bm25:K", "embed:K", *sorted(_plugins().keys() - {"bm25", "embed"}))


def is_memory(name: str) -> bool:
    """Whether a strategy's name names a memory."""
    base = memory_base(name)
    return base in ("bm25", "embed") or base in _plugins()


def memory_base(name: str) -> str:
    """A name without its parameters."""
    return re.split("[:?]", name, maxsplit=1)[0]


class Bm25Memory(Memory):
    """Finds units by BM25 (Lucene's variant) over their words."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._index: _Bm25Index | None = None

    async def ingest(self, unit: Unit) -> None:
        """Store the unit."""
        self._texts.append(unit.text)
        self._index = None

    async def query(self, question: str, k: int) -> Sequence[Snippet]:
        """The best units of those that share a word with the question; of equals the later one first."""
        words = _words(question)
        return _best(self._texts, self._indexed().scores(words), k, above=0.0) if words else []

    async def fork(self) -> Memory:
        """A copy, which shares the index as long as nothing is added."""
        copy = Bm25Memory()
        copy._texts, copy._index = list(self._texts), self._indexed()
        return copy

    def _indexed(self) -> _Bm25Index:
        if self._index is None:
            self._index = _Bm25Index(self._texts)
        return self._index


class EmbeddingMemory(Memory):
    """Finds units by the cosine of their vectors with the question's; a vector of zeros is like nothing.

    Args:
        embed: Gives the vectors of texts.
        texts: What it holds.
        vectors: A vector of each text, of length 1 or 0.
    """

    def __init__(
        self,
        embed: Callable[[Sequence[str]], Sequence[Sequence[float]]],
        texts: Sequence[str] = (),
        vectors: Sequence[Any] = (),
    ) -> None:
        self._embed = embed
        self._texts, self._vectors = list(texts), list(vectors)

    async def ingest(self, unit: Unit) -> None:
        """Store the unit and its vector."""
        self._vectors.append(self._vector(unit.text))
        self._texts.append(unit.text)

    async def query(self, question: str, k: int) -> Sequence[Snippet]:
        """The units most similar to the question; of equals the later one first."""
        if not self._texts:
            return []
        import numpy

        return _best(self._texts, (numpy.stack(self._vectors) @ self._vector(question)).tolist(), k)

    async def fork(self) -> Memory:
        """A copy, which shares the vectors."""
        return EmbeddingMemory(self._embed, self._texts, self._vectors)

    def _vector(self, text: str) -> Any:
        """The vector of a text's first words, of length 1 or 0."""
        import numpy

        vector = numpy.asarray(self._embed([shortened(text)])[0], dtype=float)
        if vector.ndim != 1 or not numpy.isfinite(vector).all():
            raise ArgumentError("the embedder gave a vector that is no list of finite numbers; mend it")
        if self._vectors and len(vector) != len(self._vectors[0]):
            raise ArgumentError("the embedder gave vectors of different lengths; it has to give one length")
        length = numpy.linalg.norm(vector)
        return vector / length if length else vector


def _best(texts: Sequence[str], scores: Iterable[float], k: int, above: float | None = None) -> list[Snippet]:
    ranked = sorted(((round(score, _DIGITS), place) for place, score in enumerate(scores, 1)), reverse=True)
    kept = ranked if above is None else [one for one in ranked if one[0] > above]
    return [Snippet(texts[place - 1], (place,), score) for score, place in kept[:k]]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


class _Bm25Index:
    """The words of some texts, as bm25s counts them, from the first question on. It never changes: copies share it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = tuple(texts)

    def scores(self, words: list[str]) -> list[float]:
        """The score of each text, at least 0; of none where no text has a word."""
        return [] if self._index is None else [float(score) for score in self._index.get_scores(words)]

    @cached_property
    def _index(self) -> Any:
        words = [_words(text) for text in self._texts]
        if not any(words):  # it cannot count texts without any word
            return None
        index = _bm25s().BM25(method="lucene")
        index.index(words, show_progress=False)
        return index


def _bm25s() -> Any:
    try:
        import bm25s
    except ImportError:
        raise UsageError(
            "the memory bm25 needs bm25s: install the extra `contexts` (in a checkout: pip install -e '.[contexts]')."
        ) from None
    # It tells of every step at a level of its own, which a program's handlers would print.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s


def _bm25(name: str) -> MemoryStrategy:
    match = re.fullmatch("bm25(?::([0-9]{1,9}))?", name)
    k = _k(name, match[1]) if match else _k(name, "")
    _bm25s()  # what its import takes belongs to no question
    return MemoryStrategy(f"bm25:{k}", k, Bm25Memory)


def _embed(name: str, embedder: Embedder | None) -> MemoryStrategy:
    match = re.fullmatch(r"embed(?::([0-9]{1,9}))?(?:\?embedder=([\w.-]{1,100}))?", name)
    k = _k(name, match[1]) if match else _k(name, "")
    chosen: Embedder = (match[2] if match else None) or embedder or DEFAULT_EMBEDDER
    embed = open_embedder(chosen)
    return MemoryStrategy(f"embed:{k}?embedder={embedder_name(chosen)}", k, lambda: EmbeddingMemory(embed))


def _k(name: str, digits: str | None) -> int:
    k = DEFAULT_K if digits is None else int(digits or 0)
    if k < 1:
        base = memory_base(name)
        what = f"K of {base}:K is a whole number from 1, such as {base}:{DEFAULT_K}"
        raise UsageError(f"the memory “{shown(name, '')}”: {what}")
    return k


def _plugins() -> dict[str, EntryPoint]:
    if os.environ.get("EVOLIF_PLUGINS") == "0":
        return {}
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def _plugin(point: EntryPoint, name: str, models: Mapping[str, ChatModel], embedder: Embedder | None) -> MemoryStrategy:
    match = re.match("[^:?]*:([0-9]{1,9})(?![^?])", name)
    k = _k(name, match[1] if match else None)
    try:
        factory = point.load()
    except Exception as fault:
        raise _broken(point, fault) from fault

    def new() -> Memory:
        try:
            memory: Memory = factory(name, models=models, embedder=embedder)
        except UsageError:
            raise
        except Exception as fault:
            raise _broken(point, fault) from fault
        return memory

    return MemoryStrategy(name, k, new)


def _broken(point: EntryPoint, fault: Exception) -> UsageError:
    return UsageError(
        f"the memory {point.name}: the plug-in {point.value} cannot be loaded ({type(fault).__name__}: {fault}); "
        "fix or remove it"
    )

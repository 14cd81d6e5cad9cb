"""Word comparison for catalogues, and indexes that avoid comparing each entry with all others."""

from __future__ import annotations

import heapq
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from evolif.scenarios.instructions.catalogue.entries import Pair, RuleFault
from evolif.scenarios.instructions.turns import Persona, Topic
from evolif.text import fold
from evolif.util.nltk_part import nltk_part
from evolif.util.resources import data_path

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_POSSESSIVE = re.compile(r"'s?\Z")
_IRREGULAR = {
    "children": "child", "feet": "foot", "geese": "goose", "men": "man", "mice": "mouse", "people": "person",
    "teeth": "tooth", "women": "woman", "calves": "calf", "halves": "half", "hooves": "hoof", "knives": "knife",
    "leaves": "leaf", "lives": "life", "loaves": "loaf", "scarves": "scarf", "shelves": "shelf", "thieves": "thief",
    "wives": "wife", "wolves": "wolf",
}  # fmt: skip
_LONGEST = 40
"""Characters of the longest word that is stemmed."""
_NO_PLURAL = ("ss", "us", "is")
"""Endings such as in glass, cactus, chassis."""

NUMBER_WORDS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen".split()
)


def words(text: str) -> list[str]:
    """The words of a text, folded; hyphens separate, apostrophes inside a word do not."""
    return _WORD.findall(fold(text))


def runs(items: Sequence[str], length: int) -> list[tuple[str, ...]]:
    """Every run of `length` words, in order."""
    return [tuple(items[i : i + length]) for i in range(len(items) - length + 1)]


@lru_cache(maxsize=100_000)
def singular(word: str) -> str:
    """The word without a possessive or plural ending, judging by its spelling."""
    word = _POSSESSIVE.sub("", word)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(_NO_PLURAL):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Porter's stem of the singular: *painting*, *painted* and *paints* are one."""
    if len(word) > _LONGEST:
        return word
    return str(_porter().stem(singular(word), to_lowercase=False))


def is_number(word: str) -> bool:
    """Whether a folded word is a number, in digits or as a word."""
    return word[0].isdigit() or word in NUMBER_WORDS


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry content."""
    return frozenset(stem(word) for word in words(text) if word not in function_words())


def contains(outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    """Whether `outer` contains `inner`, word for word."""
    if len(inner) == 1:
        return inner[0] in outer
    return any(outer[i : i + len(inner)] == inner for i in range(len(outer) - len(inner) + 1))


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """The words of `seeds/function-words.txt`."""
    lines = data_path("seeds", "function-words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines for word in line.partition("#")[0].split())


@lru_cache(maxsize=1)
def _porter() -> Any:
    return nltk_part("stem.porter").PorterStemmer()


def listed(items: Iterable[str], limit: int = 5) -> str:
    """Some items for a message: `a, b, c and 4 more`."""
    texts = list(items)
    shown = ", ".join(texts[:limit])
    return f"{shown} and {len(texts) - limit} more" if len(texts) > limit else shown


_SHAPE_RUN = 4


def shape(text: str) -> list[str]:
    """A text with its content masked: function words unchanged, numbers as `#`, each run of other words as `_`."""
    masked: list[str] = []
    for word in words(text):
        mark = "#" if is_number(word) else word if word in function_words() else "_"
        if mark != "_" or masked[-1:] != ["_"]:
            masked.append(mark)
    return masked


def shape_runs(text: str) -> frozenset[tuple[str, ...]]:
    """The shape of a text as a set of runs; prompts from one template share most of them."""
    return frozenset(runs(shape(text), _SHAPE_RUN))


Feature = str | tuple[str, ...]
"""A word, or a run of them."""


@dataclass(frozen=True, slots=True)
class SharedWords:
    """Consecutive words from an earlier entry."""

    at: int
    """The first entry that contains them."""
    words: tuple[str, ...]


class RunIndex:
    """Runs of a fixed number of words, each with the first entry that contains it."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._first: dict[tuple[str, ...], int] = {}

    def find(self, text: str) -> list[SharedWords]:
        """The longest run that the text shares with each earlier entry."""
        found = words(text)
        longest: dict[int, tuple[int, int]] = {}
        at, start = -1, 0
        for i, run in enumerate(runs(found, self._length)):
            owner = self._first.get(run, -1)
            start = start if owner == at else i
            at = owner
            if at >= 0 and i + self._length - start > longest.get(at, (0, 0))[1]:
                longest[at] = (start, i + self._length - start)
        return [SharedWords(owner, tuple(found[s : s + size])) for owner, (s, size) in longest.items()]

    def add(self, text: str, at: int) -> None:
        """Add the runs of entry number `at`."""
        for run in runs(words(text), self._length):
            self._first.setdefault(run, at)


_LIKELY = 8
"""Entries with the most shared features that are compared in detail."""


@dataclass(frozen=True, slots=True)
class Near:
    """An earlier entry that shares features."""

    at: int
    shared: frozenset[Feature]
    jaccard: float
    """Shared features divided by all features of both, from 0 to 1."""


class OverlapIndex:
    """Sets of features, and which earlier sets are nearest to a new one.

    Args:
        cap: Entries kept per feature. For a more common feature only the first of them are found, which keeps the work
            nearly linear; entries that share only such features are missed.
    """

    def __init__(self, cap: int = 50) -> None:
        self._cap = cap
        self._owners: dict[Feature, list[int]] = {}
        self._sets: dict[int, frozenset[Feature]] = {}

    def near(self, features: frozenset[Feature], *, by_count: bool = False) -> list[Near]:
        """The eight nearest earlier entries, nearest first: by the share or the number of shared features."""
        counts: Counter[int] = Counter()
        for feature in sorted(features):  # the order of a set differs between processes
            counts.update(self._owners.get(feature, ()))

        def nearness(near: Near) -> tuple[float, float, int]:
            shared = len(near.shared)
            return (shared, near.jaccard, -near.at) if by_count else (near.jaccard, shared, -near.at)

        likely = []
        for at, _ in counts.most_common(_LIKELY):
            shared = features & self._sets[at]
            likely.append(Near(at, shared, len(shared) / len(features | self._sets[at])))
        return sorted(likely, key=nearness, reverse=True)

    def add(self, features: frozenset[Feature], at: int) -> None:
        """Add the features of entry number `at`."""
        self._sets[at] = features
        for feature in features:
            owners = self._owners.setdefault(feature, [])
            if len(owners) < self._cap:
                owners.append(at)


_SHOWN = 5
"""Pairs reported per measure."""


class NearestPairs:
    """Keeps the nearest pairs: for every entry, the earlier one that is nearest to it.

    Args:
        entry: Returns the id and line of an entry by its number.
        by_count: Whether to rank by the number of shared features.
    """

    def __init__(self, entry: Callable[[int], tuple[str, int]], *, by_count: bool = False) -> None:
        self._entry = entry
        self._by_count = by_count
        self._heap: list[tuple[float, float, int, int, tuple[str, ...]]] = []

    def offer(self, found: Sequence[Near], at: int) -> None:
        """Keep the pair of an entry and the first match, if it is among the nearest."""
        if not found:
            return
        near = found[0]
        shared = tuple(sorted(map(str, near.shared)))
        value = float(len(shared)) if self._by_count else near.jaccard
        heapq.heappush(self._heap, (value, near.jaccard, -at, -near.at, shared))
        if len(self._heap) > _SHOWN:
            heapq.heappop(self._heap)

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs, nearest first; ties in file order."""
        pairs = []
        for value, _, at, near, shared in sorted(self._heap, reverse=True):
            (first, low), (second, high) = self._entry(-near), self._entry(-at)
            pairs.append(Pair(first, second, round(value, 3), shared, (low, high)))
        return tuple(pairs)


SHARED_RUN = 4
"""Consecutive words that no two prompts or persona sentences may share."""
ALIKE_TEXTS = 0.5
"""Share of common content words above which two texts count as duplicates. Among some 600 individually written prompts,
the nearest two reach 0.25."""


E = TypeVar("E", bound=Topic | Persona)


class EntryIndex(ABC, Generic[E]):
    """The entries so far, and what a new one shares with them.

    Args:
        text: Returns the main text of an entry.
        items: Returns its keywords or phrases.
        item_cap: Entries kept per item, see `OverlapIndex`.
    """

    text_name: str
    """The field of the main text."""
    item_name: str
    """The field of the items."""
    shared_items: int
    """Items that two entries may share."""

    def __init__(self, text: Callable[[E], str], items: Callable[[E], frozenset[str]], item_cap: int = 50) -> None:
        self._text = text
        self.items = items
        self._entries: list[tuple[str, int]] = []
        self._ids: dict[str, int] = {}
        self._runs = RunIndex(SHARED_RUN)
        self._texts = OverlapIndex()
        self._items = OverlapIndex(item_cap)
        self._by_text = NearestPairs(self._entries.__getitem__)
        self._by_items = NearestPairs(self._entries.__getitem__, by_count=True)
        self._compared: tuple[E, int, list[Near], list[Near]] | None = None

    def __len__(self) -> int:
        return len(self._entries)

    @abstractmethod
    def clashes(self, entry: E) -> list[RuleFault]:
        """Forbidden overlaps of an entry with earlier ones."""

    def late_clashes(self) -> Iterator[tuple[int, RuleFault]]:
        """Overlaps that only a whole catalogue shows, with the number of the later entry."""
        return iter(())

    def add(self, entry: E, line: int) -> None:
        """Add an entry."""
        at = len(self)
        texts, items = self.neighbours(entry)
        self._entries.append((entry.id, line))
        self._ids.setdefault(entry.id, at)
        self._by_text.offer(texts, at)
        self._by_items.offer(items, at)
        self._runs.add(self._text(entry), at)
        self._texts.add(content_stems(self._text(entry)), at)
        self._items.add(self.items(entry), at)

    def nearest(self) -> dict[str, tuple[Pair, ...]]:
        """The nearest pairs, by shared items and by the words of the texts."""
        return {self.item_name: self._by_items.pairs(), f"{self.text_name}s": self._by_text.pairs()}

    def label(self, at: int) -> str:
        """An entry for a message."""
        name, line = self._entries[at]
        return f"{name[:40]} (line {line})"

    def neighbours(self, entry: E) -> tuple[list[Near], list[Near]]:
        """The nearest by text and by items; cached, because an entry is added right after it is compared."""
        if self._compared is None or self._compared[:2] != (entry, len(self)):
            texts = self._texts.near(content_stems(self._text(entry)))
            self._compared = (entry, len(self), texts, self._items.near(self.items(entry), by_count=True))
        return self._compared[2:]

    def same_id(self, entry: E) -> Iterator[RuleFault]:
        """An id that is used twice."""
        if entry.id in self._ids:
            line = self._entries[self._ids[entry.id]][1]
            yield RuleFault("id", f"the id {entry.id[:40]} is already used in line {line}", "use another id")

    def shared_runs(self, entry: E) -> Iterator[RuleFault]:
        """Consecutive words that two texts share."""
        for run in self._runs.find(self._text(entry)):
            what = f"the {self.text_name} shares “{' '.join(run.words[:20])}” with {self.label(run.at)}"
            yield RuleFault("shared-words", what, f"rephrase it: no {SHARED_RUN} words in a row may be shared")

    def too_many_shared_items(self, entry: E, rule: str) -> Iterator[RuleFault]:
        """Items that two entries share beyond the limit."""
        for near in self.neighbours(entry)[1]:
            if len(near.shared) > self.shared_items:
                what = f"{len(near.shared)} {self.item_name} are shared with {self.label(near.at)}"
                shared = listed(sorted(map(str, near.shared)))
                yield RuleFault(rule, f"{what}: {shared}", f"replace all but {self.shared_items} of them")

    def alike_text(self, entry: E, mend: str) -> Iterator[RuleFault]:
        """A text that reuses the words of another."""
        texts, _ = self.neighbours(entry)
        if texts and texts[0].jaccard >= ALIKE_TEXTS:
            what = f"the {self.text_name} has mostly the same words as {self.label(texts[0].at)}"
            yield RuleFault("alike", what, mend)


@dataclass(frozen=True, slots=True)
class EntryKind(Generic[E]):
    """How the entries of a catalogue are read, checked and counted."""

    name: str
    """`topic` or `persona`."""
    read: Callable[[Mapping[str, Any]], tuple[E | None, list[RuleFault]]]
    """Returns the entry of an object (None if a field is missing) and the faults of its fields."""
    faults: Callable[[E], list[RuleFault]]
    """Returns the faults of a single entry."""
    index: Callable[[], EntryIndex[E]]
    texts: Callable[[E], tuple[str, ...]]
    """Returns the texts that must not be copied from samples."""
    group: Callable[[E], str]
    """Returns the group under which a report counts the entry."""

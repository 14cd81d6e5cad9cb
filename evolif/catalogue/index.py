"""Indexes over the entries of a catalogue, so that no entry is compared with every other one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evolif.resources import data_path
from evolif.text import fold

# Words as the lint compares them: folded, without plural, stemmed; and the words that carry no content.

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_POSSESSIVE = re.compile(r"'s?\Z")
_IRREGULAR = {
    "children": "child", "feet": "foot", "geese": "goose", "men": "man", "mice": "mouse", "people": "person",
    "teeth": "tooth", "women": "woman", "calves": "calf", "halves": "half", "hooves": "hoof", "knives": "knife",
    "leaves": "leaf", "lives": "life", "loaves": "loaf", "scarves": "scarf", "shelves": "shelf", "thieves": "thief",
    "wives": "wife", "wolves": "wolf",
}  # fmt: skip
_LONGEST = 40
"""Characters of what can still be a word."""
_KEEP = ("ss", "us", "is")
"""Endings in s that are no plural: glass, cactus, chassis."""

NUMBER_WORDS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen".split()
)


def words(text: str) -> list[str]:
    """The words of a text, folded; hyphens separate, apostrophes inside a word do not."""
    return _WORD.findall(fold(text))


def runs(text: str, length: int) -> list[tuple[str, ...]]:
    """Every run of `length` words, in order."""
    found = words(text)
    return [tuple(found[i : i + length]) for i in range(len(found) - length + 1)]


@lru_cache(maxsize=100_000)
def singular(word: str) -> str:
    """The word without a possessive or a plural ending, as far as spelling tells."""
    word = _POSSESSIVE.sub("", word)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(_KEEP):
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
    empty = function_words()
    return frozenset(stem(word) for word in words(text) if word not in empty)


def contains(outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    """Whether `inner` stands in `outer`, word for word."""
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
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


Feature = str | tuple[str, ...]
"""A word, or a run of them."""


@dataclass(frozen=True, slots=True)
class SharedWords:
    """Words in a row that stood in an earlier entry."""

    at: int
    """The number of the first entry that had them."""
    words: tuple[str, ...]


class RunIndex:
    """Runs of a fixed number of words, each with the first entry that had it."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._first: dict[tuple[str, ...], int] = {}

    def find(self, text: str) -> list[SharedWords]:
        """The longest runs that the text shares with earlier entries, one an entry."""
        found = words(text)
        longest: dict[int, tuple[int, int]] = {}
        at, start = -1, 0
        for i in range(len(found) - self._length + 1):
            owner = self._first.get(tuple(found[i : i + self._length]), -1)
            start = start if owner == at else i
            at = owner
            if at >= 0 and i + self._length - start > longest.get(at, (0, 0))[1]:
                longest[at] = (start, i + self._length - start)
        return [SharedWords(owner, tuple(found[s : s + size])) for owner, (s, size) in longest.items()]

    def add(self, text: str, at: int) -> None:
        """Note the runs of entry number `at`."""
        found = words(text)
        for i in range(len(found) - self._length + 1):
            self._first.setdefault(tuple(found[i : i + self._length]), at)


_LIKELY = 8
"""Entries with the most features in common that are looked at closely."""


@dataclass(frozen=True, slots=True)
class Near:
    """An earlier entry that shares features."""

    at: int
    shared: frozenset[Feature]
    jaccard: float
    """Shared features over all features of the two, from 0 to 1."""


class OverlapIndex:
    """Sets of features, and which earlier sets are nearest to a new one.

    Args:
        cap: Entries noted per feature. A feature that more entries have leads to the first of them only, which keeps
            the work near to linear; entries that share nothing but such features are found no more.
    """

    def __init__(self, cap: int = 50) -> None:
        self._cap = cap
        self._owners: dict[Feature, list[int]] = {}
        self._sets: dict[int, frozenset[Feature]] = {}

    def near(self, features: frozenset[Feature], *, by_count: bool = False) -> list[Near]:
        """Earlier entries, nearest first and eight at most: by shared features over all, or by their number."""
        counts: Counter[int] = Counter()
        for feature in sorted(features):  # the order of a set is another one in every process
            counts.update(self._owners.get(feature, ()))

        def nearness(near: Near) -> tuple[float, float, int]:
            shared = len(near.shared)
            return (shared, near.jaccard, -near.at) if by_count else (near.jaccard, shared, -near.at)

        likely = (self._measure(at, features) for at, _ in counts.most_common(_LIKELY))
        return sorted(likely, key=nearness, reverse=True)

    def add(self, features: frozenset[Feature], at: int) -> None:
        """Note the features of entry number `at`."""
        self._sets[at] = features
        for feature in features:
            owners = self._owners.setdefault(feature, [])
            if len(owners) < self._cap:
                owners.append(at)

    def _measure(self, at: int, features: frozenset[Feature]) -> Near:
        other = self._sets[at]
        shared = features & other
        return Near(at, shared, len(shared) / len(features | other))


def grams(items: Sequence[str], length: int) -> frozenset[tuple[str, ...]]:
    """The runs of a sequence as a set."""
    return frozenset(tuple(items[i : i + length]) for i in range(len(items) - length + 1))


def listed(items: Iterable[str], limit: int = 5) -> str:
    """Some items for a message: `a, b, c and 4 more`."""
    held = list(items)
    shown = ", ".join(held[:limit])
    return f"{shown} and {len(held) - limit} more" if len(held) > limit else shown


# The shape of a prompt: what is left of it when its content is masked. Fill-in series share one.

SHAPE_RUN = 4
ALIKE_SHAPE = 0.4
"""Shared runs over all runs of two shapes, from which on they are one. Of some 200,000 pairs of prompts that were
written one by one, none came above 0.25; prompts with three words exchanged stay above 0.6."""


def shape(text: str) -> list[str]:
    """Function words as they are, numbers as `#`, and every run of other words as `_`."""
    masked: list[str] = []
    for word in words(text):
        mark = "#" if is_number(word) else word if word in function_words() else "_"
        if mark != "_" or masked[-1:] != ["_"]:
            masked.append(mark)
    return masked


def shape_runs(text: str) -> frozenset[tuple[str, ...]]:
    """The shape as a set of runs, to be compared with others."""
    return grams(shape(text), SHAPE_RUN)

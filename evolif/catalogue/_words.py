"""Words as the lint compares them: folded, without plural, stemmed; and the words that carry no content."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from evolif._catalogues import data_path
from evolif.text import fold

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

"""The plain words a witness is held together with, minus the words of a topic's keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from evolif._catalogues import data_path

_PARTS = re.compile(r"[^\W_]+")
MIN_CLOSER = 4
"""A sentence closes with a word of at least four letters, so that no splitter takes it for an abbreviation."""


@lru_cache(maxsize=1)
def _fillers() -> tuple[str, ...]:
    lines = data_path("seeds", "fillers.txt").read_text(encoding="utf-8").splitlines()
    words = (word for line in lines if not line.startswith("#") for word in line.split())
    return tuple(dict.fromkeys(words))


class Vocabulary:
    """Fillers that hold no word of the given keywords, by length and by outer letters."""

    def __init__(self, keywords: Iterable[str]) -> None:
        taken = {part for keyword in keywords for part in _PARTS.findall(keyword.casefold())}
        words = [w for w in _fillers() if w not in taken and len(w) >= MIN_CLOSER]
        self._by_length: dict[int, list[str]] = {}
        self._first: dict[str, str] = {}
        self._last: dict[str, str] = {}
        for word in words:
            self._by_length.setdefault(len(word), []).append(word)
            self._first.setdefault(word[0], word)
            self._last.setdefault(word[-1], word)
        self._common = [w for w in words if 4 <= len(w) <= 8]

    def common(self, number: int) -> str:
        """The `number`-th everyday filler, round and round; neighbours differ."""
        return self._common[number * 7 % len(self._common)]

    def of_length(self, length: int, number: int) -> str | None:
        """A filler of exactly that many letters."""
        words = self._by_length.get(length)
        return words[number % len(words)] if words else None

    def first(self, letter: str) -> str | None:
        """A filler that begins with the letter."""
        return self._first.get(letter)

    def last(self, letter: str) -> str | None:
        """A filler that ends with the letter."""
        return self._last.get(letter)


@lru_cache(maxsize=512)
def vocabulary(keywords: tuple[str, ...]) -> Vocabulary:
    """The vocabulary beside these keywords; made once per topic."""
    return Vocabulary(keywords)

"""The plain words a witness is held together with, minus the words of a topic's keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from evolif._catalogues import data_path

_STRIDE = 7
_PARTS = re.compile(r"[^\W_]+")
MIN_CLOSER = 4
"""A sentence closes with a word of at least four letters, so that no splitter takes it for an abbreviation."""


@lru_cache(maxsize=16)
def _fillers(language: str = "") -> tuple[str, ...]:
    name = "fillers.txt" if language in ("", "en") else f"fillers-{language}.txt"
    lines = data_path("seeds", name).read_text(encoding="utf-8").splitlines()
    words = (word for line in lines if not line.startswith("#") for word in line.split())
    return tuple(dict.fromkeys(words))


class Vocabulary:
    """Fillers that hold no word of the given keywords, by length and by outer letters.

    In a foreign language, English ones help out where there is none of a length or letter.
    """

    def __init__(self, keywords: Iterable[str], language: str = "") -> None:
        taken = {part for keyword in keywords for part in _PARTS.findall(keyword.casefold())}
        own = [w for w in _fillers(language) if w not in taken and len(w) >= MIN_CLOSER]
        self._by_length: dict[int, list[str]] = {}
        self._beginning: dict[str, list[str]] = {}
        self._first: dict[str, str] = {}
        self._last: dict[str, str] = {}
        self._sort(own)
        if language:
            self._help_out([w for w in _fillers() if w not in taken and len(w) >= MIN_CLOSER])
        self.everyday = [w for w in own if 4 <= len(w) <= 8]
        """Fillers of middling length, in the language."""
        self._cycle = [self.everyday[n * _STRIDE % len(self.everyday)] for n in range(len(self.everyday))]

    def _sort(self, words: Iterable[str]) -> None:
        for word in words:
            self._by_length.setdefault(len(word), []).append(word)
            self._beginning.setdefault(word[0], []).append(word)
            self._first.setdefault(word[0], word)
            self._last.setdefault(word[-1], word)

    def _help_out(self, words: list[str]) -> None:
        lengths, letters, ends = set(self._by_length), set(self._first), set(self._last)
        for word in words:
            if len(word) not in lengths:
                self._by_length.setdefault(len(word), []).append(word)
            if word[0] not in letters:
                self._beginning.setdefault(word[0], []).append(word)
                self._first.setdefault(word[0], word)
            if word[-1] not in ends:
                self._last.setdefault(word[-1], word)

    def common(self, number: int) -> str:
        """The `number`-th everyday filler, round and round; neighbours differ."""
        return self._cycle[number % len(self._cycle)]

    def run(self, number: int, count: int) -> str:
        """`count` everyday fillers from the `number`-th on, separated by spaces."""
        return _run(self._cycle, number, count)

    def run_of_length(self, length: int, number: int, count: int) -> str | None:
        """The same, each of exactly that many letters."""
        words = self._by_length.get(length)
        return _run(words, number, count) if words else None

    def of_length(self, length: int, number: int) -> str | None:
        """A filler of exactly that many letters."""
        words = self._by_length.get(length)
        return words[number % len(words)] if words else None

    def first(self, letter: str) -> str | None:
        """A filler that begins with the letter."""
        return self._first.get(letter)

    def beginning(self, letter: str, number: int) -> str | None:
        """The `number`-th filler that begins with the letter, round and round."""
        words = self._beginning.get(letter)
        return words[number % len(words)] if words else None

    def last(self, letter: str) -> str | None:
        """A filler that ends with the letter."""
        return self._last.get(letter)


def _run(words: list[str], number: int, count: int) -> str:
    start = number % len(words)
    taken = words[start : start + count]
    while len(taken) < count:
        taken += words[: count - len(taken)]
    return " ".join(taken)


@lru_cache(maxsize=512)
def vocabulary(keywords: tuple[str, ...], language: str = "") -> Vocabulary:
    """The vocabulary beside these keywords, English unless told otherwise; made once per topic."""
    return Vocabulary(keywords, language)

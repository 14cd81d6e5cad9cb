"""Plain words that fill a witness and do not occur in a topic's keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from evolif.text.languages import SCRIPTS
from evolif.util.resources import data_path

_STRIDE = 7
_PARTS = re.compile(r"[^\W_]+")
_FEW = 40
"""Where a rule leaves fewer words of medium length, shorter and longer ones are used, too."""
_MEDIUM = 8
"""The letters of the longest of them."""
MIN_CLOSER = 4
"""A sentence ends with a word of at least four letters, so that it is never taken for an abbreviation."""


_AVOIDED = {
    "": frozenset[str](),
    "first": frozenset("i me my mine myself we us our ours ourselves".split()),
    "second": frozenset("you your yours yourself yourselves".split()),
}


@dataclass(frozen=True, slots=True)
class WordRule:
    """Which words an instruction allows; numbers and letters that are empty allow all."""

    least: int = 0
    """The fewest letters."""
    most: int = 0
    """The most letters; 0 without a limit."""
    first: str = ""
    without: str = ""
    avoided: str = ""
    """The person that is not spoken of."""

    def allows(self, word: str) -> bool:
        """Whether a lowercase word satisfies all of it."""
        fits = self.least <= len(word) and not (self.most and len(word) > self.most)
        return (
            fits
            and word.startswith(self.first)
            and not (self.without and self.without in word)
            and word not in _AVOIDED[self.avoided]
        )


@lru_cache(maxsize=16)
def _fillers(language: str = "") -> tuple[str, ...]:
    name = "fillers.txt" if language in ("", "en") else f"fillers-{language}.txt"
    lines = data_path("seeds", name).read_text(encoding="utf-8").splitlines()
    words = (word for line in lines if not line.startswith("#") for word in line.split())
    return tuple(dict.fromkeys(words))


@lru_cache(maxsize=256)
def _ruled(rule: WordRule) -> tuple[str, ...]:
    """All English words that a rule allows; those that may end a sentence first."""
    words = dict.fromkeys((*_fillers(), *_fillers("letters")))
    return tuple(sorted(filter(rule.allows, words), key=lambda word: len(word) < MIN_CLOSER))


def _least_letters(language: str) -> int:
    """The letters of the shortest word that may end a sentence; other scripts have no abbreviations."""
    return 1 if language in SCRIPTS else MIN_CLOSER


@lru_cache(maxsize=16)
def _index(language: str) -> Mapping[tuple[str, str | int], tuple[str, ...]]:
    """All fillers of a language by length and by first and last letter, in the order of the file."""
    found: dict[tuple[str, str | int], list[str]] = {}
    least = _least_letters(language)
    for word in _fillers(language):
        if len(word) >= least:
            for key in (("length", len(word)), ("first", word[0]), ("last", word[-1])):
                found.setdefault(key, []).append(word)
    return {key: tuple(words) for key, words in found.items()}


@lru_cache(maxsize=256)
def wrong_words(rule: WordRule) -> tuple[str, ...]:
    """The English words of four letters and more that a rule forbids, and shorter ones where it is about length."""
    words = dict.fromkeys((*_fillers(), *_fillers("letters")))
    return tuple(word for word in words if not rule.allows(word) and (len(word) >= MIN_CLOSER or rule.least))


@lru_cache(maxsize=256)
def _medium(language: str, rule: WordRule | None) -> tuple[str, ...]:
    """The fillers of medium length that a rule allows."""
    least = _least_letters(language)
    fillers = _fillers(language)
    return tuple(w for w in fillers if least <= len(w) <= _MEDIUM and (rule is None or rule.allows(w)))


def is_filler(word: str) -> bool:
    """Whether a lowercase word is one of the English fillers."""
    return word in _filler_set()


@lru_cache(maxsize=1)
def _filler_set() -> frozenset[str]:
    return frozenset(_fillers())


class Vocabulary:
    """Fillers that are not words of the given keywords.

    If a foreign language has none of some length or letter, English ones are used.
    """

    def __init__(self, keywords: Iterable[str], language: str = "", rule: WordRule | None = None) -> None:
        self._taken = {part for keyword in keywords for part in _PARTS.findall(keyword.casefold())}
        self._rule = rule
        # English words among those of another script would make the language uncertain.
        self._languages = (language, "") if language and language not in SCRIPTS else (language,)
        self._lists: dict[tuple[str, str | int], list[str]] = {}
        taken = self._taken
        self.everyday = [w for w in _medium(language, rule) if w not in taken]
        """Fillers of medium length, in the language."""
        if rule is not None and len(self.everyday) < _FEW:
            known = set(self.everyday)
            self.everyday += [w for w in _ruled(rule) if w not in known and w not in taken]
        stride = _STRIDE if rule is None else next(n for n in (7, 11, 13, 17, 1) if gcd(n, len(self.everyday)) == 1)
        self._cycle = (self.everyday * stride)[::stride]

    def _is_free(self, word: str) -> bool:
        return word not in self._taken and (self._rule is None or self._rule.allows(word))

    def _listed(self, kind: str, key: str | int) -> list[str]:
        """The allowed fillers of that length or letter, computed on first use."""
        listed = self._lists.get((kind, key))
        if listed is None:
            free = (
                [w for w in _index(language).get((kind, key), ()) if self._is_free(w)] for language in self._languages
            )
            listed = self._lists[kind, key] = next(filter(None, free), [])
        return listed

    def common(self, number: int) -> str:
        """The `number`-th everyday filler, in an endless cycle; neighbours differ."""
        return self._cycle[number % len(self._cycle)]

    def run(self, number: int, count: int) -> str:
        """`count` everyday fillers from the `number`-th on, joined by spaces."""
        return _run(self._cycle, number, count)

    def of_length(self, length: int, number: int, count: int = 1) -> str | None:
        """The same, each with exactly that many letters; None if there are none."""
        words = self._listed("length", length)
        return _run(words, number, count) if words else None

    def beginning(self, letter: str, number: int = 0) -> str | None:
        """The `number`-th filler that begins with the letter; None if there are none."""
        words = self._listed("first", letter)
        return words[number % len(words)] if words else None

    def ending(self, letter: str) -> str | None:
        """A filler that ends with the letter; None if there are none."""
        return next(iter(self._listed("last", letter)), None)


def _run(words: list[str], number: int, count: int) -> str:
    start = number % len(words)
    taken = words[start : start + count]
    while len(taken) < count:
        taken += words[: count - len(taken)]
    return " ".join(taken)


@lru_cache(maxsize=512)
def vocabulary(keywords: tuple[str, ...], language: str = "", rule: WordRule | None = None) -> Vocabulary:
    """The vocabulary for these keywords, English by default; cached, since a topic uses it many times."""
    return Vocabulary(keywords, language, rule)

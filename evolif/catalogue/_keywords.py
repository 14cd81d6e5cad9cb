"""Rules on the keywords of one topic: what constraints can count, forbid, and put at an edge."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from evolif.catalogue._findings import Fault
from evolif.catalogue._index import listed
from evolif.catalogue._words import NUMBER_WORDS, function_words, singular, stem, words

KEYWORDS = 20
SINGLE_WORDS = 14
LONGEST_KEYWORD = 22
"""Characters."""
MOST_WORDS = 3
FIRST_LETTERS = 10
"""Different first letters that a topic needs."""
SAME_LETTER = 4
"""Keywords that may share a first letter."""
RARE_LETTERS = frozenset("jkquvxyz")

_SMALL_NUMBERS = NUMBER_WORDS - {"hundred", "thousand", "million", "dozen"}
_LOOSE = frozenset(
    "a an the this that these those of to for with from by at and or but nor if as my your his her its our their not no"
    " is are was were be".split()
)
"""Words at whose side a phrase is cut off; *lower back* and *watering can* are whole."""
_FORM = re.compile(r"[a-z0-9]+(?:[ -][a-z0-9]+)*")


def keyword_faults(keywords: Sequence[str]) -> Iterator[Fault]:
    """What the keywords of a topic have wrong, one by one and together."""
    for keyword in dict.fromkeys(keywords):
        yield from form_faults(keyword)
    yield from _number(keywords)
    yield from _inside(keywords)
    yield from _letters(keywords)


def form_faults(keyword: str) -> Iterator[Fault]:
    """What one keyword has wrong."""
    said = f"the keyword “{keyword[:60]}”"
    if not _FORM.fullmatch(keyword):
        yield Fault(
            "keyword-form", f"{said} is not in plain small letters", "use a–z, 0–9, single spaces and hyphens inside"
        )
    if len(keyword) > LONGEST_KEYWORD:
        yield Fault("keyword-form", f"{said} has {len(keyword)} characters", f"keep to {LONGEST_KEYWORD}")
    parts = words(keyword)
    if not parts:
        return
    if len(keyword.split()) > MOST_WORDS:
        yield Fault("keyword-form", f"{said} has more than {MOST_WORDS} words", "shorten it")
    if all(part.isdigit() or part in _SMALL_NUMBERS for part in parts):
        yield Fault("keyword-form", f"{said} is only a number", "take a word that an answer would repeat")
    elif len(keyword) == 1:
        yield Fault("keyword-form", f"{said} is a single letter", "take a word")
    elif keyword in function_words():
        yield Fault("keyword-common", f"{said} is a word that no text can do without", "take a word of the subject")
    elif " " in keyword and (loose := [part for part in (parts[0], parts[-1]) if part in _LOOSE]):
        yield Fault("keyword-common", f"{said} starts or ends with “{loose[0]}”", "cut it down to its content words")


@lru_cache(maxsize=50_000)
def stems_of(keyword: str) -> tuple[str, ...]:
    """The stems of a keyword's words."""
    return tuple(map(stem, words(keyword)))


@lru_cache(maxsize=50_000)
def singulars_of(keyword: str) -> tuple[str, ...]:
    """A keyword's words without plural."""
    return tuple(map(singular, words(keyword)))


def _number(keywords: Sequence[str]) -> Iterator[Fault]:
    if len(keywords) != KEYWORDS:
        yield Fault("keywords", f"has {len(keywords)} keywords", f"give it {KEYWORDS}")
    single = sum(" " not in keyword for keyword in keywords)
    if single < SINGLE_WORDS:
        yield Fault("keywords", f"only {single} keywords are single words", f"have at least {SINGLE_WORDS}")


def _inside(keywords: Sequence[str]) -> Iterator[Fault]:
    """A keyword inside another could be forbidden where the other is asked for."""
    by_words: dict[tuple[str, ...], str] = {}
    for keyword in keywords:
        parts = singulars_of(keyword)
        if parts in by_words:
            other = by_words[parts]
            same = "twice" if keyword == other else f"and “{other}”, which differ by the plural only"
            yield Fault("keyword-inside", f"there is the keyword “{keyword}” {same}", "replace one of them")
        by_words.setdefault(parts, keyword)
    for outer, keyword in by_words.items():
        for inner in _parts(outer):
            if inner in by_words:
                said = f"the keyword “{by_words[inner]}” is inside “{keyword}”"
                yield Fault("keyword-inside", said, "replace one of them")


def _parts(whole: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The runs of some words that are shorter than the whole, as far as a keyword may be long."""
    for size in range(1, min(len(whole), MOST_WORDS + 1)):
        yield from dict.fromkeys(whole[i : i + size] for i in range(len(whole) - size + 1))


def _letters(keywords: Sequence[str]) -> Iterator[Fault]:
    letters = Counter(keyword[0] for keyword in keywords)
    if len(letters) < FIRST_LETTERS:
        yield Fault(
            "keyword-letters",
            f"the keywords start with only {len(letters)} different letters",
            f"have at least {FIRST_LETTERS}",
        )
    for letter, count in letters.items():
        if count > SAME_LETTER:
            held = listed(keyword for keyword in keywords if keyword[0] == letter)
            yield Fault(
                "keyword-letters",
                f"{count} keywords start with {letter} ({held})",
                f"replace some: at most {SAME_LETTER} may share a first letter",
            )
    if keywords and not RARE_LETTERS & letters.keys():
        yield Fault(
            "keyword-letters",
            "no keyword starts with a rare letter",
            f"add one that starts with {', '.join(sorted(RARE_LETTERS))}",
        )

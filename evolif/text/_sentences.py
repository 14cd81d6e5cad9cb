"""Rule 8: sentences, by NLTK's Punkt with our own abbreviations, and the rules a careful reader adds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from evolif.text._abbreviations import ABBREVIATIONS, NUMBERED, STARTERS, TITLES

_ALNUM = re.compile(r"[^\W_]")
# A mark, whatever closes after it, then white space or the end: nothing else ends a sentence in ASCII.
_ASCII_END = re.compile(r"""(?<![.!?…])([.!?…]+)(["'”’»)\]}*_]*+)(?=\s|\Z)""")
_FULL_WIDTH = re.compile(r"[。！？।॥]+[”’」』）》】\"')]*")
_LOWER_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]+", re.UNICODE)
_LAST_TOKEN = re.compile(r"\S+\Z")
_LIST_NUMBER = re.compile(r"(?:\A|\n)[ \t]*\(?(?:\d{1,3}|[A-Za-z])\Z")
_OPENERS = "\"'“‘«([{*_"


@lru_cache(maxsize=1)
def _punkt() -> Any:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    parameters.sent_starters = set(STARTERS)
    return PunktSentenceTokenizer(parameters)


def lower_case_words(texts: Iterable[str]) -> frozenset[str]:
    """Words that the content also writes in lower case: capitalised after an abbreviation, they begin a sentence."""
    return frozenset(w for text in texts for w in _LOWER_WORD.findall(text) if w[0].islower())


def sentences(text: str, lower_words: frozenset[str] = frozenset()) -> list[tuple[int, int]]:
    """The sentences of one block as ranges; each holds a letter or a digit."""
    ends = _ends(text, lower_words)
    ranges, start = [], 0
    for end in [*sorted(ends), len(text)]:
        if end > start and _ALNUM.search(text, start, end):
            ranges.append((start, end))
            start = end
    return ranges


def _ends(text: str, lower_words: frozenset[str]) -> set[int]:
    ends = {m.end() for m in _FULL_WIDTH.finditer(text)}
    doubtful = []
    for match in _ASCII_END.finditer(text):
        marks = match.group(1)
        rest = text[match.end() : match.end() + 64].lstrip()
        following = rest.lstrip(_OPENERS)
        if "!" in marks or "?" in marks:
            quoted = match.group(2).strip("*_") != ""
            if not (quoted and following[:1].islower()):
                ends.add(match.end())
        elif marks == ".":
            doubtful.append((match, following))
        elif not following or not following[0].islower():
            ends.add(match.end())  # an ellipsis ends a sentence before a capital
    if doubtful:
        ends |= _full_stops(text, doubtful, lower_words)
    return ends


def _full_stops(text: str, doubtful: list[tuple[re.Match[str], str]], lower_words: frozenset[str]) -> set[int]:
    """Which single full stops end a sentence: Punkt decides, but for the cases the specification names."""
    ends = set()
    unsure = []
    for match, following in doubtful:
        token = _LAST_TOKEN.search(text, max(0, match.start() - 64), match.start())
        word = (token.group() if token else "").lstrip(_OPENERS).lower()
        verdict = _known_stop(text, match, word, following, lower_words)
        if verdict is None:
            unsure.append(match.end())
        elif verdict:
            ends.add(match.end())
    if unsure:
        found = {end for _, end in _punkt().span_tokenize(text)}
        ends.update(end for end in unsure if end in found)
    return ends


def _known_stop(text: str, match: re.Match[str], word: str, following: str, lower_words: frozenset[str]) -> bool | None:
    """True: ends a sentence; False: does not; None: ask Punkt."""
    if not following:
        return True
    if _LIST_NUMBER.search(text[max(0, match.start() - 8) : match.start()]) and _is_line_start(text, match.start()):
        return False
    if word in TITLES:
        return False
    if word in NUMBERED and following[0].isdigit():
        return False
    if word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()):
        next_word = _LOWER_WORD.match(following)
        if next_word is None or not following[0].isupper():
            return False
        lowered = next_word.group().lower()
        return lowered in STARTERS or lowered in lower_words
    return None


def _is_line_start(text: str, stop: int) -> bool:
    line = text.rfind("\n", 0, stop) + 1
    return len(text[line:stop].strip(" \t(")) <= 3

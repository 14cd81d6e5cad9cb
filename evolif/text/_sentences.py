"""Rule 8: sentences, by NLTK's Punkt with our own abbreviations, and the rules a careful reader adds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from evolif.text._abbreviations import ABBREVIATIONS, NUMBERED, SHORT_TITLES, STARTERS, TITLES, UNITS

_ALNUM = re.compile(r"[^\W_]")
_GAP = re.compile(r"\s*")
# A mark, whatever closes after it, then white space or the end: nothing else ends a sentence in ASCII.
_ASCII_END = re.compile(r"""(?<![.!?…])([.!?…]+)(["'”’»)\]}*_]*+)(?=\s|\Z)""")
_FULL_WIDTH = re.compile(r"[。！？।॥]+[”’」』）》】\"')]*")
_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]+(?:['’][^\W\d_]+)*")
_LAST_TOKEN = re.compile(r"[^\s\-–—/]+\Z")
# Numbers and letters that begin a line; numbers that follow a finished sentence (“1. Mix it. 2. Bake it.”).
_LIST_NUMBER = re.compile(
    r"""^[ \t]*\(?(?:\d{1,3}|[A-Za-z])\Z|:[ \t]\(?1\Z|([^\s.]*)[.!;]["'”’)\]]?[ \t]\(?\d{1,2}\Z""", re.MULTILINE
)
_AFTER_NUMBER = re.compile(r"\d\s?\Z")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_OPENERS = "\"'“‘«([{*_"
_WINDOW = 64
"""How far a decision looks around a mark; a bound, so that time grows with the text only."""


@lru_cache(maxsize=1)
def _punkt() -> Any:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    parameters.sent_starters = set(STARTERS)
    return PunktSentenceTokenizer(parameters)


class LowerCaseWords:
    """Words that the content also writes in lower case: capitalised after an abbreviation, they begin a sentence.

    Collected when first asked for: most texts hold no abbreviation in doubt.
    """

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._texts = texts
        self._words: frozenset[str] | None = None

    def __contains__(self, word: str) -> bool:
        if self._words is None:
            found = (w for text in self._texts for w in _WORD.findall(text))
            self._words = frozenset(w for w in found if w[0].islower())
        return word in self._words


def sentences(text: str, lower_words: LowerCaseWords | None = None) -> list[tuple[int, int]]:
    """The sentences of one block as ranges; each holds a letter or a digit."""
    ranges, start, searched = [], 0, 0
    for end in [*sorted(_ends(text, lower_words or LowerCaseWords())), len(text)]:
        # What has been searched in vain is not searched again: a run of lone marks costs no more than its length.
        if _ALNUM.search(text, searched, end):
            first = _GAP.match(text, start)
            ranges.append((first.end() if first else start, end))
            start = end
        searched = end
    return ranges


def _ends(text: str, lower_words: LowerCaseWords) -> set[int]:
    ends = {m.end() for m in _FULL_WIDTH.finditer(text)}
    doubtful = []
    for match in _ASCII_END.finditer(text):
        marks = match.group(1)
        following = text[match.end() : match.end() + _WINDOW].lstrip().lstrip(_OPENERS)
        if "!" in marks or "?" in marks:
            quoted = match.group(2).strip("*_") != ""
            if not (quoted and following[:1].islower()):
                ends.add(match.end())
        elif marks == ".":
            doubtful.append((match, following))
        elif not following or following[0].isupper():
            ends.add(match.end())  # an ellipsis ends a sentence before a capital
    if doubtful:
        ends |= _full_stops(text, doubtful, lower_words)
    return ends


def _full_stops(text: str, doubtful: list[tuple[re.Match[str], str]], lower_words: LowerCaseWords) -> set[int]:
    """Which single full stops end a sentence: Punkt decides, but for the cases the specification names."""
    ends = set()
    unsure = []
    for match, following in doubtful:
        verdict = _known_stop(text, match, following, lower_words)
        if verdict is None:
            unsure.append(match.end())
        elif verdict:
            ends.add(match.end())
    if unsure:
        found = {end for _, end in _punkt().span_tokenize(text)}
        ends.update(end for end in unsure if end in found)
    return ends


def _known_stop(text: str, match: re.Match[str], following: str, lower_words: LowerCaseWords) -> bool | None:
    """True: ends a sentence; False: does not; None: ask Punkt."""
    stop = match.start()
    if not following:
        return True
    if _is_list_number(text, stop):
        return False
    found = _LAST_TOKEN.search(text, max(0, stop - _WINDOW), stop)
    token = found.group().lstrip(_OPENERS) if found else ""
    word = token.lower().lstrip("0123456789")
    if word in NUMBERED and following[0].isdigit():
        return False
    if word in TITLES and (token[0].isupper() or word in SHORT_TITLES or following[0].islower()):
        return False
    if _is_short(token, word, text, stop - len(token)):
        return _new_sentence(word, following, lower_words)
    # Punkt is at a loss where English is not: a number's full stop (no ordinal), one letter of a list in lower case.
    # And it need not be asked of a plain word: that is none of our abbreviations, so Punkt ends the sentence there.
    return True if len(word) <= 1 or token.isalpha() or match.group(2).strip("\"'”’»)]}") else None


def _is_list_number(text: str, stop: int) -> bool:
    found = _LIST_NUMBER.search(text, max(0, stop - _WINDOW // 2), stop)
    before = (found.group(1) or "").lower() if found else ""
    return found is not None and before not in ABBREVIATIONS and before not in NUMBERED


def _is_short(token: str, word: str, text: str, at: int) -> bool:
    """An abbreviation, initials, or a single capital letter."""
    if word in UNITS:
        return word != token.lower() or bool(_AFTER_NUMBER.search(text, max(0, at - 2), at))
    if word in ABBREVIATIONS:
        return word not in TITLES or token[0].isupper()
    return (len(token) == 1 and token.isupper()) or bool(_DOTTED.fullmatch(word))


def _new_sentence(word: str, following: str, lower_words: LowerCaseWords) -> bool:
    """Whether a new sentence begins after an abbreviation."""
    next_word = _WORD.match(following)
    if next_word is None or not following[0].isupper():
        return False
    lowered = next_word.group().lower().replace("’", "'")
    return word == "etc" or lowered in STARTERS or lowered in lower_words

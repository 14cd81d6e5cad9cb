"""The words of a partner's sentence, as what they do in it: name a thing or a place, count, deny, compare, ask.

Texts are hostile: only so much of one is read, and every word is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evolif.scenarios.games.places import number_of, place_at
from evolif.scenarios.games.statements import Vocabulary

MOST_CHARACTERS: Final = 4_000
"""Of a text that are read."""
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?\n]?")
_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]{1,3}|[,:;()?]")
_LONGEST: Final = 5
"""Words of a phrase."""

_PHRASES: Final[dict[str, tuple[str, Any]]] = {
    phrase: (kind, value)
    for kind, value, phrases in (
        ("relation", "just left of", "directly left of,immediately left of,just left of,directly to the left of"),
        ("relation", "just right of", "directly right of,immediately right of,just right of,directly to the right of"),
        ("relation", "just above", "directly above,immediately above,right above,just above,on top of"),
        ("relation", "just below", "directly below,immediately below,right below,just below,directly under"),
        ("relation", "left of", "left of,to the left of,on the left of"),
        ("relation", "right of", "right of,to the right of,on the right of"),
        ("relation", "above", "above,over"),
        ("relation", "below", "below,beneath,under,underneath"),
        ("relation", "next to", "next to,right next to,beside,adjacent to,touching"),
        ("rest", None, "nothing else,no others,no more,nothing more,no other things"),
        ("empty", None, "nothing at all,nothing,empty,vacant,blank,a gap,unoccupied,free"),
        ("anything", None, "anything,anything at all"),
        ("there", None, "there is,there are,there's,there"),
        ("is", "is", "is,it's,that's,looks"),
        ("is", "are", "are"),
        ("has", None, "has,have,had,holds,hold,contains,contain,shows,got,has got,have got,i've,i've got"),
        ("with", None, "with,whose"),
        ("a", None, "a,an,another"),
        ("the", None, "the,that,this,my,your"),
        ("every", None, "every,all,all of,each,each of"),
        ("only", None, "only,just,exactly,the only,my only,your only,precisely"),
        ("some", None, "at least one,at least one of,some,any"),
        ("no", None, "no,none,none of,neither,without,lacks,lack,missing,is missing,are missing,zero,not"),
        ("no", None, "don't,doesn't,haven't,hasn't,can't,isn't,aren't,there isn't,there aren't,there's no,cannot"),
        ("many", None, "how many,which image,which of yours,which images,which picture,which of your images"),
        ("vague", None, "more than,at least,about,around,roughly,nearly,almost"),
        ("lost", None, "fewer than,less than,at most,up to"),
        ("only", None, "nothing but,nothing except"),
        ("where", None, "where,which row,which column,which cell,where's"),
        ("what", None, "what,what's,what about,which,how about,describe,tell me,content of,contents of"),
        ("or", None, "or,nor"),
    )
    for phrase in phrases.split(",")
}
_MARKS: Final = frozenset(",:;")


@dataclass(frozen=True, slots=True)
class Item:
    """What one word or phrase does."""

    kind: str
    value: Any = None


def sentences_of(text: str) -> Iterator[tuple[list[str], bool]]:
    """The sentences of a text as words, and whether each ends as a question."""
    plain = text[:MOST_CHARACTERS].lower().replace("’", "'").replace("-", " ")
    for match in _SENTENCE.finditer(plain):
        words = _WORD.findall(match[0])
        if words:
            yield words, match[0].endswith("?")


def items_of_sentence(words: Sequence[str], vocabulary: Vocabulary, side: int) -> list[Item]:
    """What the words of a sentence do, one after the other; those that do nothing are left out."""
    items: list[Item] = []
    at = 0
    while at < len(words):
        item, at = _next(words, at, vocabulary, side)
        if item is not None:
            items.append(item)
    return items


def _next(words: Sequence[str], at: int, vocabulary: Vocabulary, side: int) -> tuple[Item | None, int]:
    found = _value(words, at, vocabulary) or _phrase(words, at, least=2)
    if found:
        return found
    place = place_at(words, at, side)
    if place:
        return (Item("place", place[0]) if place[0] else None), place[1]
    word = words[at]
    if word == "one":
        return Item("one"), at + 1
    number = number_of(word)
    if number:
        return Item("number", number), at + 1
    if word in vocabulary.nouns:
        return Item("noun"), at + 1
    if word in _MARKS:
        return Item(word), at + 1
    if word == "in" and (_value(words, at + 1, vocabulary) or (Item(""), 0))[0].kind == "value":
        return Item("with"), at + 1
    return _phrase(words, at, least=1) or (None, at + 1)


def _value(words: Sequence[str], at: int, vocabulary: Vocabulary) -> tuple[Item, int] | None:
    for length in range(_LONGEST, 0, -1):
        value = vocabulary.words.get("-".join(words[at : at + length]))
        if value is not None:
            return Item("value", value), min(at + length, len(words))
    return None


def _phrase(words: Sequence[str], at: int, least: int) -> tuple[Item, int] | None:
    for length in range(_LONGEST, least - 1, -1):
        found = _PHRASES.get(" ".join(words[at : at + length]))
        if found is not None and at + length <= len(words):
            return Item(*found), at + length
    return None

"""Finds single letters that a query speaks of: `the letter k`, `“K”`, `make K the first one`."""

from __future__ import annotations

import re

from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._shadow import MASK, Query

_QUOTED = re.compile(r"[\"'“‘]([A-Za-z])[\"'”’](?!\w)")
_AFTER_CUE = (
    r" (letter |an? |the )?((capital|small|upper-?case|lower-?case) )?[\"'“‘(]?(?P<letter>["
    + MASK
    + r"A-Za-z])[\"'”’)]?(?![\w'’])(?!\s?-\s?\w)"
)
_CAPITAL = re.compile(r"(?<![\w'’.-])([B-HJ-Z]|(?<=[aA] )A|(?<=[aA]n )I)(?![\w'’.-]\w)(?![\w'’-])")
_MADE = re.compile(r"\b(?:[Mm]ake|[Hh]ave|[Ll]et)\s([A-Z])\s(?:be\s)?(?:the|your|its)\b")
_CALLED = re.compile(
    r"\b[Ll]etter(?:\s+of\s+(?:the|your|its)\s+\w+(?:\s+\w+)?)?(?:\s+(?:is|be|as|to|to\s+be|should\s+be|must\s+be))?:?"
    r"\s+[\"'“‘]?([A-Za-z])(?![\w'’])(?!\s+[\"'“‘]?[A-Za-z](?!\w))"
)


def find_letters(query: Query, known: set[str]) -> list[int]:
    """Where letters stand that are spoken of.

    Args:
        query: The query.
        known: Letters of the constraint, in lower case: as a lone capital, they need no further word.
    """
    found = {m.start(1) for m in _QUOTED.finditer(query.text)}
    for match in cues().framed("edges", "letter_before", right=_AFTER_CUE).finditer(query.shadow):
        at = match.start("letter")
        letter = query.text[at]
        named = "letter" in match.group() or letter.isupper()
        if letter.isalpha() and letter.isascii() and named and letter != "I":
            found.add(at)
    found |= {m.start(1) for m in _CAPITAL.finditer(query.text) if m[1].lower() in known}
    found |= {m.start(1) for pattern in (_MADE, _CALLED) for m in pattern.finditer(query.text)}
    return sorted(found)

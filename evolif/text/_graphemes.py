"""Rule 9: characters are grapheme clusters."""

from __future__ import annotations

import re

import regex

_CLUSTER = regex.compile(r"\X")
# Flags are pairs; a long row of them is slow to split, since every pair depends on all before it.
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
_SELECTORS = dict.fromkeys((0xFE0E, 0xFE0F))


def count_graphemes(text: str) -> int:
    """How many characters a reader sees; line ends are already single."""
    return len(text) if text.isascii() else len(_CLUSTER.findall(_FLAG.sub("x", text)))


def first_grapheme(text: str, offset: int = 0) -> str:
    """The grapheme cluster that starts at `offset`."""
    match = _CLUSTER.match(text, offset)
    return match.group() if match else ""


def last_grapheme(text: str, end: int) -> str:
    """The grapheme cluster that ends at `end`."""
    # A cluster is rarely long; a window keeps this independent of the text's length.
    window = text[max(0, end - 64) : end]
    clusters: list[str] = _CLUSTER.findall(window)
    return clusters[-1] if clusters else ""


def without_selectors(grapheme: str) -> str:
    """The grapheme without variation selectors."""
    return grapheme.translate(_SELECTORS)

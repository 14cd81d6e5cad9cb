"""Rule 9: characters are grapheme clusters."""

from __future__ import annotations

import regex

_CLUSTER = regex.compile(r"\X")
_SELECTORS = dict.fromkeys((0xFE0E, 0xFE0F))


def count_graphemes(text: str) -> int:
    """How many characters a reader sees; line ends are already single."""
    return len(text) if text.isascii() else sum(1 for _ in _CLUSTER.finditer(text))


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

"""Emoji: which graphemes are shown as pictures."""

from __future__ import annotations

import regex

_EXTENDERS = r"[\p{Emoji_Modifier}\ufe0e\ufe0f\u20e3\U000e0020-\U000e007f]*+"
# Flags, keycaps, and pictures with what joins and colours them. Whether a picture is an emoji, `_PRESENTED` says.
EMOJI_SHAPE = (
    r"(?:\p{Regional_Indicator}{1,2}|[0-9#*]\ufe0f?\u20e3|\p{Emoji_Modifier}"
    rf"|\p{{Extended_Pictographic}}{_EXTENDERS}(?:\u200d\p{{Extended_Pictographic}}{_EXTENDERS})*+)"
)
_SHAPE = regex.compile(EMOJI_SHAPE)
_PRESENTED = regex.compile(r"\p{Emoji_Presentation}(?!\ufe0e)|[\ufe0f\u20e3]")
_POSSIBLE = regex.compile(r"[\p{Emoji_Presentation}\ufe0f\u20e3]")


def find_emoji(text: str) -> list[tuple[int, int]]:
    """The emoji of a text as ranges: flags and keycaps too, sequences as one; `©`, `™` and `✔` are text."""
    if text.isascii() or not _POSSIBLE.search(text):
        return []
    shapes = ((match.start(), match.end()) for match in _SHAPE.finditer(text))
    return [(start, end) for start, end in shapes if _PRESENTED.search(text, start, end)]


def is_emoji(grapheme: str) -> bool:
    """Whether a grapheme is one emoji."""
    return find_emoji(grapheme) == [(0, len(grapheme))]

"""Rule 6: where a keyword occurs."""

from __future__ import annotations

import re
import unicodedata

import regex

_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "＇": "'", "‐": "-", "‑": "-", "İ": "i"},
)
# White space but for the gap between CSV cells (U+001F), over which no keyword reaches.
_SPACE = re.compile(r"[^\S\x1f]+")
_JOINING = regex.compile(r"[\p{L}\p{M}\p{N}]")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}ー]")


def fold(text: str) -> str:
    """Casefold, with typographic apostrophes, hyphens and white space made plain."""
    if text.isascii():
        odd = "\n" in text or "  " in text or "\t" in text or "\r" in text
        return (_SPACE.sub(" ", text) if odd else text).lower()
    folded = text.translate(_PLAIN).casefold()
    return _SPACE.sub(" ", unicodedata.normalize("NFC", folded))


def fold_offsets(text: str) -> list[int]:
    """Where each character of the folded text stands in `text`; empty where folding composed characters anew."""
    offsets: list[int] = []
    made: list[str] = []
    for at, char in enumerate(text):
        if char != "\x1f" and char.isspace():
            if made and made[-1] == " ":
                continue
            made.append(" ")
        else:
            made.append(char.translate(_PLAIN).casefold())
        offsets += [at] * len(made[-1])
    return offsets if "".join(made) == fold(text) else []


def _joined(inner: str, text: str, at: int, step: int) -> bool:
    """Does the character of `text` at `at` continue the word that `inner` is the edge of?"""
    while 0 <= at < len(text) and text[at] == "_":
        at += step  # an underscore joins only between letters or digits: look past it
    if not 0 <= at < len(text):
        return False
    outer = text[at]
    if outer.isascii():
        return outer.isalnum()
    return bool(_JOINING.match(outer)) and not (_UNSPACED.match(inner) and _UNSPACED.match(outer))


def find_all(folded: str, keyword: str) -> list[tuple[int, int]]:
    """Occurrences of a folded keyword in a folded block, as ranges; they do not overlap."""
    found = []
    at = folded.find(keyword)
    while at >= 0:
        end = at + len(keyword)
        if _joined(keyword[0], folded, at - 1, -1) or _joined(keyword[-1], folded, end, 1):
            at = folded.find(keyword, at + 1)
        else:
            found.append((at, end))
            at = folded.find(keyword, end)
    return found

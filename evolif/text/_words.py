"""Rule 5: words."""

from __future__ import annotations

import re

import regex

_ALNUM = re.compile(r"[^\W_]")
_DOTS = re.compile(r"\.{3,}")
_EN_DASH = re.compile(r"(?<=[^\W\d_])–(?=[^\W\d_])")
_CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー]")


def words(text: str) -> list[str]:
    """The words of `text`, as written."""
    if "..." in text:
        text = _DOTS.sub(" ", text)
    if not text.isascii():
        text = text.replace("—", " ").replace("…", " ")
        if "–" in text:
            text = _EN_DASH.sub(" ", text)
        text = _CJK.sub(r" \g<0> ", text)
    return [token for token in text.split() if token[0].isalnum() or _ALNUM.search(token)]


def count_words(text: str) -> int:
    """How many words `text` has."""
    return len(words(text))

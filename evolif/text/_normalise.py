"""Rule 1: one text for all checkers, whatever bytes a provider sent."""

from __future__ import annotations

import re
import unicodedata

# Line ends of every kind become LF; U+2029 separates paragraphs, so it becomes a blank line.
_TABLE: dict[int, str | None] = {
    **dict.fromkeys(map(ord, "\r\u2028\x85\v\f"), "\n"),
    ord("\u2029"): "\n\n",
    **dict.fromkeys(map(ord, "\ufeff\u200b\u2060\u00ad"), None),
    # Control characters that the readers borrow as marks of their own become another one, as useless in any text.
    0x01: "\x02",
    0x1F: "\x02",
}
_SPECIAL = re.compile("[\r\u2028\x85\v\f\u2029\ufeff\u200b\u2060\u00ad\x01\x1f\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_THINK = re.compile(r"[\s\ufeff\u200b]*<think(?:ing)?>", re.IGNORECASE)
_THINK_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


def clean(text: str) -> str:
    """Normalise to NFC, unify line ends, remove invisible characters; no stripping."""
    if _SPECIAL.search(text):
        text = _SURROGATE.sub("\ufffd", text.replace("\r\n", "\n")).translate(_TABLE)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def strip_reasoning(text: str) -> tuple[str, str]:
    """Split a leading `<think>…</think>` off; returns (answer, reasoning).

    A thought that never ends left no answer behind.
    """
    opening = _THINK.match(text)
    if opening is None:
        return text, ""
    closing = _THINK_END.search(text, opening.end())
    if closing is None:
        return "", text[opening.end() :]
    return text[closing.end() :], text[opening.end() : closing.start()]


def normalise(text: str) -> str:
    """Rule 1 in full: no reasoning, NFC, LF line ends, nothing invisible, no surrounding white space."""
    return clean(strip_reasoning(text)[0]).strip()

"""What is left of a text when only its letters and digits are compared: the form in which queries are looked for.

White space, punctuation and case go, so that line breaks, quotation marks, Markdown and JSON's escapes do not hide a
query. There are two such forms. `squeeze_ascii` drops all that is not ASCII, from queries and corpus alike; it runs at
the speed of `bytes.translate` and is all that English wants. `squeeze` keeps the letters of every script.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from unicodedata import normalize

_LOWER = bytes(code + 32 if 65 <= code <= 90 else code for code in range(256))
_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())
_ALL_BUT_ASCII = _DROPPED + bytes(range(128, 256))
_BEYOND = re.compile(rb"[\x80-\xff]+")
_COMMON_ESCAPES = (b"\\n", b'\\"', b"\\t", b"\\r")
_ESCAPES = re.compile(rb"\\(?:u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*|\S)")
"""It begins with a literal, for which a search is fast."""


def squeeze(raw: bytes) -> bytes:
    """Letters and digits of UTF-8 text in lower case, without accents; a JSON escape counts as what it stands for.

    Args:
        raw: Text; cut at white space, it may be squeezed piece by piece.
    """
    raw = _without_common_escapes(raw)
    if b"\\" in raw:
        raw = _ESCAPES.sub(_unescaped, raw)
    squeezed = raw.translate(_LOWER, _DROPPED)
    return squeezed if squeezed.isascii() else _BEYOND.sub(_plain, squeezed)


def squeeze_ascii(raw: bytes) -> bytes:
    """ASCII letters and digits in lower case; JSON escapes go like other signs."""
    raw = _without_common_escapes(raw)
    if b"\\" in raw:
        raw = _ESCAPES.sub(b" ", raw)
    return raw.translate(_LOWER, _ALL_BUT_ASCII)


def _without_common_escapes(raw: bytes) -> bytes:
    if b"\\" in raw:
        for escape in _COMMON_ESCAPES:
            raw = raw.replace(escape, b" ")
    return raw


def _unescaped(escape: re.Match[bytes]) -> bytes:
    found = escape.group()
    if len(found) == 2:
        return b""
    text: str = json.loads(b'"' + found + b'"')
    return text.encode("utf-8", "ignore")


def _plain(run: re.Match[bytes]) -> bytes:
    return _letters(run.group())


@lru_cache(maxsize=8192)
def _letters(run: bytes) -> bytes:
    """The letters and digits of text beyond ASCII, without accents."""
    text = normalize("NFKD", run.decode("utf-8", "ignore")).lower()
    return "".join(filter(str.isalnum, text)).encode("utf-8")

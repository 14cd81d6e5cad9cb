"""What happens to a Markdown body before CommonMark sees it; every change keeps each character's place."""

from __future__ import annotations

import re
from bisect import bisect_right

from evolif.text._html_names import KNOWN

STAND_IN = "\x01"
"""Replaces a `<` that opens no HTML element; `clean` keeps this control character out of every text."""

_TAG = re.compile(r"(?<!\\)<(?=/?([A-Za-z][A-Za-z0-9-]*)[\s/>])")
# A bullet sign stands at the start of a line, of a quote, or of a list item.
_BEFORE = r"^([ \t>]*(?:(?:\d{1,9}[.)]|[-*+])[ \t]+)*+)"
_WIDE_GAP = re.compile(_BEFORE + r"•[^\S\n\t ]", re.MULTILINE)
_BULLET = re.compile(_BEFORE + r"•(?=[ \t])", re.MULTILINE)
_TIGHT_BULLET = re.compile(_BEFORE + r"•(?=[^\s•])", re.MULTILINE)
_WIDE = re.compile(r"[^\x00-\x7f]+")
_CODE_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")
_KEY = re.compile(r"[A-Za-z_][\w .-]*:(?:\s|$)")


class CharacterOffsets:
    """Turns the parser's UTF-8 byte offsets into character offsets."""

    def __init__(self, source: str) -> None:
        self._at: list[int] = []
        self._extra: list[int] = [0]
        extra = 0
        for match in [] if source.isascii() else _WIDE.finditer(source):
            for char in range(match.start(), match.end()):
                size = len(source[char].encode())
                self._at.append(char + extra + size)
                extra += size - 1
                self._extra.append(extra)

    def __call__(self, offset: int) -> int:
        """The character offset of a byte offset that stands between two characters."""
        return offset - self._extra[bisect_right(self._at, offset)] if self._at else offset


def prepare(body: str) -> tuple[str, bool]:
    """Blank front matter, make `•` a list marker, and unknown tags text.

    Returns:
        The source for the parser, and whether its offsets are those of the body.
    """
    exact = True
    if body.startswith("---\n"):
        body = _blank_front_matter(body)
    if "•" in body:
        body = _WIDE_GAP.sub(r"\1- ", body)
        body = _BULLET.sub(r"\1-", body)
        tight = _TIGHT_BULLET.sub(r"\1- ", body)
        body, exact = tight, tight == body
    if "<" in body:
        body = _TAG.sub(lambda m: "<" if m.group(1).lower() in KNOWN else STAND_IN, body)
    return body, exact


def _blank_front_matter(body: str) -> str:
    end = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE).search(body, 4)
    if end is None:
        return body
    lines = body[4 : end.start()].splitlines()
    keys = sum(1 for line in lines if _KEY.match(line))
    others = (line for line in lines if not _KEY.match(line))
    if not keys or not all(not line.strip() or line[0] in " \t-#" for line in others):
        return body
    return re.sub(r"[^\n]", " ", body[: end.end()]) + body[end.end() :]


def is_fence_closed(source: str, inside: str) -> bool:
    """Whether the fenced code block of this source has its closing fence: a last line that is not inside."""
    lines = source.rstrip().split("\n")
    opening = _CODE_FENCE.match(lines[0])
    if opening is None or len(lines) != 2 + inside.count("\n") + (not inside.endswith("\n") and inside != ""):
        return False
    mark = opening.group(1)
    last = lines[-1].strip(" \t>")
    return last.startswith(mark) and not last.strip(mark[0])

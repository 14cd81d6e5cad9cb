"""Lines of a body: those that hold something to read, and those that look like items of a list."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from evolif.text.blocks import Content, Range

_LINE = re.compile(r"[^\n]+")
_DASHES = re.compile(r"[ \t>]*-{3,}[ \t]*")
_BARE = re.compile(r"[ \t>]*(?:[-*+•][ \t]*)?(?:<!--(?:(?!-->).)*+-->[ \t]*)?")
"""A line without text: quote marks, an empty item, a comment."""
_ITEM_MARK = re.compile(r"[ \t>]*(?:[-*+•▪]|[0-9]{1,3}[.)])[ \t]")
"""How a line begins that a reader takes for an item, whether or not it is one to Markdown."""


def _numbered(body: str) -> Iterator[tuple[int, int, int]]:
    """Each line that is not blank: its number from 0, and its range."""
    number = at = 0
    for match in _LINE.finditer(body):
        number += match.start() - at  # between two lines there are only line breaks
        at = match.end()
        yield number, match.start(), match.end()


def body_lines(body: str, content: Content) -> list[Range]:
    """The lines that are not blank, without the white space around them.

    Fences, rules, delimiter rows, underlines of headings, lone list and quote marks are none; `---` is always a rule.
    """
    found = []
    for number, start, end in _numbered(body):
        line = body[start:end]
        if number in content.mark_lines or _BARE.fullmatch(line) or _DASHES.fullmatch(line):
            continue
        found.append((start + len(line) - len(line.lstrip()), start + len(line.rstrip())))
    return found


def item_like_lines(body: str, content: Content) -> list[Range]:
    """The lines outside code that begin with a list mark and a space, rules excepted."""
    code = [first for first, _ in content.code_lines]
    found = []
    for number, start, end in _numbered(body):
        if number in content.mark_lines or not _ITEM_MARK.match(body, start, end):
            continue
        inside = bisect_right(code, number) - 1
        if inside < 0 or content.code_lines[inside][1] < number:
            found.append((start, end))
    return found

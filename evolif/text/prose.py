"""What a text says in its own words: its blocks without code, and without what it quotes.

What is left out is replaced by as many blanks, so that places in a block stay the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from evolif.text.blocks import Block, Range

_CLOSERS = {
    **{mark: re.compile(closer) for mark, closer in zip('“«»‹「『"', '”»«›」』"', strict=True)},
    "„": re.compile("[“”]"),
    "〝": re.compile("[〞〟]"),
    "‘": re.compile(r"’(?![^\W_])"),  # not the apostrophe inside a word
    "'": re.compile(r"'(?![^\W_])"),
}
_ADDRESS = re.compile(r"(?:https?://|www\.)\S++|(?<!\S)[^\s@]++@[^\s@]++")
_OPENERS = re.compile("[“„«»‹「『〝‘\"']")


def without_code(block: Block) -> str:
    """The block's text without code."""
    return _blank(block.text, [(0, len(block.text))] if block.kind == "code" else block.code)


def without_addresses(text: str) -> str:
    """The text without URLs and addresses of e-mail."""
    return _ADDRESS.sub(lambda match: " " * len(match.group()), text) if "." in text or "@" in text else text


def without_quotations(text: str) -> str:
    """The text of a block without what stands between quotation marks; one that is never closed opens nothing.

    >>> without_quotations('“I won,” she said.')
    '         she said.'
    """
    return _blank(text, quotations(text))


def quotations(text: str) -> list[Range]:
    """The outermost quotations of a block's text, marks included.

    A straight mark opens only where no letter or digit stands before it (5" is a length), and a straight or curly
    apostrophe inside a word closes nothing.
    """
    found: list[Range] = []
    unclosed: set[str] = set()
    at = 0
    while match := _OPENERS.search(text, at):
        start, mark = match.start(), match.group()
        at = start + 1
        if mark in unclosed or not _opens(mark, text, start):
            continue
        closer = _CLOSERS[mark].search(text, at)
        if closer is None:
            unclosed.add(mark)
            continue
        at = closer.end()
        found.append((start, at))
    return found


def _opens(mark: str, text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if mark in "\"'":
        return not before.isalnum() and bool(after) and not after.isspace()
    return mark != "»" or (not before.isalnum() and not after.isspace())


def _blank(text: str, ranges: Iterable[Range]) -> str:
    parts, at = [], 0
    for start, end in ranges:
        parts += [text[at:start], " " * (end - start)]
        at = end
    return "".join((*parts, text[at:])) if parts else text

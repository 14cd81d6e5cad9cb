"""Brackets inside sentences (edition 2): what stands in them ends no sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BRACKET = re.compile(r"[()\n]")
_ALNUM = re.compile(r"[^\W_]")
_CLOSERS = frozenset("\"'”’»)]}*_」』）》】")
_OPENERS = "\"'“‘«([{*_"
_WINDOW = 64
"""Characters behind an end in which the next letter is looked for; the bound keeps the time linear in the text."""


def without_inner_ends(text: str, ends: Iterable[int]) -> list[int]:
    """The ends of sentences without those inside brackets, in order.

    Brackets count that open behind a letter or digit of the same sentence and close on the same line. A mark right
    before the closing one still ends a sentence if a capital follows: “He left (why?) She stayed.”

    Args:
        text: One block.
        ends: Where sentences would end, each behind its mark and the closing signs after it.
    """
    pairs = _pairs(text)
    kept: list[int] = []
    opened = 0  # pairs looked at
    closing = -1  # where the bracket closes that holds everything up to there
    searched, started = 0, False  # up to where a letter or digit of the present sentence was looked for, and found
    for end in sorted(ends):
        mark = _mark_end(text, end)
        while opened < len(pairs) and pairs[opened][0] < mark:
            opens, closes = pairs[opened]
            opened += 1
            if opens < searched or opens < closing:
                continue
            started = started or _ALNUM.search(text, searched, opens) is not None
            searched = opens
            if started:
                closing = closes
        if mark <= closing and not (mark == closing and _capital_follows(text, end)):
            continue
        kept.append(end)
        searched, started = end, False
    return kept


def _pairs(text: str) -> list[tuple[int, int]]:
    """Where each bracket opens and closes, by where it opens; one that is not closed on its line is none."""
    found, open_ = [], []
    for match in _BRACKET.finditer(text):
        sign = match.group()
        if sign == "(":
            open_.append(match.start())
        elif sign == "\n":
            open_.clear()
        elif open_:
            found.append((open_.pop(), match.start()))
    return sorted(found)


def _mark_end(text: str, end: int) -> int:
    """Where the mark ends that the closing signs before `end` follow."""
    while end and text[end - 1] in _CLOSERS:
        end -= 1
    return end


def _capital_follows(text: str, end: int) -> bool:
    return text[end : end + _WINDOW].lstrip().lstrip(_OPENERS)[:1].isupper()

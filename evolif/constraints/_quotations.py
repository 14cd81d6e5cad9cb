"""Does a quotation open (or close) a block, and does its partner stand in the same block?"""

from __future__ import annotations


def _inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()


def _is_mark(text: str, at: int, mark: str) -> bool:
    """An apostrophe inside a word is no quotation mark."""
    return text[at] == mark and not (mark in "'’" and _inside_word(text, at))


def closing_of(text: str, left: str, right: str) -> int | None:
    """Where the quotation that `text` starts with is closed; None where it is not, or holds only white space."""
    if not text.startswith(left):
        return None
    depth = 1
    for at in range(1, len(text)):
        if _is_mark(text, at, right):
            depth -= 1
            if not depth:
                return at if text[1:at].strip() else None
        elif left != right and text[at] == left:
            depth += 1
    return None


def opening_of(text: str, left: str, right: str) -> int | None:
    """Where the quotation that `text` ends with is opened; the mirror of `closing_of`."""
    if not text.endswith(right):
        return None
    depth = 1
    for at in range(len(text) - 2, -1, -1):
        if _is_mark(text, at, left):
            depth -= 1
            if not depth:
                return at if text[at + 1 : -1].strip() else None
        elif left != right and right != "’" and _is_mark(text, at, right):
            depth += 1  # but “the boys’ toys” may stand in ‘…’: that mark may also be an apostrophe
    return None

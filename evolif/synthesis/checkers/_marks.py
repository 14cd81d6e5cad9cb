"""Finds punctuation marks that a query speaks of, by name or shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from evolif.constraints import get_group
from evolif.synthesis.checkers._cues import heard, whole_words
from evolif.synthesis.checkers._shadow import Query

_EVERYDAY = frozenset(".,:;!?'\"()-/%&@#*_`+=<>$^~|\\")
_CALLED = re.compile(r"\s(?:mark|sign|symbol|character)(?!\w)")
_CALLED_BEFORE = re.compile(r"(?<!\w)(?:mark|sign|symbol|character)\s$")
_NEEDS_NAME = frozenset("-—&*#")
"""Between blanks these may be used and not spoken of: a dash, a list marker."""
_AROUND = frozenset({(" ", " "), ("(", ")"), ("“", "”"), ("'", "'"), ('"', '"'), (" ", ""), ("‘", "’"), ("`", "`")})


def marks_in(query: Query) -> Iterator[tuple[str, int, int]]:
    """Marks that the query names or shows, with their places, in order; a longer name wins over one that it holds."""
    spans: set[tuple[str, int, int]] = set()
    for mark, pattern in _names().items():
        spans.update((mark, *m.span()) for m in pattern.finditer(query.shadow))
    for q in query.quotations:
        if len(q.text) == 1 and not (q.text.isalnum() or q.text == "_"):
            spans.add((q.text, q.start, q.end))
    for at, char in enumerate(query.text):
        if _stands_alone(query.text, at) if char in _EVERYDAY else char in _names():
            spans.add((char, at, at + 1))
    outer = (-1, -1)  # the longest so far of those that reach furthest
    for mark, start, end in sorted(spans, key=lambda span: (span[1], -span[2])):
        if not (outer[1] > end or (outer[1] == end and outer[0] < start)):
            yield mark, start, end
        if end > outer[1]:
            outer = (start, end)


def _stands_alone(text: str, at: int) -> bool:
    """A mark between blanks or brackets is spoken of, not used."""
    if text[at] in _NEEDS_NAME:
        return _CALLED.match(text, at + 1) is not None or _CALLED_BEFORE.search(text, max(0, at - 12), at) is not None
    return (text[at - 1 : at], text[at + 1 : at + 2]) in _AROUND


@lru_cache(maxsize=1)
def _names() -> Mapping[str, re.Pattern[str]]:
    """The names of each mark: those of its pool, and those that are only heard."""
    vocabulary, pool = heard("punctuation"), get_group("punctuation").data["pool"]
    named: dict[str, list[str]] = {}
    for mark, name in [*pool["include"], *pool["exclude"]]:
        named.setdefault(mark, []).append(re.escape(name).replace(r"\ ", " ").replace(r"\-", "-?") + "(s|es)?")
    for mark in vocabulary.keys("marks"):
        named.setdefault(mark, []).extend(vocabulary.fragments("marks", mark))
    return {mark: whole_words(names) for mark, names in named.items()}

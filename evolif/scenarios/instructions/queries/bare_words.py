"""Finds words that a query speaks of without quotation marks and that are no keywords: `don't mention jam or jelly`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from evolif.scenarios.instructions.queries.numbers import find_counts
from evolif.scenarios.instructions.queries.polarity import ValueMention
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import cues
from evolif.util.resources import data_path

_WORD = r"[^\W\d_][\w'-]{1,30}"
_FIRST = re.compile(rf"\s{{1,4}}({_WORD})")
_NEXT = re.compile(
    rf"(?:\s{{0,4}},)?\s{{1,4}}(?:or|and|nor|n|&)\s{{1,4}}({_WORD})|\s{{0,4}},\s{{1,4}}({_WORD})(?=,|\s(?:or|and|nor)\s)"
)
_END = re.compile(r"\s{0,4}(?:[.!?;:,)]|$)")
_OUT = re.compile(rf"\s{{1,4}}({_WORD})\s{{1,4}}out\s{{1,4}}of\s(?:it|this|that|there|the|your)(?!\w)")
_MOST = 5
"""Words of a list that are read."""
_BEFORE_COUNT = 80
"""Characters before a count in which its verb may stand."""


def unquoted_words(query: Query) -> list[ValueMention]:
    """Words behind `don't mention` or `the word`, and between `say` and `twice`; in order, not overlapping.

    Args:
        query: The query.
    """
    return list(_unquoted(query))


def words_behind(query: Query, *path: str) -> Iterator[ValueMention]:
    """The words that follow a frame, and those that are listed with them.

    Args:
        query: The query.
        path: The keys that lead to the frames among the general cues.
    """
    for frame in cues().anywhere(*path).finditer(query.shadow):
        yield from _listed(query, frame.end())


def word_before(query: Query, at: int) -> ValueMention | None:
    """The word between a verb and a place: `say jam` before `twice`.

    Args:
        query: The query.
        at: The place.
    """
    before = cues().framed("unquoted", "verb", right=rf" (?P<word>{_WORD})( <before_count>){{0,2}}( )?$")
    found = before.search(query.shadow, max(0, at - _BEFORE_COUNT), at) or _opening(query, at)
    return None if found is None or _is_common(query, *found.span("word")) else _mention(query, *found.span("word"))


def _opening(query: Query, at: int) -> re.Match[str] | None:
    """`Jam exactly` before `twice`, at the start of a clause."""
    stands = cues().framed("unquoted", "stands", left=rf"(?P<word>{_WORD}) ", right="( )?$")
    found = stands.search(query.shadow, max(0, at - _BEFORE_COUNT), at)
    opens = found and _OPENS.search(query.shadow, max(0, found.start("word") - 8), found.start("word"))
    return found if opens else None


_OPENS = re.compile(r"(?:^|[.!?;:,(]\s{0,4}|\n\s{0,4}|(?<!\w)(?:and|plus|also)\s{1,4})$")


@lru_cache(maxsize=64)
def _unquoted(query: Query) -> tuple[ValueMention, ...]:
    counted = (word_before(query, count.start) for count in find_counts(query))
    named = (*words_behind(query, "unquoted", "before"), *_kept_out(query))
    found = {m.start: m for m in (*counted, *named) if m is not None}
    return tuple(found[start] for start in sorted(found))


def _kept_out(query: Query) -> Iterator[ValueMention]:
    """`leave jam out of it`."""
    for verb in cues().anywhere("unquoted", "kept_out").finditer(query.shadow):
        word = _OUT.match(query.shadow, verb.end())
        if word and not _is_common(query, *word.span(1)):
            yield _mention(query, *word.span(1))


def _listed(query: Query, at: int) -> Iterator[ValueMention]:
    word = _FIRST.match(query.shadow, at)
    for _ in range(_MOST):
        if word is None:
            return
        start, end = word.span(word.lastindex or 1)
        if _is_common(query, start, end) and not (_is_called(query, at) and _END.match(query.shadow, end)):
            return
        yield _mention(query, start, end)
        word = _NEXT.match(query.shadow, end)


def _is_called(query: Query, at: int) -> bool:
    """Whether a frame ends in `the word`: then any word may follow, if nothing else does."""
    return cues().before("keywords", "called").search(query.shadow, max(0, at - 12), at) is not None


def _mention(query: Query, start: int, end: int) -> ValueMention:
    return ValueMention(start, end, query.text[start:end])


def _is_common(query: Query, start: int, end: int) -> bool:
    """Whether a word is one that texts cannot do without, or names what other groups ask for."""
    other = cues().anywhere("unquoted", "other").fullmatch(query.shadow, start, end)
    return other is not None or query.shadow[start:end] in _function_words()


@lru_cache(maxsize=1)
def _function_words() -> frozenset[str]:
    lines = data_path("seeds", "function-words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())

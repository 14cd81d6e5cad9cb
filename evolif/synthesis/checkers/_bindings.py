"""Binds the counts of a query to the keywords they belong to: `“x” twice, and three times “y”`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evolif.synthesis.checkers._counts import Count, find_counts
from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._roles import Role, role_of
from evolif.synthesis.checkers._shadow import MASK, Query
from evolif.synthesis.checkers._stance import Mention

_LIST = re.compile(
    r"[\s,&\"'“”‘’`]{0,8}(?:(?:and|or|plus|as\s+well\s+as|the|words?|terms?|phrases?|keywords?|both|also)[\s,\"'“”‘’`]{0,8}){0,6}"
)
_OPENED = re.compile(r"\s{0,4}[\"'“‘`]?\s{0,4}")
_STOP = re.compile(r"[.!?;](?:\s|$)|\n")
_CLOSED = rf"[\"'”’{MASK}]\s{{0,4}},?\s{{0,4}}"
_AFTER, _BETWEEN_COUNTS, _FAR_BEFORE, _FAR_BEHIND = 70, 60, 60, 90
"""Characters at most: from a keyword to its count, between two counts of it, to a count that stands far off."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A mention of a keyword with its count, if it has one."""

    mention: Mention
    count: int | None
    exact: bool
    role: Role
    start: int
    end: int
    direct: bool
    """Said right beside the keyword."""


_Pairs = dict[int, list[tuple[Count, bool]]]
"""For every mention its counts, and whether they stand right beside it."""


def bind_counts(query: Query, mentions: Sequence[Mention]) -> list[Bound]:
    """Every mention with the counts that belong to it; one that has several appears several times."""
    counts = [c for c in find_counts(query) if not any(m.start <= c.start < m.end for m in mentions)]
    binder = _Binder(query, mentions, counts)
    binder.leading()
    binder.following()
    binder.shared()
    binder.from_afar()
    return [bound for i, mention in enumerate(mentions) for bound in _bounds(query, mention, binder.pairs[i])]


class _Binder:
    """Hands out the counts, each once, in the order of the methods: what stands nearest first."""

    def __init__(self, query: Query, mentions: Sequence[Mention], counts: Sequence[Count]) -> None:
        self._query = query
        self._mentions = mentions
        self._free = {c.start: c for c in counts}
        self.pairs: _Pairs = {i: [] for i in range(len(mentions))}

    def _bind(self, i: int, count: Count, direct: bool) -> None:
        self.pairs[i].append((count, direct))
        self._free.pop(count.start, None)

    def leading(self) -> None:
        """`three uses of “x”`."""
        for i, mention in enumerate(self._mentions):
            left = [c for c in self._free.values() if c.end <= mention.start]
            if left and _is_adjacent(self._query, left[-1], mention):
                self._bind(i, left[-1], True)

    def following(self) -> None:
        """`“x” exactly twice`, `“x” from three times to five`."""
        for i, mention in enumerate(self._mentions):
            stop = self._mentions[i + 1].start if i + 1 < len(self._mentions) else len(self._query.text)
            for count in list(self._free.values()):
                if not mention.end <= count.start < stop or not _reaches(self._query, mention.end, count.start):
                    continue
                if not self.pairs[i] or _stands_against(self._query, self.pairs[i][-1][0], count):
                    self._bind(i, count, True)

    def shared(self) -> None:
        """A list with one count at its end: `“x” and “y” twice each`."""
        for i in range(len(self._mentions) - 2, -1, -1):
            behind = self.pairs[i + 1]
            if not self.pairs[i] and behind and self._listed(i) and behind[-1][0].start > self._mentions[i + 1].start:
                self.pairs[i] = [(count, False) for count, _ in behind]

    def from_afar(self) -> None:
        """A count that leads a list, or stands far off in the same sentence: `mention twice the words “x” and “y”`."""
        for i, mention in enumerate(self._mentions):
            if self.pairs[i]:
                continue
            before = self.pairs[i - 1] if i else []
            if before and self._listed(i - 1) and before[-1][0].end <= self._mentions[i - 1].start:
                self.pairs[i] = [(count, False) for count, _ in before]
                continue
            count = self._in_sentence(mention)
            if count is not None:
                self._bind(i, count, False)

    def _listed(self, i: int) -> bool:
        """Whether a mention and the next one form a list."""
        gap = self._query.low[self._mentions[i].end : self._mentions[i + 1].start]
        return _LIST.fullmatch(gap) is not None

    def _in_sentence(self, mention: Mention) -> Count | None:
        low, high = self._query.sentence(mention.start)
        free = self._free.values()
        left = [c for c in free if low <= c.start and 0 <= mention.start - c.end <= _FAR_BEFORE]
        right = [c for c in free if c.start < high and 0 <= c.start - mention.end <= _FAR_BEHIND]
        return left[-1] if left else right[0] if right else None


def _is_adjacent(query: Query, count: Count, mention: Mention) -> bool:
    gap = query.shadow[count.end : mention.start]
    if not cues().anywhere("counts", "named").search(query.shadow, count.start, count.end):
        return _linked("bare_link").fullmatch(gap) is not None
    if cues().anywhere("counts", "of").search(gap):
        return _linked("link").fullmatch(gap) is not None
    # "use “a” twice “b” once": without `of` the count may belong to what stands before it
    word = cues().framed("counts", "word_link", left="( )?", right="( )?[\"'“‘`]?")
    return (word.fullmatch(gap) or _OPENED.fullmatch(gap)) is not None and _opens(query, count)


def _linked(key: str) -> re.Pattern[str]:
    lead = "( )?" + (r"(<lead> )?" if key == "link" else "") + "("
    return cues().framed("counts", key, left=lead, right="( )?){0,6}[\"'“‘`:]?( )?")


def _opens(query: Query, count: Count) -> bool:
    """No keyword stands right before the count."""
    before = query.shadow[max(0, count.start - 20) : count.start]
    return not cues().framed("counts", "exact", left=f"{_CLOSED}(", right=" )?$").search(before)


def _reaches(query: Query, start: int, end: int) -> bool:
    return end - start <= _AFTER and not _STOP.search(query.shadow[start:end])


def _stands_against(query: Query, first: Count, second: Count) -> bool:
    """Whether a second count stands against the first: `three times instead of five`, `from three to five`."""
    gap = query.shadow[first.end : second.start]
    return len(gap) <= _BETWEEN_COUNTS and cues().anywhere("counts", "against", marks="→").search(gap) is not None


def _bounds(query: Query, mention: Mention, counts: Sequence[tuple[Count, bool]]) -> list[Bound]:
    start, end = mention.start, mention.end
    if not counts:
        return [Bound(mention, None, True, role_of(query, start, end, in_list=True), start, end, True)]
    return [
        Bound(mention, c.value, c.exact, role_of(query, c.start, c.end, in_list=True), c.start, c.end, direct)
        for c, direct in counts
    ]

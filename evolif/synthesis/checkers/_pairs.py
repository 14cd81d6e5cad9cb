"""Finds pairs of quotation marks and brackets, shown or named."""

from __future__ import annotations

from collections.abc import Iterable

from evolif.domain import Params
from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._shadow import Query

PAIRS = "() [] {} 《》 〈〉 「」 『』 （） «» 【】 “” ‘’ '' \"\"".split()

_EVERYDAY = frozenset({"()", "''", '""', "“”", "‘’"})
"""Pairs that a query uses itself; they count only where they are asked for, or by their names."""
_REACH = 90
"""Characters from a left mark to its partner, at most."""


def find_pairs(query: Query, wanted: Iterable[Params]) -> list[tuple[tuple[str, str], int, int]]:
    """Pairs that the query shows or names, with the range from the left to the right one.

    Marks that the query uses itself (its own brackets and quotation marks) count only where they stand alone or quoted.

    Args:
        query: The query.
        wanted: Pairs looked for although they are everyday marks.
    """
    found = []
    asked = {f"{p['left']}{p['right']}" for p in wanted}
    for pair in PAIRS:
        left, right = pair[0], pair[1]
        spans = _named(query, pair)
        if not spans and pair not in _EVERYDAY - asked:
            spans = _shown(query, left, right)
        found += [((left, right), start, end) for start, end in spans]
    return found


def _named(query: Query, pair: str) -> list[tuple[int, int]]:
    """Where a pair is named; a longer name of another pair wins over one that it holds."""
    longer = [m.span() for p in PAIRS if p != pair for m in cues().anywhere("pairs", p).finditer(query.shadow)]
    return [
        m.span()
        for m in cues().anywhere("pairs", pair).finditer(query.shadow)
        if not any(s <= m.start() and m.end() <= e and e - s > m.end() - m.start() for s, e in longer)
    ]


def _shown(query: Query, left: str, right: str) -> list[tuple[int, int]]:
    """Every left mark that stands alone and has its partner, standing alone, behind it."""
    spans = []
    at = _alone(query.text, left, 0)
    while at >= 0:
        partner = _alone(query.text, right, at + 1)
        earlier = _alone(query.text, right, max(0, at - _REACH)) if left != right else -1
        if 0 <= partner - at <= _REACH:
            spans.append((at, partner + 1))
            at = _alone(query.text, left, partner + 1)
        elif 0 <= earlier < at:  # "end with ), opened by ( before"
            spans.append((earlier, at + 1))
            at = _alone(query.text, left, at + 1)
        else:
            at = _alone(query.text, left, at + 1)
    return spans


def _alone(text: str, mark: str, start: int) -> int:
    """The next place where a mark is spoken of and not used: no word touches its inner side."""
    at = text.find(mark, start)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if not after.isalnum() and (mark == "'" or not before.isalnum()):
            return at
        at = text.find(mark, at + 1)
    return -1

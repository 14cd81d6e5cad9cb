"""Which unit a number counts: words, sentences, paragraphs or characters of the answer."""

from __future__ import annotations

import re

from evolif.synthesis.checkers._cues import heard
from evolif.synthesis.checkers._quantities import Quantity
from evolif.synthesis.checkers._shadow import Query

_UNIT = r"(?P<unit>word|sentence|paragraph|character)s?(?!\w)"
_ANY_UNIT = re.compile(rf"(?<!\w){_UNIT}")
_BARE_UNIT = re.compile(rf"[\s-]{{0,4}}{_UNIT}")
_PUNCTUATION = r"[,.;:!?()—–-]|$"
_AHEAD, _BACK, _SHORTLY = 60, 90, 70


def unit_of(query: Query, quantity: Quantity) -> tuple[str, int]:
    """The unit of a number, and where it ends; an empty unit where the number counts something else."""
    rest = query.shadow[quantity.end : quantity.end + _AHEAD]
    after = unit_after(rest)
    if after:
        if _is_of_a_part(query, quantity, rest[after.end() :]):
            return "", 0
        return f"{after['unit']}s", quantity.end + after.end()
    within = _ANY_UNIT.search(query.shadow, quantity.start, quantity.end)
    if within:  # "500 characters to 700"
        return f"{within['unit']}s", quantity.end
    before = heard("length").before("unit_before").search(query.shadow, max(0, quantity.start - _AHEAD), quantity.start)
    named = _ANY_UNIT.match(before.group()) if before else None
    follows = heard("length").framed("after_unit_before", left="( )?(", right=f"|{_PUNCTUATION})")
    return (f"{named['unit']}s", quantity.end) if named and follows.match(rest) else ("", 0)


def unit_after(rest: str) -> re.Match[str] | None:
    """The unit right behind a number, with at most a small word between."""
    filled = heard("length").framed("unit_fill", left=r"[\s-]{0,4}", right=rf"[\s-]{{0,4}}{_UNIT}")
    return _BARE_UNIT.match(rest) or filled.match(rest)


def unit_in(text: str) -> str:
    """The first unit that a text names; empty where it names none."""
    found = _ANY_UNIT.search(text)
    return f"{found['unit']}s" if found else ""


def last_unit(query: Query, at: int) -> str:
    """The unit that was named last, shortly before: `what counts is sentences, exactly 20`."""
    named = list(_ANY_UNIT.finditer(query.shadow, max(0, at - _SHORTLY), at))
    return f"{named[-1]['unit']}s" if named else ""


def _is_of_a_part(query: Query, quantity: Quantity, behind: str) -> bool:
    """`80 words per paragraph` is no length of the answer."""
    vocabulary, start = heard("length"), quantity.start
    if vocabulary.after("each").match(behind):
        return True
    return vocabulary.before("each_before").search(query.shadow, max(0, start - _BACK), start) is not None

"""What a query says of a thing it mentions: that it is wanted now, that it was, or that it is given up."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._shadow import MASK, SENTENCE_END, Query

Role = Literal["new", "was", "old"]
"""`was`: spoken of as what had been asked for; whether it is given up, the rest must tell."""

_MARKS = r"[;:)—–]|,(?!\d)|\s-{1,2}\s"
_LIST_GOES_ON = re.compile(rf"^,\s{{0,4}}(?:(?:and|or|nor)\s+)?(?:(?:the|an?|words?|phrase|term)\s+)*[\"'“‘`]?{MASK}")
_CLOSING = re.compile(r"[\"'”’)\s]{0,8}")
_NEAR = 110
"""Characters behind a thing in which it may be said to be given up."""
_WORDS_BETWEEN = 9
"""Words between a thing and what says that it is given up, at most."""
_LOOK_BACK = 60


def role_of(query: Query, start: int, end: int, *, in_list: bool = False, moved: bool = True) -> Role:
    """Whether what stands at `[start, end)` is wanted, was wanted before, or is given up.

    Args:
        query: The query.
        start: Where the mention starts.
        end: Where it ends.
        in_list: Whether a comma may go on with another value of the same kind.
        moved: Whether `from` before it makes it the old value; `from 8 to 12` may be a range.
    """
    if any(low <= start < high for low, high in given_up(query.shadow, in_list)):
        return "old"
    low, high = query.segment(start)[0], query.segment(max(start, end - 1))[1]
    rest = query.shadow[end : max(high, end)]
    if lifted_after(rest) or _thrown_out(query, end) or _stands_against(query.shadow, low, start, moved):
        return "old"
    former = cues().anywhere("was").search(query.shadow, low, start)
    if former and not cues().anywhere("zone", "goes_on").search(query.shadow, former.end(), start):
        return "was"
    return "was" if _was_behind(rest) else "new"


def _thrown_out(query: Query, end: int) -> bool:
    """`“x” out, “y” in`."""
    closed = _CLOSING.match(query.shadow, end)
    return cues().after("zone", "out").match(query.shadow, closed.end() if closed else end) is not None


def _stands_against(shadow: str, low: int, start: int, moved: bool) -> bool:
    """Behind `than`, or behind `from` where that names the old value."""
    low = max(low, start - _LOOK_BACK)
    than, origin = cues().before("zone", "than"), cues().before("zone", "from")
    return than.search(shadow, low, start) is not None or (moved and origin.search(shadow, low, start) is not None)


def lifted_after(rest: str) -> bool:
    """Whether the words right behind a mention say that it is given up."""
    found = cues().anywhere("lifted_after").search(rest[:_NEAR])
    if found is None:
        return False
    gap = rest[: found.start()]
    return (
        len(gap.split()) <= _WORDS_BETWEEN
        and not cues().anywhere("zone", "not_behind").search(gap)
        and not and_verb().search(rest[: found.start() + 20])
    )


def _was_behind(rest: str) -> bool:
    """Whether the words right behind say that it was wanted before; another value between them makes it that one's."""
    found = cues().anywhere("was_after").search(rest[:80])
    gap = rest[: found.start()] if found else ""
    return found is not None and len(gap.split()) <= 5 and not cues().anywhere("zone", "turns").search(gap)


def and_verb() -> re.Pattern[str]:
    """`and` with the verb of a new demand."""
    return cues().anywhere("zone", "and")


def given_up(shadow: str, in_list: bool = False) -> tuple[tuple[int, int], ...]:
    """The ranges of a query that speak of what is replaced or lifted: from a cue to where the new begins."""
    return replaced(shadow, in_list) + lifted(shadow, in_list)


@lru_cache(maxsize=256)
def replaced(shadow: str, in_list: bool = False) -> tuple[tuple[int, int], ...]:
    """The ranges that speak of what something else takes the place of."""
    return tuple(
        (cue.start(), _zone_end(shadow, cue.end(), in_list, key if key != "any" else ""))
        for key in cues().keys("instead")
        for cue in cues().anywhere("instead", key).finditer(shadow)
    ) + tuple((cue.end(), _zone_end(shadow, cue.end(), in_list)) for cue in cues().anywhere("over").finditer(shadow))


@lru_cache(maxsize=256)
def lifted(shadow: str, in_list: bool = False) -> tuple[tuple[int, int], ...]:
    """The ranges that speak of what is lifted, dropped, no longer needed."""
    denied = cues().before("zone", "denied")
    return tuple(
        (cue.start(), _zone_end(shadow, cue.end(), in_list, r"in\s+favou?r\s+of"))
        for cue in cues().anywhere("lift").finditer(shadow)
        if not denied.search(shadow, max(0, cue.start() - 20), cue.start())  # "don't drop the bullets"
    )


def _zone_end(shadow: str, start: int, in_list: bool, connectors: str = "") -> int:
    """Where the talk of the old ends: at a boundary, at `and` with a verb, at a bare imperative, at a connector."""
    sentence = SENTENCE_END.search(shadow, start)
    end = sentence.start() if sentence else len(shadow)
    ends = [end]
    for boundary in cues().anywhere("zone", "ends", marks=_MARKS).finditer(shadow, start, end):
        at = boundary.start()
        if not (in_list and boundary.group() == "," and _LIST_GOES_ON.match(shadow[at : at + 40])):
            ends.append(at)
            break
    joined = and_verb().search(shadow, start, end)
    if joined:
        ends.append(joined.start())
    linked = _connector(connectors).search(shadow, start, end) if connectors else None
    if linked:
        ends.append(linked.start())
    imperative = _imperative(shadow, start, min(ends))
    return min(ends) if imperative is None else imperative


def _imperative(shadow: str, start: int, end: int) -> int | None:
    """Where a verb stands that is plainly a new demand: `instead of bullets use …`."""
    no_imperative = cues().before("zone", "no_imperative", marks="[\"'”’,]")
    for verb in cues().anywhere("zone", "imperative").finditer(shadow, start + 1, end):
        at = verb.start()
        if shadow[start:at].strip() and not no_imperative.search(shadow, max(start, at - _LOOK_BACK), at):
            return at
    return None


@lru_cache(maxsize=8)
def _connector(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)")

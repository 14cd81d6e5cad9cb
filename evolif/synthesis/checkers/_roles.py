"""What a query says of a thing it mentions: that it is wanted now, that it was, or that it is given up."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from evolif.synthesis.checkers._cues import cue_keys, cue_pattern
from evolif.synthesis.checkers._shadow import MASK, SENTENCE_END, Query

Role = Literal["new", "was", "old"]
"""`was`: spoken of as what had been asked for; whether it is given up, the rest must tell."""

_BOUNDARY = re.compile(
    r"[;:)—–]|,(?!\d)|\s-{1,2}\s|(?<!\w)(?:but|so|because|since|please|let's|let\s+us|could\s+(?:you|we)|can\s+(?:you|we)"
    r"|would\s+you|will\s+you|i'd|i\s+want|i\s+need|i\s+would|now|then|this\s+time|from\s+now|in\s+favou?r\s+of|going\s+forward"
    r"|while|whereas|though|instead(?!\s+of))(?!\w)"
)
_VERBS = (
    r"(?:use|make|write|give|have|go|start|begin|open|end|close|finish|conclude|include|put|keep|aim|answer|reply|respond"
    r"|return|deliver|switch|shoot|stick|set|limit|restrict|format|produce|let|turn|target|wrap|lead|kick|add|insert|mention"
    r"|work|ask|do|get|avoid|address|pitch|gear|tailor|adopt|sound|swap|replace|substitute|redo|rewrite|try|show|run|send|place|highlight|mark|ensure|compose|provide|prepare|confine|choose|divide|supply|furnish|employ|commence|arrange|see|take|leave)"
)
AND_VERB = re.compile(
    rf"(?<!\w)and\s+(?:(?:instead|just|simply|please|also|then|rather|kindly|now)\s+)*(?={_VERBS}(?!\w))"
)
_BARE_VERB = re.compile(
    r"(?<!\w)(?:use|make|write|give|have|go|start|begin|end|include|put|keep|deliver|switch|shoot|stick|produce|turn|try|insert|add|adopt)(?!\w)"
)
_NO_IMPERATIVE = re.compile(
    r"(?:\b(?:to|of|all|both|they|who|should|must|would|could|can|you|it|that|which|not|than|will|may|have|i|we|an?|the|for|response|answer"
    r"|reply|text|and|or|in|with|at|on|by|about|over|every|each|no|this|my|your|its|word|letter|emoji)|n't|[\"'”’,])\s*$"
)
_LIST_GOES_ON = re.compile(rf"^,\s{{0,4}}(?:(?:and|or|nor)\s+)?(?:(?:the|an?|words?|phrase|term)\s+)*[\"'“‘`]?{MASK}")
_GOES_ON = re.compile(r"(?<!\w)(?:and|but|so|also|now|then|please|becomes?|should|must|turns?)(?!\w)")
_DENIED = re.compile(r"(?:\bnot|n't|\bnever|\bwithout)(?:\s+\w+)?\s+$")


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
    low, high = query.segment(start)
    rest = query.shadow[end : max(high, end)]
    if lifted_after(rest) or _OUT.match(rest) or _THAN.search(query.shadow, low, start) or (moved and _FROM.search(query.shadow, low, start)):
        return "old"
    former = cue_pattern("was").search(query.shadow, low, start)
    if (former and not _GOES_ON.search(query.shadow, former.end(), start)) or _was_behind(rest):
        return "was"
    return "new"


_OUT = re.compile(r"[\"'”’)\s]*\s+out\s*(?:[,;.]|$|and\b)")
_THAN = re.compile(
    r"(?<!\w)than\s+(?:(?:the|that|those|an?|with|in|for)\s+){1,2}(?:(?:letter|word|emoji|mark|quotation|format|keyword|current|old)\s+)?[\"'“‘]?$"
    r"|(?<!less )(?<!more )(?<!fewer )(?<!longer )(?<!shorter )(?<!greater )(?<!lower )(?<!higher )(?<!smaller )(?<!larger )than\s+[\"'“‘]?$"
)
_FROM = re.compile(
    r"(?<!\w)(?<!away )(?<!free )(?<!apart )(?<!aside )(?:from|out\s+of)\s+(?:(?:the|an?|all|exactly|precisely|under|over|above|below|less|fewer|more|than"
    r"|about|around|roughly|its|my|our|your|being|letter|emoji|word|format|present|current|old|at|most|least|between)\s+){0,4}[\"'“‘]?$"
)


def lifted_after(rest: str) -> bool:
    """Whether the words right behind a mention say that it is given up."""
    return _behind(rest, cue_pattern("lifted_after"))


def _was_behind(rest: str) -> bool:
    """Whether the words right behind say that it was wanted before; another value between them makes it that one's."""
    found = cue_pattern("was_after").search(rest[:80])
    gap = rest[: found.start()] if found else ""
    return (
        found is not None
        and len(gap.split()) <= 5
        and not re.search(r"(?<!\w)(?:over|instead|than|not|but|so|and|rather|where)(?!\w)", gap)
    )


def _behind(rest: str, cues: re.Pattern[str]) -> bool:
    found = cues.search(rest[:110])
    if found is None:
        return False
    gap = rest[: found.start()]
    return (
        len(gap.split()) <= 9
        and not re.search(r"(?<!\w)(?:but|so|and\s+not)(?!\w)", gap)
        and not AND_VERB.search(rest[: found.start() + 20])
    )


def given_up(shadow: str, in_list: bool = False) -> tuple[tuple[int, int], ...]:
    """The ranges of a query that speak of what is replaced or lifted: from a cue to where the new begins."""
    return replaced(shadow, in_list) + lifted(shadow, in_list)


@lru_cache(maxsize=256)
def replaced(shadow: str, in_list: bool = False) -> tuple[tuple[int, int], ...]:
    """The ranges that speak of what something else takes the place of."""
    return tuple(
        (cue.start(), _zone_end(shadow, cue.end(), in_list, key if key != "any" else ""))
        for key in cue_keys("instead")
        for cue in cue_pattern("instead", key).finditer(shadow)
    ) + tuple((cue.end(), _zone_end(shadow, cue.end(), in_list, "")) for cue in cue_pattern("over").finditer(shadow))


@lru_cache(maxsize=256)
def lifted(shadow: str, in_list: bool = False) -> tuple[tuple[int, int], ...]:
    """The ranges that speak of what is lifted, dropped, no longer needed."""
    zones = []
    for cue in cue_pattern("lift").finditer(shadow):
        if not _DENIED.search(shadow, max(0, cue.start() - 20), cue.start()):  # "don't drop the bullets"
            zones.append((cue.start(), _zone_end(shadow, cue.end(), in_list, r"in\s+favou?r\s+of")))
    return tuple(zones)


def _zone_end(shadow: str, start: int, in_list: bool, connectors: str) -> int:
    """Where the talk of the old ends: at a boundary, at `and` with a verb, at a bare imperative, at a connector."""
    sentence = SENTENCE_END.search(shadow, start)
    ends = [sentence.start() if sentence else len(shadow)]
    for boundary in _BOUNDARY.finditer(shadow, start, ends[0]):
        at = boundary.start()
        if not (in_list and boundary.group() == "," and _LIST_GOES_ON.match(shadow[at : at + 40])):
            ends.append(at)
            break
    joined = AND_VERB.search(shadow, start, ends[0])
    if joined:
        ends.append(joined.start())
    linked = re.compile(rf"(?<!\w)(?:{connectors})(?!\w)").search(shadow, start, ends[0]) if connectors else None
    if linked:
        ends.append(linked.start())
    for verb in _BARE_VERB.finditer(shadow, start + 1, min(ends)):
        if shadow[start : verb.start()].strip() and not _NO_IMPERATIVE.search(shadow, start, verb.start()):
            ends.append(verb.start())
            break
    return min(ends)

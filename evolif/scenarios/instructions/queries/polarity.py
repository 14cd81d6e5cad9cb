"""Whether a query wants a keyword or a mark in the answer, out of it, or no longer minds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from evolif.scenarios.instructions.queries.reading import MASK, SENTENCE_END, Query
from evolif.scenarios.instructions.queries.vocabulary import cues

# What a query says of a thing it mentions: that it is wanted now, that it was, or that it is given up.

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
    if any(low < start < high for low, high in given_up(query.shadow, in_list)):
        return "old"
    low, high = query.segment(start)[0], query.segment(max(start, end - 1))[1]
    rest = query.shadow[end : max(high, end)]
    if lifted_after(rest) or _thrown_out(query, end) or _stands_against(query.shadow, low, start, moved):
        return "old"
    former = cues().anywhere("was").search(query.shadow, low, start)
    if former and cues().anywhere("wished").search(query.shadow, low, start):
        former = None  # "I'd rather the capitals were at 20 %"
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
    if found.group() == "off" and cues().anywhere("zone", "not_off").search(gap):
        return False
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


Stance = Literal["require", "forbid", "lift", "none"]

_REACH = 120
"""Characters between a cue and what it governs, at most."""
_LATER = 200
"""Characters behind a thing in which the next sentence may forbid it."""
_BOUNDARY = r"[;:(]|,(?!\d)|[—–]|\s-{1,2}\s"
_WORDS = re.compile(rf"[\"'”’)\s]{{0,8}}(?:(?!(?:but|so|and)\b)[\w'{MASK}-]{{1,40}},?\s{{1,4}}){{0,6}}")
"""What may part a thing from what is said of it."""
_NO_QUOTES = str.maketrans(dict.fromkeys("\"'“”‘’`", " "))


@dataclass(frozen=True, slots=True)
class ValueMention:
    """A value where the query names it."""

    start: int
    end: int
    value: str


def in_lists(query: Query, mentions: Sequence[ValueMention], between: re.Pattern[str]) -> list[list[ValueMention]]:
    """Neighbouring mentions that are listed together.

    Args:
        query: The query.
        mentions: In the order of the query, not overlapping.
        between: What may stand between two members of one list, quotation marks apart.
    """
    lists: list[list[ValueMention]] = []
    for mention in mentions:
        gap = query.low[lists[-1][-1].end : mention.start] if lists else ""
        if lists and between.fullmatch(gap.translate(_NO_QUOTES)):
            lists[-1].append(mention)
        else:
            lists.append([mention])
    return lists


def stance_of(query: Query, start: int, end: int, *, near: bool = False) -> Stance:
    """What the query wants of the thing, or the list of things, at `[start, end)`.

    Args:
        query: The query.
        start: Where the thing, or the first of the list, starts.
        end: Where the thing, or the last of the list, ends.
        near: Look no further back than the last mark (comma, colon, dash).
    """
    low, high = query.sentence(start)
    high = max(high, end)
    before = _before(query.shadow[max(low, start - 2 * _REACH) : start], near=near)
    clause = _clause(query.shadow[end:high])
    after, said = _after(clause)
    opposite = _elliptical(query.shadow[low:start], clause)
    if opposite != "none":
        return opposite
    if after == "lift":
        refused = cues().anywhere("stance", "refused").search(said)  # "… and don't let it back in"
        if (
            refused
            or _none_allowed(query.shadow[low:start], said)
            or (_may(said) and cues().before("stance", "neither").search(query.shadow, low, start))
            or (before == "forbid" and cues().anywhere("stance", "if").search(said))
        ):
            return "forbid"  # "put no colons in even if you feel like it"
    if (
        after == "none"
        and before in ("none", "require")
        and not near
        and _forbidden_later(query.shadow[end : end + _LATER])
    ):
        return "forbid"
    if after == "none" and before != "forbid" and _lifted_later(query.shadow[end : end + _LATER]):
        return "lift"
    if after == "lift" or before == "lift" or (before != "forbid" and _again(query.shadow[end:high])):
        return "lift"
    if after == "forbid":
        # `don't leave “x” out`: the particle belongs to the verb that is denied
        double = cues().before("stance", "double").search(query.shadow, low, start)
        return "require" if before == "forbid" and double else "forbid"
    if after == "require" and before == "forbid":
        # "“x” will not be wanted after all, and that “y” is needed in its stead"
        return "require" if _before(query.shadow[max(low, start - 2 * _REACH) : start], near=True) == "none" else before
    return after if before == "none" else before


def _may(said: str) -> bool:
    return cues().anywhere("stance", "may").search(said) is not None


def _none_allowed(earlier: str, said: str) -> bool:
    """`no commas are allowed`."""
    allowed = cues().anywhere("stance", "allowed").search(said)
    return allowed is not None and cues().before("stance", "none_of").search(earlier) is not None


def _after(clause: str) -> tuple[Stance, str]:
    """The stance that the words behind a thing tell, and those words."""
    cue = cues().anywhere("stance", "after").search(clause)
    if cue is None or not _WORDS.fullmatch(clause, 0, cue.start()):
        return "none", ""
    return _STANCES[cue.lastgroup or ""], clause[: cue.end()]


def _elliptical(earlier: str, clause: str) -> Stance:
    """`full stops are fine again, colons are not`: the opposite of what is said of the thing before."""
    if not cues().framed("stance", "ellipsis", left=r"[\"'”’)\s]{0,8}", right=r"\W{0,4}$").match(clause):
        return "none"
    kinds = [cue.lastgroup for cue in cues().anywhere("stance", "after").finditer(earlier)]
    return _OPPOSITES.get(kinds[-1] or "", "none") if kinds else "none"


_OPPOSITES: dict[str, Stance] = {"lift": "forbid", "forbid": "lift"}
_STANCES: dict[str, Stance] = {"lift": "lift", "forbid": "forbid", "require": "require"}


def _again(rest: str) -> bool:
    cue = cues().anywhere("stance", "again").search(rest[:_REACH])
    return cue is not None and _AGAIN_GAP.fullmatch(rest, 0, cue.start()) is not None


_AGAIN_GAP = re.compile(rf"[\"'”’)\s]{{0,8}}(?:[\w{MASK}]{{1,40}}\s{{1,4}}){{0,3}}")


def _forbidden_later(rest: str) -> bool:
    """Whether what follows forbids the things that were only named: `“x” and “y”: I don't want to read them`."""
    if cues().after("stance", "joins").match(rest):
        return True
    cue = cues().anywhere("stance", "forbid_later").search(rest)
    fill = cues().framed("stance", "later_fill", left=r"[^.!?;]{0,80}([.:;,!?]{1,3}\s|\s)(", right=",? ){0,4}")
    return cue is not None and fill.fullmatch(rest, 0, cue.start()) is not None


def _lifted_later(rest: str) -> bool:
    """Whether what follows allows the things that were only named: `“x”? Use it if you like`."""
    cue = cues().anywhere("stance", "lift_later").search(rest)
    fill = cues().framed(
        "stance", "lift_fill", left=r"[\"'”’)]{0,2}( again)?[.:;,!?–—-]{1,2}\s(", right="[, ]{1,2}){0,4}"
    )
    return cue is not None and fill.fullmatch(rest, 0, cue.start()) is not None


def _clause(rest: str) -> str:
    end = cues().anywhere("stance", "boundary", marks=_BOUNDARY).search(rest)
    return rest[: end.start()] if end else rest[:_REACH]


def _before(before: str, *, near: bool) -> Stance:
    """The stance that the cues before a mention add up to, from the nearest clause that has any."""
    text = cues().framed("stance", "aside", left=",( )?", right="( )?,").sub(" ", before)
    text = cues().anywhere("stance", "challenge").sub("can", text)
    starts = [m.end() for m in cues().anywhere("stance", "hard", marks=";").finditer(text)]
    starts += [m.end() for m in and_verb().finditer(text)]
    text = text[max(starts, default=0) :]
    pieces: list[str] = []
    at = 0
    for boundary in cues().anywhere("stance", "boundary", marks=_BOUNDARY).finditer(text):
        pieces.append(text[at : boundary.start()])
        at = boundary.end()
    pieces.append(text[at:])
    for piece in reversed(pieces[-1:] if near else pieces):
        near_by = piece[-_REACH:]
        found = list(cues().anywhere("stance", "before").finditer(near_by))
        if found:
            stance = _sum(found, near_by)
            return "forbid" if stance == "require" and _is_label(text) else stance
    return "none"


def _is_label(text: str) -> bool:
    """Whether a list of what is forbidden starts here: `Off-limits: “x”, “y”`."""
    label = cues().anywhere("stance", "label").search(text)
    return label is not None and label.start() <= 40 and ":" not in text[: label.start()]


def _sum(found: list[re.Match[str]], piece: str) -> Stance:
    kinds = [cue.lastgroup for cue in _last_clause(found, piece)]
    negative = sum(kind == "neg" for kind in kinds)
    if "allow" in kinds and "lift" not in kinds:
        at = kinds.index("allow")
        return _sign(negative, kinds[at + 1 :]) if at and kinds[at - 1] in ("neg", "stop") else "lift"
    if "lift" in kinds:
        # "don't forget to include": a lifting that is denied.
        at = kinds.index("lift")
        return _sign(negative + 1, kinds[at + 1 :]) if at and kinds[at - 1] == "neg" else "lift"
    if "stop" in kinds:
        return "lift" if "forbid" in kinds else "forbid"
    if "drop" in kinds:
        return "require" if negative % 2 else "lift"
    return _sign(negative, kinds)


def _sign(negative: int, kinds: list[str | None]) -> Stance:
    negative += sum(kind in ("forbid", "ban") for kind in kinds)
    return "forbid" if negative % 2 else "require"


def _last_clause(found: list[re.Match[str]], piece: str) -> list[re.Match[str]]:
    """The cues behind the last `and` that starts another demand."""
    for index in range(len(found) - 1, 0, -1):
        if cues().anywhere("stance", "clause").search(piece, found[index - 1].end(), found[index].start()):
            return found[index:]
    return found


# Whether a value is named in order to deny it: `not in an angry tone`, `anything but JSON`.

_DENIAL_REACH = 60
"""Characters between the denial and the value, at most."""


def is_denied(query: Query, start: int, end: int) -> bool:
    """Whether the words before the value at `[start, end)`, or those behind it, deny it."""
    close = cues().framed("denial", "cues", right="( <denial_fill>){0,6}( )?[\"'“‘]?$")
    far = cues().framed("denial", "far", right=r"( (?!<contrast>\b)[\w'-]{1,40}){0,6}( )?[\"'“‘]?$")
    if close.search(query.shadow, max(0, start - _DENIAL_REACH), start):
        return True
    if far.search(query.shadow, max(query.segment(start)[0], start - _DENIAL_REACH), start):
        return True
    return cues().after("denial", "after").match(query.shadow, end) is not None

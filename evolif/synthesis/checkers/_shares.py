"""Finds shares of capitals: `about 40 % of the letters in upper case`, `a quarter of it in lower case`."""

from __future__ import annotations

import re

from evolif.synthesis.checkers._claims import Claim
from evolif.synthesis.checkers._cues import cues, heard
from evolif.synthesis.checkers._numbers import find_numbers
from evolif.synthesis.checkers._quantities import size_before
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query

_PERCENT = re.compile(r"\s{0,4}(?:%|per\s?-?cent(?:age)?)(?P<points>\s{1,4}points?)?")
_POINTS = re.compile(r"\s{0,4}(?:percentage\s{1,4})?points?|\s{0,4}either\s{1,4}(?:way|side|direction)")
_FRACTIONS = {
    "half": 50,
    "quarter": 25,
    "fifth": 20,
    "tenth": 10,
    "three quarters": 75,
    "one in ten": 10,
    "one in five": 20,
    "one in four": 25,
}
_FRACTION = re.compile(
    r"(?<!\w)(?:half|(?:an?|one)[\s-](?P<part>quarter|fifth|tenth)|three[\s-]quarters|one\sin\s(?:ten|five|four))(?!\w)"
)
_PARTED = re.compile(r"[,;:.!?]|(?<!\w)(?:but|all|use|instead)(?!\w)")
_PARTED_BEFORE = re.compile(r"[;.!?,]")
_LOOSE = ("most", "least", "less", "more")


def find_shares(query: Query) -> list[Claim]:
    """Claims `("share", percent)` on capitals; `("share", None)` where the query gives a bound and no share."""
    shadow, vocabulary = query.shadow, heard("case")
    claims = []
    for number in find_numbers(shadow):
        percent = _PERCENT.match(shadow, number.end)
        if percent is None or not vocabulary.anywhere("letters").search(shadow, *query.sentence(number.start)):
            continue  # another kind of share
        if not percent["points"] and not _is_margin(query, number.start, percent.end()):
            claims.append(_share(query, number.start, percent.end(), number.value))
    for match in _FRACTION.finditer(shadow):
        if vocabulary.after("fraction_of").match(shadow, match.end()):
            name = match["part"] or match.group().replace("-", " ")
            claims.append(_share(query, *match.span(), _FRACTIONS[" ".join(name.split())]))
    return claims


def is_measured(query: Query, case: Claim, share: Claim) -> bool:
    """Whether a case is named only as what a share is a share of: `40 % of the letters in upper case`."""
    if share.end <= case.start:
        gap = query.shadow[share.end : case.start]
        return len(gap) <= 60 and not _PARTED.search(gap)
    gap = query.shadow[case.end : share.start]
    return len(gap) <= 40 and not _PARTED_BEFORE.search(gap)


def _share(query: Query, start: int, end: int, value: int) -> Claim:
    loose = size_before(query, start) in _LOOSE or cues().after("sizes", "loose").match(query.shadow, end)
    percent = 100 - value if _nearest_case(query, start, end) == "lower" else value
    return Claim(("share", None if loose else percent), start, end, role_of(query, start, end))


def _nearest_case(query: Query, start: int, end: int) -> str:
    """The case that a share is one of: the first named behind it in its sentence, else the last named before it."""
    low, high = query.sentence(start)
    patterns = [(case, heard("case").anywhere("values", case)) for case in ("upper", "lower")]
    behind = [(m.start(), case) for case, p in patterns for m in p.finditer(query.shadow, end, high)]
    before = [(-m.start(), case) for case, p in patterns for m in p.finditer(query.shadow, low, start)]
    return min(behind or before or [(0, "upper")])[1]


def _is_margin(query: Query, start: int, end: int) -> bool:
    """How far the share may be off is no share."""
    before = heard("case").before("margin").search(query.shadow, max(0, start - 30), start)
    return before is not None or _POINTS.match(query.shadow, end) is not None

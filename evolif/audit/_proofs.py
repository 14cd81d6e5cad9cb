"""Proofs that no response at all can satisfy some constraints; each is one function over the active ones.

A proof may rest on what the reading rules say and on nothing else. One thing is read as people read it: a mark that is
excluded is taken to be absent from the text, too, though a character reference could hide it from a look at the body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

from evolif.audit._bounds import Active, banned, edge_keyword, heaviest, held, least_characters, least_words, required
from evolif.audit._edges import refute_edges
from evolif.audit._limits import refute_limits
from evolif.constraints import GROUPS, Conflict, lower_limit, upper_limit
from evolif.text import fold

Proof = Callable[[Active], "str | None"]

_NO_LISTS = {"json": "JSON", "xml": "XML", "csv": "CSV"}
_HAS_NO: Mapping[str, Mapping[str, str]] = {
    "paragraphs": _NO_LISTS,
    "sentences": {"json": "JSON", "csv": "CSV"},
}
MAX_KEYWORDS = 200
"""With more, keywords are not compared pair by pair."""

# A keyword comparison takes these for one another, so a keyword with one of them can be written with another.
_INTERCHANGEABLE = frozenset("'’‘ʼ＇-‐‑")


def refute(active: Active) -> str | None:
    """Why no response can satisfy these constraints; None where no proof is known."""
    return next((reason for proof in PROOFS if (reason := proof(active)) is not None), None)


def smallest_conflict(active: Active) -> Conflict | None:
    """The smallest set of constraints that no response can satisfy, found by testing subsets from small to large."""

    def prove(some: Active) -> Conflict | None:
        reason = refute(some)
        return None if reason is None else Conflict("impossible", tuple(some), reason)

    return smallest(active, prove)


def smallest(active: Active, find: Callable[[Active], Conflict | None]) -> Conflict | None:
    """The first conflict that `find` has with as few of the constraints as possible; None where all have none."""
    if find(active) is None:
        return None
    groups = sorted(active, key=lambda group: list(GROUPS).index(group) if group in GROUPS else len(GROUPS))
    for size in range(1, len(groups)):
        for subset in combinations(groups, size):
            conflict = find({group: active[group] for group in subset})
            if conflict is not None:
                return Conflict(conflict.code, subset, conflict.reason)
    conflict = find(active)
    return None if conflict is None else Conflict(conflict.code, tuple(groups), conflict.reason)


def _forbidden_required(active: Active) -> str | None:
    if "forbidden" not in active:
        return None
    for word in required(active):
        for keyword in active["forbidden"]["keywords"]:
            if held(word, keyword):
                return f"“{word}” must occur and holds “{keyword}”, which is forbidden"
    return None


def _mark_in_text(active: Active) -> str | None:
    punctuation = active.get("punctuation", {})
    if punctuation.get("mode") != "exclude":
        return None
    mark: str = punctuation["mark"]
    if _INTERCHANGEABLE & set(mark) or mark.lower() != mark.upper() or fold(mark) != mark:
        return None  # the keyword can be written otherwise
    for word in required(active):
        if mark in word:
            return f"“{word}” must occur and holds the excluded mark “{mark}”"
    for group in ("start_with", "end_with"):
        params = active.get(group, {})
        for sign in (params.get("left"), params.get("right"), params.get("value")):
            if params.get("mode") in ("quotation", "emoji") and sign == mark:
                return f"{sign} must occur and is the excluded mark"
    return None


def _counts(active: Active) -> str | None:
    """A keyword inside another one occurs with it."""
    if "existence" not in active or len(active["existence"]["counts"]) > MAX_KEYWORDS:
        return None
    words, out = required(active), banned(active)
    for word, count in active["existence"]["counts"].items():

        def times_held(holder: str, inner: str = word) -> int:
            return held(holder, inner)

        least = heaviest(words, times_held, out)
        if least > count:
            holders = [w for w in words if held(w, word) and fold(w) != fold(word)] or [w for w in words if w != word]
            told = " and ".join(f"“{w}”" for w in holders[:3])
            return f"“{word}” may occur {count}×, but {told} bring{'s' * (len(holders) == 1)} it at least {least}×"
    return None


def _lists_in_data(active: Active) -> str | None:
    fmt = active.get("format", {}).get("mode")
    if fmt in _NO_LISTS and active.get("bullets", {}).get("count", 0):
        return f"{_NO_LISTS[fmt]} has no bullet items"
    return None


def _units_in_data(active: Active) -> str | None:
    if "length" not in active or "format" not in active:
        return None
    unit = active["length"]["unit"]
    name = _HAS_NO.get(unit, {}).get(active["format"]["mode"])
    if name and lower_limit(active["length"], unit) > 0:
        return f"{name} has no {unit}, and at least {lower_limit(active['length'], unit)} must be there"
    return None


def _too_long(active: Active) -> str | None:
    length = active.get("length")
    if length is None:
        return None
    for unit, least in (("words", least_words), ("characters", least_characters)):
        limit = upper_limit(length, unit)
        if limit is not None and (need := least(active)) > limit:
            return f"at least {need} {unit} are needed, and at most {limit} are allowed"
    return None


def _edges(active: Active) -> str | None:
    if edge_keyword(active, "start_with") is None or edge_keyword(active, "end_with") is None:
        return None
    return refute_edges(active)


PROOFS: tuple[Proof, ...] = (
    refute_limits, _lists_in_data, _units_in_data, _forbidden_required, _mark_in_text, _counts, _edges, _too_long,
)  # fmt: skip
"""Cheap ones first. Each must be monotone: what it proves of some constraints, it proves of more."""

"""Whether a turn can be satisfied: a verified text, a proof that there is none, or neither."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

import regex

from evolif.constraints import (
    GROUPS,
    Conflict,
    check_reading,
    find_conflict,
    format_of,
    get_group,
    lower_limit,
    upper_limit,
)
from evolif.text import MAX_BODY_BYTES, Reading, count_words, find_all, fold, is_skippable
from evolif.types import Constraint, Params
from evolif.witness import Refusal, build_fallback, may_overlap, overlaps

# Lower bounds that hold for every response, however contorted: what required keywords and mark-up take at least.

Active = Mapping[str, Params]

_CLUSTER = regex.compile(r"\X")
_EXACT_UP_TO = 8
"""Of more keywords than these, not every subset is looked at."""

FORMAT_SIGNS: Mapping[str, int] = {"json": 4, "xml": 7, "html": 6, "csv": 3}
"""Characters that a format takes beside its text: `[""]`, `<a></a>`, `<p><p>`, two commas and a line break."""


def edge_keyword(active: Active, group: str) -> str | None:
    """The keyword at an edge, if a keyword is asked for there."""
    params = active.get(group, {})
    return str(params["value"]) if params.get("mode") == "keyword" else None


def required(active: Active) -> dict[str, int]:
    """Keywords that must occur, with how often at least."""
    counts: Mapping[str, int] = active["existence"]["counts"] if "existence" in active else {}
    words = {word: count for word, count in counts.items() if count}
    for group in ("start_with", "end_with"):
        keyword = edge_keyword(active, group)
        if keyword is not None and not any(fold(keyword) == fold(word) for word in words):
            words[keyword] = 1
    return words


def banned(active: Active) -> list[str]:
    """Keywords that may not occur at all."""
    counts: Mapping[str, int] = active["existence"]["counts"] if "existence" in active else {}
    return [*active.get("forbidden", {}).get("keywords", ()), *(w for w, n in counts.items() if not n)]


def heaviest(words: Mapping[str, int], weight: Callable[[str], int], out: Iterable[str]) -> int:
    """What occurrences weigh together at least, where those that may share letters are counted once.

    Args:
        words: Keywords with how often they must occur.
        weight: What one occurrence weighs.
        out: Keywords that may not occur: no sharing goes over them.
    """
    bearing = {w: n * weight(w) for w, n in words.items() if weight(w)}
    if len(bearing) > _EXACT_UP_TO:
        heavy = sorted(bearing, key=lambda w: -bearing[w])[:_EXACT_UP_TO]
        bearing = {w: bearing[w] for w in heavy}
    stay = list(out)
    apart = {pair: not may_overlap(*pair, stay) for pair in combinations(bearing, 2)}
    best = 0
    for size in range(1, len(bearing) + 1):
        for chosen in combinations(bearing, size):
            if all(apart[pair] for pair in combinations(chosen, 2)):
                best = max(best, sum(bearing[w] for w in chosen))
    return best


def least_words(active: Active) -> int:
    """Words that any response has: keywords may be run together with hyphens or slashes, but not inside themselves."""
    words = required(active)
    needs_letter = "case" in active or any(
        active.get(g, {}).get("mode") in ("letter", "keyword") for g in ("start_with", "end_with")
    )
    inside = heaviest(words, lambda word: max(0, count_words(fold(word)) - 1), banned(active))
    return max(inside + bool(words), int(needs_letter))


def least_characters(active: Active) -> int:
    """Characters of body that any response has."""
    text = heaviest(required(active), least_graphemes, banned(active))
    fmt = str(active["format"]["mode"]) if "format" in active else ""
    items = active["bullets"]["count"] if "bullets" in active else 0
    # A marker and the white space behind it for each item, and some content in the innermost; or a tag.
    marks = (4 if fmt == "html" else 2) * items
    return max(1, marks + (text or bool(items)) + (FORMAT_SIGNS.get(fmt, 0) if text else 0))


@lru_cache(maxsize=1)
def _expansions() -> frozenset[str]:
    """What single characters fold to, where that is several: *ß* is compared as *ss*."""
    several = (c for c in map(chr, range(0x80, min(sys.maxunicode, 0x1FFFF))) if len(c.casefold()) > 1)
    return frozenset(text for text in map(fold, several) if len(text) > 1)


@lru_cache(maxsize=4096)
def least_graphemes(keyword: str) -> int:
    """The fewest grapheme clusters an occurrence can be written with (*ﬃ* is one, and is compared as *ffi*)."""
    clusters = _CLUSTER.findall(fold(keyword))
    fewest = [0]
    for end in range(1, len(clusters) + 1):
        ways = [fewest[end - 1]]
        ways += [fewest[end - n] for n in (2, 3) if n <= end and "".join(clusters[end - n : end]) in _expansions()]
        fewest.append(1 + min(ways))
    return fewest[-1]


def held(holder: str, keyword: str) -> int:
    """How often `keyword` occurs inside `holder`."""
    return len(find_all(fold(holder), fold(keyword)))


# A keyword at the start and one at the end: either they stand apart, or they are the whole text.


def refute_edges(active: Active) -> str | None:
    """Why the two keywords cannot both stand where they must; None where they may."""
    start, end = edge_keyword(active, "start_with"), edge_keyword(active, "end_with")
    if start is None or end is None or any(len(fold(k)) != len(k) for k in (start, end)):
        return None
    counts: Mapping[str, int] = active["existence"]["counts"] if "existence" in active else {}
    crowded = next((w for w, n in counts.items() if held(start, w) + held(end, w) > n), None)
    if crowded is None:
        return None
    wholes = _wholes(start, end)
    faults = [_fault(whole, active, counts) for whole in wholes]
    if not all(faults):
        return None
    apart = f"“{crowded}” may occur {counts[crowded]}×, so “{start}” at the start and “{end}” at the end cannot both be"
    if not wholes:
        return apart
    return f"{apart} unless the text is “{wholes[0]}” alone, and then {faults[0]}"


def _wholes(start: str, end: str) -> list[str]:
    """Texts that start with the one and end with the other, where the two share letters."""
    found = [text for text in overlaps(start, end) if fold(text).endswith(fold(end))]
    found += [end] if fold(end).startswith(fold(start)) else []
    return list(dict.fromkeys(map(fold, found)))


def _fault(whole: str, active: Active, counts: Mapping[str, int]) -> str | None:
    """What is wrong with a text that holds this and else only signs that the edges skip."""
    faults = (_occurrences(whole, active, counts), _length(whole, active), _signs(whole, active))
    return next((fault for fault in faults if fault), None)


def _occurrences(whole: str, active: Active, counts: Mapping[str, int]) -> str | None:
    for word, count in counts.items():
        if held(whole, word) != count:
            return f"“{word}” occurs {held(whole, word)}×"
    forbidden: Iterable[str] = active.get("forbidden", {}).get("keywords", ())
    return next((f"it holds “{word}”" for word in forbidden if held(whole, word)), None)


def _length(whole: str, active: Active) -> str | None:
    words = count_words(whole)
    for unit in ("words", "sentences"):
        if lower_limit(active.get("length"), unit) > words:
            return f"it has too few {unit}"
    limit = upper_limit(active.get("length"), "words")
    return "it has too many words" if limit is not None and words > limit else None


def _signs(whole: str, active: Active) -> str | None:
    punctuation = active.get("punctuation", {})
    mark = str(punctuation.get("mark", ""))
    if punctuation.get("mode") == "include" and fold(mark) not in whole and not any(map(is_skippable, mark)):
        return f"“{mark}” has no place"
    if "case" in active and not any(c.lower() != c.upper() for c in whole):
        return "no letter has a case"
    return None


# What a single response can hold: it is not empty, and not longer than 64 KiB.

_BYTES = {"words": 2, "sentences": 2, "paragraphs": 2, "characters": 1}
"""Bytes that one of a unit takes at least, with what parts it from the next."""


def refute_limits(active: Active) -> str | None:
    """Why the numbers alone cannot be met; None where they can."""
    return _length_limits(active) or _items(active) or _occurrence_limits(active)


def _length_limits(active: Active) -> str | None:
    length = active.get("length")
    if length is None:
        return None
    unit = length["unit"]
    limit = upper_limit(length, unit)
    if limit is not None and limit < (1 if unit == "characters" else 0):
        return f"an answer cannot have fewer than {length['count']} {unit}" if limit < 0 else "an answer is not empty"
    low = lower_limit(length, unit)
    # The last one needs nothing to part it from the next.
    if low * _BYTES[unit] - (_BYTES[unit] - 1) > MAX_BODY_BYTES:
        return f"{low} {unit} do not fit into the {MAX_BODY_BYTES // 1024} KiB that are read"
    return None


def _items(active: Active) -> str | None:
    items = active["bullets"]["count"] if "bullets" in active else 0
    if 2 * items + 1 > MAX_BODY_BYTES:
        return f"{items} items do not fit into the {MAX_BODY_BYTES // 1024} KiB that are read"
    return None


def _occurrence_limits(active: Active) -> str | None:
    words = required(active)
    if sum(words.values()) * 2 < MAX_BODY_BYTES // 200:
        return None  # no keyword is longer than 200 characters: they fit by far
    if heaviest(words, least_graphemes, ()) > MAX_BODY_BYTES:
        return f"the required occurrences do not fit into the {MAX_BODY_BYTES // 1024} KiB that are read"
    return None


# Proofs that no response at all can satisfy some constraints; each is one function over the active ones.
#
# A proof may rest on what the reading rules say and on nothing else. One thing is read as people read it: a mark that
# is excluded is taken to be absent from the text, too, though a character reference could hide it from a look at the
# body.

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


Status = Literal["satisfiable", "awkward", "impossible", "undecided"]


@dataclass(frozen=True, slots=True)
class Satisfiability:
    """The status of an instruction, the groups that stand against each other, and why."""

    status: Status
    conflict: tuple[str, ...] = ()
    reason: str = ""


def satisfiability(
    constraints: Sequence[Constraint], keywords: tuple[str, ...] = (), witness: str | None = None
) -> Satisfiability:
    """Judge an instruction.

    Args:
        constraints: The instruction; subjective constraints are left to the judge.
        keywords: The topic's keywords, where it has some.
        witness: A stored text; where it passes, no other is built.
    """
    objective = [c for c in constraints if not get_group(c.group).subjective]
    active = {c.group: c.params for c in objective}
    impossible = smallest_conflict(active)
    if impossible is not None:
        return Satisfiability("impossible", impossible.groups, impossible.reason)
    table = smallest(active, find_conflict)
    dense, refusal = False, None
    if witness is None or witness_faults(objective, witness):
        built = build_fallback(objective, keywords)
        refusal = built if isinstance(built, Refusal) else None
        dense = not isinstance(built, Refusal) and built.density == "salad"
    if refusal is not None:
        told = f"the compatibility table excludes it ({table.reason}); " if table else ""
        return Satisfiability("undecided", (), f"{told}no text was found and no proof that there is none")
    if table is not None:
        return Satisfiability("awkward", table.groups, f"{table.code}: {table.reason}")
    if dense:
        return Satisfiability("awkward", tuple(active), "soup: only a text without room for sense satisfies all of it")
    return Satisfiability("satisfiable")


def witness_faults(constraints: Sequence[Constraint], witness: str) -> list[str]:
    """What the rule checkers have against a stored witness; empty where it passes."""
    objective = [c for c in constraints if not get_group(c.group).subjective]
    verdicts = check_reading(objective, Reading(witness, format_of(objective)))
    return [f"{v.group}: expected {v.expected}, found {v.found}" for v in verdicts if not v.satisfied]

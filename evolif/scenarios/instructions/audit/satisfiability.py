"""Decide whether an instruction can be satisfied: by a verified text, by a proof that none exists, or not at all.

A proof is a function over the active constraints that returns why no response can satisfy them. It may use only the
reading rules, with one exception: it assumes that an excluded mark is absent from the text, although a character
reference could hide it in the body.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from typing import Literal

import regex

from evolif.scenarios.instructions.constraints import (
    GROUPS,
    Active,
    check_reading,
    edge_keywords,
    find_conflict,
    format_of,
    lower_limit,
    rule_checked,
    upper_limit,
)
from evolif.scenarios.instructions.constraints.base import Conflict, existence_counts
from evolif.scenarios.instructions.constraints.exclusions import has_everyday_kinds
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.witness import Refusal, build_fallback
from evolif.scenarios.instructions.witness.overlaps import may_overlap, overlaps
from evolif.text import MAX_BODY_BYTES, Reading, count_words, find_all, fold, is_skippable

Status = Literal["satisfiable", "awkward", "impossible", "undecided"]

_NO_LISTS = {"json": "JSON", "xml": "XML", "csv": "CSV"}
_WITHOUT_UNIT: Mapping[str, Mapping[str, str]] = {"paragraphs": _NO_LISTS, "sentences": {"json": "JSON", "csv": "CSV"}}
_MAX_KEYWORDS = 200
"""With more keywords than this, pairs are not compared."""
_MAX_SUBSETS_OF = 8
"""Only subsets of the heaviest keywords are tried, of at most this many."""

# Keyword comparison treats these as equal, so a keyword with one of them can be written with another.
_INTERCHANGEABLE = frozenset("'’‘ʼ＇-‐‑")
_BYTES = {"words": 2, "sentences": 2, "paragraphs": 2, "characters": 1, "lines": 2}
"""The fewest bytes of one unit, including its separator."""
_FORMAT_SIGNS: Mapping[str, int] = {"json": 4, "xml": 7, "html": 6, "csv": 3}
"""Characters that a format adds to its text: `[""]`, `<a></a>`, `<p><p>`, two commas and a line break."""
_CLUSTER = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class Satisfiability:
    """The status of an instruction, the groups that exclude each other, and why."""

    status: Status
    conflict: tuple[str, ...] = ()
    reason: str = ""


def satisfiability(
    constraints: Sequence[Constraint], keywords: tuple[str, ...] = (), witness: str | None = None
) -> Satisfiability:
    """Judge an instruction.

    Args:
        constraints: The instruction; subjective constraints are ignored.
        keywords: The topic's keywords, if any.
        witness: A stored text; another is built only if it fails.
    """
    objective = rule_checked(constraints)
    active = {c.group: c.params for c in objective}
    impossible = _smallest_conflict(active, _refutation)
    if impossible is not None:
        return Satisfiability("impossible", impossible.groups, impossible.reason)
    excluded = _smallest_conflict(active, find_conflict)
    is_salad = False
    if witness is None or witness_faults(objective, witness):
        built = build_fallback(objective, keywords)
        if isinstance(built, Refusal):
            reason = f"the compatibility table excludes it ({excluded.reason}); " if excluded else ""
            return Satisfiability(
                "undecided", (), f"{reason}neither a satisfying text nor a proof that there is none was found"
            )
        is_salad = built.density == "salad"
    if excluded is not None:
        return Satisfiability("awkward", excluded.groups, f"{excluded.code}: {excluded.reason}")
    if is_salad:
        return Satisfiability(
            "awkward", tuple(active), "word salad: only a text with no room for meaning satisfies all constraints"
        )
    return Satisfiability("satisfiable")


def witness_faults(constraints: Sequence[Constraint], witness: str) -> list[str]:
    """Why a stored witness fails the rule checkers; empty if it passes."""
    objective = rule_checked(constraints)
    verdicts = check_reading(objective, Reading(witness, format_of(objective)))
    return [f"{v.group}: expected {v.expected}, found {v.found}" for v in verdicts if not v.satisfied]


def refute(active: Active) -> str | None:
    """Why no response can satisfy these constraints; None if no proof is known."""
    if has_everyday_kinds(active):  # the proofs know nothing of them
        active = {group: params for group, params in active.items() if not has_everyday_kinds({group: params})}
    return next((reason for proof in _PROOFS if (reason := proof(active)) is not None), None)


def _refutation(active: Active) -> Conflict | None:
    reason = refute(active)
    return None if reason is None else Conflict("impossible", tuple(active), reason)


def _smallest_conflict(active: Active, find: Callable[[Active], Conflict | None]) -> Conflict | None:
    """The first conflict that `find` finds in as few of the constraints as possible; None if it finds none."""
    if find(active) is None:
        return None
    groups = sorted(active, key=lambda group: list(GROUPS).index(group) if group in GROUPS else len(GROUPS))
    for size in range(1, len(groups) + 1):
        for subset in combinations(groups, size):
            conflict = find({group: active[group] for group in subset})
            if conflict is not None:
                return Conflict(conflict.code, subset, conflict.reason)
    return None


def _forbidden_required(active: Active) -> str | None:
    if "forbidden" not in active:
        return None
    for word in _required(active):
        for keyword in active["forbidden"]["keywords"]:
            if _occurrences(keyword, word):
                return f"“{word}” must occur but contains “{keyword}”, which is forbidden"
    return None


def _mark_in_text(active: Active) -> str | None:
    punctuation = active.get("punctuation", {})
    if punctuation.get("mode") != "exclude":
        return None
    mark: str = punctuation["mark"]
    if _INTERCHANGEABLE & set(mark) or mark.lower() != mark.upper() or fold(mark) != mark:
        return None  # the keyword can be written without it
    for word in _required(active):
        if mark in word:
            return f"“{word}” must occur but contains the excluded mark “{mark}”"
    for group in ("start_with", "end_with"):
        params = active.get(group, {})
        for sign in (params.get("left"), params.get("right"), params.get("value")):
            if params.get("mode") in ("quotation", "emoji") and sign == mark:
                return f"{sign} must occur but is the excluded mark"
    return None


def _too_often(active: Active) -> str | None:
    """A keyword contained in another occurs with it."""
    counts = _counts(active)
    if len(counts) > _MAX_KEYWORDS:
        return None
    words, banned = _required(active), _banned(active)
    for word, count in counts.items():
        least = _least_total(words, partial(_occurrences, word), banned)
        if least > count:
            holders = [w for w in words if _occurrences(word, w) and fold(w) != fold(word)]
            holders = holders or [w for w in words if w != word]
            names = " and ".join(f"“{w}”" for w in holders[:3])
            return f"“{word}” may occur {count}×, but {names} contain{'s' * (len(holders) == 1)} it at least {least}×"
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
    name = _WITHOUT_UNIT.get(unit, {}).get(active["format"]["mode"])
    if name and lower_limit(active["length"], unit) > 0:
        return f"{name} has no {unit}, but the text needs at least {lower_limit(active['length'], unit)}"
    return None


def _too_long(active: Active) -> str | None:
    length = active.get("length")
    if length is None:
        return None
    for unit, least in (("words", _least_words), ("characters", _least_characters)):
        limit = upper_limit(length, unit)
        if limit is not None and (count := least(active)) > limit:
            return f"at least {count} {unit} are needed, but at most {limit} are allowed"
    return None


def _edges(active: Active) -> str | None:
    """The start and end keywords are either separate or together form the whole text."""
    edges = edge_keywords(active)
    if len(edges) < 2 or any(len(fold(keyword)) != len(keyword) for keyword in edges.values()):
        return None
    start, end = edges["start_with"], edges["end_with"]
    counts = _counts(active)
    crowded = next((w for w, n in counts.items() if _occurrences(w, start) + _occurrences(w, end) > n), None)
    if crowded is None:
        return None
    wholes = _wholes(start, end)
    faults = [_fault(whole, active) for whole in wholes]
    if not all(faults):
        return None
    apart = f"“{crowded}” may occur {counts[crowded]}×, so “{start}” at the start and “{end}” at the end cannot both be"
    if not wholes:
        return apart
    return f"{apart} unless the text is “{wholes[0]}” alone, and then {faults[0]}"


def _wholes(start: str, end: str) -> list[str]:
    """Texts that start with one and end with the other, sharing letters."""
    found = [text for text in overlaps(start, end) if fold(text).endswith(fold(end))]
    found += [end] if fold(end).startswith(fold(start)) else []
    return list(dict.fromkeys(map(fold, found)))


def _fault(whole: str, active: Active) -> str | None:
    """Why a text of only this and characters skipped at the edges fails."""
    for word, count in _counts(active).items():
        if _occurrences(word, whole) != count:
            return f"“{word}” occurs {_occurrences(word, whole)}×"
    for word in active.get("forbidden", {}).get("keywords", ()):
        if _occurrences(word, whole):
            return f"it contains “{word}”"
    words = count_words(whole)
    for unit in ("words", "sentences"):
        if lower_limit(active.get("length"), unit) > words:
            return f"it has too few {unit}"
    limit = upper_limit(active.get("length"), "words")
    return "it has too many words" if limit is not None and words > limit else _sign_fault(whole, active)


def _sign_fault(whole: str, active: Active) -> str | None:
    punctuation = active.get("punctuation", {})
    mark = str(punctuation.get("mark", ""))
    if punctuation.get("mode") == "include" and fold(mark) not in whole and not any(map(is_skippable, mark)):
        return f"“{mark}” has no place"
    if "case" in active and not any(c.lower() != c.upper() for c in whole):
        return "no letter has a case"
    return None


def _length_limits(active: Active) -> str | None:
    length = active.get("length")
    if length is None:
        return None
    unit = length["unit"]
    limit = upper_limit(length, unit)
    if limit is not None and limit < (1 if unit == "characters" else 0):
        return (
            f"an answer cannot have fewer than {length['count']} {unit}" if limit < 0 else "an answer cannot be empty"
        )
    low = lower_limit(length, unit)
    # The last one needs no separator.
    if low * _BYTES[unit] - (_BYTES[unit] - 1) > MAX_BODY_BYTES:
        return f"{low} {unit} do not fit into the {MAX_BODY_BYTES // 1024} KiB that are read"
    return None


def _item_limits(active: Active) -> str | None:
    items = active["bullets"]["count"] if "bullets" in active else 0
    if 2 * items + 1 > MAX_BODY_BYTES:
        return f"{items} items do not fit into the {MAX_BODY_BYTES // 1024} KiB that are read"
    return None


def _occurrence_limits(active: Active) -> str | None:
    words = _required(active)
    if sum(words.values()) * 2 < MAX_BODY_BYTES // 200:
        return None  # no keyword is longer than 200 characters, so they fit easily
    if _least_total(words, _least_graphemes, ()) > MAX_BODY_BYTES:
        return f"the required occurrences do not fit into the {MAX_BODY_BYTES // 1024} KiB that are read"
    return None


def _counts(active: Active) -> Mapping[str, int]:
    return existence_counts(active.get("existence"))


def _required(active: Active) -> dict[str, int]:
    """Keywords that must occur, and how often at least."""
    words = {word: count for word, count in _counts(active).items() if count}
    for keyword in edge_keywords(active).values():
        if not any(fold(keyword) == fold(word) for word in words):
            words[keyword] = 1
    return words


def _banned(active: Active) -> list[str]:
    """Keywords that must not occur."""
    return [*active.get("forbidden", {}).get("keywords", ()), *(w for w, n in _counts(active).items() if not n)]


def _occurrences(keyword: str, text: str) -> int:
    return len(find_all(fold(text), fold(keyword)))


def _least_total(words: Mapping[str, int], weight: Callable[[str], int], banned: Sequence[str]) -> int:
    """A lower bound on the total weight of all occurrences; occurrences that may share letters count once.

    Args:
        words: Keywords, and how often they must occur.
        weight: The weight of one occurrence.
        banned: Keywords that must not occur, so that no shared letters may form them.
    """
    weights = {w: n * weight(w) for w, n in words.items() if weight(w)}
    heaviest = sorted(weights, key=lambda w: -weights[w])[:_MAX_SUBSETS_OF]
    apart = {pair: not may_overlap(*pair, banned) for pair in combinations(heaviest, 2)}
    best = 0
    for size in range(1, len(heaviest) + 1):
        for chosen in combinations(heaviest, size):
            if all(apart[pair] for pair in combinations(chosen, 2)):
                best = max(best, sum(weights[w] for w in chosen))
    return best


def _least_words(active: Active) -> int:
    """Words of any response: keywords may be joined by hyphens or slashes, but a space inside a keyword stays."""
    words = _required(active)
    needs_letter = "case" in active or any(
        active.get(g, {}).get("mode") in ("letter", "keyword") for g in ("start_with", "end_with")
    )
    inside = _least_total(words, lambda word: max(0, count_words(fold(word)) - 1), _banned(active))
    return max(inside + bool(words), int(needs_letter))


def _least_characters(active: Active) -> int:
    """Characters in the body of any response."""
    text = _least_total(_required(active), _least_graphemes, _banned(active))
    fmt = str(active["format"]["mode"]) if "format" in active else ""
    items = active["bullets"]["count"] if "bullets" in active else 0
    # For each item a marker and white space, or a tag; and some content in the innermost item.
    marks = (4 if fmt == "html" else 2) * items
    return max(1, marks + (text or bool(items)) + (_FORMAT_SIGNS.get(fmt, 0) if text else 0))


@lru_cache(maxsize=1)
def _expansions() -> frozenset[str]:
    """Expansions of single characters in comparisons: *ß* is compared as *ss*."""
    several = (c for c in map(chr, range(0x80, min(sys.maxunicode, 0x1FFFF))) if len(c.casefold()) > 1)
    return frozenset(text for text in map(fold, several) if len(text) > 1)


@lru_cache(maxsize=4096)
def _least_graphemes(keyword: str) -> int:
    """The fewest grapheme clusters in an occurrence (*ﬃ* is one, and is compared as *ffi*)."""
    clusters = _CLUSTER.findall(fold(keyword))
    fewest = [0]
    for end in range(1, len(clusters) + 1):
        ways = [fewest[end - 1]]
        ways += [fewest[end - n] for n in (2, 3) if n <= end and "".join(clusters[end - n : end]) in _expansions()]
        fewest.append(1 + min(ways))
    return fewest[-1]


_PROOFS: tuple[Callable[[Active], str | None], ...] = (
    _length_limits, _item_limits, _occurrence_limits, _lists_in_data, _units_in_data, _forbidden_required,
    _mark_in_text, _too_often, _edges, _too_long,
)  # fmt: skip
"""Cheapest first. Each must be monotone: a proof for some constraints also holds when more are added."""

"""Lower bounds that hold for every response, however contorted: what required keywords and mark-up take at least."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import combinations

import regex

from evolif.domain import Params
from evolif.text import count_words, find_all, fold
from evolif.witness import may_overlap

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

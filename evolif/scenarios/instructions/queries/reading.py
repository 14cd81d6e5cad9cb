"""A query as the checkers read it: lower case, quotations masked, cut into sentences and segments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

MASK = "\ue000"
"""Stands for every character inside quotation marks: no letter, no punctuation."""

LONGEST_QUOTATION = 120
LONGEST_SENTENCE = 600
"""Characters to either side of a place that can belong to what is said of it."""
LONGEST_QUERY = 8_000
"""Characters that are read; nobody asks a question of that length, and time stays bounded."""

_QUOTED = re.compile(
    rf"'(\S)'|\"(\S)\"|“([^“”\n]{{1,{LONGEST_QUOTATION}}})”|\"([^\"\n]{{1,{LONGEST_QUOTATION}}})\""
    rf"|(?<!\w)'([^'\n]{{1,{LONGEST_QUOTATION}}}?)'(?!\w)|(?<!\w)‘([^‘\n]{{1,{LONGEST_QUOTATION}}}?)’(?!\w)"
    rf"|`([^`\n]{{1,{LONGEST_QUOTATION}}})`"
)
_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "‑": "-", "‐": "-"})
SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]+(?=\s|$|[)\]\"”’'])|\n+")
_SEGMENT_END = re.compile(r"[;:()—–,](?!\d)|\s-{1,2}\s")
_ELLIPSIS = re.compile(r"(?<=\s)…(?=[\s,;:)])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|approx)\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quotation:
    """A piece of the query inside quotation marks; the range is that of the inside."""

    start: int
    end: int
    text: str


class Query:
    """A query and its readings, all of the same length, so that a position means the same in each.

    Args:
        text: The query as written; what lies beyond `LONGEST_QUERY` is not read.
    """

    def __init__(self, text: str) -> None:
        self.text = text[:LONGEST_QUERY]
        self.low = _lower(self.text.translate(_PLAIN))
        self.quotations = self._quotations()
        masked = list(_ABBREVIATION.sub(lambda m: m.group()[:-1] + MASK, self.low))
        for alone in _ELLIPSIS.finditer(self.low):
            masked[alone.start()] = MASK
        for quotation in self.quotations:
            masked[quotation.start : quotation.end] = MASK * (quotation.end - quotation.start)
        self.shadow = "".join(masked)
        """Lower case with the inside of quotations masked: what cues are looked for in."""

    def _quotations(self) -> list[Quotation]:
        found = []
        for match in _QUOTED.finditer(self.text):
            group = match.lastindex or 0
            found.append(Quotation(match.start(group), match.end(group), match.group(group)))
        return found

    @cached_property
    def _sentence_ends(self) -> list[int]:
        return [m.end() for m in SENTENCE_END.finditer(self.shadow)]

    @cached_property
    def _segment_ends(self) -> list[int]:
        return sorted([m.end() for m in _SEGMENT_END.finditer(self.shadow)] + self._sentence_ends)

    def sentence(self, at: int) -> tuple[int, int]:
        """The sentence that holds a position; of an endless one, what is near."""
        return self._around(self._sentence_ends, at)

    def segment(self, at: int) -> tuple[int, int]:
        """The piece between two marks (comma, bracket …) that holds a position; of an endless one, what is near."""
        return self._around(self._segment_ends, at)

    def sentence_number(self, at: int) -> int:
        """Which sentence holds a position, from 0."""
        return bisect_right(self._sentence_ends, at)

    def segment_number(self, at: int) -> int:
        """Which segment holds a position, from 0."""
        return bisect_right(self._segment_ends, at)

    def _around(self, ends: list[int], at: int) -> tuple[int, int]:
        index = bisect_right(ends, at)
        low, high = (ends[index - 1] if index else 0), (ends[index] if index < len(ends) else len(self.text))
        return max(low, at - LONGEST_SENTENCE), min(high, at + LONGEST_SENTENCE)

    def is_quoted(self, at: int) -> bool:
        """Whether a position stands inside quotation marks."""
        return any(q.start <= at < q.end for q in self.quotations)

    def masking(self, spans: Iterable[tuple[int, int]]) -> Query:
        """The same query with further pieces masked, as if they were quoted.

        Args:
            spans: Half-open ranges; those inside quotation marks are masked already.
        """
        other = Query(self.text)
        masked = list(other.shadow)
        for start, end in spans:
            masked[start:end] = MASK * (end - start)
        other.shadow = "".join(masked)
        return other

    def find(self, phrase: str, *, inflected: bool = False) -> list[tuple[int, int]]:
        """Where a phrase stands as a whole: case, kinds of apostrophe, hyphen and white space do not matter.

        Args:
            phrase: What to look for.
            inflected: Whether a plural or possessive ending may follow.
        """
        plain = _lower(phrase.translate(_PLAIN)).split()
        if not plain or any(word not in self.low for word in plain):
            return []
        words = [re.escape(word) for word in plain]
        left = r"(?<!\w)" if phrase.strip()[0].isalnum() else ""
        right = (r"(?:'?s|es|')?(?!\w)" if inflected else r"(?!\w)") if phrase.strip()[-1].isalnum() else ""
        return [m.span() for m in re.finditer(left + r"[\s-]+".join(words) + right, self.low)]


def _lower(text: str) -> str:
    """Lower case of the same length: the few characters that would grow stay as they are."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)

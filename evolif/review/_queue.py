"""The queue: what is to be looked at, in which order, and filters over it. Nothing here knows of a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from evolif.review._safe import one_line

_LISTED = 30
"""Choices that are named in a sentence; of more, the nearest ones are."""

Facet = Literal["status", "source", "finding", "topic", "mine", "group"]
FACETS: tuple[Facet, ...] = ("status", "mine", "group", "finding", "source", "topic")
"""In the order in which a person chooses them."""

UNDECIDED, DECIDED = "undecided", "decided"
"""Values of the facet `mine`: whether the reviewer has a verdict that stands."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of the queue, as filters and the list see it."""

    key: str
    order: tuple[int, ...]
    label: str
    """Short and safe, for one row of the list."""
    facets: Mapping[Facet, tuple[str, ...]]
    haystack: str
    """What a search looks through, casefolded."""
    mark: str = " "
    """One letter for the status."""
    mine: str = " "
    """One sign for the reviewer's own verdict."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Values of one facet widen the choice, facets narrow it; every word searched for must occur."""

    chosen: Mapping[Facet, frozenset[str]] = field(default_factory=dict)
    search: str = ""

    def __bool__(self) -> bool:
        return bool(self.search.strip()) or any(self.chosen.values())

    def matches(self, entry: Entry) -> bool:
        """Whether the entry is in the choice."""
        for facet, values in self.chosen.items():
            if values and values.isdisjoint(entry.facets.get(facet, ())):
                return False
        return all(word in entry.haystack for word in self.search.casefold().split())

    def toggled(self, facet: Facet, value: str) -> Filter:
        """With the value put in or taken out."""
        values = self.chosen.get(facet, frozenset()) ^ {value}
        return Filter({**self.chosen, facet: values}, self.search)

    @property
    def told(self) -> str:
        """What is chosen, in a few words; values are foreign text."""
        parts = [f"{facet} {'/'.join(sorted(values))}" for facet, values in self.chosen.items() if values]
        if self.search.strip():
            parts.append(f"“{self.search.strip()}”")
        return ", ".join(parts) or "all"


def choose(entries: Iterable[Entry], wanted: Filter) -> list[Entry]:
    """The entries of the choice, in order."""
    return sorted((entry for entry in entries if wanted.matches(entry)), key=lambda entry: entry.order)


def unknown(wanted: Filter, counts: Mapping[Facet, Counter[str]], known: Callable[[Facet], Iterable[str]]) -> str:
    """What is wrong with a filter that names a value which no item can have, in a sentence; empty where nothing is."""
    for facet, asked in wanted.chosen.items():
        there = {*counts[facet], *known(facet)}
        if asked and not there:
            return f"here is nothing to choose by {facet}"
        for value in sorted(asked - there):
            near = get_close_matches(value, sorted(there), n=3, cutoff=0.6)
            told = ", ".join(one_line(one, 60) for one in (near if len(there) > _LISTED else sorted(there)))
            more = f" ({len(there)} in all)" if len(there) > _LISTED else ""
            return f"there is no {facet} “{one_line(value, 60)}”; use {told or 'others'}{more}"
    return ""


def values(entries: Iterable[Entry]) -> dict[Facet, Counter[str]]:
    """How often each value of each facet occurs, for a person to choose from."""
    counts: dict[Facet, Counter[str]] = {facet: Counter() for facet in FACETS}
    for entry in entries:
        for facet in FACETS:
            counts[facet].update(entry.facets.get(facet, ()))
    return counts

"""What a review lists: items, filters over them and the values to choose from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from evolif.review.text import one_line

_MAX_LISTED = 30
"""Maximum number of choices in a message; beyond that, the nearest are listed."""

Facet = Literal["status", "source", "finding", "topic", "mine", "group"]
FACETS: tuple[Facet, ...] = ("status", "mine", "group", "finding", "source", "topic")
"""In the order of selection."""

UNDECIDED, DECIDED = "undecided", "decided"
"""Values of the facet `mine`: whether the reviewer has a standing verdict."""


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One item as used by filters and the list."""

    key: str
    order: tuple[int, ...]
    label: str
    """Short and safe, for one row of the list."""
    facets: Mapping[Facet, tuple[str, ...]]
    haystack: str
    """The text that a search looks through, casefolded."""
    mark: str = " "
    """One letter for the status."""
    mine: str = " "
    """One sign for the reviewer's own verdict."""


@dataclass(frozen=True, slots=True)
class Filter:
    """An item has to match one chosen value of each facet, and every word of the search."""

    chosen: Mapping[Facet, frozenset[str]] = field(default_factory=dict)
    search: str = ""

    def __bool__(self) -> bool:
        return bool(self.search.strip()) or any(self.chosen.values())

    def matches(self, entry: QueueItem) -> bool:
        """Whether the filter shows the item."""
        for facet, values in self.chosen.items():
            if values and values.isdisjoint(entry.facets.get(facet, ())):
                return False
        return all(word in entry.haystack for word in self.search.casefold().split())

    def toggled(self, facet: Facet, value: str) -> Filter:
        """The filter with the value added or removed."""
        values = self.chosen.get(facet, frozenset()) ^ {value}
        return Filter({**self.chosen, facet: values}, self.search)

    @property
    def summary(self) -> str:
        """The choice in a few words; values are foreign text."""
        parts = [f"{facet} {'/'.join(sorted(values))}" for facet, values in self.chosen.items() if values]
        if self.search.strip():
            parts.append(f"“{self.search.strip()}”")
        return ", ".join(parts) or "all"


def choose(entries: Iterable[QueueItem], wanted: Filter) -> list[QueueItem]:
    """The items that a filter shows, in order."""
    return sorted((entry for entry in entries if wanted.matches(entry)), key=lambda entry: entry.order)


def unknown(wanted: Filter, counts: Mapping[Facet, Counter[str]], known: Callable[[Facet], Iterable[str]]) -> str:
    """The sentence that refuses a filter with a value which no item can have; empty if there is none."""
    for facet, requested in wanted.chosen.items():
        there = {*counts[facet], *known(facet)}
        if requested and not there:
            return f"items here have no {facet} to filter by"
        for value in sorted(requested - there):
            near = get_close_matches(value, sorted(there), n=3, cutoff=0.6)
            listed = ", ".join(one_line(one, 60) for one in (near if len(there) > _MAX_LISTED else sorted(there)))
            more = f" ({len(there)} in all)" if len(there) > _MAX_LISTED else ""
            return f"there is no {facet} “{one_line(value, 60)}”; use {listed or 'another one'}{more}"
    return ""


def values(entries: Iterable[QueueItem]) -> dict[Facet, Counter[str]]:
    """How often each value of each facet occurs."""
    counts: dict[Facet, Counter[str]] = {facet: Counter() for facet in FACETS}
    for entry in entries:
        for facet in FACETS:
            counts[facet].update(entry.facets.get(facet, ()))
    return counts

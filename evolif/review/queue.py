"""The queue: what is to be looked at, in which order, and filters over it. Nothing here knows of a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import combinations
from statistics import median
from typing import Any, Literal

from evolif.judge_audit import Decision, ReviewVerdict, standing
from evolif.metrics import cohens_kappa
from evolif.review.text import one_line

_LISTED = 30
"""Choices that are named in a sentence; of more, the nearest ones are."""

Facet = Literal["status", "source", "finding", "topic", "mine", "group"]
FACETS: tuple[Facet, ...] = ("status", "mine", "group", "finding", "source", "topic")
"""In the order in which a person chooses them."""

UNDECIDED, DECIDED = "undecided", "decided"
"""Values of the facet `mine`: whether the reviewer has a verdict that stands."""


@dataclass(frozen=True, slots=True)
class QueueItem:
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

    def matches(self, entry: QueueItem) -> bool:
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


def choose(entries: Iterable[QueueItem], wanted: Filter) -> list[QueueItem]:
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


def values(entries: Iterable[QueueItem]) -> dict[Facet, Counter[str]]:
    """How often each value of each facet occurs, for a person to choose from."""
    counts: dict[Facet, Counter[str]] = {facet: Counter() for facet in FACETS}
    for entry in entries:
        for facet in FACETS:
            counts[facet].update(entry.facets.get(facet, ()))
    return counts


# Cohen's kappa: how far two reviewers agree beyond what chance gives.


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """Two reviewers over the words that both decided on; rates are fractions."""

    reviewers: tuple[str, str]
    n: int
    observed: float | None
    """Share of equal verdicts; None where both decided on nothing in common."""
    kappa: float | None
    """None where it is undefined: nothing in common, or both gave one and the same verdict throughout."""
    interval: tuple[float, float] | None
    """95 %; None where there are too few items."""

    @property
    def told(self) -> str:
        """In one line, without the reviewers' names."""
        if not self.n:
            return "κ: nothing decided by both"
        if self.kappa is None:
            return f"κ undefined (n {self.n}: both always gave the same one verdict)"
        between = "too few for an interval" if self.interval is None else "{:.2f} to {:.2f}".format(*self.interval)
        return f"κ {self.kappa:.2f} (n {self.n}, {between})"


def agreements(records: Iterable[Decision]) -> list[ReviewerAgreement]:
    """Every pair of reviewers that decided on the same words, most items first.

    Two verdicts are compared only where both were given on the same words of the same item: who sees a query that the
    other has edited judges another query. Of several verdicts by one reviewer on the same words, the last one counts.
    """
    verdicts: dict[str, dict[tuple[str, str], ReviewVerdict]] = {}
    for record in standing(records):
        if record.verdict is not None:
            verdicts.setdefault(record.reviewer, {})[record.item, record.words] = record.verdict
    found = [
        _agreement((one, other), verdicts[one], verdicts[other]) for one, other in combinations(sorted(verdicts), 2)
    ]
    return sorted(found, key=lambda agreement: (-agreement.n, agreement.reviewers))


def _agreement(
    reviewers: tuple[str, str], one: dict[tuple[str, str], ReviewVerdict], other: dict[tuple[str, str], ReviewVerdict]
) -> ReviewerAgreement:
    pairs = [(one[item], other[item]) for item in one if item in other]
    value, interval = cohens_kappa(Counter(pairs), len(pairs))
    observed = sum(a == b for a, b in pairs) / len(pairs) if pairs else None
    return ReviewerAgreement(reviewers, len(pairs), observed, value, interval)


# How much was decided, how fast, and how far reviewers agree.

STEADY = 5
"""Timed verdicts from which on a pace is told: that of one or two says nothing."""

IDLE = 300.0
"""Seconds on one item beyond which the reviewer is taken to have been away."""


@dataclass(frozen=True, slots=True)
class Throughput:
    """One reviewer's pace, over verdicts given in the application; files that were applied have no duration."""

    reviewer: str
    decisions: int
    """Verdicts that stand."""
    timed: int
    per_hour: float | None
    """Of time spent on items, away time left out; None where nothing was timed."""
    median_seconds: float | None

    @property
    def told(self) -> str:
        """In one line, without the name."""
        if not self.timed:
            return f"{self.decisions} decided, none timed"
        if self.timed < STEADY or self.per_hour is None or self.median_seconds is None:
            return f"{self.decisions} decided"
        return f"{self.decisions} decided, {self.per_hour:.0f} an hour, median {self.median_seconds:.0f} s"


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the journal tells."""

    decisions: dict[str, int]
    throughput: tuple[Throughput, ...]
    agreement: tuple[ReviewerAgreement, ...]

    def to_object(self) -> dict[str, Any]:
        """For machines; rates are fractions."""
        return {
            "decisions": self.decisions,
            "throughput": [
                {
                    "reviewer": one.reviewer,
                    "decisions": one.decisions,
                    "timed": one.timed,
                    "per_hour": one.per_hour,
                    "median_seconds": one.median_seconds,
                }
                for one in self.throughput
            ],
            "agreement": [
                {
                    "reviewers": list(one.reviewers),
                    "n": one.n,
                    "observed": one.observed,
                    "kappa": one.kappa,
                    "interval": list(one.interval) if one.interval else None,
                }
                for one in self.agreement
            ],
        }


def statistics(records: Iterable[Decision]) -> Statistics:
    """Counts, pace per reviewer and agreement per pair, over decisions that were not undone."""
    kept = standing(records)
    counts: Counter[str] = Counter(record.decision for record in kept)
    reviewers = sorted({record.reviewer for record in kept})
    return Statistics(dict(counts), tuple(_pace(name, kept) for name in reviewers), tuple(agreements(kept)))


def _pace(reviewer: str, records: Iterable[Decision]) -> Throughput:
    own = [record for record in records if record.reviewer == reviewer and record.verdict is not None]
    seconds = [min(record.seconds, IDLE) for record in own if record.seconds is not None]
    if not seconds:
        return Throughput(reviewer, len(own), 0, None, None)
    spent = sum(seconds)
    return Throughput(reviewer, len(own), len(seconds), len(seconds) * 3600 / spent if spent else None, median(seconds))


def told(found: Statistics) -> list[str]:
    """One line a fact; names are foreign text."""
    if not found.decisions:
        return ["Nothing decided yet."]
    lines = ["Decisions: " + ", ".join(f"{kind} {count}" for kind, count in found.decisions.items()) + "."]
    lines += [f"{one.reviewer}: {one.told}." for one in found.throughput]
    lines += [f"{' and '.join(one.reviewers)}: {one.told}." for one in found.agreement]
    return lines

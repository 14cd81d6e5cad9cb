"""Statistics of a review: number of decisions, pace per reviewer, and how far reviewers agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import median
from typing import Any

from evolif.judge_audit import Decision, standing
from evolif.judge_audit.decisions import ReviewVerdict
from evolif.metrics import cohens_kappa

MIN_TIMED = 5
"""Minimum number of timed verdicts for a meaningful pace."""

IDLE = 300.0
"""Seconds on one item after which the reviewer is considered away."""


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """Agreement of two reviewers on texts that both decided on; rates are fractions."""

    reviewers: tuple[str, str]
    n: int
    observed: float | None
    """Share of equal verdicts; None without common items."""
    kappa: float | None
    """None if undefined: without common items, or both always gave the same single verdict."""
    interval: tuple[float, float] | None
    """95 %; None with too few items."""

    @property
    def summary(self) -> str:
        """One line without the reviewers' names."""
        if not self.n:
            return "κ: no common decisions"
        if self.kappa is None:
            return f"κ undefined (n {self.n}: all verdicts are the same)"
        between = "too few for an interval" if self.interval is None else "{:.2f} to {:.2f}".format(*self.interval)
        return f"κ {self.kappa:.2f} (n {self.n}, {between})"


@dataclass(frozen=True, slots=True)
class Throughput:
    """One reviewer's pace, over verdicts given in the application; decisions from a file have no duration."""

    reviewer: str
    decisions: int
    """Verdicts that stand."""
    timed: int
    per_hour: float | None
    """Per hour spent on items, without time away; None if nothing was timed."""
    median_seconds: float | None

    @property
    def summary(self) -> str:
        """One line without the name."""
        if not self.timed:
            return f"{self.decisions} decided, none timed"
        if self.timed < MIN_TIMED or self.per_hour is None or self.median_seconds is None:
            return f"{self.decisions} decided"
        return f"{self.decisions} decided, {self.per_hour:.0f} per hour, median {self.median_seconds:.0f} s"


@dataclass(frozen=True, slots=True)
class Statistics:
    """The statistics of a log of decisions."""

    decisions: dict[str, int]
    throughput: tuple[Throughput, ...]
    agreement: tuple[ReviewerAgreement, ...]

    def to_object(self) -> dict[str, Any]:
        """For machines; rates are fractions."""
        return {
            "decisions": self.decisions,
            "throughput": [asdict(one) for one in self.throughput],
            "agreement": [{**asdict(one), "reviewers": list(one.reviewers)} for one in self.agreement],
        }

    def lines(self) -> list[str]:
        """One line per fact; names are foreign text."""
        if not self.decisions:
            return ["No decisions yet."]
        lines = ["Decisions: " + ", ".join(f"{kind} {count}" for kind, count in self.decisions.items()) + "."]
        lines += [f"{one.reviewer}: {one.summary}." for one in self.throughput]
        return lines + [f"{' and '.join(one.reviewers)}: {one.summary}." for one in self.agreement]


def statistics(records: Iterable[Decision]) -> Statistics:
    """Counts, pace per reviewer and agreement per pair, over decisions that were not undone."""
    kept = standing(records)
    counts: Counter[str] = Counter(record.decision for record in kept)
    reviewers = sorted({record.reviewer for record in kept})
    return Statistics(dict(counts), tuple(_pace(name, kept) for name in reviewers), tuple(agreements(kept)))


def agreements(records: Iterable[Decision]) -> list[ReviewerAgreement]:
    """Every pair of reviewers that decided on the same words, most items first.

    Two verdicts are compared only where both were given on the same words of the same item: an edited query is a
    different query. If one reviewer gave several verdicts on the same words, the last one counts.
    """
    verdicts: dict[str, dict[tuple[str, str], ReviewVerdict]] = {}
    for record in standing(records):
        if record.verdict is not None:
            verdicts.setdefault(record.reviewer, {})[record.item, record.words] = record.verdict
    pairs = [_agreement(pair, *(verdicts[name] for name in pair)) for pair in combinations(sorted(verdicts), 2)]
    return sorted(pairs, key=lambda agreement: (-agreement.n, agreement.reviewers))


_Verdicts = Mapping[tuple[str, str], ReviewVerdict]


def _agreement(reviewers: tuple[str, str], one: _Verdicts, other: _Verdicts) -> ReviewerAgreement:
    pairs = [(one[item], other[item]) for item in one if item in other]
    kappa, interval = cohens_kappa(Counter(pairs), len(pairs))
    observed = sum(a == b for a, b in pairs) / len(pairs) if pairs else None
    return ReviewerAgreement(reviewers, len(pairs), observed, kappa, interval)


def _pace(reviewer: str, records: Iterable[Decision]) -> Throughput:
    own = [record for record in records if record.reviewer == reviewer and record.verdict is not None]
    seconds = [min(record.seconds, IDLE) for record in own if record.seconds is not None]
    if not seconds:
        return Throughput(reviewer, len(own), 0, None, None)
    spent = sum(seconds)
    return Throughput(reviewer, len(own), len(seconds), len(seconds) * 3600 / spent if spent else None, median(seconds))

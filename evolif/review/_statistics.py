"""How much was decided, how fast, and how far reviewers agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from evolif.review._agreement import Agreement, agreements
from evolif.review._decision import Decision, standing

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
    agreement: tuple[Agreement, ...]

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

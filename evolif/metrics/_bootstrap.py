"""95 % percentile bootstrap intervals over dialogues, the sampling unit (never over turns)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from evolif.metrics._dialogue import DialogueRecord
from evolif.metrics._process import RATIOS, Terms, add_terms, session_terms
from evolif.metrics._resampling import (
    DEFAULT_RESAMPLES,
    Interval,
    check_draws,
    middle,
    ratios,
    resampled_indices,
    resampled_sums,
)

__all__ = ["DEFAULT_RESAMPLES", "Interval", "bootstrap_intervals", "dialogue_terms", "resampled_indices"]


def bootstrap_intervals(
    records: Iterable[DialogueRecord], *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> dict[str, Interval | None]:
    """A 95 % interval per metric: dialogues drawn with replacement, the metric computed anew, its percentiles taken.

    The epochs of a dialogue are drawn together, for they are not independent of each other. CSR and ISR are ratios of
    sums over the drawn dialogues; REC and ROB are means over the drawn dialogues that have a denominator, and resamples
    without any are skipped. The same records in any order give the same draws.

    Args:
        records: The records that the point figures come from.
        seed: Of the resampling; at least 0.
        resamples: How many; at least 1.

    Returns:
        Metric name to (low, high), in the metric's own unit; None where fewer than two dialogues contribute.

    Raises:
        UsageError: `seed` or `resamples` out of range.
    """
    check_draws(seed, resamples)
    # Sorted by value, so that the order in which sessions happened to end moves no interval.
    rows = sorted(dialogue_terms(records).values())
    if len(rows) < 2:
        return dict.fromkeys(RATIOS)
    columns = dict(zip(Terms._fields, zip(*rows, strict=True), strict=True))
    sums = dict(
        zip(columns, resampled_sums(list(columns.values()), seed=seed, resamples=resamples), strict=True),
    )
    total = add_terms(rows)._asdict()
    intervals: dict[str, Interval | None] = {}
    for metric, (top, bottom) in RATIOS.items():
        defined = sum(1 for value in columns[bottom] if value) >= 2
        intervals[metric] = middle(ratios(sums[top], sums[bottom]), total[top] / total[bottom]) if defined else None
    return intervals


def dialogue_terms(records: Iterable[DialogueRecord]) -> dict[str, Terms]:
    """Dialogue to the terms of all its epochs together."""
    by_dialogue: defaultdict[str, list[Terms]] = defaultdict(list)
    for record in records:
        by_dialogue[record.dialogue].append(session_terms(record))
    return {dialogue: add_terms(epochs) for dialogue, epochs in by_dialogue.items()}

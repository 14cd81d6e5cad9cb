"""95 % percentile bootstrap intervals over dialogues, the sampling unit (never over turns)."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from statistics import quantiles

from evolif._errors import UsageError
from evolif.metrics._dialogue import DialogueRecord
from evolif.metrics._process import RATIOS, Terms, add_terms, session_terms

DEFAULT_RESAMPLES = 2_000

_FORTIETHS = 40
"""Cut points at every 2.5 %: the first and the last bound the middle 95 %."""

Interval = tuple[float, float]


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
    if seed < 0 or resamples < 1:
        raise UsageError(
            f"the bootstrap needs a seed of at least 0 and at least 1 resample, not {seed} and {resamples}"
        )
    terms = [(record.dialogue, session_terms(record)) for record in records]
    rows = _dialogue_rows(terms)
    if len(rows) < 2:
        return dict.fromkeys(RATIOS)
    columns = tuple(zip(*rows, strict=True))
    sums = [
        Terms(*(sum(itemgetter(*drawn)(column)) for column in columns))
        for drawn in resampled_indices(len(rows), seed=seed, resamples=resamples)
    ]
    total = add_terms([own for _, own in terms])
    return {metric: _interval(metric, columns, sums, total) for metric in RATIOS}


def resampled_indices(dialogues: int, *, seed: int, resamples: int) -> Iterator[list[int]]:
    """Which dialogues each resample draws: `dialogues` whole numbers from 0 to `dialogues` - 1, with repeats."""
    # Python promises that the floats of a seeded Random never change; it promises nothing of choices() or randrange().
    chance = random.Random(seed).random
    for _ in range(resamples):
        yield [int(chance() * dialogues) for _ in range(dialogues)]


def _dialogue_rows(terms: Iterable[tuple[str, Terms]]) -> list[Terms]:
    by_dialogue: defaultdict[str, list[Terms]] = defaultdict(list)
    for dialogue, own in terms:
        by_dialogue[dialogue].append(own)
    # Sorted by value, so that the order in which sessions happened to end moves no interval.
    return sorted(add_terms(epochs) for epochs in by_dialogue.values())


def _interval(metric: str, columns: Sequence[Sequence[float]], sums: list[Terms], total: Terms) -> Interval | None:
    top, bottom = (Terms._fields.index(name) for name in RATIOS[metric])
    values = [drawn[top] / drawn[bottom] for drawn in sums if drawn[bottom] > 0]
    if sum(1 for value in columns[bottom] if value) < 2 or not values:
        return None
    cuts = quantiles(values, n=_FORTIETHS, method="inclusive") if len(values) > 1 else values
    point = total[top] / total[bottom]
    return _settle(cuts[0], point), _settle(cuts[-1], point)


def _settle(end: float, point: float) -> float:
    # Where dialogues do not differ, rounding alone would put the point a hair outside its own interval.
    return point if math.isclose(end, point, rel_tol=1e-12) else end

"""95 % percentile bootstrap intervals over dialogues, the sampling unit (never over turns)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from evolif._errors import UsageError
from evolif.metrics._dialogue import DialogueRecord
from evolif.metrics._process import RATIOS, Terms, add_terms, session_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_RESAMPLES = 2_000

_LEVELS = (2.5, 97.5)
# Draws held at a time: about 10 MB whatever the number of dialogues.
_CHUNK = 250_000

Interval = tuple[float, float]


def bootstrap_intervals(
    records: Iterable[DialogueRecord], *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> dict[str, Interval | None]:
    """A 95 % interval per metric: dialogues drawn with replacement, the metric computed anew, its percentiles taken.

    The epochs of a dialogue are drawn together, for they are not independent of each other. CSR and ISR are ratios of
    sums over the drawn dialogues; REC and ROB are means over the drawn dialogues that have a denominator, and resamples
    without any are skipped. The same records in any order give the same draws, on any version of numpy.

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
    import numpy as np

    table = np.array(rows, dtype=np.float64)
    sums = np.concatenate([counts @ table for counts in resample_counts(len(rows), seed=seed, resamples=resamples)])
    total = add_terms([own for _, own in terms])
    return {metric: _interval(metric, table, sums, total) for metric in RATIOS}


def resample_counts(dialogues: int, *, seed: int, resamples: int) -> Iterator[NDArray[np.float64]]:
    """How often each dialogue is drawn in each resample, in chunks so that memory stays flat.

    Yields:
        Arrays of shape (some resamples, dialogues); each row sums to `dialogues`.
    """
    import numpy as np

    # The raw stream of PCG64 is stable; numpy promises nothing of the kind for the methods of Generator.
    stream = np.random.PCG64(seed)
    per_chunk = max(1, _CHUNK // dialogues)
    for first in range(0, resamples, per_chunk):
        chunk = min(per_chunk, resamples - first)
        high = stream.random_raw(chunk * dialogues) >> np.uint64(32)
        # Fixed-point multiplication maps 32 bits onto 0..dialogues-1; its bias is below dialogues / 2**32.
        drawn = (high * np.uint64(dialogues) >> np.uint64(32)).astype(np.int64).reshape(chunk, dialogues)
        drawn += np.arange(chunk, dtype=np.int64)[:, None] * dialogues
        counts = np.bincount(drawn.ravel(), minlength=chunk * dialogues)
        yield counts.reshape(chunk, dialogues).astype(np.float64)


def _dialogue_rows(terms: Iterable[tuple[str, Terms]]) -> list[Terms]:
    by_dialogue: defaultdict[str, list[Terms]] = defaultdict(list)
    for dialogue, own in terms:
        by_dialogue[dialogue].append(own)
    # Sorted by value, so that the order in which sessions happened to end moves no interval.
    return sorted(add_terms(epochs) for epochs in by_dialogue.values())


def _interval(metric: str, table: NDArray[np.float64], sums: NDArray[np.float64], total: Terms) -> Interval | None:
    import numpy as np

    top, bottom = (Terms._fields.index(name) for name in RATIOS[metric])
    drawn = sums[sums[:, bottom] > 0]
    if np.count_nonzero(table[:, bottom]) < 2 or not len(drawn):
        return None
    low, high = np.percentile(drawn[:, top] / drawn[:, bottom], _LEVELS).tolist()
    point = total[top] / total[bottom]
    return _settle(low, point), _settle(high, point)


def _settle(end: float, point: float) -> float:
    # Where dialogues do not differ, rounding alone would put the point a hair outside its own interval.
    return point if math.isclose(end, point, rel_tol=1e-12) else end

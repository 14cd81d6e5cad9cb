"""Figures of topic-shift dialogues: task completion rate, its gain, and agreement (Context-Agent)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from evolif.errors import ArgumentError
from evolif.text import plural


def tcr(items: Iterable[tuple[int, int]], *, as_released: bool = False) -> dict[str, float | int | None]:
    """Compute the task completion rate: which share of the goals do final answers satisfy?

    Args:
        items: For each dialogue, its satisfied goals and all its goals.
        as_released: As the release does: a dialogue without goals counts as 0 in `macro`, and a judge may find more
            goals satisfied than there are.

    Returns:
        `macro`: the mean over dialogues, in percent. `micro`: the share over all goals, in percent. `without_goals`:
        dialogues without goals, which are left out of both. A figure over nothing is None.

    Raises:
        ArgumentError: a negative count, or more goals satisfied than there are.
    """
    counts = [(satisfied, total) for satisfied, total in items]
    for satisfied, total in counts:
        if min(satisfied, total) < 0 or (satisfied > total and not as_released):
            raise ArgumentError(f"{satisfied} of {total} goals is no score; give 0 to {max(total, 0)} of them")
    scored = [(satisfied, total) for satisfied, total in counts if total]
    dialogues = len(counts) if as_released else len(scored)
    goals = sum(total for _, total in scored)
    return {
        "macro": 100 * math.fsum(satisfied / total for satisfied, total in scored) / dialogues if dialogues else None,
        "micro": 100 * sum(satisfied for satisfied, _ in scored) / goals if goals else None,
        "without_goals": len(counts) - len(scored),
    }


def tcr_gain(strategy: float, full: float) -> float:
    """Compare a strategy's completion rate with that of the full history, in percent; a loss is negative.

    Args:
        strategy: The rate under the strategy, in any unit.
        full: That under the full history, in the same unit.

    Raises:
        ArgumentError: `full` is 0 or no finite number.
    """
    if not (math.isfinite(strategy) and math.isfinite(full) and full > 0):
        raise ArgumentError(f"there is no ratio of {strategy} to {full}; the full history's rate must be above 0")
    return 100 * (strategy / full - 1)


def cohen_kappa(a: Sequence[Hashable], b: Sequence[Hashable]) -> float | None:
    """Measure how far two raters agree beyond chance.

    Unlike `evolif.metrics.cohens_kappa`, it is 1 where both always give the same single label.

    Args:
        a: The labels of one rater.
        b: The other's, in the same order.

    Returns:
        Kappa; None without labels.

    Raises:
        ArgumentError: unequal lengths.
    """
    if len(a) != len(b):
        raise ArgumentError(
            f"{plural(len(a), 'label')} cannot be paired with {len(b)}; give both raters' labels of each item"
        )
    if not a:
        return None
    agreed = sum(one == other for one, other in zip(a, b, strict=True))
    first, second, n = Counter(a), Counter(b), len(a)
    by_chance = sum(count * second[label] for label, count in first.items())
    # Whole numbers, so that full agreement is exactly 1 and agreement by chance exactly 0.
    return (n * agreed - by_chance) / (n * n - by_chance) if by_chance < n * n else 1.0

"""The bootstrap interval of a restricted mean: dialogues drawn anew, the survival curve computed anew each time."""

from __future__ import annotations

from collections.abc import Iterable

from evolif.metrics._dialogue import DialogueRecord
from evolif.metrics._lifetimes import lifetime
from evolif.metrics._numeric import numpy
from evolif.metrics._resampling import Interval, middle, resampled_sums


def restricted_mean_interval(
    records: Iterable[DialogueRecord], cap: int, point: float, *, seed: int, resamples: int
) -> Interval | None:
    """The 95 % interval of the area under the Kaplan-Meier curve from 0 to `cap`; None with fewer than two dialogues.

    Args:
        records: Sessions; those of one dialogue are drawn together.
        cap: In turns.
        point: The restricted mean itself.
        seed: Of the resampling.
        resamples: How many.
    """
    dialogues: dict[str, list[tuple[int, bool]]] = {}
    for record in records:
        dialogues.setdefault(record.dialogue, []).append(lifetime(record))
    if len(dialogues) < 2:
        return None
    if cap == 0:  # no session had a turn
        return point, point
    # By value, so that neither the order nor the names of dialogues move the interval.
    rows = sorted(sorted(lives) for lives in dialogues.values())
    turns = range(1, min(cap, max(length for lives in rows for length, _ in lives)) + 1)
    at_risk = [[sum(length >= turn for length, _ in lives) for lives in rows] for turn in turns]
    ended = [[sum(over and length == turn for length, over in lives) for lives in rows] for turn in turns]
    sums = resampled_sums(at_risk + ended, seed=seed, resamples=resamples) if turns else []
    np = numpy("a survival curve")
    curve = area = np.ones(resamples)
    for turn in range(1, cap):
        if turn <= len(turns):
            alive, gone = sums[turn - 1], sums[len(turns) + turn - 1]
            curve = curve * (1 - gone / np.maximum(alive, 1))
        area = area + curve
    return middle(area, point)

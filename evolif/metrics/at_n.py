"""ISR@N where some sessions were cut: the share of N requests satisfied before patience ran out.

A budget or a stop rule may end a session that its user would have gone on with. Left out, such a session would make the
figure too low, since long sessions are cut more often; with the rest taken as bad, lower still. So each good turn is
weighed with the inverse of the chance of not having been cut before it, which Kaplan and Meier's estimate gives:

    ISR@N = (1 / N) Σₜ S(t) q(t)

with S(t) the share of sessions whose patience lasts to turn t, and q(t) the share of good turns among those that play
it. The two forms are equal where all sessions have the same N; without cuts, every weight is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum


@dataclass(frozen=True, slots=True)
class Course:
    """A session up to turn N.

    Attributes:
        good: Whether each turn was good, until the session ended.
        requests: N, the turns that it could have; 0 if that is unknown.
        cut: Whether it ended before its user or its model did.
    """

    good: tuple[bool, ...]
    requests: int
    cut: bool


class _Counts:
    """How many sessions play, end and are cut at each turn, from 0."""

    def __init__(self, turns: int) -> None:
        self.playing = [0] * (turns + 2)
        self.over = [0] * (turns + 2)
        self.cut = [0] * (turns + 2)
        self.good = [0] * (turns + 2)
        self.requests = 0

    def add(self, course: Course, times: int = 1) -> None:
        """Count a session, or with -1 leave it out again."""
        last = len(course.good)
        for turn in range(last + 1):
            self.playing[turn] += times
        for turn, good in enumerate(course.good, start=1):
            self.good[turn] += times * good
        (self.cut if course.cut else self.over)[last] += times
        self.requests += times * course.requests

    def weights(self) -> tuple[list[float], bool]:
        """Per turn the weight of one that was played, and whether the turns up to the last were played at all."""
        uncut, known = 1.0, True
        found = [1.0]
        for turn in range(len(self.playing) - 1):
            staying = self.playing[turn] - self.over[turn]
            if self.cut[turn]:
                uncut *= 1 - self.cut[turn] / staying
                known = known and uncut > 0
            found.append(1 / uncut if uncut > 0 else 0.0)
        return found, known

    def value(self) -> float:
        """ISR@N; turns that nobody plays add nothing."""
        weights, _ = self.weights()
        return fsum(w * good for w, good in zip(weights, self.good, strict=True)) / self.requests


def _counts(courses: Sequence[Course]) -> _Counts:
    counts = _Counts(max((len(one.good) for one in courses), default=0))
    for one in courses:
        counts.add(one)
    return counts


def satisfied(courses: Sequence[Course]) -> list[float] | None:
    """The good turns of each session, weighed as above; their sum over the sum of N is ISR@N.

    Args:
        courses: All sessions of a model.

    Returns:
        None where every session that had not ended was cut: nobody knows how they go on from there.

    Example:
        >>> satisfied([Course((True, True), 4, True), Course((True, False, False, False), 4, False)])
        [2.0, 1.0]
    """
    if not any(one.cut for one in courses):
        return [float(sum(one.good)) for one in courses]
    weights, known = _counts(courses).weights()
    if not known:
        return None
    return [fsum(weights[turn] for turn, good in enumerate(one.good, start=1) if good) for one in courses]


def influence_of(clusters: Sequence[Sequence[Course]]) -> list[float] | None:
    """What each cluster adds to ISR@N by the jackknife: n - 1 times how much the figure falls without it.

    Args:
        clusters: The sessions of each.

    Returns:
        One for each, around 0; None if no session was cut (a ratio of sums says the same, sooner), or where ISR@N is
        not known.
    """
    courses = [one for own in clusters for one in own]
    if not any(one.cut for one in courses):
        return None
    counts = _counts(courses)
    if not counts.weights()[1]:
        return None
    without = []
    for own in clusters:
        for one in own:
            counts.add(one, -1)
        without.append(counts.value() if counts.requests else 0.0)
        for one in own:
            counts.add(one)
    mean = fsum(without) / len(without)
    return [(len(clusters) - 1) * (mean - value) for value in without]

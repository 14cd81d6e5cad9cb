"""How long sessions last, per cluster, and Kaplan and Meier's estimate of it with its band.

The band is the jackknife's over clusters (dialogues, or what the scenario declares): the estimate is worked out without
each of them in turn. Its scale is log(-log S), which keeps it between 0 and 1, and its quantile Student's, with fewer
degrees of freedom where a few clusters decide the spread (`freedom_of`). `benchmarks/coverage_clusters.py` measures how
often it holds the truth, with several epochs a dialogue too; Greenwood's band, which takes them as independent, held it
in 73 to 90 of 100 runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from evolif.metrics.distributions import binomial_low, student_quantile
from evolif.metrics.intervals import ALPHA, FEWEST, freedom_of, standard_error
from evolif.metrics.process import DialogueRecord, walk_patience
from evolif.metrics.statistics import Interval

_NOTHING = 1e-12
_MOST_STEP = 700.0
"""The exponential of more is no number; the end is at 0 or 1 long before."""


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """Sessions by length N; missing lengths count as 0.

    Attributes:
        exhausted: Length to sessions that exhausted patience ended.
        censored: Length to sessions that ended for another reason.
    """

    exhausted: Counter[int]
    censored: Counter[int]

    @property
    def longest(self) -> int:
        """Length of the longest session; 0 without any."""
        return max(chain((0,), self.exhausted, self.censored))

    @property
    def shortest(self) -> int:
        """Length of the shortest session; 0 without any."""
        return min(chain(self.exhausted, self.censored), default=0)

    @property
    def sessions(self) -> int:
        """How many there are."""
        return self.exhausted.total() + self.censored.total()

    def at_risk(self, last: int) -> list[int]:
        """Per turn from 0 to `last`, the sessions with at least that many judged turns."""
        ends = [0] * (max(last, self.longest) + 1)
        for length, sessions in chain(self.exhausted.items(), self.censored.items()):
            ends[length] += sessions
        return list(accumulate(reversed(ends)))[::-1][: last + 1]


def lifetime(record: DialogueRecord) -> tuple[int, bool]:
    """N, and whether patience was exhausted at that turn."""
    walk = walk_patience([all(turn) for turn in record.turns], record.patience)
    return walk.turns, walk.left == 0


def lifetimes(records: Iterable[DialogueRecord]) -> Lifetimes:
    """The lifetimes of the records' sessions."""
    lives = Lifetimes(Counter(), Counter())
    for record in records:
        length, over = lifetime(record)
        (lives.exhausted if over else lives.censored)[length] += 1
    return lives


def lifetimes_by_cluster(records: Iterable[DialogueRecord]) -> dict[str, Lifetimes]:
    """Cluster to the lifetimes of its sessions; clusters without a judged turn tell nothing and are left out."""
    groups: dict[str, list[DialogueRecord]] = {}
    for record in records:
        groups.setdefault(record.unit, []).append(record)
    lives = {unit: lifetimes(own) for unit, own in groups.items()}
    return {unit: own for unit, own in lives.items() if own.longest}


def all_of(clusters: Iterable[Lifetimes]) -> Lifetimes:
    """The lifetimes of some clusters together."""
    whole = Lifetimes(Counter(), Counter())
    for own in clusters:
        whole.exhausted.update(own.exhausted)
        whole.censored.update(own.censored)
    return whole


def kaplan_meier(lives: Lifetimes) -> list[float]:
    """Per turn from 0 to the longest session, the share of sessions that last longer (Kaplan and Meier, 1958).

    Example:
        >>> kaplan_meier(Lifetimes(Counter({1: 2}), Counter({2: 2})))
        [1.0, 0.5, 0.5]
    """
    return list(_product(lives.at_risk(lives.longest), _ended(lives, lives.longest)))


def without_each(clusters: Sequence[Lifetimes]) -> list[list[float]]:
    """The curve of the other clusters, without each in turn; past their longest session it stays at its height."""
    whole = all_of(clusters)
    last = whole.longest
    at_risk, ended = whole.at_risk(last), _ended(whole, last)
    curves: dict[tuple[tuple[int, ...], tuple[int, ...]], list[float]] = {}
    found = []
    for own in clusters:
        alive, over = own.at_risk(last), _ended(own, last)
        key = tuple(alive), tuple(over)
        if key not in curves:
            others = [all_ - mine for all_, mine in zip(at_risk, alive, strict=True)]
            curves[key] = list(_product(others, [all_ - mine for all_, mine in zip(ended, over, strict=True)]))
        found.append(curves[key])
    return found


def survival_band(clusters: Sequence[Lifetimes], without: Sequence[Sequence[float]]) -> list[Interval] | None:
    """The 95 % band of the curve of all clusters, one interval per turn from 0 to the longest session.

    Where the curve is still at 1 or has come down to 0, or all clusters have the same share, they say nothing about
    spread; then there is room for as many others as could have been missed among those that reach the turn. Where one
    or two clusters of many are the only ones that differ, their spread is hardly known; as for any share
    (`ratio_interval`), the far end is no farther than Clopper and Pearson's of whole clusters. A curve never rises, and
    neither do the ends: what bounds it at one turn bounds it at all earlier ones from below, and at all later ones from
    above.

    Args:
        clusters: Each with a judged turn.
        without: The curve without each, as `without_each` gives it.

    Returns:
        None with fewer than six clusters.
    """
    if len(clusters) < FEWEST:
        return None
    heights = kaplan_meier(all_of(clusters))
    reach = Counter(own.longest for own in clusters)
    at_risk = Lifetimes(Counter(), reach).at_risk(len(heights) - 1)
    limits = _limits(clusters, len(heights))
    ends = [(1.0, 1.0)]
    half: float | None = None
    for turn in range(1, len(heights)):
        if heights[turn] != heights[turn - 1]:
            half = _half([curve[turn] for curve in without])
        low, high = _ends(heights[turn], half, (ALPHA / 2) ** (1 / at_risk[turn]))
        ends.append((max(low, limits[turn][0]), min(high, limits[turn][1])))
    lows = list(accumulate((low for low, _ in reversed(ends)), max))[::-1]
    highs = accumulate((high for _, high in ends), min)
    return list(zip(lows, highs, strict=True))


def _half(without: Sequence[float]) -> float | None:
    """Half the width of Student's interval of the height; None where no cluster makes a difference."""
    mean = math.fsum(without) / len(without)
    influence = [(len(without) - 1) * (mean - own) for own in without]
    if all(abs(value) <= _NOTHING for value in influence):
        return None
    return student_quantile(freedom_of(influence)) * standard_error(influence)


def _ends(height: float, half: float | None, seen: float) -> Interval:
    """The interval of one height; `seen` is the share of clusters that were not missed, at least."""
    if height in (0.0, 1.0) or half is None:
        return height * seen, 1 - (1 - height) * seen
    factor = math.exp(min(half / (height * -math.log(height)), _MOST_STEP))
    return height**factor, height ** (1 / factor)


def _limits(clusters: Sequence[Lifetimes], turns: int) -> list[Interval]:
    """Per turn, the ends that a share of whole clusters has at most; 0 and 1 where the height is no such share.

    It is one where no session was cut before, and all clusters have the same number of sessions. Then the lower end is
    limited if most clusters have lost no session, and the upper end if most have lost all.
    """
    n, sessions = len(clusters), clusters[0].sessions
    if any(own.sessions != sessions for own in clusters):
        return [(0.0, 1.0)] * turns
    first_cut = min(chain.from_iterable(own.censored for own in clusters), default=turns)
    lasting = [sessions] * n
    found = []
    for turn in range(turns):
        for place, own in enumerate(clusters):
            lasting[place] -= own.exhausted.get(turn, 0)
        low, high = 0.0, 1.0
        if turn <= first_cut and 2 * lasting.count(sessions) > n:
            low = binomial_low(sum(lasting) // sessions, n)
        if turn <= first_cut and 2 * lasting.count(0) > n:
            high = 1 - binomial_low((n * sessions - sum(lasting)) // sessions, n)
        found.append((low, high))
    return found


def _ended(lives: Lifetimes, last: int) -> list[int]:
    ended = [0] * (last + 1)
    for length, sessions in lives.exhausted.items():
        ended[length] = sessions
    return ended


def _product(at_risk: Sequence[int], ended: Sequence[int]) -> Iterator[float]:
    height = 1.0
    for alive, over in zip(at_risk, ended, strict=True):
        if over:
            height *= (alive - over) / alive
        yield height

"""How long sessions last: Kaplan-Meier curves with censoring, hazard and log-rank test (paper section 5.2, Fig. 3).

All of it in plain Python, with intervals over clusters: epochs of a dialogue are never taken as independent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evolif.errors import UsageError
from evolif.metrics.distributions import student_quantile, student_tail
from evolif.metrics.intervals import FEWEST, event_interval, freedom_of, influence_interval
from evolif.metrics.lifetimes import (
    Lifetimes,
    all_of,
    kaplan_meier,
    lifetimes,
    lifetimes_by_cluster,
    survival_band,
    without_each,
)
from evolif.metrics.process import DialogueRecord, cut
from evolif.metrics.sessions import bounding_records, records_from_sessions
from evolif.metrics.statistics import Interval, check_draws
from evolif.metrics.table import clusters_of
from evolif.types import DEFAULT_RESAMPLES, CapCounts, Session

_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class SurvivalPoint:
    """The curve at one whole turn; it is a step function that falls at the turns where patience is exhausted.

    Attributes:
        turn: Number of judged turns, from 0.
        probability: Of lasting longer than this turn, a fraction.
        low: Lower end of the 95 % band, see `survival_band`; None with fewer than six clusters.
        high: Upper end.
        at_risk: Sessions with at least this many judged turns.
        exhausted: Sessions whose patience is exhausted at exactly this turn.
        censored: Sessions that stop at exactly this turn for another reason.
    """

    turn: int
    probability: float
    low: float | None
    high: float | None
    at_risk: int
    exhausted: int
    censored: int

    @property
    def interval(self) -> Interval | None:
        """The band at this turn; None with fewer than six clusters."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Survival:
    """A survival curve.

    Attributes:
        points: One per whole turn from 0 to the longest session.
        sessions: Number of sessions behind the curve.
        median: First turn at which at most half of the sessions last longer; None if the curve stays above a half.
        median_interval: 95 %, read off the band; its upper end is None if the band's does not fall to a half. None if
            the median is None, or with fewer than six clusters.
        restricted_mean: Mean number of turns up to the cap: the area under the curve from 0 to `cap`.
        restricted_mean_interval: 95 %, over clusters; None with fewer than six.
        cap: The last turn of the mean.
    """

    points: tuple[SurvivalPoint, ...]
    sessions: int
    median: int | None
    median_interval: tuple[int | None, int | None] | None
    restricted_mean: float | None
    restricted_mean_interval: Interval | None
    cap: int


@dataclass(frozen=True, slots=True)
class SurvivalBounds:
    """The curve including suspended and withheld sessions, at worst and at best (as `bounds` of the table)."""

    failed: Survival
    succeeded: Survival


def survival(
    sessions: Iterable[Session],
    *,
    max_turns: int | None = None,
    cluster: str = "",
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> Survival:
    """The survival curve of one model: exhausted patience is the event, at N; censored sessions are right-censored.

    Args:
        sessions: Of one model; finished and censored ones count.
        max_turns: The run's cap, the limit of the restricted mean; the longest session if None, or if dialogues end by
            themselves.
        cluster: The label of turns that says which dialogues are resampled together, see `MetricTable.cluster`.
        seed: Of the draws behind `restricted_mean_interval`, which it needs where most sessions reach the cap.
        resamples: How many.

    Raises:
        UsageError: Sessions of several models, or a cap below 1.
    """
    given = tuple(sessions)
    records = records_from_sessions(given, cluster).records
    if max_turns is not None and any(s.ending == "finished" and s.cause not in ("", "patience") for s in given):
        longest = max(len(cut(record).turns) for record in records)
        max_turns = min(max_turns, max(1, longest))
    return _curve(records, max_turns, seed, resamples)


def survival_bounds(
    sessions: Iterable[Session],
    *,
    max_turns: int,
    counts: CapCounts = "turns",
    cluster: str = "",
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> SurvivalBounds:
    """The curves if every session that is left out had failed from then on, or had continued to the cap.

    Args:
        sessions: Of one model.
        max_turns: The run's cap.
        counts: What it counts.
        cluster: As for `survival`.
        seed: As for `survival`.
        resamples: As for `survival`.

    Raises:
        UsageError: as `survival`.
    """
    failed, succeeded = bounding_records(sessions, max_turns=max_turns, counts=counts, cluster=cluster)
    return SurvivalBounds(_curve(failed, max_turns, seed, resamples), _curve(succeeded, max_turns, seed, resamples))


def _curve(records: Sequence[DialogueRecord], max_turns: int | None, seed: int, resamples: int) -> Survival:
    if max_turns is not None and max_turns < 1:
        raise UsageError(f"the cap is {max_turns} turns; it must be at least 1")
    check_draws(seed, resamples)
    lives = lifetimes(records)
    cap = lives.longest if max_turns is None else max_turns
    if not lives.sessions:
        return Survival((), 0, None, None, None, None, cap)
    clusters = list(lifetimes_by_cluster(records).values())
    without = without_each(clusters) if len(clusters) >= FEWEST else []
    heights, band = kaplan_meier(lives), survival_band(clusters, without)
    mean = _area(heights, cap)
    median = _first(heights)
    return Survival(
        points=tuple(_points(lives, heights, band)),
        sessions=lives.sessions,
        median=median,
        median_interval=None if median is None or band is None else _median_interval(band),
        restricted_mean=mean,
        restricted_mean_interval=_mean_interval(clusters, without, cap, mean, draws=(seed, resamples)),
        cap=cap,
    )


def _points(lives: Lifetimes, heights: Sequence[float], band: Sequence[Interval] | None) -> Iterator[SurvivalPoint]:
    ends = [(None, None)] * len(heights) if band is None else band
    for turn, (height, (low, high), at_risk) in enumerate(
        zip(heights, ends, lives.at_risk(lives.longest), strict=True)
    ):
        yield SurvivalPoint(turn, height, low, high, at_risk, lives.exhausted[turn], lives.censored[turn])


def _area(heights: Sequence[float], cap: int) -> float:
    """The area under a curve from 0 to the cap, in turns; past its last turn it stays at its height."""
    return math.fsum([*heights[:cap], heights[-1] * max(0, cap - len(heights))])


def _mean_interval(
    clusters: Sequence[Lifetimes], without: Sequence[Sequence[float]], cap: int, point: float, *, draws: tuple[int, int]
) -> Interval | None:
    """The 95 % interval of the area under the curve from 0 to `cap`, by the jackknife over clusters."""
    if len(clusters) < FEWEST:
        return None
    areas = [_area(curve, cap) for curve in without]
    middle = math.fsum(areas) / len(areas)
    # Sorted, so that neither the order nor the names of clusters matter.
    influence = sorted((len(areas) - 1) * (middle - area) for area in areas)
    at_cap = sum(own.shortest >= cap for own in clusters) > len(clusters) / 2
    return influence_interval(point, influence, most=float(cap), at_cap=at_cap, draws=draws)


def _median_interval(band: Sequence[Interval]) -> tuple[int | None, int | None]:
    return _first([low for low, _ in band]), _first([high for _, high in band])


def _first(heights: Sequence[float]) -> int | None:
    """The first turn at which a curve falls to a half, up to rounding."""
    return next((turn for turn, height in enumerate(heights) if height <= 0.5 + 1e-12), None)


@dataclass(frozen=True, slots=True)
class Hazard:
    """What happens at one turn.

    Attributes:
        turn: Number of the judged turn, from 1.
        at_risk: Sessions that have this judged turn.
        exhausted: Those whose patience is exhausted there.
        censored: Those that stop there for another reason.
        hazard: exhausted / at_risk, a fraction.
        interval: 95 %, as of any count of events over clusters (`event_interval`); None if fewer than six clusters have
            this turn.
    """

    turn: int
    at_risk: int
    exhausted: int
    censored: int
    hazard: float
    interval: Interval | None


def hazard(sessions: Iterable[Session], cluster: str = "") -> tuple[Hazard, ...]:
    """The hazard per turn number, from 1 to the longest session (paper section 5.2, Fig. 3).

    As in N, only turns in which something was judged are counted. Finished and censored sessions count.

    Args:
        sessions: Of one model.
        cluster: As for `survival`.

    Raises:
        UsageError: Sessions of several models.
    """
    clusters = list(lifetimes_by_cluster(records_from_sessions(sessions, cluster).records).values())
    lives = all_of(clusters)
    at_risk = [own.at_risk(lives.longest) for own in clusters]
    hazards = []
    for turn, alive in enumerate(lives.at_risk(lives.longest)[1:], start=1):
        exhausted = lives.exhausted[turn]
        interval = event_interval([own.exhausted[turn] for own in clusters], [own[turn] for own in at_risk])
        hazards.append(Hazard(turn, alive, exhausted, lives.censored[turn], exhausted / alive, interval))
    return tuple(hazards)


@dataclass(frozen=True, slots=True)
class LogRank:
    """Result of a log-rank test that pairs the two models by dialogue.

    Attributes:
        statistic: The sum of what each cluster adds to “observed minus expected” of the first, over its standard error;
            negative if the first lasts longer than expected. Compared with Student's distribution. None without a p.
        p: Two-sided. None with fewer than six clusters on either side, or if no event tells the two apart.
    """

    statistic: float | None
    p: float | None


def log_rank(a: Iterable[Session], b: Iterable[Session], cluster: str = "") -> LogRank:
    """The log-rank test between two models, or two runs of one, paired by dialogue.

    The numerator is the usual one (Mantel, 1966). Its variance comes from what each cluster adds to it, with the
    sessions of both models on a dialogue, and all their epochs, taken as one: so dialogues that are hard for both
    models do not hide a difference, and epochs do not inflate it.

    Args:
        a: Sessions of one model; finished and censored ones count.
        b: Sessions of the other.
        cluster: As for `survival`.

    Raises:
        UsageError: Sessions of several models on one side.
    """
    sides = tuple(a), tuple(b)
    names = {str(dialogue): unit for dialogue, unit in clusters_of(cluster, (*sides[0], *sides[1])).items()}
    first, second = (
        lifetimes_by_cluster(
            replace(record, cluster=str(names[record.dialogue])) for record in records_from_sessions(side).records
        )
        for side in sides
    )
    if min(len(first), len(second)) < FEWEST:
        return LogRank(None, None)
    scores = _scores(first, second)
    total, n = math.fsum(scores), len(scores)
    apart = [score - total / n for score in scores]
    if all(abs(value) <= _NOTHING for value in apart):
        if abs(total) <= _NOTHING:
            return LogRank(None, None)
        # All clusters agree: what p can be then is that of all their signs, as in `pair_test`.
        p = 2.0 ** (1 - n)
        return LogRank(math.copysign(student_quantile(n - 1.0, p), total), p)
    statistic = total / math.sqrt(n / (n - 1) * math.fsum(value * value for value in apart))
    return LogRank(statistic, student_tail(statistic, freedom_of(apart)))


def _scores(first: Mapping[str, Lifetimes], second: Mapping[str, Lifetimes]) -> list[float]:
    """What each cluster of both sides adds to “observed minus expected” of the first side (Wei and Lachin, 1984)."""
    one, other = all_of(first.values()), all_of(second.values())
    last = max(one.longest, other.longest)
    rates, of_first, of_second = [], [], []
    for turn, (mine, yours) in enumerate(zip(one.at_risk(last), other.at_risk(last), strict=True)):
        alive = mine + yours
        rates.append((one.exhausted[turn] + other.exhausted[turn]) / alive)
        of_first.append(yours / alive)
        of_second.append(mine / alive)
    return [
        (_surplus(first[unit], of_first, rates) if unit in first else 0.0)
        - (_surplus(second[unit], of_second, rates) if unit in second else 0.0)
        for unit in dict.fromkeys((*first, *second))
    ]


def _surplus(lives: Lifetimes, weights: Sequence[float], rates: Sequence[float]) -> float:
    """The weighted sum over turns of a cluster's events beyond those that the common rate lets one expect."""
    rows = zip(lives.at_risk(lives.longest), weights, rates, strict=False)
    return math.fsum(weight * (lives.exhausted[turn] - alive * rate) for turn, (alive, weight, rate) in enumerate(rows))

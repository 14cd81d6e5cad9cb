"""How long sessions last: Kaplan-Meier curves with censoring, hazard and log-rank test (paper section 5.2, Fig. 3)."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evolif.errors import UsageError
from evolif.metrics.intervals import FEWEST, influence_interval
from evolif.metrics.process import DialogueRecord, cut, patience_left
from evolif.metrics.sessions import bounding_records, records_from_sessions
from evolif.metrics.statistics import Interval, check_draws, require, wilson
from evolif.types import DEFAULT_RESAMPLES, CapCounts, Session


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
        return max([0, *self.exhausted, *self.censored])

    @property
    def sessions(self) -> int:
        """How many there are."""
        return self.exhausted.total() + self.censored.total()

    def at_risk(self, turn: int) -> int:
        """Sessions with at least that many judged turns."""
        return sum(
            count for counts in (self.exhausted, self.censored) for length, count in counts.items() if length >= turn
        )


def lifetime(record: DialogueRecord) -> tuple[int, bool]:
    """N, and whether patience was exhausted at that turn."""
    return len(cut(record).turns), patience_left(record) == 0


def lifetimes(records: Iterable[DialogueRecord]) -> Lifetimes:
    """The lifetimes of the records' sessions."""
    lives = Lifetimes(Counter(), Counter())
    for record in records:
        length, over = lifetime(record)
        (lives.exhausted if over else lives.censored)[length] += 1
    return lives


def restricted_mean_interval(
    records: Iterable[DialogueRecord], cap: int, point: float, *, seed: int, resamples: int
) -> Interval | None:
    """The 95 % interval of the area under the Kaplan-Meier curve from 0 to `cap`, by the jackknife over dialogues.

    Args:
        records: Sessions; those of one dialogue are left out together.
        cap: In turns.
        point: The restricted mean itself.
        seed: Of the draws that are needed where most sessions reach the cap.
        resamples: How many.

    Returns:
        Its ends, in turns; None with fewer than six dialogues.
    """
    dialogues: dict[str, list[tuple[int, bool]]] = {}
    for record in records:
        dialogues.setdefault(record.dialogue, []).append(lifetime(record))
    # Sorted by value, so that neither the order nor the names of dialogues matter.
    rows = sorted(sorted(lives) for lives in dialogues.values())
    if len(rows) < FEWEST:
        return None
    np = require("numpy", "a survival curve")
    turns = np.arange(1, cap)
    at_risk = np.array([sum(length >= turns for length, _ in lives) for lives in rows])
    ended = np.array([sum((length == turns) * over for length, over in lives) for lives in rows])
    others_alive, others_ended = at_risk.sum(axis=0) - at_risk, ended.sum(axis=0) - ended
    curves = np.cumprod(1 - others_ended / np.maximum(others_alive, 1), axis=1)
    without = (0 if cap == 0 else 1) + curves.sum(axis=1)
    influence = (len(rows) - 1) * (without.mean() - without)
    at_cap = sum(min(length for length, _ in lives) >= cap for lives in rows) > len(rows) / 2
    unseen = (seed, resamples) if at_cap else None
    return influence_interval(point, [float(value) for value in influence], most=float(cap), unseen=unseen)


@dataclass(frozen=True, slots=True)
class SurvivalPoint:
    """The curve at one whole turn; it is a step function that falls at the turns where patience is exhausted.

    Attributes:
        turn: Number of judged turns, from 0.
        probability: Of lasting longer than this turn, a fraction.
        low: Lower end of the 95 % band (log-log, Greenwood); None if undefined (once the curve is at 0).
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
        """The band; None if either end is undefined."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Survival:
    """A survival curve.

    Attributes:
        points: One per whole turn from 0 to the longest session.
        sessions: Number of sessions behind the curve.
        median: First turn at which at most half of the sessions last longer; None if the curve stays above a half.
        median_interval: 95 %, read off the band; an end is None if the band does not fall to a half. None if the median
            is None.
        restricted_mean: Mean number of turns up to the cap: the area under the curve from 0 to `cap`.
        restricted_mean_interval: 95 %, over dialogues; None with fewer than six.
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
    sessions: Iterable[Session], *, max_turns: int | None = None, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> Survival:
    """The survival curve of one model: exhausted patience is the event, at N; censored sessions are right-censored.

    The band assumes independent sessions, which epochs of one dialogue are not.

    Args:
        sessions: Of one model; finished and censored ones count.
        max_turns: The run's cap, the limit of the restricted mean; the longest session if None, or if dialogues end by
            themselves.
        seed: Of the draws behind `restricted_mean_interval`.
        resamples: How many.

    Raises:
        UsageError: SciPy is not installed; sessions of several models.
    """
    given = tuple(sessions)
    records = records_from_sessions(given).records
    if max_turns is not None and any(s.ending == "finished" and s.cause not in ("", "patience") for s in given):
        longest = max(len(cut(record).turns) for record in records)
        max_turns = min(max_turns, max(1, longest))
    return _curve(records, max_turns, seed, resamples)


def survival_bounds(
    sessions: Iterable[Session],
    *,
    max_turns: int,
    counts: CapCounts = "turns",
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> SurvivalBounds:
    """The curves if every session that is left out had failed from then on, or had continued to the cap.

    Args:
        sessions: Of one model.
        max_turns: The run's cap.
        counts: What it counts.
        seed: As for `survival`.
        resamples: As for `survival`.

    Raises:
        UsageError: as `survival`, or a cap below 1.
    """
    failed, succeeded = bounding_records(sessions, max_turns=max_turns, counts=counts)
    return SurvivalBounds(_curve(failed, max_turns, seed, resamples), _curve(succeeded, max_turns, seed, resamples))


def censored_data(stats: Any, lives: Lifetimes) -> Any:
    """The lifetimes as `scipy.stats` takes them."""
    return stats.CensoredData(uncensored=sorted(lives.exhausted.elements()), right=sorted(lives.censored.elements()))


def _curve(records: Sequence[DialogueRecord], max_turns: int | None, seed: int, resamples: int) -> Survival:
    if max_turns is not None and max_turns < 1:
        raise UsageError(f"the cap is {max_turns} turns; it must be at least 1")
    check_draws(seed, resamples)
    stats = require("scipy.stats", "a survival curve")
    lives = lifetimes(records)
    cap = lives.longest if max_turns is None else max_turns
    if not lives.sessions:
        return Survival((), 0, None, None, None, None, cap)
    points = tuple(_points(stats, lives))
    mean = math.fsum(points[min(turn, lives.longest)].probability for turn in range(cap))
    median = _first(points, [point.probability for point in points])
    return Survival(
        points=points,
        sessions=lives.sessions,
        median=median,
        median_interval=None if median is None else _median_interval(points),
        restricted_mean=mean,
        restricted_mean_interval=restricted_mean_interval(records, cap, mean, seed=seed, resamples=resamples),
        cap=cap,
    )


def _points(stats: Any, lives: Lifetimes) -> Iterator[SurvivalPoint]:
    curve = stats.ecdf(censored_data(stats, lives)).sf
    with warnings.catch_warnings():
        # The band is undefined where the curve is at 1 or 0; see below.
        warnings.simplefilter("ignore", RuntimeWarning)
        band = curve.confidence_interval(0.95, method="log-log")
    turns = range(lives.longest + 1)
    heights = (function.evaluate(list(turns)).tolist() for function in (curve, band.low, band.high))
    for turn, height, low, high in zip(turns, *heights, strict=True):
        edge = 1.0 if height == 1 else None
        yield SurvivalPoint(
            turn=turn,
            probability=height,
            low=edge if math.isnan(low) else low,
            high=edge if math.isnan(high) else high,
            at_risk=lives.at_risk(turn),
            exhausted=lives.exhausted[turn],
            censored=lives.censored[turn],
        )


def _median_interval(points: Sequence[SurvivalPoint]) -> tuple[int | None, int | None]:
    # Where the curve is at 0 its band is undefined: below a half at the lower end, unknown at the upper.
    lows = [0.0 if point.low is None else point.low for point in points]
    highs = [1.0 if point.high is None else point.high for point in points]
    return _first(points, lows), _first(points, highs)


def _first(points: Sequence[SurvivalPoint], heights: Sequence[float]) -> int | None:
    """The first turn at which the curve falls to a half, up to rounding."""
    return next((p.turn for p, height in zip(points, heights, strict=True) if height <= 0.5 + 1e-12), None)


@dataclass(frozen=True, slots=True)
class Hazard:
    """What happens at one turn.

    Attributes:
        turn: Number of the judged turn, from 1.
        at_risk: Sessions that have this judged turn.
        exhausted: Those whose patience is exhausted there.
        censored: Those that stop there for another reason.
        hazard: exhausted / at_risk, a fraction.
        interval: Wilson's 95 % score interval; it assumes independent sessions.
    """

    turn: int
    at_risk: int
    exhausted: int
    censored: int
    hazard: float
    interval: Interval


def hazard(sessions: Iterable[Session]) -> tuple[Hazard, ...]:
    """The hazard per turn number, from 1 to the longest session (paper section 5.2, Fig. 3).

    As in N, only turns in which something was judged are counted. Finished and censored sessions count.

    Args:
        sessions: Of one model.
    """
    lives = lifetimes(records_from_sessions(sessions).records)
    hazards = []
    for turn in range(1, lives.longest + 1):
        at_risk, exhausted = lives.at_risk(turn), lives.exhausted[turn]
        rate = exhausted / at_risk
        hazards.append(Hazard(turn, at_risk, exhausted, lives.censored[turn], rate, wilson(rate, at_risk)))
    return tuple(hazards)


@dataclass(frozen=True, slots=True)
class LogRank:
    """Result of a log-rank test; both None if no event distinguishes the two."""

    statistic: float | None
    """Standard normal under the hypothesis; negative if the first lasts longer than expected."""
    p: float | None
    """Two-sided."""


def log_rank(a: Iterable[Session], b: Iterable[Session]) -> LogRank:
    """The log-rank test between two models, or two runs of one.

    It assumes independent sessions and ignores that sessions of the same dialogue are paired: if hard dialogues are
    hard for both, it underestimates the difference. `compare` is the paired test.

    Args:
        a: Sessions of one model; finished and censored ones count.
        b: Sessions of the other.

    Raises:
        UsageError: SciPy is not installed; sessions of several models on one side.
    """
    stats, np = require("scipy.stats", "a log-rank test"), require("numpy", "a log-rank test")
    first, second = (lifetimes(records_from_sessions(sessions).records) for sessions in (a, b))
    if not (first.sessions and second.sessions and first.exhausted + second.exhausted):
        return LogRank(None, None)
    with np.errstate(all="ignore"):  # 0 / 0 if no event distinguishes the two
        result = stats.logrank(censored_data(stats, first), censored_data(stats, second))
    statistic, p = float(result.statistic), float(result.pvalue)
    return LogRank(statistic, p) if math.isfinite(statistic) else LogRank(None, None)

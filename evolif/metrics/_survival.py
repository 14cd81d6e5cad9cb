"""How long sessions last: Kaplan-Meier with censoring (paper section 5.2, Fig. 3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evolif.domain import Session
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval


@dataclass(frozen=True, slots=True)
class SurvivalPoint:
    """The curve at one whole turn; it is a step function that falls at the turns where patience is exhausted.

    Attributes:
        turn: Judged turns had, from 0.
        probability: Of lasting longer than so many turns, a fraction.
        low: Lower end of the 95 % band (log-log, Greenwood); None where undefined (once the curve is at 0).
        high: Upper end.
        at_risk: Sessions with at least so many judged turns.
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


@dataclass(frozen=True, slots=True)
class Survival:
    """A survival curve.

    Attributes:
        points: One per whole turn from 0 to the longest session.
        sessions: How many the curve is of.
        median: First turn at which at most half of the sessions last longer; None where the curve stays above a half.
        median_interval: 95 %, read off the band; an end is None where the band does not come down to a half. None
            where the median is.
        restricted_mean: Turns had on average up to the cap: the area under the curve from 0 to `cap`.
        restricted_mean_interval: 95 % bootstrap interval over dialogues; None with fewer than two.
        cap: Up to which turn the mean goes.
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
    """The curve with the suspended and withheld sessions in it, at worst and at best (as `bounds` of the table)."""

    failed: Survival
    succeeded: Survival


def survival(
    sessions: Iterable[Session], *, max_turns: int | None = None, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> Survival:
    """The survival curve of one model: exhausted patience is the event, at N; censored sessions are right-censored.

    The band takes sessions as independent, which epochs of one dialogue are not.

    Args:
        sessions: Of one model; finished and censored ones count.
        max_turns: The run's cap, up to which the restricted mean goes; the longest session where None.
        seed: Of the resampling behind `restricted_mean_interval`.
        resamples: How many.

    Raises:
        UsageError: SciPy is not installed; sessions of several models.
    """
    raise NotImplementedError


def survival_bounds(
    sessions: Iterable[Session], *, max_turns: int, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> SurvivalBounds:
    """The curves if every suspended or withheld session had failed from there on, or had gone on to the cap.

    Args:
        sessions: Of one model; those still running are left out.
        max_turns: The run's cap.
        seed: As for `survival`.
        resamples: As for `survival`.

    Raises:
        UsageError: as `survival`, or a cap below 1.
    """
    raise NotImplementedError

"""Where sessions end: the share of those still running whose patience is exhausted at each turn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

from evolif.domain import Session
from evolif.metrics._bootstrap import Interval
from evolif.metrics._lifetimes import Lifetimes, lifetimes
from evolif.metrics._sessions import records_from_sessions

_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Hazard:
    """What happens at one turn.

    Attributes:
        turn: Number of the judged turn, from 1.
        at_risk: Sessions that have this judged turn.
        exhausted: Those of them whose patience is exhausted there.
        censored: Those of them that stop there for another reason.
        hazard: exhausted / at_risk, a fraction.
        interval: 95 % score interval of Wilson; it takes sessions as independent.
    """

    turn: int
    at_risk: int
    exhausted: int
    censored: int
    hazard: float
    interval: Interval


def hazard(sessions: Iterable[Session]) -> tuple[Hazard, ...]:
    """The hazard per turn number, from 1 to the longest session (paper section 5.2, Fig. 3).

    Turns are counted as N is: those in which something was judged. Finished and censored sessions count.

    Args:
        sessions: Of one model.
    """
    lives = lifetimes(records_from_sessions(sessions).records)
    return tuple(_at(turn, lives) for turn in range(1, lives.longest + 1))


def wilson(hits: int, n: int) -> Interval:
    """The 95 % score interval of Wilson (1927) for `hits` of `n`, at least 1."""
    share, spread = hits / n, _Z * _Z / n
    centre = share + spread / 2
    half = _Z * math.sqrt((share * (1 - share) + spread / 4) / n)
    # At either edge the end is the edge itself; rounding would put it a hair beside.
    low = 0.0 if hits == 0 else (centre - half) / (1 + spread)
    high = 1.0 if hits == n else (centre + half) / (1 + spread)
    return low, high


def _at(turn: int, lives: Lifetimes) -> Hazard:
    at_risk, exhausted = lives.at_risk(turn), lives.exhausted[turn]
    return Hazard(turn, at_risk, exhausted, lives.censored[turn], exhausted / at_risk, wilson(exhausted, at_risk))

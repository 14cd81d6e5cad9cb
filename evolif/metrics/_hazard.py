"""Where sessions end: the share of those still running whose patience is exhausted at each turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evolif.domain import Session
from evolif.metrics._bootstrap import Interval


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
    raise NotImplementedError

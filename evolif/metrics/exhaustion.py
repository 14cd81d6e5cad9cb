"""How often patience runs out, where the length of sessions says little because most of them reach the cap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evolif.metrics.intervals import FEWEST
from evolif.metrics.process import DialogueRecord, cut, patience_left
from evolif.metrics.sessions import records_from_sessions
from evolif.metrics.statistics import Interval, poisson_interval
from evolif.metrics.survival import lifetime, lifetimes
from evolif.types import Session

SPAN = 10
"""Turns over which the rate is pooled."""
_MOST_AT_CAP = 0.25
"""With a larger share of sessions at the cap, EDR len says more about the cap than about the model."""


@dataclass(frozen=True, slots=True)
class ExhaustionSpan:
    """The exhaustion rate over some turns of all sessions.

    Attributes:
        first: First turn, counting judged turns from 1.
        last: Last turn; no session need reach it.
        exhausted: Sessions that ran out of patience at one of them.
        turns: Judged turns among them, of all sessions.
        rate: exhausted / turns, a fraction.
        interval: Its exact 95 % interval as a Poisson count; None if fewer than six dialogues reach its turns.
    """

    first: int
    last: int
    exhausted: int
    turns: int
    rate: float
    interval: Interval | None


def exhaustion_by_turn(sessions: Iterable[Session]) -> tuple[ExhaustionSpan, ...]:
    """The exhaustion rate over turns 1 to 10, 11 to 20, … up to the longest session.

    Args:
        sessions: Of one model; finished and censored ones count.

    Raises:
        UsageError: as `records_from_sessions`.
    """
    records = records_from_sessions(sessions).records
    lives = lifetimes(records)
    longest: dict[str, int] = {}
    for record in records:
        longest[record.dialogue] = max(lifetime(record)[0], longest.get(record.dialogue, 0))
    spans = []
    for first in range(1, lives.longest + 1, SPAN):
        span = range(first, first + SPAN)
        exhausted, turns = sum(lives.exhausted[turn] for turn in span), sum(map(lives.at_risk, span))
        enough = sum(length >= first for length in longest.values()) >= FEWEST
        interval = poisson_interval(exhausted, turns) if enough else None
        spans.append(ExhaustionSpan(first, span[-1], exhausted, turns, exhausted / turns, interval))
    return tuple(spans)


def expected_length(rate: float | None, interval: Interval | None) -> tuple[float | None, float | None, float | None]:
    """Judged turns until patience runs out if the hazard were the same at every turn: one over the exhaustion rate.

    Args:
        rate: As a fraction.
        interval: Its interval.

    Returns:
        Value, low and high; None where it is without bound or undefined.
    """
    low, high = interval or (None, None)
    return 1 / rate if rate else None, 1 / high if high else None, 1 / low if low else None


def sessions_at_cap(sessions: Iterable[Session], max_turns: int) -> int:
    """Counted sessions that the cap ended.

    Args:
        sessions: Of one model.
        max_turns: The cap; tells where a session does not say why it ended, as in older runs.
    """
    return sum(session.ending == "censored" and _reached(session, max_turns) for session in sessions)


def is_saturated(at_cap: int, sessions: int) -> bool:
    """Whether so many sessions are at the cap that EDR len is bounded by it: more than a quarter."""
    return at_cap > _MOST_AT_CAP * sessions


def records_at_cap(records: Iterable[DialogueRecord]) -> int:
    """Records that look as if a cap had ended them: as long as the longest of all, with patience left.

    Plain verdicts do not say why they end.
    """
    ends = [(len(cut(record).turns), patience_left(record) > 0) for record in records]
    longest = max((length for length, _ in ends), default=0)
    return sum(length == longest > 0 and left for length, left in ends)


def _reached(session: Session, max_turns: int) -> bool:
    if session.cause:
        return session.cause == "cap"
    return sum(turn.seat == "target" for turn in session.turns) >= max_turns

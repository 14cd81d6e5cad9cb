"""How often patience runs out, where the length of sessions says little because most of them reach the cap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evolif.metrics.intervals import event_interval
from evolif.metrics.lifetimes import Lifetimes, lifetimes_by_cluster
from evolif.metrics.process import DialogueRecord, cut, patience_left
from evolif.metrics.sessions import records_from_sessions
from evolif.metrics.statistics import Interval
from evolif.metrics.terms import targets_of
from evolif.types import Session

SPAN = 10
"""Turns over which the rate is pooled."""
_MOST_AT_CAP = 0.25
"""With a larger share of sessions at the cap, EDR len says more about the cap than about the model."""
_MOST_CAPS = 2
"""No session shows what happens further beyond the cap than the cap is long."""
_FEWEST_EXHAUSTED = 5
"""Fewer events tell a rate only to within its order of magnitude."""


@dataclass(frozen=True, slots=True)
class ExhaustionSpan:
    """The exhaustion rate over some turns of all sessions.

    Attributes:
        first: First turn, counting judged turns from 1.
        last: Last turn; no session need reach it.
        exhausted: Sessions that ran out of patience at one of them.
        turns: Judged turns among them, of all sessions.
        rate: exhausted / turns, a fraction.
        interval: Its 95 % interval, as of any count of events over clusters (`event_interval`); None if fewer than six
            clusters reach its turns.
    """

    first: int
    last: int
    exhausted: int
    turns: int
    rate: float
    interval: Interval | None


def exhaustion_by_turn(sessions: Iterable[Session], cluster: str = "") -> tuple[ExhaustionSpan, ...]:
    """The exhaustion rate over turns 1 to 10, 11 to 20, … up to the longest session.

    Args:
        sessions: Of one model; finished and censored ones count.
        cluster: The label of turns that says which dialogues are resampled together, see `MetricTable.cluster`.

    Raises:
        UsageError: as `records_from_sessions`.
    """
    clusters = list(lifetimes_by_cluster(records_from_sessions(sessions, cluster).records).values())
    longest = max((own.longest for own in clusters), default=0)
    return _spans(clusters, longest, [(first, first + SPAN - 1) for first in range(1, longest + 1, SPAN)])


def exhaustion_since(sessions: Iterable[Session], turn: int, cluster: str = "") -> ExhaustionSpan:
    """The exhaustion rate over a turn and all later ones.

    Args:
        sessions: Of one model; some of those that count reach the turn.
        turn: From 1.
        cluster: As for `exhaustion_by_turn`.
    """
    clusters = list(lifetimes_by_cluster(records_from_sessions(sessions, cluster).records).values())
    longest = max(own.longest for own in clusters)
    [span] = _spans(clusters, longest, [(turn, longest)])
    return span


def _spans(clusters: Sequence[Lifetimes], longest: int, ends: Sequence[tuple[int, int]]) -> tuple[ExhaustionSpan, ...]:
    at_risk = [own.at_risk(longest) for own in clusters]
    spans = []
    for first, last in ends:
        events = [sum(own.exhausted[turn] for turn in range(first, last + 1)) for own in clusters]
        turns = [sum(own[first : last + 1]) for own in at_risk]
        rate = sum(events) / sum(turns)
        spans.append(ExhaustionSpan(first, last, sum(events), sum(turns), rate, event_interval(events, turns)))
    return tuple(spans)


class ExpectedLength(NamedTuple):
    """Judged turns until patience runs out, if the hazard were the same at every turn; None where not to be shown.

    Attributes:
        value: One over the exhaustion rate.
        low: Lower end of its 95 % interval: “over … turns at this rate” where it stands alone.
        high: Upper end.
    """

    value: float | None
    low: float | None
    high: float | None


def expected_length(
    rate: float | None, interval: Interval | None, *, cap: int | None = None, exhausted: int | None = None
) -> ExpectedLength:
    """Judged turns until patience runs out if the hazard were the same at every turn: one over the exhaustion rate.

    Only the low end is given where the value lies beyond twice the cap, since nothing was measured there, and with
    fewer than five exhausted sessions.

    Args:
        rate: The exhaustion rate, as a fraction.
        interval: Its interval, whose ends are inverted.
        cap: Of the run, in turns; None if there is none.
        exhausted: How many sessions ran out of patience; None if unknown.

    Example:
        >>> expected_length(0.02, (0.01, 0.04), cap=50, exhausted=9)
        ExpectedLength(value=50.0, low=25.0, high=100.0)
        >>> expected_length(0.001, (0.0005, 0.004), cap=50, exhausted=9)
        ExpectedLength(value=None, low=250.0, high=None)
    """
    fewest, most = interval or (None, None)
    low = 1 / most if most else None
    beyond = cap is not None and rate and 1 / rate > _MOST_CAPS * cap
    if not rate or beyond or (exhausted is not None and exhausted < _FEWEST_EXHAUSTED):
        return ExpectedLength(None, low, None)
    return ExpectedLength(1 / rate, low, 1 / fewest if fewest else None)


FARTHEST = 10
"""Caps beyond which no expected length is told, not even as a bound: nothing was measured anywhere near."""


def length_beyond(rate: float | None, found: ExpectedLength, cap: int) -> int | None:
    """The length that sessions are expected to go beyond, where `found` has no value.

    It is the low end of the interval, and never more than ten times the cap; the cap itself where patience never ran
    out and there is no interval.

    Args:
        rate: The exhaustion rate, as a fraction.
        found: As `expected_length` gives it.
        cap: Of the run, in turns.

    Returns:
        N of “over N”; None where the length itself is told, or nothing is known.

    Example:
        >>> length_beyond(0.0002, ExpectedLength(None, 1234.5, None), 50)
        500
        >>> length_beyond(0.002, ExpectedLength(None, 121.4, None), 50)
        121
    """
    if rate is None or found.value is not None:
        return None
    if found.low is None:
        return None if rate else cap
    return min(FARTHEST * cap, int(found.low))


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
    return targets_of(session) >= max_turns

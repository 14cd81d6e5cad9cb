"""How often each kind of constraint is satisfied, pooled over the verdicts of the sessions that count.

Pooled counts, not means over dialogues: a group appears in some turns only, so a rate per dialogue would often be 0/0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from evolif.domain import JudgedTurn, Session, Verdict
from evolif.metrics._sessions import counted_sessions

Key = TypeVar("Key", str, int)


class Satisfaction(NamedTuple):
    """Verdicts that were satisfied, of those that were had; the rate is undefined where none was had."""

    satisfied: int
    judged: int

    @property
    def rate(self) -> float | None:
        """Satisfied / judged, a fraction from 0 to 1; None where nothing was judged."""
        return self.satisfied / self.judged if self.judged else None


def satisfaction_by_group(sessions: Iterable[Session]) -> dict[str, Satisfaction]:
    """Constraint group, in alphabetical order, to its verdicts (paper section 5.3, App. D).

    Takes finished and censored sessions, as the table does. A group that stood in the queries and was never judged is
    there with (0, 0).
    """
    return _pooled((verdict.group, verdict) for _, verdict in _verdicts(sessions))


def satisfaction_by_depth(sessions: Iterable[Session]) -> dict[int, Satisfaction]:
    """Depth (turns the topic has had, from 1 upwards) to the verdicts given there, of all groups together."""
    return _pooled((turn.depth, verdict) for turn, verdict in _verdicts(sessions))


def not_judged_by_group(sessions: Iterable[Session]) -> dict[str, int]:
    """Constraint group, in alphabetical order, to how many of its constraints had no verdict; only groups with some."""
    missing = [verdict.group for _, verdict in _verdicts(sessions) if verdict.satisfied is None]
    return {group: missing.count(group) for group in sorted(set(missing))}


def _verdicts(sessions: Iterable[Session]) -> Iterator[tuple[JudgedTurn, Verdict]]:
    for session in counted_sessions(sessions):
        for turn in session.turns:
            for verdict in turn.verdicts:
                yield turn, verdict


def _pooled(verdicts: Iterable[tuple[Key, Verdict]]) -> dict[Key, Satisfaction]:
    pools: dict[Key, Satisfaction] = {}
    for key, verdict in verdicts:
        had = pools.get(key, Satisfaction(0, 0))
        judged = verdict.satisfied is not None
        pools[key] = Satisfaction(had.satisfied + (verdict.satisfied is True), had.judged + judged)
    return {key: pools[key] for key in sorted(pools)}

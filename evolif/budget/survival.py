"""How many sessions reach each turn: the curves that forecasts are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evolif.metrics.terms import targets_of
from evolif.types import Session


@dataclass(frozen=True, slots=True)
class TurnSurvival:
    """The share of sessions that reach turn 1, 2, … up to the cap."""

    alive: tuple[float, ...]

    @property
    def turns(self) -> float:
        """Mean turns of a session."""
        return sum(self.alive)

    def within(self, turns: float | None, *, after: int = 0) -> TurnSurvival:
        """Survival in dialogues of so many turns on average; what it says of the turns up to `after` stands."""
        if turns is None:
            return self
        there = enumerate(self.alive)
        return TurnSurvival(tuple(s if i < after else min(s, max(0.0, turns - i)) for i, s in there))

    def reaching(self, turn: int, sessions: int) -> float:
        """The chance that at least one of several independent sessions reaches a turn."""
        return 1 - (1 - self.alive[turn - 1]) ** sessions


def survival_of_mean(turns: float, patience: int, cap: int) -> TurnSurvival:
    """Survival for a given mean session length: no session ends within its patience, then the hazard is constant.

    Args:
        turns: The mean length, without a cap.
        patience: Turns that every session has.
        cap: The maximum number of turns.
    """
    beyond = max(0.0, turns - patience)
    chance = beyond / (beyond + 1)
    return TurnSurvival(tuple(chance ** max(0, turn - patience) for turn in range(1, cap + 1)))


def survival_of_sessions(
    sessions: Sequence[Session], cap: int, weights: Sequence[float] | None = None
) -> TurnSurvival | None:
    """The Kaplan-Meier estimate of an earlier run, continued at its mean hazard; None if it has no turn.

    Args:
        sessions: Those of the run.
        cap: The maximum number of turns.
        weights: How much each session counts; None for all alike.
    """
    shares = [1.0] * len(sessions) if weights is None else weights
    lengths = [(own_turns(s), s.ending == "finished", w) for s, w in zip(sessions, shares, strict=True)]
    lengths = [one for one in lengths if one[0]]
    played = sum(length * weight for length, _, weight in lengths)
    if not played:
        return None
    hazard = sum(weight for _, finished, weight in lengths if finished) / played
    alive, share = [], 1.0
    for turn in range(1, cap + 1):
        alive.append(share)
        at_risk = sum(weight for length, _, weight in lengths if length >= turn)
        ended = sum(weight for length, finished, weight in lengths if length == turn and finished)
        share *= 1 - (ended / at_risk if at_risk else hazard)
    return TurnSurvival(tuple(alive))


def survival_of_failing(
    once: float, again: float, *, patience: int, cap: int, judged: float = 1.0, drift: float = 0.0
) -> TurnSurvival:
    """Survival where a session ends with so many failed turns in a row.

    Args:
        once: The chance that a turn fails after one that was followed.
        again: That chance after a failed turn.
        patience: Failed turns in a row that end a session.
        cap: The maximum number of turns.
        judged: The share of turns that are judged; the others neither fail nor succeed.
        drift: What each turn adds to the log odds of failing.
    """
    row = [1.0] + [0.0] * (patience - 1)
    """The share of sessions that go on, by how many of their last turns failed."""
    alive = []
    for turn in range(cap):
        alive.append(sum(row))
        first, later = shifted(once, drift * turn), shifted(again, drift * turn)
        failing = [judged * share * (later if failures else first) for failures, share in enumerate(row)]
        kept = [(1 - judged) * share for share in row]
        followed = sum(judged * share for share in row) - sum(failing)
        row = [kept[0] + followed, *(kept[n] + failing[n - 1] for n in range(1, patience))]
    return TurnSurvival(tuple(alive))


def shifted(chance: float, by: float) -> float:
    """A chance with something added to its log odds."""
    if not by or chance <= 0 or chance >= 1:
        return chance
    return 1 / (1 + math.exp(-(math.log(chance / (1 - chance)) + by)))


def own_turns(session: Session) -> int:
    """Turns of the model under test."""
    return targets_of(session)

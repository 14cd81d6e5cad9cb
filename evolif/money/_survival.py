"""How many sessions are still asked at each turn: out of an earlier run, or after the paper's mean lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolif.domain import Session

PAPER_LENGTHS = (7.86, 19.32)
"""EDR length of the weakest and of the best model of the EvolIF paper (arXiv 2511.03508, Table 2, patience 3)."""
PAPER_PATIENCE = 3


@dataclass(frozen=True, slots=True)
class Survival:
    """Share of the sessions that are asked turn 1, 2, … up to the cap."""

    alive: tuple[float, ...]

    @property
    def turns(self) -> float:
        """Turns of a session, on the average."""
        return sum(self.alive)

    def reaching(self, turn: int, sessions: int) -> float:
        """Chance that at least one of so many sessions is asked a turn, as if they did not depend on each other."""
        return 1 - (1 - self.alive[turn - 1]) ** sessions


def survival_of_mean(turns: float, patience: int, cap: int) -> Survival:
    """All sessions live as long as their patience does; beyond it, each further turn has the same chance.

    Args:
        turns: The mean length, without any cap.
        patience: Turns that every session has.
        cap: The most turns.
    """
    beyond = max(0.0, turns - patience)
    chance = beyond / (beyond + 1)
    return Survival(tuple(chance ** max(0, turn - patience) for turn in range(1, cap + 1)))


def survival_of_sessions(sessions: Sequence[Session], cap: int) -> Survival | None:
    """Kaplan-Meier over an earlier run; beyond its own turns with the mean hazard. None without any turn in it."""
    lengths = [(len(s.turns), s.ending == "finished") for s in sessions if s.turns]
    played = sum(length for length, _ in lengths)
    if not played:
        return None
    hazard = sum(finished for _, finished in lengths) / played
    alive, now = [], 1.0
    for turn in range(1, cap + 1):
        alive.append(now)
        at_risk = sum(length >= turn for length, _ in lengths)
        ended = sum(length == turn and finished for length, finished in lengths)
        now *= 1 - (ended / at_risk if at_risk else hazard)
    return Survival(tuple(alive))

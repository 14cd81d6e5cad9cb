"""What a perfect responder would reach: the benchmark replayed with its witnesses, at the cost of no call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evolif.domain import Session, TurnFacts
from evolif.metrics._process import Metrics


@dataclass(frozen=True, slots=True)
class Miss:
    """A turn that the perfect responder fails: it has no witness, or one that the rules reject."""

    dialogue: int
    turn: int
    groups: tuple[str, ...]
    """Whose checkers reject the witness; empty where there is no witness."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The figures of a perfect responder over the asked turns.

    Attributes:
        metrics: The eight metrics. Rules alone judge: subjective constraints are left out.
        sessions: One per dialogue, its turns in order; censored at the last asked turn unless patience ran out.
        turns: Asked turns replayed.
        without_witness: Turns without a witness. Their rule-checked constraints count as failed.
        failing: Turns with a witness that the rules reject.
        misses: Every turn of the two kinds, by dialogue and turn.
    """

    metrics: Metrics
    sessions: tuple[Session, ...]
    turns: int
    without_witness: int
    failing: int
    misses: tuple[Miss, ...]


def ceiling(facts: Iterable[TurnFacts], patience: int) -> Ceiling:
    """Replay each asked turn with its witness, through the rule checkers.

    Args:
        facts: What a run knows of its turns, in any order.
        patience: P_max of the run.

    Raises:
        UsageError: patience below 1, a turn twice, or a checker that needs a package which is not installed.
    """
    raise NotImplementedError

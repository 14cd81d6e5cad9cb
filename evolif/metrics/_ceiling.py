"""What a perfect responder would reach: the benchmark replayed with its witnesses, at the cost of no call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from evolif._errors import UsageError
from evolif.domain import Ending, JudgedTurn, Session, TurnFacts, Verdict
from evolif.metrics._dialogue import walk_patience
from evolif.metrics._process import Metrics, process_metrics
from evolif.metrics._sessions import records_from_sessions

PERFECT = "perfect responder"
"""What the sessions of the ceiling call their model."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A turn that has no witness, or one that the rules reject."""

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
    if patience < 1:
        raise UsageError(f"patience is {patience}; it must be at least 1")
    ordered = sorted(facts, key=lambda fact: (fact.dialogue, fact.turn))
    played = [(fact, JudgedTurn(fact.turn, _verdicts(fact), fact.depth, fact.move)) for fact in ordered]
    for (fact, _), (after, _) in pairwise(played):
        if (fact.dialogue, fact.turn) == (after.dialogue, after.turn):
            raise UsageError(f"turn {fact.turn} of dialogue {fact.dialogue} comes twice; give each turn once")
    sessions = tuple(
        _session(dialogue, patience, [turn for _, turn in turns])
        for dialogue, turns in groupby(played, key=lambda pair: pair[0].dialogue)
    )
    misses = tuple(miss for fact, turn in played if (miss := _miss(fact, turn)) is not None)
    without = sum(fact.witness is None for fact in ordered)
    return Ceiling(
        metrics=process_metrics(records_from_sessions(sessions).records),
        sessions=sessions,
        turns=len(ordered),
        without_witness=without,
        failing=len(misses) - without,
        misses=misses,
    )


def _verdicts(fact: TurnFacts) -> tuple[Verdict, ...]:
    """In the order of the constraints; None for those that rules cannot judge, False for the others without witness."""
    from evolif.constraints import check, get_group  # not light

    subjective = [get_group(constraint.group).subjective for constraint in fact.constraints]
    by_rules = [c for c, judged in zip(fact.constraints, subjective, strict=True) if not judged]
    if fact.witness is None:
        told = iter([Verdict(c.group, False, "", "no witness") for c in by_rules])
    else:
        told = iter(check(by_rules, fact.witness))
    return tuple(
        Verdict(c.group, None, "", "not judged by rules") if judged else next(told)
        for c, judged in zip(fact.constraints, subjective, strict=True)
    )


def _miss(fact: TurnFacts, turn: JudgedTurn) -> Miss | None:
    if fact.witness is None:
        return Miss(fact.dialogue, fact.turn, ())
    groups = tuple(verdict.group for verdict in turn.verdicts if verdict.satisfied is False)
    return Miss(fact.dialogue, fact.turn, groups) if groups else None


def _session(dialogue: int, patience: int, turns: Sequence[JudgedTurn]) -> Session:
    walk = walk_patience((all(turn.judged) if turn.judged else None for turn in turns), patience)
    ending: Ending = "censored" if walk.left else "finished"
    return Session(PERFECT, dialogue, 0, patience, ending, turns=tuple(turns[: walk.turns]))

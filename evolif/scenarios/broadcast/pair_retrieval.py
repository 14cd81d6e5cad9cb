"""The same evidence asked for at a moment and in an interval: what became of the target's fact in both."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from evolif.scenarios.broadcast.sessions import PlayedMatch, TurnScore

ANCHORED, INTERVAL = "A", "I"
"""Kinds of turns: an event so long after another one, and all events between two moments."""
_GATE = "gate: "


def fact_scores(one: PlayedMatch, other: PlayedMatch) -> tuple[float, float] | None:
    """The mean score of the targets' facts, asked for in one way and in the other.

    A fact scores 1 where the whole event is told and no gate is triggered, else 0: in an interval there is nothing
    between the two.

    Args:
        one: A match in which all questions are asked in one way.
        other: The same match with the other way, at the same turns; both with the events of their turns.

    Returns:
        None where no turn of the two asks for the same event.
    """
    turns = {turn.turn: turn for turn in other.turns}
    found = list(_scores([(turn, turns[turn.turn]) for turn in one.turns if turn.turn in turns]))
    return (fmean(first for first, _ in found), fmean(second for _, second in found)) if found else None


def _scores(pairs: list[tuple[TurnScore, TurnScore]]) -> Iterator[tuple[float, float]]:
    for first, second in pairs:
        if {first.kind, second.kind} == {ANCHORED, INTERVAL}:
            mine, others = _told(first), _told(second)
            # The anchored question asks for the target alone.
            targets = (mine if first.kind == ANCHORED else others).keys() & mine.keys() & others.keys()
            if targets:
                yield fmean(mine[event] for event in targets), fmean(others[event] for event in targets)


def _told(turn: TurnScore) -> dict[str, bool]:
    """Event to whether all that was asked for of it is told."""
    verdicts = turn.judged.verdicts
    is_open = all(verdict.satisfied for verdict in verdicts if verdict.group.startswith(_GATE))
    found: dict[str, bool] = {}
    for event, verdict in zip(turn.events, verdicts, strict=False):  # the gates come last
        found[event] = found.get(event, is_open) and verdict.satisfied is True
    return found

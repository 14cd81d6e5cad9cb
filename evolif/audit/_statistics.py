"""What a set of dialogues is made of: moves, operations, constraints per turn, topics per dialogue."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from evolif.audit._turns import TurnToAudit

MARKS = (1, 5, 10, 20, 30, 50)
"""Turns, and depths of a topic, at which the mean number of constraints is told."""


def statistics(turns: Sequence[TurnToAudit]) -> dict[str, Any]:
    """Counts and means over turns; shares are fractions."""
    dialogues: dict[tuple[str, int | str], set[str]] = defaultdict(set)
    for turn in turns:
        dialogues[turn.file, turn.dialogue].add(turn.topic)
    topics = [len(found) for found in dialogues.values()]
    return {
        "turns": len(turns),
        "dialogues": len(dialogues),
        "moves": _counts(("new", "continue", "backtrack"), (turn.move for turn in turns)),
        "operations": _counts(("add", "modify", "remove", "other"), (turn.operation for turn in turns)),
        "constraints_per_turn": {
            "mean": _mean(len(turn.descriptions) for turn in turns),
            "by_turn": _means((turn.turn, len(turn.descriptions)) for turn in turns),
            "by_depth": _means(zip(_depths(turns), (len(turn.descriptions) for turn in turns), strict=True)),
        },
        "topics_per_dialogue": {
            "mean": _mean(topics),
            "least": min(topics, default=0),
            "most": max(topics, default=0),
        },
    }


def _counts(names: Iterable[str], found: Iterable[str]) -> dict[str, int]:
    seen = Counter(found)
    return {name: seen[name] for name in names}


def _mean(numbers: Iterable[int]) -> float | None:
    known = list(numbers)
    return sum(known) / len(known) if known else None


def _means(pairs: Iterable[tuple[int, int]]) -> dict[str, float | None]:
    """Means of the second at those values of the first that are told; None where no turn is so far."""
    found: dict[int, list[int]] = defaultdict(list)
    for at, number in pairs:
        found[at].append(number)
    return {str(mark): _mean(found.get(mark, ())) for mark in MARKS}


def _depths(turns: Iterable[TurnToAudit]) -> list[int]:
    """How many turns the topic has had in its dialogue, each turn itself included."""
    seen: Counter[tuple[str, int | str, str]] = Counter()
    depths = []
    for turn in turns:
        key = (turn.file, turn.dialogue, turn.topic)
        seen[key] += 1
        depths.append(seen[key])
    return depths

"""The goals of a dialogue with shifting topics: what is in force on the chosen branch, and where it was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolif.scenarios.shifts.dialogue import Act, ShiftDialogue, ShiftTurn, Value
from evolif.scenarios.shifts.tasks import Slot, TaskType

MAIN = 0
"""The number of the main topic."""


@dataclass(slots=True)
class Goal:
    """What became of a slot, or of an item of a list."""

    value: Value
    polarity: str = "present"
    provenance: list[int] = field(default_factory=list)
    history: list[tuple[Value, int]] = field(default_factory=list)
    """The values that were in force earlier, each with the turn that said it."""
    said_at: int = 0
    """The turn that said the value."""


def gold_decisions(dialogue: ShiftDialogue | Sequence[ShiftTurn]) -> list[dict[str, dict[str, Any] | None]]:
    """The right decision of every turn, in the normal form of `Forest.move`.

    Args:
        dialogue: It, or its turns.
    """
    turns = dialogue.turns if isinstance(dialogue, ShiftDialogue) else dialogue
    active: int | None = None
    seen: dict[int, list[str]] = {}
    stands: dict[int, str] = {}
    decisions = []
    for turn in turns:
        topic: dict[str, Any] = {"action": "CONTINUE"}
        branch: dict[str, Any] | None = None
        if turn.topic not in seen:
            topic = {"action": "CREATE_TOPIC"}
            seen[turn.topic] = [turn.branch]
        elif turn.topic != active:
            topic = {"action": "SWITCH_TOPIC", "target": turn.topic}
        if turn.branch not in seen[turn.topic]:
            branch = {"action": "CREATE_BRANCH", "fork": turn.fork}
            seen[turn.topic].append(turn.branch)
        elif turn.branch != stands.get(turn.topic, turn.branch):
            branch = {"action": "SWITCH_BRANCH", "target": turn.branch}
        active = turn.topic
        stands[turn.topic] = turn.branch
        decisions.append({"topic": topic, "branch": branch})
    return decisions


def final_path(turns: Sequence[ShiftTurn]) -> list[int]:
    """The turns that the chosen branch of the main topic leads through, oldest first, the final request included."""
    parents: dict[int, int | None] = {}
    tips: dict[str, int] = {}
    for turn in turns:
        if turn.topic == MAIN:
            parents[turn.turn] = turn.fork if turn.fork is not None else tips.get(turn.branch)
            tips[turn.branch] = turn.turn
    path: list[int] = []
    at: int | None = turns[-1].turn
    while at is not None:
        path.append(at)
        at = parents[at]
    return path[::-1]


def checkpoints_of(turns: Sequence[ShiftTurn], task: TaskType) -> tuple[Mapping[str, Any], ...]:
    """The typed goals of a dialogue, in the order in which they were first said.

    Args:
        turns: All of them; the main topic is 0, and the last turn stands on the chosen branch.
        task: The type of the main topic.
    """
    goals: dict[tuple[str, Value | None], Goal] = {}
    for number in final_path(turns):
        for act in turns[number - 1].details:
            if act.name != "ask":
                _take(goals, task.slot(act.slot), act, number)
    elsewhere = _other_values(turns)
    return tuple(
        _checkpoint(f"g{at}", task.slot(key), goal, elsewhere.get(key, []), turns[-1].branch)
        for at, ((key, _), goal) in enumerate(goals.items(), 1)
    )


def _take(goals: dict[tuple[str, Value | None], Goal], slot: Slot, act: Act, turn: int) -> None:
    """Apply one act."""
    key = (slot.key, act.value if slot.type == "item" else None)
    goal = goals.get(key)
    if goal is None:
        goal = goals[key] = Goal(act.value if act.value is not None else "")
        goal.said_at = turn
    elif act.name == "refine":
        goal.history.append((goal.value, goal.said_at))
    elif act.name == "set":  # an alternative, of which one branch knows nothing but the latest
        goal.provenance.clear()
    goal.polarity = "absent" if act.name in ("cancel", "withdraw") else "present"
    if act.value is not None:
        goal.value = act.value
        goal.said_at = turn
    goal.provenance.append(turn)


def _other_values(turns: Sequence[ShiftTurn]) -> dict[str, list[tuple[Value, int]]]:
    """Of each slot whose alternatives were tried, all values with their turns, those of the opening included."""
    forked = {act.slot for turn in turns if turn.move == "alternative" for act in turn.details[:1]}
    found: dict[str, list[tuple[Value, int]]] = {slot: [] for slot in forked}
    for turn in turns:
        for act in turn.details if turn.topic == MAIN else ():
            if act.slot in forked and act.value is not None:
                found[act.slot].append((act.value, turn.turn))
    return found


def _checkpoint(
    name: str, slot: Slot, goal: Goal, elsewhere: Sequence[tuple[Value, int]], branch: str
) -> Mapping[str, Any]:
    superseded = [{"value": value, "turn": turn} for value, turn in goal.history if value != goal.value]
    other = [{"value": value, "turn": turn} for value, turn in elsewhere if value != goal.value]
    values = [goal.value, *(one["value"] for one in superseded + other)]
    return {
        "id": name,
        "slot": slot.key,
        "key": slot.key,
        "type": slot.type,
        "value": goal.value,
        "polarity": goal.polarity,
        "provenance": goal.provenance,
        "superseded": superseded,
        "other_branch": other,
        "topic": MAIN,
        "branch": branch,
        "aliases": {str(v): list(slot.aliases[str(v)]) for v in values if str(v) in slot.aliases},
    }

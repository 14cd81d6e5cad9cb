"""Final answers made from the goals of a dialogue: one that satisfies all, and ones that fail a single goal.

Nothing here knows how answers are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolif.scenarios.shifts.checking import Checkpoint, Reason
from evolif.scenarios.shifts.dialogue import ShiftDialogue, Value
from evolif.scenarios.shifts.tasks import Slot, TaskType, load_task


@dataclass(frozen=True, slots=True)
class PlantedError:
    """A final answer that fails one goal of a dialogue and satisfies all others."""

    goal: str
    """The checkpoint's `id`."""
    reason: Reason
    answer: str


def witness_of(checkpoints: Sequence[Checkpoint], task: TaskType) -> str:
    """A final answer that satisfies all goals.

    Args:
        checkpoints: The goals.
        task: The type of the main topic.
    """
    return _answer(_result(checkpoints, task), task)


def planted_errors(dialogue: ShiftDialogue) -> list[PlantedError]:
    """For every goal and each reason that it can fail for alone, an answer that does; none is unreadable.

    Raises:
        ArgumentError: there is no task type of the dialogue's name.
    """
    task = load_task(dialogue.task)
    errors: list[PlantedError] = []
    for goal in dialogue.checkpoints:
        slot = task.slot(goal["key"])
        right = _result(dialogue.checkpoints, task)
        said = {str(value) for value in _values(dialogue.checkpoints, goal["key"])}
        foreign = next(value for value in (*slot.values, "sometimes") if _is_foreign(value, said))
        wrongs = (
            _item_errors(goal, right[goal["key"]], foreign) if slot.type == "item" else _errors(goal, slot, foreign)
        )
        errors += [
            PlantedError(goal["id"], reason, _answer({**right, goal["key"]: value}, task)) for reason, value in wrongs
        ]
    return errors


def _result(checkpoints: Sequence[Checkpoint], task: TaskType) -> dict[str, Any]:
    result: dict[str, Any] = dict.fromkeys(task.keys)
    for goal in checkpoints:
        if goal["polarity"] == "present":
            if goal["type"] == "item":
                result[goal["key"]] = [*(result[goal["key"]] or ()), goal["value"]]
            else:
                result[goal["key"]] = goal["value"]
    return result


def _answer(result: Mapping[str, Any], task: TaskType) -> str:
    lines = [f"Here is {task.deliverable} for {task.title}."]
    for slot in task.slots:
        value = result[slot.key]
        if value is not None:
            lines.append(f"- {slot.noun[:1].upper()}{slot.noun[1:]}: {_spoken(slot, value)}")
    return "\n".join([*lines, "", "```json", json.dumps(result, indent=2, ensure_ascii=False), "```"])


def _spoken(slot: Slot, value: Value | list[Value]) -> str:
    return ", ".join(slot.say(one) for one in (value if isinstance(value, list) else [value]))


def _values(checkpoints: Sequence[Checkpoint], key: str) -> Iterator[Value]:
    """All values of a slot that the goals know."""
    for goal in checkpoints:
        if goal["key"] == key:
            yield goal["value"]
            yield from (one["value"] for one in (*goal["superseded"], *goal["other_branch"]))


def _is_foreign(value: Value, said: set[str]) -> bool:
    return not any(one.lower() in str(value).lower() or str(value).lower() in one.lower() for one in said)


def _errors(goal: Checkpoint, slot: Slot, foreign: Value) -> Iterator[tuple[Reason, Any]]:
    present = goal["polarity"] == "present"
    yield ("missing", None) if present else ("cancelled", goal["value"])
    if goal["superseded"]:
        yield "stale", goal["superseded"][-1]["value"]
    if present and goal["other_branch"]:
        yield "other_branch", goal["other_branch"][-1]["value"]
    yield "wrong", foreign


def _item_errors(goal: Checkpoint, items: list[Value] | None, foreign: Value) -> Iterator[tuple[Reason, Any]]:
    if goal["polarity"] == "present":
        # Another item takes its place: an empty list would fail the cancelled ones, too.
        yield "missing", [foreign if item == goal["value"] else item for item in items or ()]
    else:
        yield "cancelled", [*(items or ()), goal["value"]]

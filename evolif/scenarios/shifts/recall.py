"""What of a dialogue's goals the context of the final request still shows (Context-Agent, node recall)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evolif.scenarios.shifts.checking import HasCheckpoints, occurs_in
from evolif.scenarios.shifts.read_back import said
from evolif.scenarios.shifts.tasks import TaskType, load_task, task_types
from evolif.types import Message


def node_recall(
    dialogue: HasCheckpoints, shown: Mapping[int, str], messages: Iterable[Message] | None = None
) -> dict[str, float | None]:
    """Compute which share of the turns that goals come from the final context shows.

    Args:
        dialogue: With its goals, whose `provenance` lists the turns that one must know to get a goal right. The task
            type, where it has one, says how users say a value.
        shown: Turn to `full` or `summary`, as `Context.shown` of the last turn gave it; other turns are absent.
        messages: What the last call was sent; None if that is not at hand.

    Returns:
        `full`, `summary` and `absent`: shares of the distinct turns, together 1. `kept_value`: the share of the goals
        whose value is to be there, and occurs in the messages; None without messages. A share of nothing is None.
    """
    needed = {turn for goal in dialogue.checkpoints for turn in goal["provenance"]}
    kinds = [_kind(shown, turn) for turn in needed]
    shares = {kind: kinds.count(kind) / len(kinds) if kinds else None for kind in ("full", "summary", "absent")}
    texts = None if messages is None else [message.content for message in messages]
    return {**shares, "kept_value": None if texts is None else _kept(dialogue, texts)}


def _kind(shown: Mapping[int, str], turn: int) -> str:
    kind = shown.get(turn)
    return kind if kind in ("full", "summary") else "absent"


def _kept(dialogue: HasCheckpoints, texts: Sequence[str]) -> float | None:
    present = [goal for goal in dialogue.checkpoints if goal.get("polarity", "present") == "present"]
    task = _task(getattr(dialogue, "task", ""))  # one made by hand may have no task type
    acts = () if task is None else (act for text in texts for act in said(text, task))
    settled = {(act.slot, act.value) for act in acts if act.name in ("set", "refine", "add")}
    found = [
        (goal["slot"], goal["value"]) in settled or any(occurs_in(_in_words(goal, task), text) for text in texts)
        for goal in present
    ]
    return sum(found) / len(found) if found else None


def _task(name: str) -> TaskType | None:
    """The task type of a dialogue; None if there is none of its name, as in a dialogue made by hand."""
    return load_task(name) if any(name in ids for ids in task_types().values()) else None


def _in_words(goal: Mapping[str, Any], task: TaskType | None) -> Mapping[str, Any]:
    """A goal that knows how a user says its value, where its task type does."""
    slots = () if task is None or goal["type"] == "yes_no" else task.slots
    spoken = [slot.say(goal["value"]) for slot in slots if slot.key == goal["key"]]
    value, aliases = str(goal["value"]), goal.get("aliases") or {}
    return {**goal, "aliases": {**aliases, value: [*aliases.get(value, ()), *spoken]}}

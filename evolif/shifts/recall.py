"""What of a dialogue's goals the context of the final request still shows (Context-Agent, node recall)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evolif.shifts.checking import occurs_in
from evolif.shifts.dialogue import ShiftDialogue
from evolif.types import Message


def node_recall(
    dialogue: ShiftDialogue, shown: Mapping[int, str], messages: Iterable[Message] | None = None
) -> dict[str, float | None]:
    """Compute which share of the turns that goals come from the final context shows.

    Args:
        dialogue: With its goals; `provenance` lists the turns that one must know to get a goal right.
        shown: Turn to `full` or `summary`, as `Context.shown` of the last turn gave it; other turns are absent.
        messages: What the last call was sent; None if that is not at hand.

    Returns:
        `full`, `summary` and `absent`: shares of the distinct turns, together 1. `kept_value`: the share of the goals
        whose value is to be there, and occurs in the messages; None without messages. A share of nothing is None.
    """
    needed = {turn for goal in dialogue.checkpoints for turn in goal["provenance"]}
    kinds = [_kind(shown, turn) for turn in needed]
    shares = {kind: kinds.count(kind) / len(kinds) if kinds else None for kind in ("full", "summary", "absent")}
    return {**shares, "kept_value": None if messages is None else _kept(dialogue.checkpoints, messages)}


def _kind(shown: Mapping[int, str], turn: int) -> str:
    kind = shown.get(turn)
    return kind if kind in ("full", "summary") else "absent"


def _kept(goals: Iterable[Mapping[str, Any]], messages: Iterable[Message]) -> float | None:
    present = [goal for goal in goals if goal.get("polarity", "present") == "present"]
    texts = [message.content for message in messages]
    found = [any(occurs_in(goal, text) for text in texts) for goal in present]
    return sum(found) / len(found) if found else None

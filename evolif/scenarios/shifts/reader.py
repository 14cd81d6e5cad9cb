"""A responder that knows only what it is shown: its completion rate is the ceiling of a context strategy.

It finds the sentences in which a user settles something, by the same templates that worded them, and keeps the latest
value of each slot. Summaries stand in the system message; so they count as said before the rounds that are shown in
full. What an assistant said is not read. Where the final request names a branch, its value is the one that holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from evolif.scenarios.shifts.dialogue import Act, Value
from evolif.scenarios.shifts.read_back import named_branch, said
from evolif.types import Message, Prompt


def answer_from(messages: Sequence[Message], prompt: Prompt) -> str:
    """The final answer, as far as the messages of the call tell it.

    Args:
        messages: What the call is shown; the last one is the final request.
        prompt: The final request, which says what the task is, and which keys it has.
    """
    texts = [message.content for message in messages if message.role != "assistant"]
    found = read_state(texts, str(prompt.labels["task"]))
    result = {key: found.get(key) for key in prompt.payload["slots"]}
    return f"Here it is.\n\n```json\n{json.dumps(result, ensure_ascii=False, indent=2)}\n```"


def read_state(texts: Sequence[str], task: str) -> dict[str, Any]:
    """What is settled at the end of some texts.

    Args:
        texts: What is read, in order of time; the last one is the final request.
        task: The type of the main topic.

    Returns:
        Slot to its latest value, to its items if it is a list, and to None if the wish was dropped.
    """
    values: dict[str, Value | None] = {}
    items: dict[str, dict[str, None]] = {}
    for act in _acts(texts, task):
        if act.name == "add":
            items.setdefault(act.slot, {})[str(act.value)] = None
        elif act.name == "cancel":
            items.setdefault(act.slot, {}).pop(str(act.value), None)
        elif act.name in ("set", "refine", "withdraw"):
            values[act.slot] = act.value
    named = named_branch(texts[-1], task) if texts else None
    if named is not None:
        values[named[0]] = named[1]
    return {**values, **{slot: list(own) for slot, own in items.items() if own}}


def _acts(texts: Iterable[str], task: str) -> Iterable[Act]:
    for text in texts:
        yield from said(text, task)

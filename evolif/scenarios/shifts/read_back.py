"""What a text says about a task: the acts whose sentences stand in it, read back value by value.

A simulated reader understands exactly the sentences of the task types, wherever it is shown them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from evolif.scenarios.shifts.dialogue import Act, ActName, Value
from evolif.scenarios.shifts.tasks import Slot, TaskType, filled, load_task
from evolif.scenarios.shifts.words import generic
from evolif.text import fold

_PREFIX = 12
"""Characters by which sentences are looked up; all are longer."""
_START = re.compile(r"(?<!\S)\S")


@dataclass(frozen=True, slots=True)
class _Sentences:
    """All act sentences of a task type."""

    acts: dict[str, Act]
    """By the folded sentence."""
    lengths: dict[str, tuple[int, ...]]
    """By how a sentence begins: how long those are that begin so, the longest first."""


def said(text: str, task: TaskType | str) -> list[Act]:
    """Find the act sentences of a task type in a text.

    Letter case does not count. The time grows with the text's length only.

    Args:
        text: What a user said, or anything that may quote it.
        task: The task type, or its id.

    Returns:
        The acts in the order of the text. A question has no value; `old` is None where the sentence does not name it;
        an alternative is a `set` that names the old value.

    Raises:
        ArgumentError: there is no task type of this id.
    """
    known = _sentences(task if isinstance(task, str) else task.id)
    folded = fold(text)
    found: list[Act] = []
    end = 0
    for match in _START.finditer(folded):
        at = match.start()
        if at < end:
            continue
        for length in known.lengths.get(folded[at : at + _PREFIX], ()):
            act = known.acts.get(folded[at : at + length])
            if act is not None:
                found.append(act)
                end = at + length
                break
    return found


def named_branch(text: str, task: TaskType | str) -> tuple[str, Value] | None:
    """Find the branch that a text names by its value, as a return or the final request does.

    Args:
        text: What a user said.
        task: The task type, or its id.

    Returns:
        The key of the fork slot and the value, those that are named last; None if none is.

    Raises:
        ArgumentError: there is no task type of this id.
    """
    folded = fold(text)
    names = _branch_names(task if isinstance(task, str) else task.id)
    found = [(at, branch) for name, branch in names.items() if (at := folded.rfind(name)) >= 0]
    return max(found)[1] if found else None


@cache
def _branch_names(task: str) -> dict[str, tuple[str, Value]]:
    return {
        fold(name.replace("{value}", slot.say(value))): (slot.key, value)
        for slot in load_task(task).slots
        if slot.fork
        for value in slot.values
        for name in generic("all")["branch_names"]
    }


@cache
def _sentences(task: str) -> _Sentences:
    acts = {fold(sentence): act for slot in load_task(task).slots for sentence, act in act_sentences(slot)}
    lengths: dict[str, set[int]] = {}
    for sentence in acts:
        lengths.setdefault(sentence[:_PREFIX], set()).add(len(sentence))
    return _Sentences(acts, {prefix: tuple(sorted(some, reverse=True)) for prefix, some in lengths.items()})


def act_sentences(slot: Slot) -> Iterator[tuple[str, Act]]:
    """All sentences of a slot with the acts that they do."""
    for template in slot.ask:
        yield filled(template), Act("ask", slot.key)
    names: tuple[tuple[str, ActName], ...] = (
        ("set", "set"),
        ("alternative", "set"),
        ("refine", "refine"),
        ("add", "add"),
        ("cancel", "cancel"),
    )
    for value in slot.values:
        for kind, name in names:
            for template in slot.sentences(kind, value):
                yield from _with_old(slot, template, name, value)
    for template in slot.withdraw:
        yield from _with_old(slot, template, "withdraw", None)


def _with_old(slot: Slot, template: str, name: ActName, value: Value | None) -> Iterator[tuple[str, Act]]:
    new = "" if value is None else slot.say(value)
    if "{old}" not in template:
        yield filled(template, new), Act(name, slot.key, value)
        return
    for old in slot.values:
        if old != value:
            yield filled(template, new, slot.say(old)), Act(name, slot.key, value, old)

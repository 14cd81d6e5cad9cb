"""Does a final answer satisfy the goals of a dialogue? Each unmet goal gets one reason; no model is asked.

A *checkpoint* is a goal as a mapping: `id`, `key`, `type`, `value`, `polarity`, `superseded`, `other_branch`, and maybe
`aliases`, which lists other words for a value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict

from evolif.errors import ArgumentError
from evolif.scenarios.shifts.reading import (
    dates_of,
    decimal_of,
    entries_of,
    numbers_of,
    read_object,
    texts_of,
    times_of,
    truths_of,
)
from evolif.text import FIRST_RULES, clean, find_all, fold

Reason = Literal["unreadable", "cancelled", "stale", "other_branch", "missing", "wrong"]
"""Why a goal is unmet; the first one that fits."""
Checkpoint = Mapping[str, Any]


class HasCheckpoints(Protocol):
    """A dialogue, as far as checking needs it."""

    @property
    def checkpoints(self) -> Sequence[Checkpoint]:
        """Its goals."""


class GoalResult(TypedDict):
    """What became of a goal.

    Attributes:
        id: The goal's.
        satisfied: Whether the answer meets it.
        reason: Why not; None if it is satisfied.
        found: The value under its key, as text; empty if there is none.
    """

    id: Any
    satisfied: bool
    reason: Reason | None
    found: str


def check_answer(dialogue: HasCheckpoints | Iterable[Checkpoint], answer: str) -> list[GoalResult]:
    """Check a final answer against all goals.

    Args:
        dialogue: It, or its checkpoints.
        answer: The final answer as received. It is hostile input, and never makes this fail.

    Returns:
        One result a goal, in their order.

    Raises:
        ArgumentError: a checkpoint has an unknown type.
    """
    goals = _checkpoints(dialogue)
    data = read_object(answer)
    if data is None:
        return [_result(goal, "unreadable", None) for goal in goals]
    reasons = {at: _present(goal, data.get(goal["key"])) for at, goal in enumerate(goals) if _is_present(goal)}
    # An answer that holds nothing must not pass because nothing was to be held.
    idle = None not in reasons.values()
    results = []
    for at, goal in enumerate(goals):
        value = data.get(goal["key"])
        reason = reasons[at] if at in reasons else _absent(goal, value, idle)
        results.append(_result(goal, reason, value))
    return results


def invented(
    dialogue: HasCheckpoints | Iterable[Checkpoint], answer: str, *, keys: Collection[str] | None = None
) -> list[str]:
    """The keys under which an answer gives a value though no goal is about them.

    Args:
        dialogue: It, or its checkpoints.
        answer: The final answer as received.
        keys: Those of the task; others in the answer are no slots and do not count. None counts all.

    Returns:
        Them, in the order of the answer; empty if it holds no object.
    """
    agreed = {goal["key"] for goal in _checkpoints(dialogue)}
    data = read_object(answer) or {}
    return [clean(key) for key in data if key not in agreed and (keys is None or key in keys) and texts_of(data[key])]


def occurs_in(goal: Checkpoint, text: str) -> bool:
    """Whether the value of a goal, or another word for it, stands anywhere in a text that people wrote."""
    return (goal["type"] in _READERS and _occurs(goal, goal["value"], text)) or _holds([text], goal, goal["value"])


def _checkpoints(dialogue: HasCheckpoints | Iterable[Checkpoint]) -> list[Checkpoint]:
    either: Any = dialogue  # a dialogue may be iterable, too, as models of pydantic are
    goals: list[Checkpoint] = list(getattr(either, "checkpoints", either))
    for goal in goals:
        if goal["type"] not in _TYPES:
            known = ", ".join(_TYPES)
            raise ArgumentError(f"checkpoint {goal['id']} has the type {goal['type']!r}; known are {known}")
    return goals


def _is_present(goal: Checkpoint) -> bool:
    polarity: str = goal.get("polarity", "present")
    return polarity == "present"


def _result(goal: Checkpoint, reason: Reason | None, value: Any) -> GoalResult:
    return {"id": goal["id"], "satisfied": reason is None, "reason": reason, "found": ", ".join(texts_of(value))}


def _present(goal: Checkpoint, value: Any) -> Reason | None:
    """Why a value that is to be there is not; None if it is."""
    if goal["type"] == "item":
        return None if _holds(entries_of(value), goal, goal["value"]) else "missing"
    if not texts_of(value):
        return "missing"
    former = [one for one in goal.get("superseded") or () if not _same(goal, one["value"])]
    elsewhere = [one for one in goal.get("other_branch") or () if not _same(goal, one["value"])]
    met = _is_met(goal, value)
    if met and goal["type"] != "text":
        return None  # exactly one value was read, so no other can be there
    if any(_occurs(goal, one["value"], value) for one in former):
        return "stale"
    if any(_occurs(goal, one["value"], value) for one in elsewhere):
        return "other_branch"
    return None if met else "wrong"


def _absent(goal: Checkpoint, value: Any, idle: bool) -> Reason | None:
    """Why a cancelled item or a withdrawn value counts as unmet; None if it is gone.

    Args:
        goal: What is to be absent.
        value: What stands under its key.
        idle: Whether the answer satisfies no present goal.
    """
    if goal["type"] == "item":
        entries = entries_of(value)
        return "cancelled" if _holds(entries, goal, goal["value"]) else None if entries else "missing"
    if not texts_of(value):
        return "missing" if idle else None
    if _occurs(goal, goal["value"], value):
        return "cancelled"
    superseded = (one["value"] for one in goal.get("superseded") or ())
    return "stale" if any(_occurs(goal, one, value) for one in superseded) else "wrong"


_READERS: Mapping[str, Callable[[Any], list[Any]]] = {
    "number": numbers_of,
    "date": dates_of,
    "time": times_of,
    "yes_no": truths_of,
}
"""All values of a type that stand in a JSON value."""
_TYPES = ("text", *_READERS, "item")


def _wanted(kind: str, value: Any) -> Any:
    """The value of a checkpoint, as its reader gives it; None if it is none of this type."""
    if kind == "number" and not isinstance(value, str):
        return decimal_of(value)
    return next(iter(_READERS[kind](value)), None)


def _is_met(goal: Checkpoint, value: Any) -> bool:
    if goal["type"] == "text":
        return _occurs(goal, goal["value"], value)
    wanted = _wanted(goal["type"], goal["value"])
    return wanted is not None and [wanted] == _READERS[goal["type"]](value)


def _occurs(goal: Checkpoint, wanted: Any, value: Any) -> bool:
    """Whether a value of the goal's slot stands in what the answer gives."""
    if goal["type"] == "text":
        return _holds(texts_of(value), goal, wanted)
    one = _wanted(goal["type"], wanted)
    return one is not None and one in _READERS[goal["type"]](value)


def _same(goal: Checkpoint, other: Any) -> bool:
    """Whether another value is the goal's own, which is in force again."""
    return fold(str(other)) == fold(str(goal["value"]))


def _holds(texts: Iterable[str], goal: Checkpoint, value: Any) -> bool:
    """Whether a value, or another word for it, occurs in one of the texts as a keyword."""
    aliases = goal.get("aliases") or {}
    keywords = [fold(str(word)).strip() for word in (value, *aliases.get(str(value), ()))]
    folded = [fold(text) for text in texts]
    return any(find_all(text, keyword, FIRST_RULES) for keyword in keywords if keyword for text in folded)

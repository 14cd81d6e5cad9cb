"""Does a final answer satisfy the goals of a dialogue? Each unmet goal gets one reason; no model is asked.

A *checkpoint* is a goal as a mapping: `id`, `key`, `type`, `value`, `polarity`, `superseded`, `other_branch`, and maybe
`aliases`, which lists other words for a value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict, cast

from evolif.errors import ArgumentError
from evolif.scenarios.shifts.answers import read_fields
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
from evolif.scenarios.shifts.values import (
    TextRead,
    all_measures,
    alone,
    measures_of,
    names_of,
    said_entries,
    said_texts,
    wanted_of,
)
from evolif.text import FIRST_RULES, clean, find_all, fold

Reason = Literal["unreadable", "cancelled", "stale", "other_branch", "missing", "wrong"]
"""Why a goal is unmet; the first one that fits."""
Checkpoint = Mapping[str, Any]
Rules = Literal[1, 2]
"""An edition of the rules by which a final answer is read."""
FIRST_EDITION: Rules = 1
"""Of answers whose benchmark names no edition."""
LATEST_EDITION: Rules = 2


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


def check_answer(
    dialogue: HasCheckpoints | Iterable[Checkpoint], answer: str, *, rules: Rules = LATEST_EDITION
) -> list[GoalResult]:
    """Check a final answer against all goals.

    Args:
        dialogue: It, or its checkpoints.
        answer: The final answer as received. It is hostile input, and never makes this fail.
        rules: The edition of the reading rules: 1 reads JSON and tables of two columns to the letter; 2 reads an answer
            as models write it, and takes no value that is denied or left open.

    Returns:
        One result a goal, in their order.

    Raises:
        ArgumentError: a checkpoint has an unknown type.

    Example:
        `check_answer(dialogue, "- City: Ghent (instead of Lisbon)")` is satisfied where `city` is to be Ghent.
    """
    goals = _checkpoints(dialogue)
    data = _fields(answer, goals, (), rules)
    if data is None:
        return [_result(goal, "unreadable", None) for goal in goals]
    given = [_GIVEN[rules](goal, data.get(goal["key"])) for goal in goals]
    reasons = {at: _present(one) for at, one in enumerate(given) if _is_present(one.goal)}
    # An answer that holds nothing must not pass because nothing was to be held.
    idle = None not in reasons.values()
    return [
        _result(one.goal, reasons[at] if at in reasons else _absent(one, idle), one.value)
        for at, one in enumerate(given)
    ]


def invented(
    dialogue: HasCheckpoints | Iterable[Checkpoint],
    answer: str,
    *,
    keys: Collection[str] | None = None,
    rules: Rules = LATEST_EDITION,
) -> list[str]:
    """The keys under which an answer gives a value though no goal is about them.

    Args:
        dialogue: It, or its checkpoints.
        answer: The final answer as received.
        keys: Those of the task; others in the answer are no slots and do not count. None counts all.
        rules: The edition of the reading rules, see `check_answer`.

    Returns:
        Them, in the order of the answer; empty if it holds no object.
    """
    goals = _checkpoints(dialogue)
    agreed = {goal["key"] for goal in goals}
    data = _fields(answer, goals, keys or (), rules) or {}
    texts = texts_of if rules == FIRST_EDITION else said_texts
    return [clean(key) for key in data if key not in agreed and (keys is None or key in keys) and texts(data[key])]


def rules_of(payload: Mapping[str, Any]) -> Rules:
    """By which edition of the reading rules the answer to a final request is read: the first if it does not tell."""
    rules = payload.get("rules", FIRST_EDITION)
    if rules not in _GIVEN:
        raise ArgumentError(f"there are no reading rules {rules!r} of final answers; known are 1 and 2")
    return cast(Rules, rules)


def _fields(answer: str, goals: Iterable[Checkpoint], keys: Iterable[str], rules: Rules) -> dict[str, Any] | None:
    if rules == FIRST_EDITION:
        return read_object(answer)
    return read_fields(answer, [*(goal["key"] for goal in goals), *keys])


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


def _present(given: _Given) -> Reason | None:
    """Why a value that is to be there is not; None if it is."""
    goal = given.goal
    if goal["type"] == "item":
        return None if given.is_met() else "missing"
    if given.is_empty():
        return "missing"
    met = given.is_met()
    if met and goal["type"] != "text":
        return None  # exactly one value was read, so no other can be there
    for reason, others in (("stale", goal.get("superseded")), ("other_branch", goal.get("other_branch"))):
        if any(given.names(one["value"]) for one in others or () if not _same(goal, one["value"])):
            return cast(Reason, reason)
    return None if met else "wrong"


def _absent(given: _Given, idle: bool) -> Reason | None:
    """Why a cancelled item or a withdrawn value counts as unmet; None if it is gone.

    Args:
        given: What stands under the key of a goal that is to be absent.
        idle: Whether the answer satisfies no present goal.
    """
    goal = given.goal
    if goal["type"] == "item":
        return "cancelled" if given.mentions(goal["value"]) else "missing" if given.is_empty() else None
    if given.is_empty():
        return "missing" if idle else None
    if given.mentions(goal["value"]):
        return "cancelled"
    return "stale" if any(given.mentions(one["value"]) for one in goal.get("superseded") or ()) else "wrong"


class _Given(Protocol):
    """What an answer gives for a goal.

    Attributes:
        goal: The goal.
        value: What stands under its key.
    """

    goal: Checkpoint
    value: Any

    def __init__(self, goal: Checkpoint, value: Any) -> None: ...

    def is_empty(self) -> bool:
        """Whether there is no value, or no entry of a list."""

    def is_met(self) -> bool:
        """Whether it is the value of the goal, or a list that holds the item."""

    def names(self, value: Any) -> bool:
        """Whether it gives another value of the slot."""

    def mentions(self, value: Any) -> bool:
        """Whether it holds a value of the slot in any way."""


class _FirstGiven:
    """By rules 1: to the letter."""

    def __init__(self, goal: Checkpoint, value: Any) -> None:
        self.goal = goal
        self.value = value
        self._texts = entries_of(value) if goal["type"] == "item" else texts_of(value)

    def is_empty(self) -> bool:
        return not self._texts

    def is_met(self) -> bool:
        goal = self.goal
        if goal["type"] in _READERS:
            wanted = _wanted(goal["type"], goal["value"])
            return wanted is not None and [wanted] == _READERS[goal["type"]](self.value)
        return _holds(self._texts, goal, goal["value"])

    def names(self, value: Any) -> bool:
        return _occurs(self.goal, value, self.value)

    def mentions(self, value: Any) -> bool:
        return _holds(self._texts, self.goal, value) if self.goal["type"] == "item" else self.names(value)


class _ClaimedGiven:
    """By rules 2: what the value claims."""

    def __init__(self, goal: Checkpoint, value: Any) -> None:
        self.goal = goal
        self.value = value
        is_list = goal["type"] == "item"
        self._texts = said_entries(value) if is_list else said_texts(alone(value))
        if goal["type"] != "yes_no" and len(self._texts) == 1 and fold(self._texts[0]).strip(" .") == self._none():
            self._texts = []
        self._values = [goal["value"]] + [
            one["value"] for name in ("superseded", "other_branch") for one in goal.get(name) or ()
        ]

    def is_empty(self) -> bool:
        return not self._texts

    def is_met(self) -> bool:
        goal = self.goal
        if goal["type"] == "item":
            return self._read().claims(0)
        if len(self._texts) != 1:
            return False
        if goal["type"] == "text":
            return fold(self._texts[0]) == fold(str(goal["value"])) or self._read().claims(0)
        wanted = wanted_of(goal["type"], goal["value"])
        found, is_open = measures_of(goal["type"], self._texts[0])
        return wanted is not None and not is_open and found == [wanted]

    def names(self, value: Any) -> bool:
        kind = self.goal["type"]
        if kind == "text":
            return self._read().names(self._values.index(value))
        wanted = wanted_of(kind, value)
        return any(wanted in measures_of(kind, text)[0] for text in self._texts)

    def mentions(self, value: Any) -> bool:
        kind = self.goal["type"]
        if kind in _READERS:
            wanted = wanted_of(kind, value)
            return any(wanted in all_measures(kind, text) for text in self._texts)
        names = self._names(value)
        return any(find_all(fold(text), name) for text in self._texts for name in names if name)

    def _none(self) -> str:
        """“No moderator”, under the key `moderator`."""
        return f"no {self.goal['key'].replace('_', ' ')}"

    def _names(self, value: Any) -> list[str]:
        return names_of([str(value), *(self.goal.get("aliases") or {}).get(str(value), ())])

    def _read(self) -> TextRead:
        return TextRead(self._texts, [self._names(value) for value in self._values])


_GIVEN: Mapping[Rules, type[_Given]] = {1: _FirstGiven, 2: _ClaimedGiven}


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

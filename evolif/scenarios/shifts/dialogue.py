"""A dialogue whose topic shifts: what the user says turn by turn, and what the gold of each turn is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Move: TypeAlias = Literal["open", "topic", "digress", "continue", "alternative", "return", "final"]
"""What a turn does to the conversation."""
ActName: TypeAlias = Literal["set", "refine", "add", "cancel", "withdraw", "ask"]
"""What a turn does to a slot of its topic."""
Returns: TypeAlias = Literal["named", "implicit"]
"""How a return says where it goes: by name, or by its subject alone."""
Value: TypeAlias = str | float | bool
"""Of a slot: a text, a number, a date (YYYY-MM-DD), a time (HH:MM), yes or no."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that a turn says about a slot."""

    name: ActName
    slot: str
    """The slot's key; empty for a question about none."""
    value: Value | None = None
    """What is wanted from now on, or the item that is added or cancelled; None for `withdraw` and `ask`."""
    old: Value | None = None
    """What it replaces or gives up."""


@dataclass(frozen=True, slots=True)
class ShiftTurn:
    """One round of a dialogue."""

    turn: int
    """From 1."""
    move: Move
    topic: int
    """The gold topic: trees numbered from 0 in order of creation; a digression is one of its own."""
    branch: str
    """The gold branch in that tree: `b0`, `b1`, …, in order of creation."""
    fork: int | None
    """For an alternative, the turn that it branches off from: the one that set the slot."""
    query: str
    reply: str
    """What the assistant of a fixed transcript says: neutral, states no value but one that the user just said."""
    details: tuple[Act, ...] = ()
    returns: Returns | None = None
    """Of a return, how it is said; the final request is none."""

    @property
    def acts(self) -> tuple[ActName, ...]:
        """The names of its acts, at most three."""
        return tuple(act.name for act in self.details)


@dataclass(frozen=True, slots=True)
class ShiftDialogue:
    """A generated dialogue with its goals; the same seed gives the same bytes."""

    task: str
    """The task type of its main topic."""
    turns: tuple[ShiftTurn, ...]
    checkpoints: tuple[Mapping[str, Any], ...]
    """Typed goals, never shown: `id`, `slot`, `key`, `type`, `value`, `polarity`, `provenance`, `superseded`,
    `other_branch`, `topic`, `branch`, `aliases`."""
    witness: str
    """A final answer that satisfies all goals, built from the gold state without the checker's code."""
    keys: tuple[str, ...] = ()
    """All keys of the task type, which the final request lists."""

    @property
    def rounds(self) -> int:
        """How many turns it has."""
        return len(self.turns)

"""The vocabulary of instruction following: topics, constraints, and the turns made of them.

Its packages (`constraints`, `witness`, `tracker`, `queries`, `synthesis`, `instructions`, …) share these frozen
dataclasses. What every kind of conversation shares is in `evolif.types`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

NAME = "instructions"
"""The scenario's."""
Params = Mapping[str, Any]
"""Parameters of a constraint as stored (see the constraint specification in `docs/constraints.md`)."""

Move = Literal["new", "continue", "backtrack"]
OperationKind = Literal["add", "modify", "remove"]
TurnAct = Literal["change", "state", "replace_all", "carry"]
"""What a turn does to the demands: it changes some, states a topic's first ones, puts new ones in place of all, or has
those of the topic that it leaves hold for its new one, too."""
TurnStatus = Literal["verified", "flagged", "edited", "rejected"]


@dataclass(frozen=True, slots=True)
class Topic:
    """A task without any constraint, and the words that belong to it (paper §4.1)."""

    id: str
    prompt: str
    keywords: tuple[str, ...]
    domain: str = ""
    title: str = ""
    """A short noun phrase that names the task when a dialogue returns to it; empty in foreign data."""
    kind: str = field(default="", compare=False)
    """What the task asks for: `advice`, `code`, `text`, …; not told in turns, as it only decides what is drawn."""
    choices: tuple[Params, ...] = field(default=(), compare=False)
    """What there is to choose from, as parameters of `choice`; not told in turns."""
    asker: tuple[str, ...] = field(default=(), compare=False)
    """Facts that it presupposes of whoever asks (`seeds/facts.yaml`); not told in turns."""
    apart: tuple[str, ...] = field(default=(), compare=False)
    """Parts of a life that it is about and that one person is asked about at most once; not told in turns."""
    wordings: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The same task as people of other registers type it, by register; of a stored turn the one that it uses."""
    short: str = field(default="", compare=False)
    """What people call it when they come back to it: *the landlord thing*."""

    @property
    def prompts(self) -> tuple[str, ...]:
        """All wordings, the neutral one first."""
        return (self.prompt, *self.wordings.values())


@dataclass(frozen=True, slots=True)
class Persona:
    """A speaking style, fixed for a dialogue (paper §4.1)."""

    id: str
    sentence: str
    phrases: tuple[str, ...]
    register: str = "neutral"
    """One of the registers of the phrase grammar: `casual`, `neutral`, `formal`, `brisk`, `warm`."""
    facts: frozenset[str] = field(default=frozenset(), compare=False)
    """What holds of this person (`seeds/facts.yaml`); not told in turns."""
    cannot: frozenset[str] = field(default=frozenset(), compare=False)
    """What cannot hold, beyond what the facts exclude; not told in turns."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """One requirement: its group and its parameters as stored."""

    group: str
    params: Params


Instruction = tuple[Constraint, ...]
"""The active constraints of a topic, at most one per group, oldest first."""


@dataclass(frozen=True, slots=True)
class Operation:
    """The change of one group in a turn; `before` is None for an add, `after` for a removal."""

    kind: OperationKind
    group: str
    before: Params | None
    after: Params | None


class _Changing:
    """A turn with its operations; a mix-in, so that a script's turns and a benchmark's tell the same of them."""

    __slots__ = ()
    operations: tuple[Operation, ...]
    act: TurnAct

    @property
    def operation(self) -> Operation:
        """The turn's only operation.

        Raises:
            ValueError: it has several, or none.
        """
        if len(self.operations) != 1:
            raise ValueError(f"the turn has {len(self.operations)} operations; use “operations”")
        return self.operations[0]

    @property
    def changed(self) -> frozenset[str]:
        """The groups of its operations."""
        return frozenset(operation.group for operation in self.operations)

    @property
    def kind(self) -> str:
        """`replace_all`, `carry`, or the kind of its operations: `add`, `modify`, `remove`, or `several` kinds."""
        kinds = {operation.kind for operation in self.operations}
        if self.act in ("replace_all", "carry"):
            return self.act
        return kinds.pop() if len(kinds) == 1 else "several"


@dataclass(frozen=True, slots=True)
class ScriptTurn(_Changing):
    """The intention of a turn, before it is put into words; turns count from 1."""

    dialogue: int
    turn: int
    topic: Topic
    move: Move
    operations: tuple[Operation, ...]
    """In the order said, one per changed group."""
    constraints: Instruction
    before: Instruction
    """The topic's constraints after its previous turn (empty on a new topic)."""
    witness: str
    """A text that passes every rule checker of this turn."""
    act: TurnAct = "change"


@dataclass(frozen=True, slots=True)
class Turn(_Changing):
    """One line of a benchmark: the intention and its words."""

    dialogue: int
    turn: int
    topic: Topic
    move: Move
    operations: tuple[Operation, ...]
    """In the order said, one per changed group."""
    constraints: Instruction
    persona: Persona
    query: str
    source: str
    attempts: int = 1
    findings: tuple[str, ...] = ()
    status: TurnStatus = "verified"
    witness: str | None = None
    act: TurnAct = "change"


FindingKind = Literal["missing", "wrong", "reversed", "extra", "restates", "topic"]
"""`missing`: the change is not said; `wrong`: with another value; `reversed`: the other way round; `extra`: something
else is asked for, too; `restates`: what stays in force is listed again; `topic`: it is not clear which is meant."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A query checker's objection: the query does not express the turn's intention, or expresses another one."""

    checker: str
    """`topic`, or the group whose change the query does not express."""
    message: str
    """What is missing or wrong, as a sentence for whoever corrects the query."""
    spans: tuple[tuple[int, int], ...] = ()
    """Half-open ranges of the query's characters that are wrong; empty if something is missing."""
    kind: FindingKind | None = None
    """How the query differs from the change, as `check_query` tells it; None where something else is objected to."""

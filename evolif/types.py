"""The vocabulary every layer shares: frozen, plain, without behaviour that needs other modules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Params = Mapping[str, Any]
"""Parameters of a constraint as stored (see the constraint specification in `docs/constraints.md`)."""

Move = Literal["new", "continue", "backtrack"]
OperationKind = Literal["add", "modify", "remove"]
TurnStatus = Literal["verified", "flagged", "edited", "rejected"]


@dataclass(frozen=True, slots=True)
class Topic:
    """A task without any constraint, and the words that belong to it (paper §4.1)."""

    id: str
    prompt: str
    keywords: tuple[str, ...]
    domain: str = ""
    title: str = ""
    """A short noun phrase naming the task, said when a dialogue comes back to it; empty in foreign data."""


@dataclass(frozen=True, slots=True)
class Persona:
    """A speaking style, fixed for a dialogue (paper §4.1)."""

    id: str
    sentence: str
    phrases: tuple[str, ...]
    register: str = "neutral"
    """One of the registers of the phrase grammar: `casual`, `neutral`, `formal`, `brisk`, `warm`."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """One requirement: its group and the parameters as stored."""

    group: str
    params: Params


Instruction = tuple[Constraint, ...]
"""The active constraints of a topic, at most one per group, oldest first."""


@dataclass(frozen=True, slots=True)
class Operation:
    """The one change of a turn; `before` is absent for an add, `after` for a removal."""

    kind: OperationKind
    group: str
    before: Params | None
    after: Params | None


@dataclass(frozen=True, slots=True)
class ScriptTurn:
    """The intention of a turn, before it is put into words; turns count from 1."""

    dialogue: int
    turn: int
    topic: Topic
    move: Move
    operation: Operation
    constraints: Instruction
    before: Instruction
    """The topic's constraints when it was last left (empty on a new topic)."""
    witness: str
    """A text that every rule checker of this turn has passed."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One line of a benchmark: the intention and its words."""

    dialogue: int
    turn: int
    topic: Topic
    move: Move
    operation: Operation
    constraints: Instruction
    persona: Persona
    query: str
    source: str
    attempts: int = 1
    findings: tuple[str, ...] = ()
    status: TurnStatus = "verified"
    witness: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range `[start, end)` in characters of the content or of the body."""

    start: int
    end: int
    view: Literal["content", "body"] = "content"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a checker says of one constraint: satisfied, failed, or (`None`) not judged."""

    group: str
    satisfied: bool | None
    expected: str
    found: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """What a query checker holds against a query: it does not say the turn's intention, or says another one."""

    checker: str
    """`topic`, or the group whose change is not said."""
    message: str
    """What is missing or wrong, as a sentence for whoever mends the query."""
    spans: tuple[tuple[int, int], ...] = ()
    """Half-open ranges of the query's characters that are wrong; empty where something is missing."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a call cost, as the provider reported them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of prompt and answer together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """What a run knows of a turn that it asked, whoever answered it: what figures are broken down by."""

    dialogue: int
    turn: int
    move: Move
    depth: int
    """How many turns the topic had had by then, this one included."""
    topic: str
    """Id of the topic."""
    query: str
    constraints: Instruction
    operation: OperationKind | Literal[""] = ""
    """Empty where the run was made before this was kept."""
    source: str = ""
    """Who worded the query: `template`, a model's name, `human`."""
    register: str = ""
    """The persona's register."""
    witness: str | None = None
    """A text that satisfies the turn's rule-checked constraints; None where the benchmark has none."""


Ending = Literal["finished", "censored", "suspended", "withheld"]


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One answered turn of a session, as metrics read it."""

    turn: int
    verdicts: tuple[Verdict, ...]
    depth: int = 1
    """How many turns the topic has had, this one included."""
    move: Move = "continue"

    @property
    def judged(self) -> tuple[bool, ...]:
        """The verdicts that were had; empty where nothing was judged."""
        return tuple(v.satisfied for v in self.verdicts if v.satisfied is not None)


@dataclass(frozen=True, slots=True)
class Session:
    """One model's conversation over one dialogue, as far as it went."""

    model: str
    dialogue: int
    epoch: int
    patience: int
    ending: Ending | None
    """None while it runs."""
    reason: str = ""
    turns: tuple[JudgedTurn, ...] = field(default=())

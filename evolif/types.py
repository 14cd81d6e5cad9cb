"""The types that all packages share: frozen dataclasses and literals without dependencies on other modules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Params = Mapping[str, Any]
"""Parameters of a constraint as stored (see the constraint specification in `docs/constraints.md`)."""

DEFAULT_RESAMPLES = 2_000
"""Resamples of a bootstrap where nothing else is requested."""

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
    """A short noun phrase that names the task when a dialogue returns to it; empty in foreign data."""


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
    """One requirement: its group and its parameters as stored."""

    group: str
    params: Params


Instruction = tuple[Constraint, ...]
"""The active constraints of a topic, at most one per group, oldest first."""


@dataclass(frozen=True, slots=True)
class Operation:
    """The one change of a turn; `before` is None for an add, `after` for a removal."""

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
    """The topic's constraints after its previous turn (empty on a new topic)."""
    witness: str
    """A text that passes every rule checker of this turn."""


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
    """A checker's result for one constraint: satisfied, failed, or (`None`) not judged."""

    group: str
    satisfied: bool | None
    expected: str
    found: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A query checker's objection: the query does not express the turn's intention, or expresses another one."""

    checker: str
    """`topic`, or the group whose change the query does not express."""
    message: str
    """What is missing or wrong, as a sentence for whoever corrects the query."""
    spans: tuple[tuple[int, int], ...] = ()
    """Half-open ranges of the query's characters that are wrong; empty if something is missing."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a call used, as the provider reported them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of prompt and answer together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens)


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """What a run knows about a turn, independent of the model that answers: figures are broken down by it."""

    dialogue: int
    turn: int
    move: Move
    depth: int
    """How many turns the topic has had so far, this one included."""
    topic: str
    """The topic's id."""
    query: str
    constraints: Instruction
    operation: OperationKind | Literal[""] = ""
    """Empty in runs that are older than this field."""
    source: str = ""
    """Who wrote the query: `template`, a model's name, `human`."""
    register: str = ""
    """The persona's register."""
    witness: str | None = None
    """A text that satisfies the turn's rule-checked constraints; None if the benchmark has none."""


Ending = Literal["finished", "censored", "suspended", "withheld"]


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One answered turn of a session, as metrics read it."""

    turn: int
    verdicts: tuple[Verdict, ...]
    depth: int = 1
    """How many turns the topic has had so far, this one included."""
    move: Move = "continue"

    @property
    def judged(self) -> tuple[bool, ...]:
        """The verdicts that were reached; empty if nothing was judged."""
        return tuple(v.satisfied for v in self.verdicts if v.satisfied is not None)


@dataclass(frozen=True, slots=True)
class Session:
    """One model's conversation over one dialogue, as far as it got."""

    model: str
    dialogue: int
    epoch: int
    patience: int
    ending: Ending | None
    """None while the session runs."""
    reason: str = ""
    turns: tuple[JudgedTurn, ...] = ()

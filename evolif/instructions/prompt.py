"""A turn of instruction following as a prompt: what is stored of it, and what an answer is judged by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evolif.instructions.turn_lines import turn_hash
from evolif.turns import Constraint, Instruction, Turn
from evolif.types import Message, Prompt


@dataclass(frozen=True, slots=True)
class Requirements:
    """What an answer to a turn is judged by."""

    constraints: Instruction
    keywords: tuple[str, ...] = ()
    """Of the topic."""
    witness: str | None = None
    """A text that satisfies every rule-checked constraint; None if the benchmark has none."""


class _Payload(dict[str, Any]):
    """A payload with its typed form, so that neither the checkers nor a simulated model parse it on every turn."""

    __slots__ = ("requirements",)

    def __init__(self, requirements: Requirements) -> None:
        self.requirements = requirements
        # Keywords are not stored: an answer is not judged by them, and the player of a prompt gets this object.
        super().__init__(constraints=constraint_objects(requirements.constraints), witness=requirements.witness)

    def __reduce__(self) -> tuple[type[_Payload], tuple[Requirements]]:
        return _Payload, (self.requirements,)


def prompt_of(turn: Turn, depth: int) -> Prompt:
    """The prompt of a turn.

    Args:
        turn: As it is played.
        depth: How many turns the topic has had so far, this one included.
    """
    return Prompt(
        dialogue=turn.dialogue,
        turn=turn.turn,
        messages=(Message("user", turn.query),),
        payload=_Payload(Requirements(turn.constraints, turn.topic.keywords, turn.witness)),
        labels={
            "topic": turn.topic.id,
            "move": turn.move,
            "depth": depth,
            "operation": turn.operation.kind,
            "source": turn.source,
            "register": turn.persona.register,
        },
        digest=turn_hash(turn),
    )


def requirements_of(prompt: Prompt) -> Requirements:
    """What an answer to a prompt is judged by; a prompt from a store is parsed."""
    payload = prompt.payload
    if isinstance(payload, _Payload):
        return payload.requirements
    constraints = tuple(Constraint(item["group"], item["params"]) for item in payload.get("constraints", ()))
    return Requirements(constraints, tuple(payload.get("keywords") or ()), payload.get("witness"))


def constraint_objects(constraints: Iterable[Constraint]) -> list[Mapping[str, Any]]:
    """Constraints as JSON objects, without descriptions."""
    return [{"group": c.group, "params": dict(c.params)} for c in constraints]

"""A turn of instruction following as a prompt: what is stored of it, and what an answer is judged by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from evolif.scenarios.instructions.relevance import Task, read_task, task_of
from evolif.scenarios.instructions.turn_lines import turn_hash
from evolif.scenarios.instructions.turns import Constraint, Instruction, Turn
from evolif.types import Message, Prompt

if TYPE_CHECKING:
    from evolif.scenarios.instructions.feedback.wording import Remark


@dataclass(frozen=True, slots=True)
class TurnRequirements:
    """What an answer to a turn is judged by."""

    constraints: Instruction
    keywords: tuple[str, ...] = ()
    """Of the topic."""
    witness: str | None = None
    """A text that satisfies every rule-checked constraint; None if the benchmark has none."""
    task: Task | None = None
    """What the answer has to be about; None in a run that does not ask."""
    persona: str = ""
    """Of the dialogue; with its number it names the dialogue to simulated models."""


class _Payload(dict[str, Any]):
    """A payload with its typed form, so that neither the checkers nor a simulated model parse it on every turn."""

    __slots__ = ("requirements",)

    def __init__(self, requirements: TurnRequirements, data: Mapping[str, Any] | None = None) -> None:
        self.requirements = requirements
        super().__init__(_stored(requirements) if data is None else data)

    def __reduce__(self) -> tuple[type[_Payload], tuple[TurnRequirements, dict[str, Any]]]:
        return _Payload, (self.requirements, dict(self))


def _stored(requirements: TurnRequirements) -> dict[str, Any]:
    # Keywords and persona are not stored: no answer is judged by them, and the player of a prompt gets the object.
    data = {"constraints": constraint_objects(requirements.constraints), "witness": requirements.witness}
    return data if requirements.task is None else {**data, "task": requirements.task.as_object()}


def prompt_of(turn: Turn, depth: int, *, with_task: bool = False) -> Prompt:
    """The prompt of a turn.

    Args:
        turn: As it is played.
        depth: How many turns the topic has had so far, this one included.
        with_task: Whether answers are compared with their task.
    """
    task = task_of(turn.topic) if with_task else None
    return Prompt(
        dialogue=turn.dialogue,
        turn=turn.turn,
        messages=(Message("user", turn.query),),
        payload=_Payload(TurnRequirements(turn.constraints, turn.topic.keywords, turn.witness, task, turn.persona.id)),
        labels={
            "topic": turn.topic.id,
            "move": turn.move,
            "depth": depth,
            "operation": turn.kind,
            "source": turn.source,
            "register": turn.persona.register,
        },
        digest=turn_hash(turn),
    )


def reacting(prompt: Prompt, number: int, repair: int = 0, remark: Remark | None = None) -> Prompt:
    """The prompt of a turn as a person asks it who reacts to answers.

    Args:
        prompt: Of the turn, as of one who does not.
        number: Its place in the dialogue, repairs counted.
        repair: Which repair of the turn it is; 0 for the turn itself.
        remark: What is said of the answer before. A repair says nothing else.
    """
    said = "" if remark is None else remark.text
    query = said if repair else f"{said} {prompt.query}" if said else prompt.query
    feedback = {"script": prompt.turn, "repair": repair, "remark": None if remark is None else remark.as_object()}
    labels = {**prompt.labels, "remark": "none" if remark is None else remark.kind}
    if repair:
        labels |= {"move": "continue", "operation": "repair"}
    parts = f"{prompt.digest} {prompt.turn} {repair} {said}"
    return replace(
        prompt,
        turn=number,
        messages=(Message("user", query),),
        payload=_Payload(requirements_of(prompt), {**prompt.payload, "feedback": feedback}),
        labels=labels,
        fixed=False,
        digest=sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:16],
    )


def script_turn(prompt: Prompt) -> int:
    """The number of the benchmark's turn whose instruction holds in a prompt."""
    feedback = prompt.payload.get("feedback")
    return prompt.turn if feedback is None else int(feedback["script"])


def told_of(prompt: Prompt) -> Constraint | None:
    """The requirement of the answer before that a prompt says was missed; None if it names none."""
    remark = (prompt.payload.get("feedback") or {}).get("remark") or {}
    return Constraint(remark["group"], remark["value"]) if remark.get("kind") == "missed" else None


def requirements_of(prompt: Prompt) -> TurnRequirements:
    """What an answer to a prompt is judged by; a prompt from a store is parsed."""
    payload = prompt.payload
    if isinstance(payload, _Payload):
        return payload.requirements
    constraints = tuple(Constraint(item["group"], item["params"]) for item in payload.get("constraints", ()))
    task = read_task(payload.get("task"))
    keywords = tuple(payload.get("keywords") or (() if task is None else task.keywords))
    return TurnRequirements(constraints, keywords, payload.get("witness"), task)


def constraint_objects(constraints: Iterable[Constraint]) -> list[Mapping[str, Any]]:
    """Constraints as JSON objects, without descriptions."""
    return [{"group": c.group, "params": dict(c.params)} for c in constraints]

"""One turn, one line of JSON: written in a fixed order, read as hostile input."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif._errors import InputError, UsageError
from evolif._json_lines import complaint, read_json_lines
from evolif.constraints import describe, format_of, parse_constraints
from evolif.domain import Operation, ScriptTurn, Topic, Turn
from evolif.synthesis import PersonaModel


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class TopicRef(_Model):
    """A topic as a turn names it."""

    id: str
    prompt: str
    keywords: tuple[str, ...]
    domain: str = ""
    title: str = ""

    def to_topic(self) -> Topic:
        """The topic."""
        return Topic(self.id, self.prompt, self.keywords, self.domain, self.title)


class _Operation(_Model):
    kind: Literal["add", "modify", "remove"]
    group: str
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


class _Line(_Model):
    dialogue: Annotated[int, Field(ge=0)]
    turn: Annotated[int, Field(ge=1)]
    topic: TopicRef
    move: Literal["new", "continue", "backtrack"]
    operation: _Operation
    constraints: list[dict[str, Any]]
    persona: PersonaModel
    query: Annotated[str, Field(min_length=1)]
    source: str
    attempts: int = 1
    findings: tuple[str, ...] = ()
    status: Literal["verified", "flagged", "edited", "rejected"] = "verified"
    witness: str | None = None


def to_line(turn: Turn) -> str:
    """The line of a turn, with its line break."""
    return json.dumps(to_object(turn), ensure_ascii=False, separators=(",", ":")) + "\n"


def to_object(turn: Turn) -> dict[str, Any]:
    """What the line of a turn holds."""
    fmt = format_of(turn.constraints)
    topic = turn.topic
    return {
        "dialogue": turn.dialogue,
        "turn": turn.turn,
        "topic": {
            "id": topic.id,
            "prompt": topic.prompt,
            "keywords": list(topic.keywords),
            "domain": topic.domain,
            "title": topic.title,
        },
        "move": turn.move,
        "operation": {
            "kind": turn.operation.kind,
            "group": turn.operation.group,
            "before": turn.operation.before,
            "after": turn.operation.after,
        },
        "constraints": [
            {"group": c.group, "params": dict(c.params), "description": describe(c, fmt)} for c in turn.constraints
        ],
        "persona": {
            "id": turn.persona.id,
            "sentence": turn.persona.sentence,
            "phrases": list(turn.persona.phrases),
            "register": turn.persona.register,
        },
        "query": turn.query,
        "source": turn.source,
        "attempts": turn.attempts,
        "findings": list(turn.findings),
        "status": turn.status,
        "witness": turn.witness,
    }


def read_turns(path: Path, dialogue: int | None = None) -> Iterator[Turn]:
    """The turns of one dialogue's file, in order.

    Args:
        path: The file.
        dialogue: The number that every line must have, where it is known.

    Raises:
        InputError: a line that is no turn, or a turn out of order; names the line and the mend.
    """
    for expected, (number, data) in enumerate(read_json_lines(path), 1):
        try:
            turn = parse_turn(data)
        except UsageError as fault:
            raise InputError(f"{fault}; mend or regenerate the dialogue", path=path, line=number) from None
        if turn.turn != expected:
            raise InputError(
                f"turn {turn.turn} stands where turn {expected} should; restore the missing lines",
                path=path,
                line=number,
            )
        if dialogue is not None and turn.dialogue != dialogue:
            raise InputError(
                f"the line belongs to dialogue {turn.dialogue}; give every dialogue its own file back",
                path=path,
                line=number,
            )
        yield turn


def parse_turn(data: object) -> Turn:
    """The turn of one line's object.

    Raises:
        UsageError: it is none, its parameters cannot be, or a group is not installed here.
    """
    try:
        line = _Line.model_validate(data)
    except ValidationError as fault:
        raise InputError(complaint(fault, "turn")) from None
    return Turn(
        dialogue=line.dialogue,
        turn=line.turn,
        topic=line.topic.to_topic(),
        move=line.move,
        operation=Operation(line.operation.kind, line.operation.group, line.operation.before, line.operation.after),
        constraints=parse_constraints(line.constraints),
        persona=line.persona.to_persona(),
        query=line.query,
        source=line.source,
        attempts=line.attempts,
        findings=line.findings,
        status=line.status,
        witness=line.witness,
    )


def turn_hash(turn: Turn) -> str:
    """What identifies a turn that was used: its words and its constraints (16 hex digits)."""
    parts = [turn.query, turn.move, turn.topic.id, [[c.group, dict(c.params)] for c in turn.constraints]]
    canonical = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def same_intention(turn: Turn, scripted: ScriptTurn) -> bool:
    """Whether a stored turn is the one that the script gives today."""
    return (
        turn.topic.id == scripted.topic.id
        and turn.move == scripted.move
        and [(c.group, dict(c.params)) for c in turn.constraints]
        == [(c.group, dict(c.params)) for c in scripted.constraints]
    )

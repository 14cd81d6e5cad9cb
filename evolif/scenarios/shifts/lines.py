"""A dialogue as lines of a benchmark, one a turn, and back: what is stored, and what a run stores of it again.

Every line has `query`, `labels`, the scripted `reply` and the `gold` of its turn. The last one has the rest: `task`,
`slots` (all keys of the task type), `checkpoints` and `witness`. No model is shown any of it but the query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr, ValidationError

from evolif.scenarios.shifts.dialogue import Act, ShiftDialogue, ShiftTurn
from evolif.types import Prompt
from evolif.util.resources import complaint

KEY_FIELDS = ("gold", "checkpoints", "witness")
"""Fields of a line that hold answer keys."""


_Value = StrictBool | StrictInt | StrictFloat | StrictStr


class _Part(BaseModel):
    """A part of a line; other fields than those that are read may be there."""

    model_config = ConfigDict(extra="allow", frozen=True)


class _Said(_Part):
    value: _Value
    turn: StrictInt


class _Checkpoint(_Part):
    id: StrictStr
    slot: StrictStr
    key: StrictStr
    type: Literal["text", "number", "date", "time", "yes_no", "item"]
    value: _Value
    polarity: Literal["present", "absent"]
    provenance: list[StrictInt]
    superseded: list[_Said]
    other_branch: list[_Said]
    aliases: dict[StrictStr, list[StrictStr]]


class _Act(_Part):
    name: StrictStr
    slot: StrictStr
    value: _Value | None
    old: _Value | None


class _Gold(_Part):
    topic: StrictInt
    branch: StrictStr
    fork: StrictInt | None
    returns: Literal["named", "implicit"] | None
    acts: list[_Act]


class _ShiftLine(_Part):
    query: StrictStr
    labels: dict[StrictStr, StrictInt | StrictStr]


class _MadeLine(_ShiftLine):
    reply: StrictStr
    gold: _Gold


class _MadeLast(_MadeLine):
    slots: list[StrictStr]
    checkpoints: list[_Checkpoint]
    witness: StrictStr


class _Goal(_Part):
    number: Annotated[StrictInt, Field(ge=1)]
    statement: StrictStr
    stated: StrictBool


class _ImportedLast(_ShiftLine):
    goals: list[_Goal]
    left_out: list[_Goal]


def line_fault(line: Mapping[str, Any], *, is_last: bool, is_released: bool) -> str:
    """What is wrong with a line of a benchmark, as a clause; empty if nothing is.

    Args:
        line: As read.
        is_last: Whether it is the last one of its dialogue, which holds the goals.
        is_released: Whether the dialogue is from a released file, and so has neither gold nor replies.
    """
    made = _MadeLast if is_last else _MadeLine
    imported = _ImportedLast if is_last else _ShiftLine
    try:
        (imported if is_released else made).model_validate(line)
    except ValidationError as fault:
        return complaint(fault, "the line")
    return ""


def lines_of(dialogue: ShiftDialogue) -> Iterator[dict[str, Any]]:
    """The lines of a dialogue.

    Args:
        dialogue: As it was generated.
    """
    for turn in dialogue.turns:
        line: dict[str, Any] = {
            "query": turn.query,
            "labels": {"rounds": dialogue.rounds, "move": turn.move, "task": dialogue.task},
            # Of the second edition the last reply is the witness, which is an answer key.
            "reply": "" if turn.reply == dialogue.witness else turn.reply,
            "gold": {
                "topic": turn.topic,
                "branch": turn.branch,
                "fork": turn.fork,
                "returns": turn.returns,
                "acts": [asdict(act) for act in turn.details],
            },
        }
        if turn.turn == dialogue.rounds:
            line["slots"] = list(dialogue.keys)
            line["checkpoints"] = [dict(goal) for goal in dialogue.checkpoints]
            line["witness"] = dialogue.witness
        yield line


def dialogue_of(lines: Sequence[Mapping[str, Any]]) -> ShiftDialogue:
    """The dialogue of its lines, all of them and in order.

    Raises:
        KeyError: a field is missing, as in lines of an imported dialogue, which has no gold.
    """
    last = lines[-1]
    return ShiftDialogue(
        task=last["labels"]["task"],
        turns=tuple(
            _turn(number, line if line["reply"] or line is not last else {**line, "reply": last["witness"]})
            for number, line in enumerate(lines, 1)
        ),
        checkpoints=tuple(last["checkpoints"]),
        witness=last["witness"],
        keys=tuple(last["slots"]),
    )


def dialogue_of_prompts(prompts: Iterable[Prompt]) -> ShiftDialogue | None:
    """The dialogue that the prompts of a stored session ask, with its gold.

    Args:
        prompts: In order.

    Returns:
        None if the session did not reach the final request, or the dialogue was imported and has no gold.
    """
    lines = [{**prompt.payload, "query": prompt.query, "labels": prompt.labels} for prompt in prompts]
    if not lines or "checkpoints" not in lines[-1] or "gold" not in lines[-1]:
        return None
    return dialogue_of(lines)


def turns_of_prompts(prompts: Iterable[Prompt]) -> tuple[ShiftTurn, ...] | None:
    """The turns that prompts of a stored session ask, with their gold, however far it got.

    Args:
        prompts: In order, from the first.

    Returns:
        None if the dialogue was imported and has no gold.
    """
    lines = [{**prompt.payload, "query": prompt.query, "labels": prompt.labels} for prompt in prompts]
    if not all("gold" in line for line in lines):
        return None
    return tuple(_turn(number, line) for number, line in enumerate(lines, 1))


def _turn(number: int, line: Mapping[str, Any]) -> ShiftTurn:
    gold = line["gold"]
    return ShiftTurn(
        turn=number,
        move=line["labels"]["move"],
        topic=gold["topic"],
        branch=gold["branch"],
        fork=gold["fork"],
        query=line["query"],
        reply=line["reply"],
        details=tuple(Act(**act) for act in gold["acts"]),
        returns=gold["returns"],
    )

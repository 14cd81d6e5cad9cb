"""The released files of NTM (Context-Agent): dialogues as JSON lines, numbered goals, judges' scores."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, StrictStr, ValidationError

from evolif.benchmark.files import json_line, objection, write_whole, writing
from evolif.errors import ArgumentError, InputError
from evolif.util.resources import read_json_lines

_MOST_BYTES = 256 << 20
_MOST_DIGITS = 4000
"""Digits of a number in a judge's reply; Python converts no more than 4300."""
_GOAL = re.compile(r"\(\s*+[0-9]++\s*+\)")
_SCORE = re.compile(r"\s*+([0-9]++)\s*+/\s*+([0-9]++)\s*+\.?+\s*+")
_DIGITS = re.compile(r"[0-9]+")
_EXPECTED: Mapping[str, str] = {
    "conversation_id": "a text",
    "metadata": "an object whose rounds are a text",
    "user_turns": "a list of objects with turn_id, a whole number, and content, a text",
    "checkpoint_question": "a text",
}


def _check_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(metadata.get("rounds"), str):
        raise ValueError("no text under rounds")
    return metadata


def _check_turn(turn: dict[str, Any]) -> dict[str, Any]:
    if type(turn.get("turn_id")) is not int or not isinstance(turn.get("content"), str):
        raise ValueError("no turn_id or no content")
    return turn


class ReleasedDialogue(BaseModel):
    """One line of a released file. Fields that it does not name are kept and written back.

    Attributes:
        conversation_id: Its name.
        metadata: Holds `rounds`, the number of rounds as text.
        user_turns: What the user says: `turn_id` and `content` of each turn.
        checkpoint_question: What a judge is asked: goals numbered “(1) … (2) …”.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    conversation_id: StrictStr
    metadata: Annotated[dict[StrictStr, Any], AfterValidator(_check_metadata)]
    user_turns: list[Annotated[dict[StrictStr, Any], AfterValidator(_check_turn)]]
    checkpoint_question: StrictStr


class Numbered(Protocol):
    """A turn with what its user says."""

    @property
    def turn(self) -> int:
        """From 1."""

    @property
    def query(self) -> str:
        """The user's text."""


class Exportable(Protocol):
    """A generated dialogue, as far as an export needs it."""

    @property
    def rounds(self) -> int:
        """How many turns it has."""

    @property
    def turns(self) -> Sequence[Numbered]:
        """All of them, in order."""

    @property
    def checkpoints(self) -> Sequence[Mapping[str, Any]]:
        """Its typed goals."""


def read_released(path: Path | str) -> list[ReleasedDialogue]:
    """Read a released file, one JSON object a line; blank lines are skipped.

    Raises:
        InputError: the file cannot be read, or a line is no such dialogue.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError("no such file; give a file of JSON lines", path=path)
    if path.stat().st_size > _MOST_BYTES:
        raise InputError(f"larger than {_MOST_BYTES >> 20} MB; split it", path=path)
    dialogues = []
    for number, data in read_json_lines(path):
        problem = objection(data)
        if problem:
            raise InputError(f"{problem}; fix or delete the line", path=path, line=number)
        try:
            dialogues.append(ReleasedDialogue.model_validate(data))
        except ValidationError as fault:
            field = str(fault.errors(include_url=False)[0]["loc"][0])
            raise InputError(f"{field} must be {_EXPECTED[field]}", path=path, line=number) from None
    return dialogues


def write_released(path: Path | str, dialogues: Iterable[ReleasedDialogue | Exportable]) -> None:
    """Write dialogues in the released layout; the file appears whole.

    Args:
        path: Replaced if it exists.
        dialogues: Released ones as they are, generated ones as `to_released` makes them, numbered from 1.

    Raises:
        ArgumentError: a dialogue holds what JSON cannot.
        OutsideError: the file cannot be written.
    """
    lines = []
    for number, dialogue in enumerate(dialogues, 1):
        released = dialogue if isinstance(dialogue, ReleasedDialogue) else to_released(dialogue, number)
        data = released.model_dump()
        problem = objection(data)
        if problem:
            raise ArgumentError(f"dialogue {number} cannot be stored: {problem}")
        lines.append(json_line(data))
    path = Path(path)
    with writing(path):
        write_whole(path, "".join(lines).encode("utf-8"))


def to_released(dialogue: Exportable, number: int) -> ReleasedDialogue:
    """Put a generated dialogue into the released layout, its goals as numbered statements.

    Args:
        dialogue: With `.rounds`, `.turns` (each with `.turn` and `.query`) and `.checkpoints`.
        number: The dialogue's number; as text, it becomes the `conversation_id`.
    """
    goals = [f"({at}) {_statement(goal)}" for at, goal in enumerate(dialogue.checkpoints, 1)]
    return ReleasedDialogue(
        conversation_id=str(number),
        metadata={"rounds": str(dialogue.rounds)},
        user_turns=[{"turn_id": turn.turn, "content": turn.query} for turn in dialogue.turns],
        checkpoint_question=" ".join(["How many of these statements are true of the final answer?", *goals]),
    )


def describe_released(dialogues: Iterable[ReleasedDialogue]) -> dict[str, int | None]:
    """Count what a released file holds.

    Returns:
        `dialogues`; `user_turns` of all; `min_turns` and `max_turns` of a dialogue, None without one;
        `duplicate_dialogues`, those whose user says the same in the same order as in an earlier one.
    """
    texts = [tuple(turn["content"] for turn in dialogue.user_turns) for dialogue in dialogues]
    sizes = [len(turns) for turns in texts]
    return {
        "dialogues": len(texts),
        "user_turns": sum(sizes),
        "min_turns": min(sizes, default=None),
        "max_turns": max(sizes, default=None),
        "duplicate_dialogues": len(texts) - len(set(texts)),
    }


def count_goals(question: str) -> int:
    """Count the goals of a checkpoint question: each whole number in round brackets is one, even if it repeats."""
    return sum(1 for _ in _GOAL.finditer(question))


def read_score(text: str, *, total: int | None = None, as_released: bool = False) -> tuple[int, int] | None:
    """Read how many goals a judge finds satisfied: a reply that is one `x/y` and nothing else.

    Args:
        text: The reply. Space around the numbers and one full stop at the end are allowed.
        total: How many goals there are, if that is known.
        as_released: As the release does: it takes digits from any text, and never compares them with `total`.

    Returns:
        Satisfied goals and all goals; None if the reply is no score: another text, no goals, more satisfied than there
        are, another number of goals than `total`, or a number of more than 4000 digits.
    """
    if as_released:
        return _released_score(text)
    match = _SCORE.fullmatch(text)
    if match is None:
        return None
    score = _whole(match[1]), _whole(match[2])
    if score[0] is None or score[1] is None:
        return None
    satisfied, goals = score[0], score[1]
    possible = goals > 0 and satisfied <= goals and (total is None or goals == total)
    return (satisfied, goals) if possible else None


def _released_score(text: str) -> tuple[int, int] | None:
    before, slash, after = text.partition("/")
    runs = ["".join(_DIGITS.findall(part)) for part in (before, after.partition("/")[0])] if slash else []
    if not all(runs) or not runs:
        runs = _DIGITS.findall(text)[:2]
        runs += [["0", "0"], ["1"], []][len(runs)]
    satisfied, goals = map(_whole, runs)
    return None if satisfied is None or goals is None else (satisfied, goals)


def _whole(digits: str) -> int | None:
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= _MOST_DIGITS else None


def _statement(goal: Mapping[str, Any]) -> str:
    """A goal as a sentence without round brackets, which would be counted as another goal."""
    value = goal["value"] if isinstance(goal["value"], str) else json.dumps(goal["value"], default=str)
    text = value.translate(str.maketrans("()", "[]"))
    slot = str(goal["slot"]).replace("_", " ").translate(str.maketrans("()", "[]"))
    present = goal.get("polarity", "present") == "present"
    if goal["type"] == "item":
        return f"The list “{slot}” {'holds' if present else 'does not hold'} {text}."
    return f"“{slot}” is {text}." if present else f"“{slot}” has no value."

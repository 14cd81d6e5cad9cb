"""A dialogue as lines of a benchmark, one a turn, and back: what is stored, and what a run stores of it again.

Every line has `query`, `labels`, the scripted `reply` and the `gold` of its turn. The last one has the rest: `task`,
`slots` (all keys of the task type), `checkpoints` and `witness`. No model is shown any of it but the query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evolif.shifts.dialogue import Act, ShiftDialogue, ShiftTurn
from evolif.types import Prompt

KEY_FIELDS = ("gold", "checkpoints", "witness")
"""Fields of a line that hold answer keys."""


def lines_of(dialogue: ShiftDialogue) -> Iterator[dict[str, Any]]:
    """The lines of a dialogue.

    Args:
        dialogue: As it was generated.
    """
    for turn in dialogue.turns:
        line: dict[str, Any] = {
            "query": turn.query,
            "labels": {"rounds": dialogue.rounds, "move": turn.move, "task": dialogue.task},
            "reply": turn.reply,
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
        turns=tuple(_turn(number, line) for number, line in enumerate(lines, 1)),
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

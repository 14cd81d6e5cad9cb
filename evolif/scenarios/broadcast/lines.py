"""A dialogue as lines of a benchmark, one a turn, and back: what is stored, and what a run stores of it again.

Every line has the turn's fields but its `message`, which is the `query`. The first one also has what the whole dialogue
shares: `system`, `names`, `settings`. A turn that asks for a summary has `briefing`, the facts of the match so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictBool, StrictFloat, StrictInt, StrictStr, ValidationError

from evolif.scenarios.broadcast.judge_facts import briefing
from evolif.scenarios.broadcast.messages import BEGIN, END
from evolif.scenarios.broadcast.options import DialoguePlace
from evolif.types import Prompt
from evolif.util.resources import complaint

KEY_FIELDS = ("key", "checklist", "witness", "question", "briefing")
"""Fields of a line that hold answer keys."""
SHARED = ("system", "names", "settings")
"""Fields of the first line that belong to all."""


class _MatchPart(BaseModel):
    """A part of a line; other fields than those that are read may be there."""

    model_config = ConfigDict(extra="allow", frozen=True)


class _Item(_MatchPart):
    kind: StrictStr
    weight: StrictFloat | StrictInt


class _Names(_MatchPart):
    sport: StrictStr
    teams: list[StrictStr]
    roster: dict[StrictStr, list[StrictStr]]


class _MatchLine(_MatchPart):
    query: StrictStr
    labels: dict[StrictStr, StrictInt | StrictStr]
    number: StrictInt
    judged: StrictBool
    checklist: list[_Item]
    gates: list[StrictStr]
    witness: StrictStr


class _First(_MatchLine):
    system: StrictStr
    names: _Names


def line_fault(line: Mapping[str, Any], *, is_first: bool) -> str:
    """What is wrong with a line of a benchmark, as a clause; empty if nothing is.

    Args:
        line: As read.
        is_first: Whether it is the first one of its dialogue, which has what all share.
    """
    try:
        (_First if is_first else _MatchLine).model_validate(line)
    except ValidationError as fault:
        return complaint(fault, "the line")
    return ""


def lines_of(
    dialogue: Mapping[str, Any], place: DialoguePlace, match: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """The lines of a dialogue.

    Args:
        dialogue: As it was generated.
        place: What it is in its benchmark.
        match: Its match, for the facts that a judge of a summary needs; None if nobody asks for one.
    """
    for number, turn in enumerate(dialogue["turns"]):
        line = {key: value for key, value in turn.items() if key not in ("message", "names")}
        if number == 0:
            shared = {"system": dialogue["system"], "names": turn["names"], "settings": dict(place.settings)}
            line = {**shared, **line}
        if match is not None and asks_summary(turn):
            line["briefing"] = briefing(match, turn["period"])
        yield {"query": turn["message"], "labels": _labels(turn, place), **line}


def asks_summary(turn: Mapping[str, Any]) -> bool:
    """Whether a turn has an item about a summary."""
    return any(item["kind"] == "summary" for item in turn["checklist"])


def _labels(turn: Mapping[str, Any], place: DialoguePlace) -> dict[str, Any]:
    """What figures are broken down by; a turn that is not judged has no sub-task."""
    labels = {"task": place.task, "sport": place.sport, "kind": turn["kind"]}
    labels |= {"subtask": turn["subtask"] if turn["judged"] else "", "period": turn["period"]}
    distance = {} if turn["distance"] is None else {"distance": turn["distance"]}
    return {**labels, **distance, "variant": place.variant, "match": place.match}


def long_tables(query: str) -> list[tuple[int, int]]:
    """Where the rows of a message stand, in characters; nothing for a table with a note only.

    Args:
        query: The message.
    """
    found = []
    end = 0
    while (start := query.find(f"{BEGIN}\n", end)) >= 0:
        start += len(BEGIN) + 1
        end = query.find(END, start)
        if end < 0:
            break
        if query.count("\n", start, end) > 1:
            found.append((start, end))
    return found


def turn_of(prompt: Prompt) -> dict[str, Any]:
    """The turn that a prompt asks, as a dialogue has it."""
    return {**prompt.payload, "message": prompt.query}

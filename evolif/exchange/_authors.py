"""The layouts of the EvolIF authors: a state trajectory (`snapshots_*.jsonl`) and a dialogue (`dialog_*.jsonl`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evolif._errors import UsageError
from evolif.audit import map_constraint
from evolif.benchmark import to_object
from evolif.constraints import describe, format_of, parse_constraint
from evolif.domain import Constraint, Instruction, Operation, Turn
from evolif.exchange._derive import derived_lines

STATES = "evolif-states"
DIALOGS = "evolif-dialogs"
FILE_NAMES: Mapping[str, str] = {STATES: "snapshots", DIALOGS: "dialog"}

_UNITS = {"words": "word", "sentences": "sentence", "paragraphs": "paragraph", "characters": "characters"}
_MODES = {"include": "must_include", "exclude": "must_not_include"}
_ARGS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "start_with": ("startwith", dict),
    "end_with": ("endwith", dict),
    "format": ("format", dict),
    "bullets": ("countableItems", lambda p: {"num": p["count"]}),
    "length": (
        "length",
        lambda p: {"mode": _UNITS[p["unit"]], "relation": p["relation"], "number": p["count"]},
    ),
    "existence": ("existence", lambda p: dict(p["counts"])),
    "forbidden": ("forbidden", lambda p: list(p["keywords"])),
    "case": ("case", lambda p: {"mode": "min_upper", "min": p["percent"]} if p["mode"] == "share" else dict(p)),
    "punctuation": ("punctuation", lambda p: {"mode": _MODES[p["mode"]], "value": p["mark"]}),
    "emotion": ("emotion", dict),
    "audience": ("reader_age", lambda p: {"reader_age": p["audience"]}),
    "style": ("style", dict),
}


def foreign_constraint(constraint: Constraint) -> tuple[str, Any] | None:
    """A constraint's id and arguments in the authors' words; None where reading them back would give another one."""
    known = _ARGS.get(constraint.group)
    if known is None:
        return None
    name, convert = known
    try:
        args = convert(constraint.params)
        back = parse_constraint(map_constraint(name, args))
    except (KeyError, TypeError, UsageError):
        return None
    return (name, args) if back == Constraint(constraint.group, dict(constraint.params)) else None


def layout_rows(
    turns: Sequence[Turn], layout: str, numbers: Mapping[str, int]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """A dialogue in a layout of the authors.

    Args:
        turns: All turns of the dialogue.
        layout: `STATES` or `DIALOGS`.
        numbers: Of each topic's id, the number that stands for it.

    Returns:
        The bare lines; per line, the keys of our own line that cannot be derived from them; and how many constraints
        the layout has no words for.
    """
    make = _state if layout == STATES else _dialog
    rows = [make(turn, numbers[turn.topic.id]) for turn in turns]
    left_out = sum(foreign_constraint(c) is None for turn in turns for c in turn.constraints)
    extra = []
    for turn, bare in zip(turns, derived_lines(turns[0].dialogue, rows) if turns else [], strict=True):
        line = to_object(turn)
        del line["witness"]
        extra.append({key: value for key, value in line.items() if bare[key] != value})
    return rows, extra, left_out


def _state(turn: Turn, number: int) -> dict[str, Any]:
    return {
        "turn": turn.turn,
        "active_topic": number,
        "topic_query": turn.topic.prompt,
        "instructions": _instructions(turn.constraints),
        "cur_operation": _operation(turn.operation, format_of(turn.constraints)),
    }


def _dialog(turn: Turn, number: int) -> dict[str, Any]:
    clear = turn.status in ("verified", "edited")
    return {
        "turn": turn.turn,
        "active_topic": number,
        "user_query_verified": turn.query,
        "user_query": turn.query,
        "instructions": _instructions(turn.constraints),
        "style": {"uuid": turn.persona.id, "persona": turn.persona.sentence, "styles": list(turn.persona.phrases)},
        "instruction_success": clear,
        "topic_success": clear,
    }


def _instructions(constraints: Instruction) -> list[dict[str, Any]]:
    fmt = format_of(constraints)
    named = ((foreign_constraint(c), describe(c, fmt)) for c in constraints)
    return [{"id": one[0], "args": one[1], "description": text} for one, text in named if one is not None]


def _operation(operation: Operation, fmt: str | None) -> dict[str, Any]:
    before, after = (
        None if params is None else Constraint(operation.group, params)
        for params in (operation.before, operation.after)
    )
    named = [None if c is None else foreign_constraint(c) for c in (before, after)]
    known = next((one for one in named if one is not None), None)
    return {
        "operation_type": operation.kind,
        "original_description": None if before is None else describe(before, fmt),
        "new_description": None if after is None else describe(after, fmt),
        "instruction_id": None if known is None else known[0],
        "args_before": None if named[0] is None else named[0][1],
        "args_after": None if named[1] is None else named[1][1],
    }

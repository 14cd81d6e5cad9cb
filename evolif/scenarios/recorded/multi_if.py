"""Rows of Multi-IF (arXiv 2410.15553) as published: up to three turns, each with its instructions and arguments."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from evolif.scenarios.recorded.own_files import Place, has_half_character

_MOST_TURNS = 20


def multi_if_turns(record: Mapping[str, Any], place: Place) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The turns of a row: what the user says, and a metric entry for each instruction in force.

    Args:
        record: `turn_1_prompt`, `turn_1_instruction_id_list`, `turn_1_kwargs` and so on; JSON, or JSON as texts.
        place: For errors.

    Raises:
        InputError: A column is missing, or is not what it should be.
    """
    ended = 0
    for number in range(1, _MOST_TURNS + 1):
        prompt = record.get(f"turn_{number}_prompt")
        if not prompt or _is_null(prompt):
            ended = ended or number
            continue
        if ended:
            raise place.error(
                f"turn_{ended}_prompt is empty, but turn {number} has one; fill it, or empty turn {number}"
            )
        for column in (f"turn_{number}_instruction_id_list", f"turn_{number}_kwargs"):
            if column not in record:
                raise place.error(f"the column {column} is missing; it belongs to turn_{number}_prompt")
        yield _prompt(prompt, place, f"turn_{number}_prompt"), _entries(record, number, place)
    if ended == 1:
        raise place.error("turn_1_prompt is empty, so nothing can be asked; fill it, or take the row out")


def _prompt(value: Any, place: Place, column: str) -> str:
    data = _json(value, place, column, 'an object {"role", "content"}')
    text = data.get("content") if isinstance(data, dict) else None
    if not isinstance(text, str):
        raise place.error(f'{column} is not an object {{"role", "content"}} with a text; restore it')
    return text


def _entries(record: Mapping[str, Any], number: int, place: Place) -> list[dict[str, Any]]:
    names_column, args_column = f"turn_{number}_instruction_id_list", f"turn_{number}_kwargs"
    names = _json(record[names_column], place, names_column, "a list of instructions")
    given = _json(record[args_column], place, args_column, "a list of arguments")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise place.error(f"{names_column} is not a list of instructions; restore it")
    if not isinstance(given, list):
        raise place.error(f"{args_column} is not a list of arguments; restore it")
    _check_storable(names, place, names_column)
    if len(given) != len(names):
        raise place.error(
            f"{args_column} has {len(given)} entries for the {len(names)} of {names_column}; give one an instruction"
        )
    return [
        {
            "class_name": "instruction_following",
            "args": {"inst_name": name, "inst_args": _args(one, place, args_column)},
        }
        for name, one in zip(names, given, strict=True)
    ]


def _args(value: Any, place: Place, column: str) -> dict[str, Any]:
    """Arguments of one instruction; tables give every row all names, with null or NaN for those it lacks."""
    data = {} if _is_null(value) else _json(value, place, column, "an object of arguments")
    if not isinstance(data, dict):
        raise place.error(f"{column} has an entry that is not an object of arguments; restore it")
    given = {key: one for key, one in data.items() if not _is_null(one)}
    _check_storable(given, place, column)
    return given


def _is_null(value: Any) -> bool:
    """Whether a value is null, or NaN, which pandas has in its place."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _check_storable(value: Any, place: Place, column: str) -> None:
    waiting = [value]
    while waiting:  # no recursion: how deep arguments are nested is not in our hands
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, float) and not math.isfinite(one):
            raise place.error(f"{column} has {json.dumps(one)}, which is not JSON; write a number, or take it out")
        elif isinstance(one, str) and has_half_character(one):
            raise place.error(f"{column} has half a character (a lone surrogate); take it out")


def _json(value: Any, place: Place, column: str, what: str) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        python = " (single quotes are those of Python; write it with json.dumps)" if "'" in value[:3] else ""
        raise place.error(f"{column} is not JSON{python}; {what} belongs there") from None

"""Read the input of `evolif score`: plain verdicts, one dialogue a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from evolif.errors import InputError
from evolif.metrics.process import DialogueRecord, judged_record

DEFAULT_PATIENCE = 3
MAX_LINE_BYTES = 10_000_000

_SHAPE = '{"dialogue": "d1", "patience": 3, "turns": [[true, false], [true]]}'


class _LineError(Exception):
    """What is wrong with a line and how to fix it; the caller adds where."""


def read_verdict_file(path: Path | str) -> tuple[DialogueRecord, ...]:
    """The records of a JSONL file; see `read_verdicts`.

    Raises:
        InputError: The file cannot be read, or `read_verdicts` refuses it.
    """
    try:
        with open(path, "rb") as stream:
            return read_verdicts(stream, name=str(path))
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror}); use a readable JSONL file, or - for stdin", path=path
        ) from error


def read_verdicts(stream: BinaryIO, *, name: str = "standard input") -> tuple[DialogueRecord, ...]:
    """The records of a JSONL stream in UTF-8, one dialogue a line, in its order.

    A line is `{"dialogue": "d1", "patience": 3, "turns": [[true, false], [true, null]]}`: `dialogue` a string or a
    whole number, each once (1 and "1" are the same); `patience` a whole number of at least 1, 3 if absent; a turn
    lists its verdicts, with null for a constraint that was not judged. Other keys are ignored, blank lines skipped.

    Args:
        stream: Bytes, read line by line; at most 10 MB a line.
        name: The stream's name in messages.

    Raises:
        InputError: A line has another form, a dialogue occurs twice, or there is none.
    """
    records: dict[str, DialogueRecord] = {}
    for number, line in _lines(stream, name):
        try:
            record = _record(_parse(line))
            if record.dialogue in records:
                raise _LineError(f"dialogue {_show(record.dialogue)} occurs twice; write one line per dialogue")
        except _LineError as error:
            raise InputError(str(error), path=name, line=number) from error
        records[record.dialogue] = record
    if not records:
        raise InputError(f"contains no dialogues; write one per line, like {_SHAPE}", path=name)
    return tuple(records.values())


def _lines(stream: BinaryIO, name: str) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            raise InputError("is longer than 10 MB; write one dialogue per line", path=name, line=number)
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")  # some editors start a file with this mark
        if line.strip():
            yield number, line


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise _LineError("is not UTF-8; save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        raise _LineError(f"is not JSON ({error.msg}, column {error.colno}); write it like {_SHAPE}") from error
    except (ValueError, RecursionError) as error:
        raise _LineError(
            f"contains a number that is too long or lists that are nested too deeply; write it like {_SHAPE}"
        ) from error


def _refuse_constant(constant: str) -> NoReturn:
    raise _LineError(f"{constant} is not JSON; leave it out, or write null where nothing was judged")


def _record(line: Any) -> DialogueRecord:
    if not isinstance(line, dict):
        raise _LineError(f"is not a JSON object; write it like {_SHAPE}")
    for key in ("dialogue", "turns"):
        if key not in line:
            raise _LineError(f'has no "{key}"; write it like {_SHAPE}')
    dialogue, patience = line["dialogue"], line.get("patience", DEFAULT_PATIENCE)
    # Compared by type, because bool is a subclass of int.
    if type(dialogue) not in (str, int) or dialogue == "":
        raise _LineError(f'"dialogue" is {_show(dialogue)}; make it a name or a whole number')
    if type(patience) is not int or patience < 1:
        raise _LineError(f'"patience" is {_show(patience)}; make it a whole number of at least 1')
    return judged_record(str(dialogue), patience, _turns(line["turns"]))


def _turns(turns: Any) -> list[list[bool | None]]:
    if not isinstance(turns, list):
        raise _LineError(f'"turns" is {_show(turns)}; make it a list of turns, each a list of true, false or null')
    for number, turn in enumerate(turns, start=1):
        if not isinstance(turn, list):
            raise _LineError(f"turn {number} is {_show(turn)}; make it a list of true, false or null")
        for verdict in turn:
            if verdict is not None and not isinstance(verdict, bool):
                raise _LineError(f"turn {number} contains {_show(verdict)}; write true, false or null")
    return turns


def _show(value: Any) -> str:
    """The value as JSON writes it, short enough for one sentence."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."

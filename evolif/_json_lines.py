"""Files of one JSON object a line, read as hostile input: every complaint names the file, the line and the mend."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import ValidationError

from evolif._errors import InputError


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


Entry = TypeVar("Entry", bound=_Identified)


def complaint(fault: ValidationError, whole: str) -> str:
    """The first thing wrong with data, as `where: what`; `whole` names the data where no part is to blame."""
    first = fault.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or whole
    return f"{where}: {first['msg']}"


def read_json_lines(path: Path) -> Iterable[tuple[int, object]]:
    """The objects of a JSONL file with their line numbers; blank lines are skipped."""
    try:
        # Not `splitlines`: JSON strings may hold U+2028 and other characters that it takes for line ends.
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "not UTF-8"
        raise InputError(f"cannot be read ({reason})", path=path) from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):  # a number of thousands of digits is a plain ValueError
                raise InputError("not a JSON object; mend or delete the line", path=path, line=number) from None


def read_catalogue(path: Path, parse: Callable[[object], Entry], kind: str) -> tuple[Entry, ...]:
    """The entries of a catalogue, each id once.

    Args:
        path: The JSONL file.
        parse: Makes an entry of an object; raises `ValidationError` or `InputError` where it cannot.
        kind: What an entry is called in complaints.
    """
    entries: dict[str, Entry] = {}
    for number, data in read_json_lines(path):
        try:
            entry = parse(data)
        except ValidationError as fault:
            raise InputError(complaint(fault, kind), path=path, line=number) from None
        except InputError as fault:
            raise InputError(str(fault), path=path, line=number) from None
        if entry.id in entries:
            raise InputError(f"the {kind} id {entry.id} is used twice", path=path, line=number)
        entries[entry.id] = entry
    if not entries:
        raise InputError(f"holds no {kind}", path=path)
    return tuple(entries.values())

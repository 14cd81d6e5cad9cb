"""Files of one's own data as records: JSON, JSON lines and CSV, each record with its place for messages.

Files come from anywhere: they may be torn, in another encoding, or a web page under the name of a file.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evolif.errors import InputError
from evolif.util.opened import read_file

SCHEMA_PAGE: Final = "docs/how-to/own-dialogues.md"
"""Where the shapes of files are described."""
SUFFIXES: Final = (".json", ".jsonl", ".csv")
_MESSAGE_KEYS: Final = ({"role", "content"}, {"from", "value"}, {"role", "tool_calls"}, {"role", "function_call"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: a line, an item of a list, or a row of a table.

    Attributes:
        path: The file.
        name: Such as `item 2`; empty where the line says it all.
        line: From 1; None within a list, whose items may take any number of lines.
        identifier: What the record calls itself, for messages.
    """

    path: Path
    name: str
    line: int | None = None
    identifier: str = ""

    def error(self, message: str) -> InputError:
        """An error that names this place."""
        own = f"{self.name}{f' (id {self.identifier})' if self.identifier else ''}".strip()
        told = f"{own}: {message}" if own else message
        return InputError(told.encode("utf-8", "backslashreplace").decode("utf-8"), path=self.path, line=self.line)

    def called(self, identifier: object) -> Place:
        """The same place, with the record's own name, cut for messages."""
        shown = " ".join(str(identifier)[:60].split()) if isinstance(identifier, str | int) else ""
        return Place(self.path, self.name, self.line, shown)

    @property
    def words(self) -> str:
        """The place in words."""
        return self.name or f"line {self.line}"


def has_half_character(text: str) -> bool:
    """Whether a text has a lone surrogate, as JSON can spell it and no file can hold it.

    Example:
        >>> has_half_character(chr(0xD83D)), has_half_character("🙂")
        (True, False)
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def read_records(path: Path) -> Iterator[tuple[Place, Any]]:
    """The records of a file in order.

    Args:
        path: `.csv` (rows as dicts), `.jsonl` (a value a line) or `.json` (a list, one value, or lines after all).

    Raises:
        InputError: It cannot be read; names the line and what to do.
    """
    text = _text(path)
    if path.suffix == ".csv":
        yield from _rows(path, text)
    elif path.suffix == ".jsonl" and text.lstrip().partition("\n")[0].strip() not in ("[", "{"):
        yield from _lines(path, text)
    else:
        yield from _whole(path, text)


def _text(path: Path) -> str:
    try:
        raw = read_file(path)
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror}); make it readable", path=path) from None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("UTF-16, not UTF-8; save it as UTF-8", path=path, line=1)
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        message = f"not UTF-8 (byte 0x{raw[fault.start]:02x}); save it as UTF-8"
        raise InputError(message, path=path, line=line) from None
    if not text.strip():
        raise InputError("empty, so there is nothing to import; did its download or export fail?", path=path)
    if text.lstrip()[:1] == "<":
        raise InputError("a web page (HTML or XML), not data; download the file itself", path=path, line=1)
    return text


def _lines(path: Path, text: str) -> Iterator[tuple[Place, Any]]:
    # Only a line feed ends a line: other separators may stand inside texts.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield Place(path, "", number), _parsed(path, line.strip(), number - 1)


def _whole(path: Path, text: str) -> Iterator[tuple[Place, Any]]:
    try:
        data = _parsed(path, text)
    except InputError:
        first, _, rest = text.lstrip().partition("\n")
        if not (rest.strip() and _is_value(first)):
            raise
        yield from _lines(path, text)  # lines under the name of a JSON file
        return
    if not isinstance(data, list) or _are_messages(data):
        yield Place(path, "item 1"), data
        return
    if not data:
        raise InputError("an empty list, so there is nothing to import", path=path)
    for number, item in enumerate(data, 1):
        yield Place(path, f"item {number}"), item


def _are_messages(data: Sequence[Any]) -> bool:
    """Whether a list is one conversation."""
    return bool(data) and all(
        isinstance(one, dict) and any(keys <= one.keys() for keys in _MESSAGE_KEYS) for one in data
    )


def _is_value(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _parsed(path: Path, text: str, before: int = 0) -> Any:
    """The value of a JSON text; `before` lines stand before it in the file."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        line = before + fault.lineno
        if fault.msg == "Extra data":
            extra = text[fault.pos : fault.pos + 1]
            raise InputError(f"“{extra}” follows the JSON; take it out", path=path, line=line) from None
        if fault.msg.startswith("Unterminated") or fault.pos >= len(text.rstrip()):
            # Where the text stops, not where the open string began.
            line = before + text.rstrip().count("\n") + 1
            raise InputError("its JSON stops in the middle; fetch the file again", path=path, line=line) from None
        raise InputError(f"not JSON ({fault.msg}); fix or restore the file", path=path, line=line) from None
    except RecursionError:
        raise InputError("nested too deeply; make it flatter", path=path, line=before + 1) from None
    except ValueError:
        message = "a number has thousands of digits; write it as a text"
        raise InputError(message, path=path, line=before + 1) from None


def _rows(path: Path, text: str) -> Iterator[tuple[Place, dict[str, str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: list[str] = []
    number, line = 0, 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as fault:
            name = f"row {number + 1}" if columns else "heading"
            raise Place(path, name, line).error(f"not CSV ({fault}); export the table again") from None
        place, line = Place(path, f"row {number + 1}", line), reader.line_num + 1
        if not any(field.strip() for field in row):
            continue
        if not columns:
            columns = _heading(path, row)
            continue
        number += 1
        if len(row) < len(columns):
            missing = " and ".join(columns[len(row) :][:3])
            first = place.called(dict(zip(columns, row, strict=False)).get("key"))
            raise first.error(
                f"{len(row)} fields for {len(columns)} columns, {missing} missing; export the table again"
            )
        if len(row) > len(columns):
            raise place.error(f"{len(row)} fields for {len(columns)} columns; export the table again")
        yield place, dict(zip(columns, row, strict=True))


def _heading(path: Path, row: Sequence[str]) -> list[str]:
    if len(row) == 1 and ";" in row[0]:
        message = "semicolons separate the fields, where commas belong; export the table with commas"
        raise InputError(message, path=path, line=1)
    return [field.strip() for field in row]

"""What can be imported: files and folders, read row by row as the hostile input they may be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from evolif._errors import InputError, UsageError
from evolif.exchange._arrow import arrow_rows, parquet_rows
from evolif.exchange._rows import Row

LONGEST_LINE = 32 << 20
"""Bytes of one line."""
DEEPEST = 40
"""Objects and lists inside each other."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands."""

    path: Path
    number: int
    """Line or row, counted from 1."""
    word: str = "line"

    def complaint(self, told: object) -> InputError:
        """An error that names the place."""
        if self.word == "line":
            return InputError(str(told), path=self.path, line=self.number)
        return InputError(f"row {self.number}: {told}", path=self.path)


Rows = Iterator[tuple[Place, Row]]


@dataclass(frozen=True, slots=True)
class Source:
    """One file of an import."""

    path: Path
    read: Callable[[Path], Rows]

    def rows(self) -> Rows:
        """Its rows in order."""
        return self.read(self.path)


def sources(path: Path) -> list[Source]:
    """The files to import, in their natural order.

    Raises:
        UsageError: there is nothing that can be imported.
    """
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        raise UsageError(f"{path} does not exist; name an exported file or folder, or one of the EvolIF authors' files")
    reader = {".parquet": _parquet, ".arrow": _arrow}.get(path.suffix, json_rows)
    return [Source(path, reader)]


def _of_folder(path: Path) -> list[Source]:
    if (path / "benchmark.json").exists():
        raise UsageError(f"{path} is a benchmark already; use it as it is, or copy the folder")
    if (path / "dataset_dict.json").exists():
        raise UsageError(f"{path} holds several splits; name the folder of one of them")
    for pattern, reader in (
        ("*.arrow", _arrow),
        ("*.parquet", _parquet),
        ("data/*.parquet", _parquet),
        ("*.jsonl", json_rows),
        ("data/*.jsonl", json_rows),
    ):
        found = sorted((file for file in path.glob(pattern) if file.is_file()), key=natural)
        if found:
            return [Source(file, reader) for file in found]
    raise UsageError(f"{path} holds no .jsonl, .parquet or .arrow file; name another folder")


def natural(path: Path) -> list[tuple[int, int | str]]:
    """A key that sorts `dialog_10` behind `dialog_9`."""
    parts = re.split(r"(\d{1,18})", path.name)
    return [(0, int(part)) if part.isascii() and part.isdigit() else (1, part) for part in parts]


def json_rows(path: Path) -> Rows:
    """The objects of a JSONL file."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                place = Place(path, number)
                if len(line) > LONGEST_LINE:
                    raise place.complaint(f"longer than {LONGEST_LINE >> 20} MiB; give every turn a line of its own")
                if line.strip():
                    yield place, _object(line, place)
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None


def _object(line: bytes, place: Place) -> Row:
    try:
        text = line.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise place.complaint("not UTF-8; save the file as UTF-8") from None
    data = parse_json(text, place)
    if not isinstance(data, dict):
        raise place.complaint("not a JSON object; mend or delete the line")
    return _untyped(data, place)


def parse_json(text: str, place: Place, what: str = "") -> Any:
    """JSON without numbers that are none, not nested too deeply, and without half characters.

    Args:
        text: The JSON.
        place: Where it stands.
        what: What it is, where it is not the whole line.

    Raises:
        InputError: it is not.
    """
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):  # a number of thousands of digits is a plain ValueError
        raise place.complaint(f"{what}not JSON; mend or delete the line") from None
    if "\\u" in text:
        try:
            json.dumps(data, ensure_ascii=False).encode("utf-8")
        except (UnicodeEncodeError, RecursionError):
            raise place.complaint("it holds half a character (\\ud800…\\udfff); mend or delete the line") from None
    _refuse_depth(data, place)
    return data


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _refuse_depth(data: Any, place: Place) -> None:
    level = [data]
    for _ in range(DEEPEST):
        level = (
            [
                inner
                for outer in level
                for inner in (outer.values() if isinstance(outer, dict) else outer)
                if isinstance(inner, (dict, list))
            ]
            if isinstance(level[0] if level else None, (dict, list))
            else []
        )
        if not level:
            return
    raise place.complaint(f"nested deeper than {DEEPEST} levels; mend or delete the line")


def _parquet(path: Path) -> Rows:
    return _numbered(parquet_rows(path), path)


def _arrow(path: Path) -> Rows:
    return _numbered(arrow_rows(path), path)


def _numbered(rows: Iterator[Row], path: Path) -> Rows:
    for number, row in enumerate(rows, 1):
        place = Place(path, number, "row")
        yield place, _untyped(row, place)


def _untyped(row: Row, place: Place) -> Row:
    """Columns of JSON text as what they say; a table that was turned into JSONL has them too."""
    told = dict(row)
    for name in ("constraints", "evolif"):
        if isinstance(told.get(name), str):
            told[name] = parse_json(told[name], place, f"the field “{name}” is ")
    change = told.get("operation")
    if isinstance(change, dict):
        told["operation"] = {
            key: parse_json(part, place, f"“{key}” is ")
            if key in ("before", "after") and isinstance(part, str)
            else part
            for key, part in change.items()
        }
    return told

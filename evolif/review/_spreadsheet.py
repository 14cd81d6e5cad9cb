"""Judged answers as CSV, for a person with a spreadsheet: no cell is a formula, none commands a terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evolif._errors import InputError
from evolif.review._safe import visible

_FORMULA = ("=", "+", "-", "@", "\t")
"""What a spreadsheet would begin to compute at."""

_LONGEST_CELL = 1_000_000
"""Characters; an answer of 64 KiB with every sign spelled out is shorter."""


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with a head; lists go into one cell, an item a line."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    if rows:
        writer.writerow(rows[0])
        writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return out.getvalue()


def read_csv(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a filled table with the number of the line they end in.

    Args:
        path: The file, comma, semicolon or tab between cells.
        columns: What each row has to have.

    Raises:
        InputError: it cannot be read, or lacks a column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "not UTF-8; save it as CSV UTF-8"
        raise InputError(f"cannot be read ({reason})", path=path) from None
    head = text.partition("\n")[0]
    between = max(",;\t", key=head.count)
    with _long_cells():
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=between)
        try:
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(f"the column “{missing[0]}” is missing; export the sample again", path=path, line=1)
            rows = [(reader.line_num, dict(row)) for row in reader]
        except csv.Error as fault:
            raise InputError(f"not CSV ({fault})", path=path, line=reader.line_num) from None
    yield from ((number, _texts(row)) for number, row in rows)


def _cell(value: object) -> str:
    if value is None:
        return ""
    lines: Iterable[object] = value if isinstance(value, list) else [value]
    text = visible("\n".join(map(str, lines))).text
    return f"'{text}" if text.startswith(_FORMULA) else text


def _texts(row: dict[Any, Any]) -> dict[str, Any]:
    return {name: cell.strip() for name, cell in row.items() if isinstance(name, str) and isinstance(cell, str)}


@contextmanager
def _long_cells() -> Iterator[None]:
    # The limit is the module's own and global: it is put back.
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)

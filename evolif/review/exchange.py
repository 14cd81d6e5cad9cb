"""Items in a file: exported with empty fields, filled by a person or a script, applied with the screen's checks."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evolif.errors import InputError, OutsideError, UsageError
from evolif.judge_audit import Decision, standing
from evolif.resources import complaint, read_json_lines
from evolif.review.decisions import Done, EditConflict, Objected, Request
from evolif.review.desk import ReviewQueue
from evolif.review.queue import QueueItem
from evolif.review.text import cut, one_line, visible
from evolif.types import Finding

# Judged answers as CSV, for a person with a spreadsheet: no cell is a formula, none commands a terminal.

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


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a file."""

    made: int
    there: int
    """Decisions that the reviewer had made before: the file was applied twice, or broken off."""
    empty: int
    """Lines without a decision."""


def export(desk: ReviewQueue, keys: Iterable[str], path: Path) -> int:
    """Write items into a JSONL file, or a CSV file where the desk has tables, whole or not at all; returns how many.

    Raises:
        OutsideError: the file cannot be written.
    """
    rows = [{**desk.exported(key), **desk.empty} for key in keys]
    text = to_csv(rows) if _is_table(desk, path) else "".join(f"{json.dumps(row)}\n" for row in rows)
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        os.replace(temporary, path)
    except OSError as fault:
        raise OutsideError(f"{path} cannot be written ({fault.strerror})") from None
    return len(rows)


def apply(
    desk: ReviewQueue, path: Path, progress: Callable[[int, int], None] | None = None, *, opinions: bool = False
) -> Applied:
    """Make the decisions of a filled file. All lines are checked before the first decision is made.

    Args:
        desk: What is reviewed.
        path: The filled export.
        progress: Told how many of the lines are checked.
        opinions: Leave the items alone and keep the decisions for agreement, whatever others decided meanwhile.

    Raises:
        InputError: a line that cannot be applied; names it, and the mend. Nothing was decided then, but where another
            reviewer came between.
    """
    requests, empty = _read(desk, path, opinions)
    owed = []
    for done, (number, request) in enumerate(requests, 1):
        if not desk.already(request):
            try:
                against = desk.weigh(request)
            except UsageError as fault:
                raise InputError(str(fault), path=path, line=number) from None
            if against is not None:
                raise InputError(_refusal(desk, against), path=path, line=number)
            owed.append((number, request))
        if progress is not None:
            progress(done, len(requests))
    for number, request in owed:
        outcome = desk.decide(request)
        if not isinstance(outcome, Done):
            raise InputError(_refusal(desk, outcome), path=path, line=number)
    return Applied(len(owed), len(requests) - len(owed), empty)


def _read(desk: ReviewQueue, path: Path, opinions: bool) -> tuple[list[tuple[int, Request]], int]:
    requests: list[tuple[int, Request]] = []
    lines: dict[str, int] = {}
    empty = 0
    rows: Iterable[tuple[int, object]] = (
        read_csv(path, desk.columns) if _is_table(desk, path) else read_json_lines(path)
    )
    for number, data in rows:
        try:
            if not isinstance(data, dict):
                raise UsageError("not a JSON object; mend or delete the line")
            request = desk.requested(data)
        except ValidationError as fault:
            raise InputError(f"{complaint(fault, 'line')}; mend the line", path=path, line=number) from None
        except UsageError as fault:
            raise InputError(str(fault), path=path, line=number) from None
        if request is None:
            empty += 1
            continue
        if request.item in lines:
            told = f"this {desk.noun} is decided on twice, first in line {lines[request.item]}; delete one of them"
            raise InputError(told, path=path, line=number)
        lines[request.item] = number
        requests.append((number, replace(request, opinion=opinions)))
    return requests, empty


def _is_table(desk: ReviewQueue, path: Path) -> bool:
    return bool(desk.columns) and path.suffix.lower() == ".csv"


def _refusal(desk: ReviewQueue, against: Objected | EditConflict) -> str:
    if isinstance(against, EditConflict):
        by = against.by
        who = f"by {one_line(by.reviewer, 40)} ({by.decision})" if by else "outside the review"
        return f"the {desk.noun} was changed since the export, {who}; export it again"
    told = "; ".join(f"{one_line(one.checker, 40)}: {one_line(one.message, 200)}" for one in against.findings)
    return f'the checkers object ({told}); mend the words, or set "force": true and say why in “note”'


def finding_objects(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings for machines."""
    return [{"checker": one.checker, "message": one.message, "spans": [list(s) for s in one.spans]} for one in found]


# The queue without a terminal: lines for a reader, objects for a machine.

_ONLY_IN_FILES = ("earlier", "edited_query", "edited")


def lines(desk: ReviewQueue, entries: Sequence[QueueItem], width: int | None) -> list[str]:
    """One line an item: status, own verdict, place, findings, words.

    Args:
        desk: What is reviewed.
        entries: The items.
        width: Where lines are cut; nowhere when None.
    """
    rows = []
    for entry in entries:
        row = [f"{entry.mark}{entry.mine}", entry.label]
        if "finding" in entry.facets:
            found = ",".join(one for one in entry.facets["finding"] if one not in ("none", "not checked"))
            row.append(one_line(found, 30) or "-")
        rows.append((row, one_line(desk.listed(entry.key))))
    wide = [max(map(len, column)) for column in zip(*(row for row, _ in rows), strict=True)]
    told = ["  ".join([*(f"{cell:<{n}}" for cell, n in zip(row, wide, strict=True)), words]) for row, words in rows]
    return told if width is None else [cut(line, width) for line in told]


def objects(desk: ReviewQueue, entries: Sequence[QueueItem]) -> dict[str, Any]:
    """The items with their decisions, and the statistics."""
    decided: dict[str, list[Decision]] = {}
    for record in standing(desk.journal.records):
        decided.setdefault(record.item, []).append(record)
    return {
        f"{desk.noun}s": [_object(desk, entry.key, decided.get(entry.key, ())) for entry in entries],
        "statistics": desk.statistics().to_object(),
    }


def _object(desk: ReviewQueue, key: str, decided: Sequence[Decision]) -> dict[str, Any]:
    item = {name: value for name, value in desk.exported(key).items() if name not in _ONLY_IN_FILES}
    item["decisions"] = [told for record in decided if (told := desk.told(record)) is not None]
    return item

"""Review outside the application: export items to a file, apply a filled file, and list items."""

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
from evolif.review.decisions import Done, EditConflict, Objected, Request
from evolif.review.filters import QueueItem
from evolif.review.queue import ReviewQueue
from evolif.review.text import cut, one_line, visible
from evolif.scenarios.instructions.turns import Finding
from evolif.text import csv_cell
from evolif.util.resources import complaint, read_json_lines

_MAX_CELL = 1_000_000
"""Characters; an answer of 64 KiB with every sign spelled out is shorter."""


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with a header, in which no cell is a formula; a list goes into one cell, one item per line."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    if rows:
        writer.writerow(rows[0])
        writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return out.getvalue()


def read_csv(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a filled table, each with the number of its last line.

    Args:
        path: The file, with a comma, semicolon or tab between cells.
        columns: Required columns.

    Raises:
        InputError: the file cannot be read, or lacks a column.
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
    return csv_cell(visible("\n".join(map(str, lines))).text)


def _texts(row: dict[Any, Any]) -> dict[str, Any]:
    return {name: cell.strip() for name, cell in row.items() if isinstance(name, str) and isinstance(cell, str)}


@contextmanager
def _long_cells() -> Iterator[None]:
    # The limit is global to the module, so it is restored.
    before = csv.field_size_limit(_MAX_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of applying a file."""

    made: int
    there: int
    """Decisions already made: the file was applied before, fully or in part."""
    empty: int
    """Lines without a decision."""


def export(queue: ReviewQueue, keys: Iterable[str], path: Path) -> int:
    """Write items to a JSONL file, or a CSV file where the queue has tables, whole or not at all; returns how many.

    Raises:
        OutsideError: the file cannot be written.
    """
    rows = [{**queue.exported(key), **queue.empty} for key in keys]
    text = to_csv(rows) if _is_table(queue, path) else "".join(f"{json.dumps(row)}\n" for row in rows)
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        os.replace(temporary, path)
    except OSError as fault:
        raise OutsideError(f"{path} cannot be written ({fault.strerror})") from None
    return len(rows)


def apply(
    queue: ReviewQueue, path: Path, progress: Callable[[int, int], None] | None = None, *, opinions: bool = False
) -> Applied:
    """Make the decisions of a filled file. All lines are checked before the first decision is made.

    Args:
        queue: What is reviewed.
        path: The filled export.
        progress: Called with the number of checked lines and the number of all lines.
        opinions: Record the decisions for agreement only, regardless of other reviewers.

    Raises:
        InputError: a line cannot be applied; names it and the remedy. Nothing was applied, unless another reviewer
            decided at the same time.
    """
    requests, empty = _read(queue, path, opinions)
    pending = []
    for done, (number, request) in enumerate(requests, 1):
        if not queue.is_made(request):
            try:
                against = queue.preview(request)
            except UsageError as fault:
                raise InputError(str(fault), path=path, line=number) from None
            if against is not None:
                raise InputError(_refusal(queue, against), path=path, line=number)
            pending.append((number, request))
        if progress is not None:
            progress(done, len(requests))
    for number, request in pending:
        outcome = queue.decide(request)
        if not isinstance(outcome, Done):
            raise InputError(_refusal(queue, outcome), path=path, line=number)
    return Applied(len(pending), len(requests) - len(pending), empty)


def _read(queue: ReviewQueue, path: Path, opinions: bool) -> tuple[list[tuple[int, Request]], int]:
    requests: list[tuple[int, Request]] = []
    lines: dict[str, int] = {}
    empty = 0
    rows: Iterable[tuple[int, object]] = (
        read_csv(path, queue.columns) if _is_table(queue, path) else read_json_lines(path)
    )
    for number, data in rows:
        try:
            if not isinstance(data, dict):
                raise UsageError("not a JSON object; fix or delete the line")
            request = queue.parse_request(data)
        except ValidationError as error:
            raise InputError(f"{complaint(error, 'line')}; fix the line", path=path, line=number) from None
        except UsageError as error:
            raise InputError(str(error), path=path, line=number) from None
        if request is None:
            empty += 1
            continue
        if request.item in lines:
            fault = f"this {queue.noun} has two decisions, the first in line {lines[request.item]}; delete one of them"
            raise InputError(fault, path=path, line=number)
        lines[request.item] = number
        requests.append((number, replace(request, opinion=opinions)))
    return requests, empty


def _is_table(queue: ReviewQueue, path: Path) -> bool:
    return bool(queue.columns) and path.suffix.lower() == ".csv"


def _refusal(queue: ReviewQueue, against: Objected | EditConflict) -> str:
    if isinstance(against, EditConflict):
        by = against.by
        who = f"by {one_line(by.reviewer, 40)} ({by.decision})" if by else "outside the review"
        return f"the {queue.noun} was changed since the export, {who}; export it again"
    findings = "; ".join(f"{one_line(one.checker, 40)}: {one_line(one.message, 200)}" for one in against.findings)
    return f'the checkers object ({findings}); fix the words, or set "force": true and give a reason in “note”'


def finding_objects(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings for machines."""
    return [{"checker": one.checker, "message": one.message, "spans": [list(s) for s in one.spans]} for one in found]


_ONLY_IN_FILES = ("earlier", "edited_query", "edited")


def lines(queue: ReviewQueue, entries: Sequence[QueueItem], width: int | None) -> list[str]:
    """One line per item: status, own verdict, position, findings, words.

    Args:
        queue: What is reviewed.
        entries: The items.
        width: Terminal cells at which lines are cut; None for whole lines.
    """
    rows = []
    for entry in entries:
        row = [f"{entry.mark}{entry.mine}", entry.label]
        if "finding" in entry.facets:
            found = ",".join(one for one in entry.facets["finding"] if one not in ("none", "not checked"))
            row.append(one_line(found, 30) or "-")
        rows.append((row, one_line(queue.list_text(entry.key))))
    widths = [max(map(len, column)) for column in zip(*(row for row, _ in rows), strict=True)]
    listed = ["  ".join([*(f"{cell:<{n}}" for cell, n in zip(row, widths, strict=True)), words]) for row, words in rows]
    return listed if width is None else [cut(line, width) for line in listed]


def objects(queue: ReviewQueue, entries: Sequence[QueueItem]) -> dict[str, Any]:
    """The items with their decisions, and the statistics, for machines."""
    decided: dict[str, list[Decision]] = {}
    for record in standing(queue.log.records):
        decided.setdefault(record.item, []).append(record)
    return {
        f"{queue.noun}s": [_object(queue, entry.key, decided.get(entry.key, ())) for entry in entries],
        "statistics": queue.statistics().to_object(),
    }


def _object(queue: ReviewQueue, key: str, decided: Sequence[Decision]) -> dict[str, Any]:
    item = {name: value for name, value in queue.exported(key).items() if name not in _ONLY_IN_FILES}
    item["decisions"] = [shown for record in decided if (shown := queue.decision_object(record)) is not None]
    return item

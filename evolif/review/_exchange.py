"""Items in a file: exported with empty fields, filled by a person or a script, applied with the screen's checks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evolif._errors import InputError, OutsideError, UsageError
from evolif._json_lines import complaint, read_json_lines
from evolif.domain import Finding
from evolif.review._decision import Conflict, Done, Objected, Request
from evolif.review._desk import Desk
from evolif.review._safe import one_line
from evolif.review._spreadsheet import read_csv, to_csv


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a file."""

    made: int
    there: int
    """Decisions that the reviewer had made before: the file was applied twice, or broken off."""
    empty: int
    """Lines without a decision."""


def export(desk: Desk, keys: Iterable[str], path: Path) -> int:
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
    desk: Desk, path: Path, progress: Callable[[int, int], None] | None = None, *, opinions: bool = False
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


def _read(desk: Desk, path: Path, opinions: bool) -> tuple[list[tuple[int, Request]], int]:
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


def _is_table(desk: Desk, path: Path) -> bool:
    return bool(desk.columns) and path.suffix.lower() == ".csv"


def _refusal(desk: Desk, against: Objected | Conflict) -> str:
    if isinstance(against, Conflict):
        by = against.by
        who = f"by {one_line(by.reviewer, 40)} ({by.decision})" if by else "outside the review"
        return f"the {desk.noun} was changed since the export, {who}; export it again"
    told = "; ".join(f"{one_line(one.checker, 40)}: {one_line(one.message, 200)}" for one in against.findings)
    return f'the checkers object ({told}); mend the words, or set "force": true and say why in “note”'


def finding_objects(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings for machines."""
    return [{"checker": one.checker, "message": one.message, "spans": [list(s) for s in one.spans]} for one in found]

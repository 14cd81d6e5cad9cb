"""`evolif review --stats`: decisions, pace and agreement; agreement with a judge once all is scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from evolif.judge_audit import JudgeAuditRow
    from evolif.review import Desk


def print_statistics(desk: Desk, run: Path | None, *, as_json: bool) -> None:
    """Print what the journal tells.

    Args:
        desk: What is reviewed.
        run: The run, where its judge is audited.
        as_json: For a machine.
    """
    from evolif.review import one_line, told

    found = desk.statistics()
    left = sum("open" in entry.facets["status"] for entry in desk.entries()) if run is not None else 0
    rows = None if run is None or left else _rows(run)
    if as_json:
        judged = (
            {} if run is None else {"left": left, "judge": None if rows is None else [row.to_object() for row in rows]}
        )
        print_json({**found.to_object(), **judged})
        return
    for line in told(found):
        typer.echo(one_line(line))
    if left:
        typer.echo(f"{left} left; how far you agree with the judge is told here when you have scored or skipped them.")
    from evolif.judge_audit import judge_audit_lines

    for line in judge_audit_lines(rows or []):
        typer.echo(one_line(line) if line.strip() else line)


def _rows(run: Path) -> list[JudgeAuditRow]:
    from contextlib import closing

    from evolif.judge_audit import judge_audit_summary
    from evolif.protocol import load_run

    with closing(load_run(run)) as opened:
        return judge_audit_summary(opened)


def print_json(data: Any) -> None:
    """Print JSON in ASCII: a foreign text may hold half a surrogate pair, which no terminal's encoding can write."""
    typer.echo(json.dumps(data))

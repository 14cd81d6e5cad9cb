"""What a reader could doubt about a turn's change where the answer is a data format; said in parentheses at its end."""

from __future__ import annotations

from evolif.constraints import format_of, get_group
from evolif.domain import ScriptTurn, Turn


def reading_note(turn: ScriptTurn | Turn) -> str:
    """The note on the new constraint under the active data format; empty where there is nothing to settle."""
    operation, fmt = turn.operation, format_of(turn.constraints)
    if operation.after is None or fmt not in ("json", "xml", "html", "csv"):
        return ""
    if operation.group != "format":
        return get_group(operation.group).note(operation.after, fmt)
    # The format is new: what it means for each constraint that is already there.
    notes = (get_group(c.group).note(c.params, fmt) for c in turn.constraints if c.group != "format")
    return " ".join(dict.fromkeys(filter(None, notes)))


def with_note(query: str, note: str) -> str:
    """The query with its note, once."""
    return f"{query} ({note})" if note and note not in query else query

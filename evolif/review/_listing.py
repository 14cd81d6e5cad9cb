"""The queue without a terminal: lines for a reader, objects for a machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolif.review._decision import Decision, standing
from evolif.review._desk import Desk
from evolif.review._queue import Entry
from evolif.review._safe import one_line
from evolif.review._statistics import statistics

_ONLY_IN_FILES = ("earlier", "edited_query", "edited")


def lines(desk: Desk, entries: Sequence[Entry], width: int | None) -> list[str]:
    """One line an item: status, own verdict, place, findings, words.

    Args:
        desk: What is reviewed.
        entries: The items.
        width: Where lines are cut; nowhere when None.
    """
    rows = []
    for entry in entries:
        found = ",".join(one for one in entry.facets["finding"] if one not in ("none", "not checked"))
        rows.append((f"{entry.mark}{entry.mine}", entry.label, one_line(found, 30) or "-", desk.words(entry.key)))
    wide = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    told = [f"{row[0]:<{wide[0]}}  {row[1]:<{wide[1]}}  {row[2]:<{wide[2]}}  {one_line(row[3])}" for row in rows]
    return [line if width is None or len(line) <= width else f"{line[: width - 1]}…" for line in told]


def objects(desk: Desk, entries: Sequence[Entry]) -> dict[str, Any]:
    """The items with their decisions, and the statistics."""
    decided: dict[str, list[Decision]] = {}
    for record in standing(desk.journal.records):
        decided.setdefault(record.item, []).append(record)
    return {
        f"{desk.noun}s": [_object(desk, entry.key, decided.get(entry.key, ())) for entry in entries],
        "statistics": statistics(desk.journal.records).to_object(),
    }


def _object(desk: Desk, key: str, decided: Sequence[Decision]) -> dict[str, Any]:
    item = {name: value for name, value in desk.exported(key).items() if name not in _ONLY_IN_FILES}
    item["decisions"] = [
        {
            "reviewer": record.reviewer,
            "decision": record.decision,
            "time": record.time.isoformat(),
            "note": record.note,
            "applied": record.applied,
        }
        for record in decided
    ]
    return item

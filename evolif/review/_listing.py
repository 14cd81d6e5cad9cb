"""The queue without a terminal: lines for a reader, objects for a machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolif.review._decision import Decision, standing
from evolif.review._desk import Desk
from evolif.review._queue import Entry
from evolif.review._safe import cut, one_line

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
        row = [f"{entry.mark}{entry.mine}", entry.label]
        if "finding" in entry.facets:
            found = ",".join(one for one in entry.facets["finding"] if one not in ("none", "not checked"))
            row.append(one_line(found, 30) or "-")
        rows.append((row, one_line(desk.listed(entry.key))))
    wide = [max(map(len, column)) for column in zip(*(row for row, _ in rows), strict=True)]
    told = ["  ".join([*(f"{cell:<{n}}" for cell, n in zip(row, wide, strict=True)), words]) for row, words in rows]
    return told if width is None else [cut(line, width) for line in told]


def objects(desk: Desk, entries: Sequence[Entry]) -> dict[str, Any]:
    """The items with their decisions, and the statistics."""
    decided: dict[str, list[Decision]] = {}
    for record in standing(desk.journal.records):
        decided.setdefault(record.item, []).append(record)
    return {
        f"{desk.noun}s": [_object(desk, entry.key, decided.get(entry.key, ())) for entry in entries],
        "statistics": desk.statistics().to_object(),
    }


def _object(desk: Desk, key: str, decided: Sequence[Decision]) -> dict[str, Any]:
    item = {name: value for name, value in desk.exported(key).items() if name not in _ONLY_IN_FILES}
    item["decisions"] = [told for record in decided if (told := desk.told(record)) is not None]
    return item

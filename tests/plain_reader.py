"""A second reader of final answers, slow and plain, without the code under test: for plain values, no more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Goal = Mapping[str, Any]


def _words(value: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", value.casefold())


def _holds(value: str, wanted: str) -> bool:
    words, part = _words(value), _words(wanted)
    return any(words[i : i + len(part)] == part for i in range(len(words) - len(part) + 1))


def _same(type_: str, value: Any, wanted: Any) -> bool:
    if type_ == "number":
        return not isinstance(value, bool) and re.sub(r"\D", "", str(value)) == str(wanted)
    if type_ == "yes_no":
        return str(value).casefold() in (("true", "yes") if wanted else ("false", "no"))
    return _holds(str(value), str(wanted))


def _entries(value: Any) -> list[str]:
    parts = value if isinstance(value, list) else re.split(r"[,;\n]", value or "")
    return [p for p in (str(part).strip() for part in parts) if p]


def _reason(one: Goal, answer: Mapping[str, Any], helped: bool) -> str | None:
    value, absent = answer.get(one["key"]), one["polarity"] == "absent"
    if one["type"] == "item":
        entries = _entries(value)
        there = any(_holds(entry, one["value"]) for entry in entries)
        if absent:
            return "cancelled" if there else None if entries else "missing"
        return None if there else "missing"
    empty = value is None or value == ""
    if absent and empty:
        return None if helped else "missing"
    if absent and _same(one["type"], value, one["value"]):
        return "cancelled"
    for reason in ("superseded",) if absent else ("superseded", "other_branch"):  # of a withdrawn slot: stale or wrong
        if not empty and any(_same(one["type"], value, other["value"]) for other in one[reason]):
            return "stale" if reason == "superseded" else reason
    if not absent and not empty and _same(one["type"], value, one["value"]):
        return None
    return "missing" if empty else "wrong"


def reasons(goals: Sequence[Goal], answer: Mapping[str, Any]) -> list[str | None]:
    """Why each goal is unmet, None where it is met."""
    helped = any(_reason(g, answer, False) is None for g in goals if g["polarity"] == "present")
    return [_reason(g, answer, helped) for g in goals]

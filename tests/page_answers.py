"""Goals and answers of topic-shift dialogues, and a second reader of answers written from the page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

Goal = dict[str, Any]


def goal(key: str, type_: str, value: Any, **fields: Any) -> Goal:
    """A checkpoint; superseded values and those of other branches may be given bare."""
    known: Goal = {
        "id": fields.pop("id", f"{key}-{value}"),
        "slot": key,
        "key": key,
        "type": type_,
        "value": value,
        "polarity": fields.pop("polarity", "present"),
        "provenance": fields.pop("provenance", [1]),
        "topic": 0,
        "branch": "b0",
    }
    for name in ("superseded", "other_branch"):
        known[name] = [{"value": v, "turn": i} for i, v in enumerate(fields.pop(name, []), 1)]
    return {**known, **fields}


def text(value: str = "Lisbon", key: str = "destination", **fields: Any) -> Goal:
    return goal(key, "text", value, **fields)


def number(value: float = 1200, key: str = "budget_eur", **fields: Any) -> Goal:
    return goal(key, "number", value, **fields)


def item(value: str, key: str = "sights", **fields: Any) -> Goal:
    return goal(key, "item", value, **fields)


def cancelled(value: str, key: str = "sights", **fields: Any) -> Goal:
    return goal(key, "item", value, polarity="absent", **fields)


def withdrawn(value: Any, key: str, type_: str = "text", **fields: Any) -> Goal:
    return goal(key, type_, value, polarity="absent", **fields)


def dialogue(*goals: Goal) -> Any:
    return SimpleNamespace(checkpoints=goals)


def block(values: Mapping[str, Any]) -> str:
    """A reply that ends with a fenced object."""
    return f"Here is everything.\n\n```json\n{json.dumps(values, ensure_ascii=False, indent=2)}\n```\n"


# The second reader: for the plain values that it is given, no more.


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

"""Reads groups that come from elsewhere: every value of the constraint has to be named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._cues import whole_words
from evolif.synthesis.checkers._numbers import find_numbers
from evolif.synthesis.checkers._removal import removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query


def read_generic(query: Query, change: Change) -> list[Finding]:
    """Findings on a group without a reader of its own: numbers and texts of its parameters, its name when it is lifted."""
    if change.kind == "remove":
        values = [v for v in _values(change.before or {}) if isinstance(v, str)]
        names = [change.group.replace("_", "[ _-]"), *(_pattern(v) for v in values)]
        return removed(query, change, whole_words(names), [])
    old = list(_values(change.before or {}))
    for value in _values(change.after or {}):
        if value not in old and not _named(query, value):
            return [missing(change, f"it does not name “{value}”")]
    return []


def _named(query: Query, value: object) -> bool:
    if isinstance(value, int):
        spans = [(n.start, n.end) for n in find_numbers(query.low) if n.value == value]
    else:
        spans = query.find(str(value).replace("_", " "))
    return any(role_of(query, *span) != "old" for span in spans)


def _values(params: Params) -> Iterator[Any]:
    """Numbers and texts inside parameters, depth first."""
    for value in params.values():
        yield from _flat(value)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _flat(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _flat(inner)
    elif isinstance(value, (int, str)) and not isinstance(value, bool):
        yield value


def _pattern(value: str) -> str:
    import re

    return re.escape(value.casefold()).replace(r"\ ", " ")

"""Reads groups that come from elsewhere: every value of the constraint has to be named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._choice import read_choice
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._cues import heard, whole_words
from evolif.synthesis.checkers._numbers import find_numbers
from evolif.synthesis.checkers._removal import removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query


def read_generic(query: Query, change: Change) -> list[Finding]:
    """Findings on a group without a reader of its own.

    A group whose vocabulary lists its values (`heard: values:` in its data file) is read like a tone or a style. Of any
    other, all numbers and texts of its new parameters have to be named; a removal names the group or a text of it.
    """
    key = _listed(change)
    if key:
        return read_choice(query, change, key)
    vocabulary = heard(change.group)
    if change.kind == "remove":
        values = [_pattern(v) for v in _values(change.params) if isinstance(v, str)]
        nouns = vocabulary.fragments("nouns") if "nouns" in vocabulary else ()
        names = whole_words([change.group.replace("_", "[ _-]"), *values, *nouns])
        return removed(query, change, names, free=vocabulary.anywhere("free") if "free" in vocabulary else None)
    old = list(_values(change.before or {}))
    for value in _values(change.params):
        if value not in old and not _named(query, value):
            return [missing(change, f"it does not name “{value}”")]
    return []


def _listed(change: Change) -> str | None:
    """The parameter whose value the group's vocabulary lists."""
    vocabulary = heard(change.group)
    if "values" not in vocabulary or "nouns" not in vocabulary:
        return None
    values = vocabulary.keys("values")
    return next((key for key, value in change.params.items() if value in values), None)


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
    return re.escape(value.casefold()).replace(r"\ ", " ")

"""What a single response can hold: it is not empty, and not longer than 64 KiB."""

from __future__ import annotations

from evolif.audit._bounds import Active, heaviest, least_graphemes, required
from evolif.constraints import lower_limit, upper_limit
from evolif.text import MAX_BODY_BYTES

_BYTES = {"words": 2, "sentences": 2, "paragraphs": 2, "characters": 1}
"""Bytes that one of a unit takes at least, with what parts it from the next."""


def refute_limits(active: Active) -> str | None:
    """Why the numbers alone cannot be met; None where they can."""
    return _length(active) or _items(active) or _occurrences(active)


def _length(active: Active) -> str | None:
    length = active.get("length")
    if length is None:
        return None
    unit = length["unit"]
    limit = upper_limit(length, unit)
    if limit is not None and limit < (1 if unit == "characters" else 0):
        return f"an answer cannot have fewer than {length['count']} {unit}" if limit < 0 else "an answer is not empty"
    low = lower_limit(length, unit)
    # The last one needs nothing to part it from the next.
    if low * _BYTES[unit] - (_BYTES[unit] - 1) > MAX_BODY_BYTES:
        return f"{low} {unit} do not fit into the {MAX_BODY_BYTES // 1024} KiB that are read"
    return None


def _items(active: Active) -> str | None:
    items = active["bullets"]["count"] if "bullets" in active else 0
    if 2 * items + 1 > MAX_BODY_BYTES:
        return f"{items} items do not fit into the {MAX_BODY_BYTES // 1024} KiB that are read"
    return None


def _occurrences(active: Active) -> str | None:
    words = required(active)
    if sum(words.values()) * 2 < MAX_BODY_BYTES // 200:
        return None  # no keyword is longer than 200 characters: they fit by far
    if heaviest(words, least_graphemes, ()) > MAX_BODY_BYTES:
        return f"the required occurrences do not fit into the {MAX_BODY_BYTES // 1024} KiB that are read"
    return None

"""Reads the keys or columns that go with a format: all of them, no other, columns in their order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evolif.domain import Finding
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._cues import heard
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query

_ITEM = re.compile(r"[^\W_][\w-]*")
_CONTINUES = re.compile(r"[\"'”’\s]{0,4}(?:,|,?\s{1,4}and|&)\s{1,4}(?:an?\s{1,4}|the\s{1,4})?[\"'“‘]?")
_ENDS = re.compile(r"[\"'”’]?\s{0,4}(?:[.;!?)]|$)")
_COMMA_BEFORE = re.compile(r"(?:,|(?<!\w)and|&)[\s\"'“‘]{0,6}$")
_COMMA_BEHIND = re.compile(r"[\s\"'”’]{0,6}(?:,|and(?!\w)|&|[.;!?)]|$)")
_TAIL = 40
"""Characters behind the last known name in which another one may follow."""


def read_parts(query: Query, change: Change, names: Sequence[str]) -> list[Finding]:
    """Findings on the names of keys or columns.

    Args:
        query: The query.
        change: The change of the turn.
        names: All of them, in order.
    """
    places = [_place(query, name) for name in names]
    absent = [f"“{name}”" for name, place in zip(names, places, strict=True) if place is None]
    if absent:
        return [missing(change, f"it does not name {', '.join(absent)}")]
    found = [place for place in places if place is not None]
    before = change.before or {}
    known = {name.casefold() for name in [*names, *(before.get("keys") or before.get("columns") or ())]}
    extra = _also_quoted(query, known) or _also_listed(query, found, known)
    if extra:
        return [missing(change, f"it also names “{query.text[slice(*extra)]}”", extra)]
    if change.params["mode"] == "table" and found != sorted(found):
        return [missing(change, "it names the columns in another order", *found)]
    return []


def unasked_parts(query: Query, change: Change) -> list[Finding]:
    """Names of keys or columns where the format has none to name."""
    for match in heard("format").anywhere("parts").finditer(query.shadow):
        if role_of(query, *match.span()) == "new":
            return [missing(change, "it also names keys or columns", match.span())]
    return []


def _place(query: Query, name: str) -> tuple[int, int] | None:
    places = query.find(name)
    return next((p for p in places if role_of(query, *p, in_list=True) != "old"), None)


def _also_quoted(query: Query, known: set[str]) -> tuple[int, int] | None:
    for q in query.quotations:
        named = q.text.casefold().strip(" ,.;:") not in known and any(c.isalnum() for c in q.text)
        if named and role_of(query, q.start, q.end, in_list=True) == "new":
            return q.start, q.end
    return None


def _also_listed(query: Query, found: Sequence[tuple[int, int]], known: set[str]) -> tuple[int, int] | None:
    """Another name inside the list of names, or at its end: `method, cost and smell`."""
    low, high = min(found)[0], max(found)[1]
    for match in _ITEM.finditer(query.low, low, min(len(query.low), high + _TAIL)):
        if match.group() in known or not _in_commas(query.low, match):
            continue
        last = match.start() > high
        if not last:
            return match.span()
        if _CONTINUES.fullmatch(query.low, high, match.start()) and _ENDS.match(query.low, match.end()):
            return match.span()
    return None


def _in_commas(text: str, item: re.Match[str]) -> bool:
    """Whether a word stands alone between the commas of a list."""
    before = _COMMA_BEFORE.search(text, max(0, item.start() - 12), item.start())
    return before is not None and _COMMA_BEHIND.match(text, item.end()) is not None

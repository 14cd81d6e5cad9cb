"""Reads formats by their names."""

from __future__ import annotations

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, Claim, compare
from evolif.synthesis.checkers._cues import heard
from evolif.synthesis.checkers._denial import is_denied
from evolif.synthesis.checkers._parts import read_parts, unasked_parts
from evolif.synthesis.checkers._removal import removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query


def read_format(query: Query, change: Change) -> list[Finding]:
    """Findings on a format, and on the keys or columns that go with it."""
    params, before = change.params, change.before or {}
    demand = f"the format {params['mode']}"
    table = "table" in (before.get("mode"), params["mode"])
    claims = _claims(query, table=table, headed=params["mode"] == "table")
    if change.kind == "remove":
        vocabulary = heard("format")
        nouns, free = vocabulary.anywhere("nouns"), vocabulary.anywhere("free")
        return removed(query, change, nouns, claims, free, _says, demand)
    names = list(params.get("keys") or params.get("columns") or ())
    if change.kind == "modify" and names and before.get("mode") == params["mode"]:
        return read_parts(query, change, names)  # other keys of the same format: its name need not be said again
    findings = compare(query, change, claims, _says, demand)
    if findings:
        return findings
    return read_parts(query, change, names) if names else unasked_parts(query, change)


def _says(value: str, params: Params) -> bool:
    return bool(value == params["mode"])


def _claims(query: Query, *, table: bool, headed: bool) -> list[Claim]:
    """Formats that the query names.

    Args:
        query: The query.
        table: Whether tables are read: elsewhere they may be part of the task.
        headed: Whether a table is asked for, which is a Markdown table.
    """
    vocabulary = heard("format")
    claims = []
    for mode in vocabulary.keys("values"):
        if (mode == "table" and not table) or (mode == "markdown" and headed):
            continue
        for match in vocabulary.anywhere("values", mode).finditer(query.low):
            role = "old" if is_denied(query, *match.span()) else role_of(query, *match.span())
            claims.append(Claim(mode, *match.span(), role))
    return sorted(claims, key=lambda claim: claim.start)


def _plain_claims(query: Query, change: Change) -> list[Claim]:
    asked = heard("format").framed("asked", right="( <asked_fill>){0,4}( )?$")
    claims = _claims(query, table=False, headed=False)
    return [c for c in claims if asked.search(query.shadow, max(0, c.start - 40), c.start)]


format_claims = (_plain_claims, _says)
"""The claims on formats that are plainly demands, and what compares them."""

"""Reads keywords to leave out."""

from __future__ import annotations

from evolif.domain import Finding
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._mentions import (
    Stances,
    all_lifted,
    is_quoted,
    mentions_of,
    quoted_keywords,
    stances_of,
    wanted,
)
from evolif.synthesis.checkers._shadow import Query


def read_forbidden(query: Query, change: Change) -> list[Finding]:
    """Findings on keywords to leave out."""
    old = list((change.before or {}).get("keywords", ()))
    new = list((change.after or {}).get("keywords", ()))
    stances = stances_of(query, mentions_of(query, [*old, *new, *change.keywords, *quoted_keywords(query)]))
    if change.kind == "remove":
        return all_lifted(query, change, old, stances)
    added = [k for k in new if k not in old]
    gone = [k for k in old if k not in new]
    stay = [k for k in new if k in old]
    findings = wanted(change, added, stances, "forbid", "it does not say to leave out {}")
    findings += wanted(change, gone, stances, "lift", "it does not say that {} is allowed again")
    findings += _allowed_again(query, change, stay, stances)
    return findings or _also_forbidden(query, change, {k.casefold() for k in [*old, *new]}, stances)


def _allowed_again(query: Query, change: Change, stay: list[str], stances: Stances) -> list[Finding]:
    """Keywords that stay ruled out, and that the query allows."""
    again = [m for k in stay for m, stance in stances.get(k.casefold(), ()) if stance == "lift"]
    if query.quotations:  # who quotes one keyword quotes them all
        again = [m for m in again if is_quoted(query, m)]
    return [missing(change, f"it allows “{m.value}”, which stays ruled out", (m.start, m.end)) for m in again[:1]]


def _also_forbidden(query: Query, change: Change, known: set[str], stances: Stances) -> list[Finding]:
    """Keywords that only the query rules out."""
    others = " ".join(str(params).casefold() for _, params in change.others)
    for keyword, places in stances.items():
        for mention, stance in places:
            unlike = bool(query.quotations) and not is_quoted(query, mention)
            if keyword not in known and stance == "forbid" and keyword not in others and not unlike:
                return [missing(change, f"it also rules out “{mention.value}”", (mention.start, mention.end))]
    return []

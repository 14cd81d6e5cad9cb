"""Reads upper and lower case."""

from __future__ import annotations

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, Claim, compare
from evolif.synthesis.checkers._cues import heard
from evolif.synthesis.checkers._denial import is_denied
from evolif.synthesis.checkers._removal import removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._shares import find_shares, is_measured


def read_case(query: Query, change: Change) -> list[Finding]:
    """Findings on letter case."""
    shares = find_shares(query)
    whole = [c for c in _whole(query, change) if not any(is_measured(query, c, share) for share in shares)]
    claims = sorted([*shares, *whole], key=lambda claim: claim.start)
    params = change.params
    if change.kind == "remove":
        vocabulary = heard("case")
        claims = [c for c in claims if c.value[0] == "share" or params["mode"] != "share"]
        return removed(
            query, change, vocabulary.anywhere("nouns"), claims, vocabulary.anywhere("free"), _says, _demand(params)
        )
    if params["mode"] == "share":  # a case is then what the share is one of
        claims = [c for c in claims if c.value[0] == "share" or c.role == "old"]
    return compare(query, change, claims, _says, _demand(params))


def _whole(query: Query, change: Change) -> list[Claim]:
    """Cases of the whole text; a case that is denied asks for the other one, if the query asks for any."""
    vocabulary, shadow = heard("case"), query.shadow
    claims = []
    for case, other in (("upper", "lower"), ("lower", "upper")):
        for match in vocabulary.anywhere("values", case).finditer(shadow):
            start, end = match.span()
            if vocabulary.before("both").search(shadow, max(0, start - 24), start):
                continue
            if vocabulary.after("both_after").match(shadow, end):
                continue  # "upper and lower case" names the thing, not a value
            denied = change.kind != "remove" and is_denied(query, start, end)
            role = role_of(query, start, end)
            if denied and vocabulary.before("none_of").search(shadow, max(0, start - 30), start):
                role = "new"
            claims.append(Claim((f"all_{other if denied else case}", None), start, end, role))
    return claims


def _says(value: tuple[str, object], params: Params) -> bool:
    kind, share = value
    return bool(params["mode"] == kind and (kind != "share" or share == params["percent"]))


def _plain_claims(query: Query, change: Change) -> list[Claim]:
    """Demands on the whole text, not a word on capitals in passing."""
    vocabulary = heard("case")
    either, whole = vocabulary.anywhere("either"), vocabulary.anywhere("whole")
    return [
        c
        for c in _whole(query, change)
        if not either.search(query.shadow, max(0, c.start - 16), c.end + 8)
        and whole.search(query.shadow, max(0, c.start - 24), c.end + 24)
    ]


case_claims = (_plain_claims, _says)
"""The claims on case that are plainly demands, and what compares them."""


def _demand(params: Params) -> str:
    if params["mode"] == "share":
        return f"about {params['percent']} % capitals"
    return "every letter in upper case" if params["mode"] == "all_upper" else "every letter in lower case"

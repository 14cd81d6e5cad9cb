"""Reads one value out of a short list: a tone, an audience, a style, a language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._ages import find_ages
from evolif.synthesis.checkers._claims import Change, Claim, compare
from evolif.synthesis.checkers._cues import heard
from evolif.synthesis.checkers._denial import is_denied
from evolif.synthesis.checkers._removal import removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query


def read_choice(query: Query, change: Change, key: str) -> list[Finding]:
    """Findings on a value out of a list.

    Args:
        query: The query.
        change: The change of the turn.
        key: The parameter that holds the value.
    """
    claims = _claims(query, change.group)

    def says(value: str, params: Params) -> bool:
        return bool(value == params[key])

    demand = f"“{change.params[key]}” ({change.group})"
    if change.kind != "remove":
        return compare(query, change, claims, says, demand)
    vocabulary = heard(change.group)
    free = vocabulary.anywhere("free") if "free" in vocabulary else None
    return removed(query, change, vocabulary.anywhere("nouns"), claims, free, says, demand)


def _claims(query: Query, group: str) -> list[Claim]:
    vocabulary = heard(group)
    claims = []
    for value in vocabulary.keys("values"):
        for match in vocabulary.anywhere("values", value).finditer(query.low):
            if not _is_somebody(query, group, match):
                role = "old" if is_denied(query, *match.span()) else role_of(query, *match.span())
                claims.append(Claim(value, *match.span(), role))
    if group == "audience":
        claims = _denied_whole(query, [*claims, *find_ages(query)])
    claims.sort(key=lambda claim: (claim.start, -claim.end))
    outermost: list[Claim] = []
    for claim in claims:  # "older adults" is one audience, not two
        if not outermost or claim.start >= outermost[-1].end:
            outermost.append(claim)
    return outermost


def _is_somebody(query: Query, group: str, match: re.Match[str]) -> bool:
    """`a happy child` is somebody, not a tone."""
    people = heard(group)
    return "bearers" in people and people.after("bearers").match(query.shadow, match.end()) is not None


def _denied_whole(query: Query, claims: Sequence[Claim]) -> list[Claim]:
    """`not for young people of 15 to 24`: the ages are denied with the people."""
    denied = {(c.value, query.sentence_number(c.start)) for c in claims if is_denied(query, *c.span)}
    return [replace(c, role="old") if (c.value, query.sentence_number(c.start)) in denied else c for c in claims]

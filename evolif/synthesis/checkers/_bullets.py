"""Reads bullet points and numbered items, headings, and passages in bold."""

from __future__ import annotations

from dataclasses import replace

from evolif.domain import Finding
from evolif.synthesis.checkers._claims import Change, Claim, missing
from evolif.synthesis.checkers._counted import Thing, exactly, read_counted, thing_claims
from evolif.synthesis.checkers._cues import heard
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query

_BULLETS = Thing("bullet points", "bullets", "bullets")
_NUMBERED = Thing("numbered items", "bullets", "numbered")
_HEADINGS = Thing("headings", "headings", "headings")
_NEAR = 24
"""Characters before a number in which bullets have to be named for a plain demand."""
_BOLD = Thing("bold passages", "emphasis", "emphasis")


def read_bullets(query: Query, change: Change) -> list[Finding]:
    """Bullet points, or numbered items."""
    kind = change.params.get("kind")
    other_kind = change.kind == "modify" and (change.before or {}).get("kind") != kind
    if other_kind:
        change = replace(change, before=None)  # the same number of other things is another demand
    findings = read_counted(query, change, _NUMBERED if kind == "numbered" else _BULLETS)
    if findings or not (change.kind == "add" or other_kind):
        return findings
    called = heard("bullets").anywhere("kinds", "numbered" if kind == "numbered" else "bullet")
    if any(role_of(query, *m.span()) == "new" for m in called.finditer(query.shadow)):
        return []
    what = "numbered" if kind == "numbered" else "bullet points"
    return [missing(change, f"it does not say that the items are {what}")]


def read_headings(query: Query, change: Change) -> list[Finding]:
    """Headings."""
    return read_counted(query, change, _HEADINGS)


def read_emphasis(query: Query, change: Change) -> list[Finding]:
    """Passages in bold."""
    if change.kind == "add" and not heard("emphasis").anywhere("named").search(query.shadow):
        return [missing(change, "it does not speak of bold type")]
    return read_counted(query, change, _BOLD)


def _plain_claims(query: Query, change: Change) -> list[Claim]:
    return [
        claim
        for claim in thing_claims(query, _BULLETS)
        if "bullet" in query.shadow[max(0, claim.start - _NEAR) : claim.end + 1] and not claim.value.vague
    ]


bullet_claims = (_plain_claims, exactly)
"""The claims on bullets that name them, and what compares them."""

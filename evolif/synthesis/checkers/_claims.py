"""Claims: what a query asks for in one group, compared with what it should ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evolif.domain import Finding, OperationKind, Params
from evolif.synthesis.checkers._roles import Role
from evolif.synthesis.checkers._shadow import Query


@dataclass(frozen=True, slots=True)
class Change:
    """The one change of a turn, and what else is in force."""

    kind: OperationKind
    group: str
    before: Params | None
    after: Params | None
    keywords: tuple[str, ...] = ()
    """The topic's."""
    others: tuple[tuple[str, Params], ...] = ()
    """The other active constraints: group and parameters."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that the query says about the group."""

    value: Any
    """Comparable with what the group's reader makes of parameters."""
    start: int
    end: int
    role: Role
    told: str = ""
    """How a finding calls it; the query's own words where empty."""


_STILL = re.compile(r"(?<!\w)(?:still|keep|stay|stick\s+(?:to|with)|remain\w*|continue)(?!\w)")

Says = Callable[[Any, Params], bool]
"""Whether a claim's value says what parameters demand."""

_STILL = re.compile(r"(?<!\w)(?:still|keep|stay|stick\s+(?:to|with)|remain\w*|continue)(?!\w)")

Says = Callable[[Any, Params], bool]
"""Whether a claim's value says what parameters demand."""

_TURNS = re.compile(
    r"(?<!\w)(?:now|instead|but|rather|let's|change|actually|make|to|into|go|try|switch|this\s+time|from\s+now|for|with|want|"
    r"prefer|use|need|becomes?)(?!\w)|[→>]"
)


def compare(query: Query, change: Change, claims: Sequence[Claim], says: Says, demand: str) -> list[Finding]:
    """Findings on a new or changed value.

    Args:
        query: The query.
        change: An add or a modification.
        claims: What the query says about the group, in order.
        says: Compares a claim with parameters.
        demand: What the query should ask for, in words.
    """
    after, before = change.after, change.before
    assert after is not None  # an add or a modification
    wanted = [c for c in claims if c.role == "new" and says(c.value, after)]
    if not wanted and change.kind == "add":  # "if the last word were …"
        wanted = [c for c in claims if c.role == "was" and says(c.value, after)]
    former = [c for c in claims if before is not None and says(c.value, before)]
    if not wanted:
        wanted = _in_turn(query, claims, lambda c: says(c.value, after), former)
    wrong = [c for c in claims if c.role == "new" and not says(c.value, after) and c not in former]
    if not wanted:
        if wrong:
            return [_finding(change, f"it asks for {_told(query, wrong[0])}, not for {demand}", wrong)]
        backwards = [c for c in claims if c.role != "new" and says(c.value, after)]
        if backwards:
            return [
                _finding(
                    change, f"it gives up {_told(query, backwards[0])}, which is what it should ask for", backwards
                )
            ]
        return [_finding(change, f"it does not ask for {demand}", ())]
    if wrong:
        return [_finding(change, f"beside {demand} it also asks for {_told(query, wrong[0])}", wrong)]
    # An old value that comes first is the one that is replaced, unless the query says that it stays; one that
    # comes last without a word like "instead of" may be what is wanted.
    unclear = [c for c in former if c.role == "new" and (_stays(query, c) or c.start > wanted[-1].start)]
    if unclear:
        return [_finding(change, f"it asks for {demand} and still for {_told(query, unclear[0])}", unclear)]
    return []


def _stays(query: Query, claim: Claim) -> bool:
    low, _ = query.segment(claim.start)
    return _STILL.search(query.shadow, low, claim.start) is not None


def _in_turn(
    query: Query, claims: Sequence[Claim], fits: Callable[[Claim], bool], former: Sequence[Claim]
) -> list[Claim]:
    """The new value where nothing parts it from the old one: `in place of four paragraphs a text of 250 words`."""
    return [
        c
        for c in claims
        if fits(c)
        and c.role == "old"
        and any(
            f.end <= c.start and query.segment(f.start) == query.segment(c.start) and f.role == "old" for f in former
        )
    ]


def _told(query: Query, claim: Claim) -> str:
    return claim.told or f"“{query.text[claim.start : claim.end]}”"


def _finding(change: Change, message: str, claims: Sequence[Claim]) -> Finding:
    return Finding(change.group, message, tuple((c.start, c.end) for c in claims))


def missing(change: Change, message: str, *spans: tuple[int, int]) -> Finding:
    """A finding of the group."""
    return Finding(change.group, message, spans)

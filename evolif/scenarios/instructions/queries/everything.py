"""The lift of everything: a query that takes all earlier demands back at once says so in one claim."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evolif.scenarios.instructions.queries.change import Claim, QueryIntention
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.turns import Finding

EVERYTHING = "everything"
"""What a claim on all groups has in place of a group."""
MOST_NAMED = 1
"""Constraints that go with all others and may be named."""

_OLD = r"(?:the|my|those|these|earlier|previous|old)"
_THINGS = r"(?:rules?|demands?|requirements?|constraints?|instructions?|conditions?|form|formatting|limits?|asks?)"
_WHAT = (
    r"(?:(?:all|any|each|every one)(?: of)?(?: (?:that|this|those|these|it|the|my|your|earlier|previous|old))?|"
    rf"everything|{_OLD}(?: \w+){{0,2}} {_THINGS}|what(?:ever)? i (?:said|asked|told)|(?:all )?(?:that|the rest))\b"
)
_OFF = (
    r"(?:forget|scrap|drop|ditch|ignore|disregard|lose|bin|cancel|clear|wipe|undo|lift|remove|withdraw|discard|skip|"
    r"never mind|nevermind|get rid of|throw out|do away with|set aside|put aside|scratch|no more of)"
)
_ALL = re.compile(
    rf"\b{_OFF} (?:about )?{_WHAT}|\b{_WHAT} (?:is|are|can go|goes|no longer)\b|"
    r"\bfrom (?:now|here) on,? (?:only|just)\b|\bnothing (?:else|of that|i asked)\b|"
    r"\b(?:start(?:ing)? (?:over|afresh|again|fresh|from scratch)|clean slate|fresh rules|new rules|from scratch)\b|"
    r"\bonly (?:this|these|that) (?:now|counts?)\b"
)


def lifted_all(query: Query) -> Claim | None:
    """The claim that all earlier demands are off; None if the query does not say so."""
    found = _ALL.search(query.low)
    return None if found is None else Claim(EVERYTHING, "lift", {}, found.span())


def of_all(query: Query, meant: QueryIntention, claims: Iterable[Claim]) -> list[Finding]:
    """Findings on a turn that puts new demands in place of all: they go at once and are not listed.

    Args:
        query: The query.
        meant: The turn's intention.
        claims: What the query says of single groups.
    """
    if lifted_all(query) is None:
        return [Finding(EVERYTHING, "it does not say that all earlier demands are off", kind="missing")]
    named = [claim for claim in claims if claim.group in meant.gone]
    groups = dict.fromkeys(claim.group for claim in named)
    if len(groups) > MOST_NAMED:
        spans = tuple(dict.fromkeys(claim.span for claim in named))
        return [Finding(EVERYTHING, f"it lists what goes: {', '.join(groups)}", spans, "restates")]
    if named and all(claim.polarity != "lift" for claim in named):
        return [Finding(named[0].group, "it asks for it, although it goes with all others", (named[0].span,), "extra")]
    return []

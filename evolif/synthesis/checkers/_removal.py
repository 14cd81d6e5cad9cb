"""Whether a query says that a constraint is lifted, and which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from evolif.domain import Finding
from evolif.synthesis.checkers._claims import Change, Claim, Says, missing
from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._roles import lifted, lifted_after
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._stance import stance_of

_NEXT = 120
"""Characters of the next sentence in which a pronoun may lift what this one names."""
_AFTER_BRACKET = 60
_CLAUSES = re.compile(r"[;:](?!\d)")
_JOINED = re.compile(r",?\s(?:but|so|and)\s")
_QUOTES = " \"'”’`)"
_SENTENCE_MARKS = re.compile(r"[.!?;]")


def removed(
    query: Query,
    change: Change,
    nouns: re.Pattern[str],
    claims: Sequence[Claim] = (),
    free: re.Pattern[str] | None = None,
    says: Says | None = None,
    demand: str = "",
) -> list[Finding]:
    """Findings on a removal.

    Args:
        query: The query.
        change: A removal.
        nouns: What the constraint may be called by.
        claims: What the query says about the group: values named in it.
        free: Ways to say that the thing is now free, which need no further cue.
        says: Tells the lifted value from another.
        demand: The lifted value in words; where given, lifting only another value is a finding.
    """
    spans = _named(query, nouns, free) + [c.span for c in claims]
    if not any(is_lifted(query, *span) for span in spans) and not (free and _is_free(query, free)):
        return [_not_lifted(query, change, spans)]
    asked = [c for c in claims if c.role == "new" and not _in_zone(query, *c.span)]
    asked = [c for c in asked if not (says and says(c.value, change.params)) and stance_of(query, *c.span) != "lift"]
    if not all(is_lifted(query, *c.span) for c in asked):
        message = "it asks for something new where it should only lift the constraint"
        return [missing(change, message, *(c.span for c in asked))]
    lifts = [c for c in claims if is_lifted(query, *c.span)]
    if demand and says and lifts and not any(says(c.value, change.params) for c in lifts):
        told = query.text[slice(*lifts[0].span)]
        return [missing(change, f"it lifts “{told}”, not {demand}", lifts[0].span)]
    return []


def _named(query: Query, nouns: re.Pattern[str], free: re.Pattern[str] | None) -> list[tuple[int, int]]:
    """Where the constraint is named; `normal capitalisation` names its absence."""
    other = [m.span() for m in free.finditer(query.shadow)] if free else []
    spans = [m.span() for m in nouns.finditer(query.shadow)]
    return [span for span in spans if not any(low <= span[0] and span[1] <= high for low, high in other)]


def _not_lifted(query: Query, change: Change, spans: Sequence[tuple[int, int]]) -> Finding:
    kept = [span for span in spans if is_kept(query, span[0])]
    if kept:
        return missing(change, f"it keeps the constraint “{change.group}”, which should be lifted", *kept)
    return missing(change, f"it does not say that the constraint “{change.group}” is lifted")


def _is_free(query: Query, free: re.Pattern[str]) -> bool:
    """Whether the thing is set free: `as long as you like`, and not `it's not fine to …`."""
    not_free = cues().before("removal", "not_free")
    return any(
        not not_free.search(query.shadow, max(0, m.start() - 24), m.start())
        and not lifted_after(query.shadow[m.end() : query.segment(m.end())[1]])
        for m in free.finditer(query.shadow)
    )


def is_kept(query: Query, at: int) -> bool:
    """Whether the segment round a place says that something stays."""
    return cues().anywhere("removal", "kept").search(query.shadow, *query.segment(at)) is not None


def is_lifted(query: Query, start: int, end: int) -> bool:
    """Whether what stands at `[start, end)` is said to be given up."""
    if _in_zone(query, start, end):
        return True
    _, high = query.segment(max(start, end - 1))
    if is_kept(query, start):
        return False
    if lifted_after(query.shadow[end:high]):
        return True
    last = query.sentence(start)[1]
    clause, *later = _CLAUSES.split(query.shadow[end:last])
    joined = _JOINED.split(clause, maxsplit=1)[1:]  # "… occurs once, but we can do without it"
    if any(_by_pronoun(text) for text in (query.shadow[last : last + _NEXT], *later[:1], *joined)):
        return True
    if later and not clause.strip(_QUOTES):  # a label: "Bullet count: not restricted any more"
        return lifted_after(later[0].partition(",")[0])
    if high >= last:
        return False
    # A clause in brackets or between commas may part the thing from what is said of it.
    following = clause[high - end :]
    linked = cues().after("removal", "goes_on").match(following)
    return lifted_after(clause[:_AFTER_BRACKET]) or lifted_after(following[linked.end() :] if linked else following)


def _by_pronoun(following: str) -> bool:
    """Whether the next sentence lifts what this one names: `… the eleven bullets? Scrap them`."""
    polite = cues().framed("removal", "please", left=r"\s{0,4}(", right=r"[\s,]{1,4}){0,4}").match(following)
    at = polite.end() if polite else 0
    cue = cues().anywhere("lift").match(following, at)
    if cue is not None and cues().after("removal", "pronoun").match(following, cue.end()):
        return True
    if cues().after("removal", "toss").match(following, at):
        return True
    subject = cues().after("removal", "subject").match(following)
    return subject is not None and lifted_after(_SENTENCE_MARKS.split(following[subject.end() :], maxsplit=1)[0])


def _in_zone(query: Query, start: int, end: int) -> bool:
    zones = [*lifted(query.shadow, True), *_without(query.shadow)]
    return any(low < end and start < high for low, high in zones)


@lru_cache(maxsize=256)
def _without(shadow: str) -> tuple[tuple[int, int], ...]:
    """What one can do without: `it works without the dagger`."""
    return tuple(m.span() for m in cues().anywhere("removal", "without").finditer(shadow))

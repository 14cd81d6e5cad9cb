"""What a query asks for beside its change, of words: keywords counted, ruled out or allowed again; an edge."""

from __future__ import annotations

from collections.abc import Mapping

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._bindings import bind_counts
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._mentions import is_quoted, mentions_of, stances_of
from evolif.synthesis.checkers._roles import given_up
from evolif.synthesis.checkers._shadow import Query

_WORDED = frozenset({"existence", "forbidden", "placement", "start_with", "end_with", "format"})
"""Groups that name words themselves."""
_EDGED = frozenset({"start_with", "end_with", "sentences", "placement"})
"""Groups that speak of how something starts themselves."""


def unasked_words(query: Query, change: Change, active: Mapping[str, Params]) -> list[Finding]:
    """Findings on plain demands on keywords of the topic, and on edges, that are not in force.

    Args:
        query: The query.
        change: The turn's change.
        active: The other constraints in force, by group.
    """
    edge = _edge(query) if _EDGED.isdisjoint({change.group, *active}) else None
    if edge:
        message = f"it also asks for “{query.text[slice(*edge)]} …”, which is not this turn's change"
        return [missing(change, message, edge)]
    if change.group in _WORDED:
        return []
    return _counted(query, change, active) or _stance(query, change, active)


def _edge(query: Query) -> tuple[int, int] | None:
    """`and start with the letter M`."""
    zones = given_up(query.shadow)
    spans = [m.span() for m in cues().anywhere("edges", "plain").finditer(query.shadow)]
    return next((span for span in spans if not any(low <= span[0] < high for low, high in zones)), None)


def _counted(query: Query, change: Change, active: Mapping[str, Params]) -> list[Finding]:
    """`and “hull” three times`."""
    counts = active.get("existence", {}).get("counts", {})
    for bound in bind_counts(query, mentions_of(query, change.keywords)):
        named = cues().anywhere("counts", "named").search(query.shadow, bound.start, bound.end)
        if change.group == "punctuation" and not bound.exact:
            continue  # "use ¶ at least once in the answer" counts the mark
        if not bound.direct or bound.count is None or bound.role != "new" or not named:
            continue
        if counts.get(bound.mention.value) != bound.count:
            told = f"“{bound.mention.value}” {query.text[bound.start : bound.end]}"
            return [
                missing(change, f"it also asks for {told}, which is not this turn's change", (bound.start, bound.end))
            ]
    return []


def _stance(query: Query, change: Change, active: Mapping[str, Params]) -> list[Finding]:
    """A quoted keyword that is ruled out, or allowed again."""
    forbidden = {k.casefold() for k in active.get("forbidden", {}).get("keywords", ())}
    mentions = [m for m in mentions_of(query, change.keywords) if is_quoted(query, m)]
    for keyword, places in stances_of(query, mentions).items():
        for mention, stance in places:
            if (stance == "forbid" and keyword not in forbidden) or (stance == "lift" and keyword in forbidden):
                what = "rules out" if stance == "forbid" else "allows"
                return [missing(change, f"it also {what} “{mention.value}”", (mention.start, mention.end))]
    return []

"""What a query asks for beside its change, as far as rules can tell: another group's number, format, case, tone, mark.

Free text may add what no rule knows; that is asked of a chat model where one is configured. Only what is said plainly
counts here, so that an aside ("I'd be happy if …") is no demand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evolif.constraints import EXTENDED_GROUPS, GROUPS
from evolif.queries.claims import Change, Claim, Says, missing
from evolif.queries.counted import bullet_claims, length_claims
from evolif.queries.cues import cues, heard
from evolif.queries.mentions import bind_counts, is_quoted, marks_in, mentions_of, stances_of
from evolif.queries.polarity import given_up, role_of, stance_of
from evolif.queries.query import Query
from evolif.queries.values import case_claims, format_claims
from evolif.turns import Finding, Params

# What a query asks for beside its change, of words: keywords counted, ruled out or allowed again; an edge.

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


_NAMING = frozenset({"existence", "forbidden"})
"""Groups that speak of words: `three words must occur` is no length."""
_COUNTING = frozenset({"placement", "sentences", "emphasis", "headings"})
"""Groups whose own rules speak of words, sentences and paragraphs."""
_EDGES = frozenset({"start_with", "end_with"})
_PLAIN_MARKS = frozenset(".,:")


def unasked(query: Query, change: Change) -> list[Finding]:
    """Findings on plain demands of other groups that are not in force.

    Args:
        query: The query.
        change: The turn's change; without the other active constraints nothing can be told.
    """
    if change.group not in GROUPS and change.group not in EXTENDED_GROUPS:
        return []  # nobody here knows what a foreign group's own words sound like
    active = dict(change.others)
    for group, (claims, says) in _READ.items():
        if group == change.group or (group == "length" and change.group in _COUNTING):
            continue
        for claim in claims(query, change):
            in_force = group in active and says(claim.value, active[group])
            if claim.role == "new" and not in_force and not (group == "length" and _names_words(change, claim)):
                told = query.text[claim.start : claim.end]
                message = f"it also asks for “{told}” ({group}), which is not this turn's change"
                return [missing(change, message, claim.span)]
    return _marks(query, change, active) or _digits(query, change, active) or unasked_words(query, change, active)


def _names_words(change: Change, claim: Claim) -> bool:
    unit, quantity = claim.value
    return bool(change.group in _NAMING and unit == "words" and quantity.bare)


def _marks(query: Query, change: Change, active: Mapping[str, Params]) -> list[Finding]:
    """A mark that is ruled out beside the change; at an edge, signs and full stops may belong to what stands there."""
    if change.group == "punctuation":
        return []
    mine, edge = active.get("punctuation", {}).get("mark"), change.group in _EDGES
    for mark, start, end in marks_in(query):
        if mark not in _PLAIN_MARKS or mark == mine or (edge and (mark == "." or end - start == 1)):
            continue
        if stance_of(query, start, end) != "forbid":
            continue
        if not any(low <= start < high for low, high in given_up(query.shadow)):
            return [missing(change, f"it also rules out {mark}, which is not this turn's change", (start, end))]
    return []


def _digits(query: Query, change: Change, active: Mapping[str, Params]) -> list[Finding]:
    """Digits that are ruled out beside the change."""
    if "digits" in (change.group, *active):
        return []
    for match in heard("digits").anywhere("plain").finditer(query.shadow):
        if stance_of(query, *match.span()) == "forbid":
            return [missing(change, "it also rules out digits, which is not this turn's change", match.span())]
    return []


_Claims = tuple[Callable[[Query, Change], Sequence[Claim]], Says]


def _chosen(group: str) -> _Claims:
    """The claims on a tone or a style."""

    def claims(query: Query, change: Change) -> list[Claim]:
        vocabulary = heard(group)
        return [
            Claim(value, *match.span(), role_of(query, *match.span()))
            for value in vocabulary.keys("plain")
            for match in vocabulary.anywhere("plain", value).finditer(query.low)
        ]

    def says(value: object, params: Params) -> bool:
        return bool(value == params[group])

    return claims, says


_READ: Mapping[str, _Claims] = {
    "length": length_claims,
    "bullets": bullet_claims,
    "format": format_claims,
    "case": case_claims,
    "emotion": _chosen("emotion"),
    "style": _chosen("style"),
}

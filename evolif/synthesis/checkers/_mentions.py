"""Where a query names keywords, and what it wants of each: shared by the groups that list keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from evolif.domain import Finding
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._cues import cues, heard
from evolif.synthesis.checkers._removal import is_kept, is_lifted
from evolif.synthesis.checkers._roles import given_up
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._stance import Mention, Stance, in_lists, stance_of

Stances = Mapping[str, Sequence[tuple[Mention, Stance]]]
"""For every keyword, in lower case, its mentions and what the query wants of each."""

_KEYWORD = re.compile(r"[^\W_][\w' -]*[^\W_]\W?")
_MOST_WORDS = 4
"""Words of a keyword, at most."""


def mentions_of(query: Query, keywords: Iterable[str]) -> list[Mention]:
    """Where keywords are named, in the order of the query: the longest where they overlap, spelt as first given."""
    found: list[Mention] = []
    different = {keyword.casefold(): keyword for keyword in reversed(list(keywords))}
    for keyword in sorted(different.values(), key=len, reverse=True):
        for start, end in query.find(keyword, inflected=False) or query.find(keyword, inflected=True):
            if not any(start < m.end and m.start < end for m in found):
                found.append(Mention(start, end, keyword))
    return sorted(found, key=lambda mention: mention.start)


def quoted_keywords(query: Query) -> list[str]:
    """Quotations that could be keywords: a few words of letters and digits."""
    texts = [q.text for q in query.quotations]
    return [t.strip(" ,.") for t in texts if _KEYWORD.fullmatch(t) and len(t.split()) <= _MOST_WORDS]


def is_quoted(query: Query, mention: Mention) -> bool:
    """Whether a mention stands inside quotation marks."""
    return any(q.start <= mention.start < q.end for q in query.quotations)


def stances_of(query: Query, mentions: Sequence[Mention]) -> Stances:
    """What the query wants of every keyword; a list has one stance."""
    found: dict[str, list[tuple[Mention, Stance]]] = {}
    for members in in_lists(query, mentions, _between()):
        first, last = members[0].start, members[-1].end
        stance = stance_of(query, first, last)
        if stance in ("require", "none") and is_lifted(query, first, last):
            stance = "lift"
        for member in members:
            mine = "lift" if stance == "forbid" and _is_given_up(query, member.start) else stance
            found.setdefault(member.value.casefold(), []).append((member, mine))
    return found


@lru_cache(maxsize=1)
def _between() -> re.Pattern[str]:
    """What may stand between two keywords of one list."""
    joint = cues().framed("keywords", "joint", left=r"[\s,&/+]{0,8}(", right=r"[\s,]{0,4}){0,4}").pattern
    article = cues().framed("keywords", "article", left="(", right="( )?){0,4}").pattern
    return re.compile(rf"{joint}{article}(?:\([^)]{{0,20}}\)\s{{0,4}})?")


def _is_given_up(query: Query, at: int) -> bool:
    """Whether a place lies in what is replaced or lifted; `but not “x”` only tells apart."""
    spared = cues().after("keywords", "spared")
    return any(low <= at < high and not spared.match(query.shadow, low) for low, high in given_up(query.shadow, True))


def wanted(change: Change, keywords: Sequence[str], stances: Stances, stance: Stance, message: str) -> list[Finding]:
    """A finding for every keyword of which the query does not want that.

    Args:
        change: The change of the turn.
        keywords: Keywords that should have the stance.
        stances: What the query wants.
        stance: What it should want.
        message: Of the finding, with `{}` for the keyword.
    """
    findings = []
    for keyword in keywords:
        mine = stances.get(keyword.casefold(), ())
        if not any(found == stance for _, found in mine):
            findings.append(missing(change, message.format(f"“{keyword}”"), *((m.start, m.end) for m, _ in mine)))
    return findings


def all_lifted(query: Query, change: Change, keywords: Sequence[str], stances: Stances) -> list[Finding]:
    """Findings on a removal: it names all keywords, or the constraint as a whole."""
    if all(any(s == "lift" for _, s in stances.get(k.casefold(), ())) for k in keywords):
        return []
    named = [k for k in keywords if stances.get(k.casefold())]
    wrong = _wrongly_lifted(change, keywords, stances) or _held(query, change, named, stances)
    if wrong:
        return [wrong]
    vocabulary = heard(change.group)
    if not named or len(named) == len(keywords):
        nouns = [m.span() for m in vocabulary.anywhere("nouns").finditer(query.shadow)]
        if any(is_lifted(query, *noun) or stance_of(query, *noun) == "lift" for noun in nouns):
            return []
        if vocabulary.anywhere("free").search(query.shadow):
            return []
    return [missing(change, f"it does not say that the rule on {', '.join(f'“{k}”' for k in keywords)} is lifted")]


def _wrongly_lifted(change: Change, keywords: Sequence[str], stances: Stances) -> Finding | None:
    known = {k.casefold() for k in keywords}
    for keyword, places in stances.items():
        for mention, stance in places:
            if stance == "lift" and keyword not in known:
                message = f"it lifts “{mention.value}”, which is not the constraint"
                return missing(change, message, (mention.start, mention.end))
    return None


def _held(query: Query, change: Change, named: Sequence[str], stances: Stances) -> Finding | None:
    """A keyword that is named and plainly not lifted."""
    places = {keyword: stances[keyword.casefold()] for keyword in named}
    for keyword, mentions in places.items():
        kept = [m for m, _ in mentions if is_kept(query, m.start)]
        if kept:
            return missing(change, f"it keeps “{keyword}”", (kept[0].start, kept[0].end))
    forbidden = [keyword for keyword, mentions in places.items() if all(s == "forbid" for _, s in mentions)]
    if forbidden and len(forbidden) < len(named):
        return missing(change, f"it still rules out “{forbidden[0]}”")
    return None

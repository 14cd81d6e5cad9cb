"""Reads keywords to use so many times."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evolif.domain import Finding
from evolif.synthesis.checkers._bindings import Bound, bind_counts
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._counts import find_counts
from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._mentions import (
    all_lifted,
    is_quoted,
    mentions_of,
    quoted_keywords,
    stances_of,
    wanted,
)
from evolif.synthesis.checkers._roles import given_up, role_of
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._stance import stance_of

_FORMS = re.compile(r"(?<!\w)(?:contains?|includes?|uses?|has|have)\s+an?\s+(?:possessive|plural|other\s+form)(?!\w)")
_ALONE = r"[,.;:!?)—–]|$"


def read_existence(query: Query, change: Change) -> list[Finding]:
    """Findings on keywords to use so many times."""
    old: dict[str, int] = dict((change.before or {}).get("counts", {}))
    new: dict[str, int] = dict((change.after or {}).get("counts", {}))
    mentions = mentions_of(query, [*old, *new, *change.keywords, *quoted_keywords(query)])
    if change.kind == "remove":
        return all_lifted(query, change, list(old), stances_of(query, mentions))
    bound = bind_counts(query, mentions)
    forms = _FORMS.search(query.shadow)
    if forms:  # a counting note that has turned into a demand
        return [missing(change, "it asks for other forms of the keyword", forms.span())]
    findings: list[Finding] = []
    for keyword, count in new.items():
        mine = [b for b in bound if b.mention.value == keyword]
        if old.get(keyword) != count:
            findings += _counted(query, change, keyword, count, mine, old.get(keyword))
        else:
            findings += _unchanged(change, keyword, count, mine)
    gone = [k for k in old if k not in new]
    if gone and not findings:
        message = "it does not say that {} needs no count any more"
        findings += wanted(change, gone, stances_of(query, mentions), "lift", message)
    return findings or _also_counted(query, change, bound, {**old, **new})


def _counted(
    query: Query, change: Change, keyword: str, count: int, mine: Sequence[Bound], before: int | None
) -> list[Finding]:
    """Findings on a keyword with a new count.

    Args:
        query: The query.
        change: The change of the turn.
        keyword: The keyword.
        count: Its new count.
        mine: The keyword's mentions and their counts.
        before: Its old count.
    """
    if not mine:
        return [missing(change, f"it does not name “{keyword}”")]
    told = [b for b in mine if b.count is not None and b.role == "new"]
    if before is not None and not any(b.count == count for b in told):
        told += _alone_later(query, mine)
    right = [b for b in told if b.count == count and b.exact]
    wrong = [b for b in told if b.count != count or not b.exact]
    wrong = [b for b in wrong if not (right and b.count == before and b.start < right[-1].start)]
    if wrong:
        message = f"it asks for another number of “{keyword}” than {count}"
        return [missing(change, message, (wrong[0].start, wrong[0].end))]
    if not right:
        message = f"it does not say that “{keyword}” is wanted {count} times"
        return [missing(change, message, (mine[0].mention.start, mine[0].mention.end))]
    denied = [b for b in right if _is_denied(query, b)]
    spans = [(b.mention.start, b.mention.end) for b in denied[:1]]
    return [missing(change, f"it asks for no “{keyword}”", *spans)] if denied else []


def _is_denied(query: Query, bound: Bound) -> bool:
    start = bound.mention.start
    if stance_of(query, start, bound.mention.end, near=True) != "forbid":
        return False
    return not any(low <= start < high for low, high in given_up(query.shadow, True))


def _alone_later(query: Query, mine: Sequence[Bound]) -> list[Bound]:
    """Counts that stand alone behind the keyword's old one: `eight times is too many. Three will do`."""
    last = max(b.end for b in mine)
    alone = cues().framed("counts", "alone", left="( )?(", right=f"|{_ALONE})")
    return [
        Bound(mine[-1].mention, c.value, c.exact, "new", c.start, c.end, False)
        for c in find_counts(query)
        if c.start >= last and alone.match(query.shadow, c.end) and role_of(query, c.start, c.end) == "new"
    ]


def _unchanged(change: Change, keyword: str, count: int, mine: Sequence[Bound]) -> list[Finding]:
    wrong = [b for b in mine if b.count not in (None, count) and b.role == "new" and b.direct]
    return [missing(change, f"“{keyword}” stays at {count}", (wrong[0].start, wrong[0].end))] if wrong else []


def _also_counted(query: Query, change: Change, bound: Sequence[Bound], known: dict[str, int]) -> list[Finding]:
    """Keywords that only the query counts."""
    names = {k.casefold() for k in known}
    extra = [b for b in bound if b.mention.value.casefold() not in names and b.direct]
    extra = [b for b in extra if b.count is not None and b.role == "new"]
    if any(is_quoted(query, b.mention) for b in bound if b.mention.value in (change.after or {}).get("counts", {})):
        extra = [b for b in extra if is_quoted(query, b.mention)]  # who quotes one keyword quotes them all
    if not extra:
        return []
    mention = extra[0].mention
    return [missing(change, f"it also asks for “{mention.value}”", (mention.start, mention.end))]

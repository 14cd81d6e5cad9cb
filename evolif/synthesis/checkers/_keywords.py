"""Reads lists of keywords: those to use so many times, and those to leave out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from evolif.domain import Finding
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._counts import Bound, bind_counts, find_counts
from evolif.synthesis.checkers._cues import whole_words
from evolif.synthesis.checkers._removal import KEPT, is_lifted
from evolif.synthesis.checkers._roles import given_up, role_of
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._stance import Mention, Stance, in_lists, stance_of

_BETWEEN = re.compile(
    r"[\s,&/+]*(?:(?:and|or|nor|neither|either|as\s+well\s+as|plus|even|also|well)[\s,]*)*(?:(?:the|an?|words?|terms?|phrases?|keywords?|expressions?|use\s+of|mentions?\s+of)\s*)*(?:\([^)]{0,20}\)\s*)?"
)
_NOUNS = whole_words(
    [
        "key-?words?( counts?)?",
        "(those|these|the|that|which|certain|specific|particular|any|my|some|all|given|required|forbidden|banned|word|off-limits)( \\w+){0,2}? (words?|terms?|phrases?|expressions?|vocabulary)",
        "(word|keyword|mention|repetition|occurrence|count|use)[ -]?(counts?|quotas?|requirements?|frequenc\\w+|rules?|bans?|restrictions?|targets?)",
        "how (often|many times)",
        "number of (times|uses|mentions|occurrences|repetitions)",
        "bans?",
        "banned",
        "forbidden",
        "exclusions?",
        "taboos?",
        "blacklist",
        "off-limits",
        "restrictions?",
        "counts?",
        "mentions",
        "repetitions?",
        "occurrences",
        "frequency",
        "(avoid|excluded|avoided|vetoed?)( \\w+)?",
    ]
)
_FREE_AGAIN = whole_words(
    [
        "(any|all) (words?|terms?|vocabulary)( \\w+){0,3} (ok|okay|fine|allowed|welcome|again)",
        "whatever words",
        "(any|all) (words|vocabulary) you (like|want)",
    ]
)


def mentions_of(query: Query, keywords: Iterable[str]) -> list[Mention]:
    """Where keywords are named, in the order of the query: the longest where they overlap, spelt as first given."""
    found: list[Mention] = []
    different = {keyword.casefold(): keyword for keyword in reversed(list(keywords))}
    for keyword in sorted(different.values(), key=len, reverse=True):
        for start, end in query.find(keyword, inflected=False) or query.find(keyword, inflected=True):
            if not any(start < m.end and m.start < end for m in found):
                found.append(Mention(start, end, keyword))
    return sorted(found, key=lambda mention: mention.start)


def read_forbidden(query: Query, change: Change) -> list[Finding]:
    """Findings on keywords to leave out."""
    old = list((change.before or {}).get("keywords", ()))
    new = list((change.after or {}).get("keywords", ()))
    stances = _stances(query, mentions_of(query, [*old, *new, *change.keywords, *_quoted(query)]))
    if change.kind == "remove":
        return _all_lifted(query, change, old, stances)
    findings = _want(change, [k for k in new if k not in old], stances, ("forbid",), "it does not say to leave out {}")
    gone = [k for k in old if k not in new]
    findings += _want(change, gone, stances, ("lift",), "it does not say that {} is allowed again")
    again = [m for k in new if k in old for m, s in stances.get(k.casefold(), ()) if s == "lift"]
    if query.quotations:
        again = [m for m in again if _is_quoted(query, m)]
    findings += [missing(change, f"it allows “{m.value}”, which stays ruled out", (m.start, m.end)) for m in again[:1]]
    known = {k.casefold() for k in [*old, *new]}
    return findings or _extra(query, change, stances, known, "forbid", "it also rules out {}")


def read_existence(query: Query, change: Change) -> list[Finding]:
    """Findings on keywords to use so many times."""
    old: dict[str, int] = dict((change.before or {}).get("counts", {}))
    new: dict[str, int] = dict((change.after or {}).get("counts", {}))
    mentions = mentions_of(query, [*old, *new, *change.keywords, *_quoted(query)])
    if change.kind == "remove":
        return _all_lifted(query, change, list(old), _stances(query, mentions))
    bound = bind_counts(query, mentions)
    findings: list[Finding] = []
    for keyword, count in new.items():
        if old.get(keyword) != count:
            findings += _counted(query, change, keyword, count, bound, before=old.get(keyword))
        else:
            findings += _unchanged(change, keyword, count, bound)
    gone = [k for k in old if k not in new]
    if gone and not findings:
        findings += _want(
            change, gone, _stances(query, mentions), ("lift",), "it does not say that {} needs no count any more"
        )
    known = {k.casefold() for k in [*old, *new]}
    extra = [
        b
        for b in bound
        if b.mention.value.casefold() not in known and b.count is not None and b.role == "new" and b.direct
    ]
    if any(_is_quoted(query, m) for m in mentions if m.value in new):  # who quotes one keyword quotes them all
        extra = [b for b in extra if _is_quoted(query, b.mention)]
    if extra and not findings:
        span = (extra[0].mention.start, extra[0].mention.end)
        findings.append(missing(change, f"it also asks for “{extra[0].mention.value}”", span))
    return findings


def _counted(
    query: Query, change: Change, keyword: str, count: int, bound: Sequence[Bound], before: int | None
) -> list[Finding]:
    mine = [b for b in bound if b.mention.value == keyword]
    if not mine:
        return [missing(change, f"it does not name “{keyword}”")]
    told = [b for b in mine if b.count is not None and b.role == "new"]
    if before is not None and not any(b.count == count for b in told):
        told += _alone_later(query, mine)
    right = [b for b in told if b.count == count and b.exact]
    wrong = [b for b in told if b.count != count or not b.exact]
    wrong = [b for b in wrong if not (right and b.count == before and b.start < right[-1].start)]
    if right and not wrong:
        denied = [
            b
            for b in right
            if stance_of(query, b.mention.start, b.mention.end, near=True) == "forbid" and b.role == "new"
        ]
        denied = [
            b for b in denied if not any(low <= b.mention.start < high for low, high in given_up(query.shadow, True))
        ]
        return (
            [missing(change, f"it asks for no “{keyword}”", (denied[0].mention.start, denied[0].mention.end))]
            if denied
            else []
        )
    if wrong:
        return [
            missing(change, f"it asks for another number of “{keyword}” than {count}", (wrong[0].start, wrong[0].end))
        ]
    return [
        missing(
            change,
            f"it does not say that “{keyword}” is wanted {count} times",
            (mine[0].mention.start, mine[0].mention.end),
        )
    ]


def _alone_later(query: Query, mine: Sequence[Bound]) -> list[Bound]:
    """Counts that stand alone behind the keyword's old one: `eight times is too many. Three will do`."""
    last = max(b.end for b in mine)
    found = []
    for count in find_counts(query):
        if count.start >= last and re.match(
            r"\s*(?:[,.;:!?)—–]|$|now|instead|will|is\s+(?:enough|plenty|fine)|please|this|are\s+enough|exactly)",
            query.shadow[count.end :],
        ):
            role = role_of(query, count.start, count.end)
            found.append(Bound(mine[-1].mention, count.value, count.exact, role, count.start, count.end, False))
    return [b for b in found if b.role == "new"]


def _unchanged(change: Change, keyword: str, count: int, bound: Sequence[Bound]) -> list[Finding]:
    wrong = [
        b for b in bound if b.mention.value == keyword and b.count not in (None, count) and b.role == "new" and b.direct
    ]
    return [missing(change, f"“{keyword}” stays at {count}", (wrong[0].start, wrong[0].end))] if wrong else []


def _stances(query: Query, mentions: Sequence[Mention]) -> dict[str, list[tuple[Mention, Stance]]]:
    """What the query wants of every keyword; a list has one stance."""
    found: dict[str, list[tuple[Mention, Stance]]] = {}
    for members in in_lists(query, mentions, _BETWEEN):
        stance = stance_of(query, members[0].start, members[-1].end)
        if stance in ("require", "none") and is_lifted(query, members[0].start, members[-1].end):
            stance = "lift"
        for member in members:
            mine = stance
            if mine == "forbid" and _is_given_up(query, member.start):
                mine = "lift"
            found.setdefault(member.value.casefold(), []).append((member, mine))
    return found


def _is_given_up(query: Query, at: int) -> bool:
    """Whether a place lies in what is replaced or lifted; `but not “x”` only tells apart."""
    return any(
        low <= at < high and not re.match(r"(?:and |but )?not\b", query.shadow[low:high])
        for low, high in given_up(query.shadow, True)
    )


def _want(
    change: Change,
    keywords: Sequence[str],
    stances: dict[str, list[tuple[Mention, Stance]]],
    wanted: Sequence[Stance],
    message: str,
) -> list[Finding]:
    findings = []
    for keyword in keywords:
        mine = stances.get(keyword.casefold(), [])
        if not any(stance in wanted for _, stance in mine):
            span = [(m.start, m.end) for m, _ in mine]
            findings.append(missing(change, message.format(f"“{keyword}”"), *span))
    return findings


def _extra(
    query: Query,
    change: Change,
    stances: dict[str, list[tuple[Mention, Stance]]],
    known: set[str],
    stance: Stance,
    message: str,
) -> list[Finding]:
    others = " ".join(str(params).casefold() for _, params in change.others)
    for keyword, places in stances.items():
        for mention, mine in places:
            unlike = bool(query.quotations) and not _is_quoted(query, mention)
            if keyword not in known and mine == stance and keyword not in others and not unlike:
                return [missing(change, message.format(f"“{mention.value}”"), (mention.start, mention.end))]
    return []


def _all_lifted(
    query: Query, change: Change, keywords: Sequence[str], stances: dict[str, list[tuple[Mention, Stance]]]
) -> list[Finding]:
    """A removal names all keywords, or the constraint as a whole."""
    if all(any(s == "lift" for _, s in stances.get(k.casefold(), ())) for k in keywords):
        return []
    wrong = [
        m
        for k, places in stances.items()
        for m, s in places
        if s == "lift" and k not in {x.casefold() for x in keywords}
    ]
    if wrong:
        return [
            missing(change, f"it lifts “{wrong[0].value}”, which is not the constraint", (wrong[0].start, wrong[0].end))
        ]
    named = [k for k in keywords if stances.get(k.casefold())]
    kept = [m for k in named for m, _ in stances[k.casefold()] if KEPT.search(query.shadow, *query.segment(m.start))]
    if kept:
        return [missing(change, f"it keeps “{kept[0].value}”", (kept[0].start, kept[0].end))]
    if 0 < sum(all(s == "forbid" for _, s in stances[k.casefold()]) for k in named) < len(named):
        return [missing(change, f"it still rules out “{named[0]}”")]
    if not named or len(named) == len(keywords):
        generic = [
            m
            for m in _NOUNS.finditer(query.shadow)
            if is_lifted(query, *m.span()) or stance_of(query, *m.span()) == "lift"
        ]
        if generic or _FREE_AGAIN.search(query.shadow):
            return []
    return [missing(change, f"it does not say that the rule on {', '.join(f'“{k}”' for k in keywords)} is lifted")]


def _is_quoted(query: Query, mention: Mention) -> bool:
    return any(q.start <= mention.start < q.end for q in query.quotations)


def _quoted(query: Query) -> list[str]:
    """Quotations that could be keywords: a few words of letters and digits."""
    return [
        q.text.strip(" ,.")
        for q in query.quotations
        if re.fullmatch(r"[^\W_][\w' -]*[^\W_]\W?", q.text) and len(q.text.split()) <= 4
    ]

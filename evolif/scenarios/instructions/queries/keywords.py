"""Reads keywords to use so many times, and keywords to leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evolif.scenarios.instructions.queries.bare_words import unquoted_words
from evolif.scenarios.instructions.queries.change import Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import Said, finding, is_released
from evolif.scenarios.instructions.queries.mentions import (
    Bound,
    Stances,
    all_lifted,
    between_keywords,
    bind_counts,
    is_quoted,
    mentions_of,
    quoted_keywords,
    stances_of,
    wanted,
)
from evolif.scenarios.instructions.queries.numbers import find_counts
from evolif.scenarios.instructions.queries.polarity import Stance, ValueMention, given_up, in_lists, role_of, stance_of
from evolif.scenarios.instructions.queries.reader import Reader
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import cues, heard
from evolif.scenarios.instructions.turns import Finding

_FORMS = re.compile(r"(?<!\w)(?:contains?|includes?|uses?|has|have)\s+an?\s+(?:possessive|plural|other\s+form)(?!\w)")
_ALONE = r"[,.;:!?)—–]|$"


class ExistenceReader(Reader):
    """Reads keywords to use so many times."""

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every keyword with its count, if it has one: a `Bound`."""
        old, new = _counts(change)
        mentions = mentions_of(query, [*old, *new, *change.keywords, *quoted_keywords(query)])
        if not change.is_known:
            mentions = _with_unquoted(query, mentions)
        bound = bind_counts(query, mentions) or (_unnamed(query, old, new) if change.after else [])
        return [Said(b, b.start, b.end, b.role) for b in bound]

    def claim(self, query: Query, said: Said) -> Claim | None:
        """A count right beside its keyword."""
        bound: Bound = said.value
        named = cues().anywhere("counts", "named").search(query.shadow, bound.start, bound.end)
        if not (bound.direct and bound.count is not None and bound.role == "new" and named):
            return None
        if query.shadow[bound.start : bound.end] == "once" and not is_quoted(query, bound.mention):
            return None  # "once two corners are missing"
        counts = {bound.mention.value: bound.count if bound.exact else -bound.count}
        return Claim("existence", "require", {"counts": counts}, said.span)

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on keywords and their counts."""
        return _compare_counts(query, change, [s.value for s in said])


def _with_unquoted(query: Query, mentions: Sequence[ValueMention]) -> list[ValueMention]:
    """The mentions, and the words that stand without quotation marks beside them, in order."""
    words = [w for w in unquoted_words(query) if not any(w.start < m.end and m.start < w.end for m in mentions)]
    return sorted([*mentions, *words], key=lambda mention: mention.start)


def _counts(change: QueryChange) -> tuple[dict[str, int], dict[str, int]]:
    """The old and the new counts."""
    return dict((change.before or {}).get("counts", {})), dict((change.after or {}).get("counts", {}))


def _compare_counts(query: Query, change: QueryChange, bound: Sequence[Bound]) -> list[Finding]:
    old, new = _counts(change)
    named = {b.mention.start: b.mention for b in bound if b.mention.end}
    mentions = [named[at] for at in sorted(named)]
    if change.kind == "remove":
        return all_lifted(query, change, list(old), stances_of(query, mentions))
    forms = _FORMS.search(query.shadow)
    if forms:  # a counting note that has turned into a demand
        return [finding("wrong", change, "it asks for other forms of the keyword", forms.span())]
    findings: list[Finding] = []
    for keyword, count in new.items():
        mine = [b for b in bound if b.mention.value == keyword]
        mine = [b for b in mine if is_quoted(query, b.mention)] or mine  # the task may use the word, too
        if old.get(keyword) != count:
            findings += _counted(query, change, keyword, count, mine, old.get(keyword))
        else:
            findings += _unchanged(change, keyword, count, mine)
    gone = [k for k in old if k not in new]
    if gone and not findings:
        message = "it does not say that {} needs no count any more"
        stances = _resolved(query, mentions, stances_of(query, mentions), (), gone)
        findings += wanted(change, gone, stances, "lift", message)
    return findings or _also_counted(query, change, bound, {**old, **new})


def _unnamed(query: Query, old: dict[str, int], new: dict[str, int]) -> list[Bound]:
    """Counts of a keyword that need not be named, as it is the only one whose count can change."""
    changed = [keyword for keyword in new if old.get(keyword, new[keyword]) != new[keyword]]
    if len(changed) != 1 or old.keys() != new.keys():
        return []
    nowhere = ValueMention(0, 0, changed[0])
    found = [
        Bound(nowhere, c.value, c.exact, role_of(query, c.start, c.end), c.start, c.end, True)
        for c in find_counts(query)
        if query.shadow[c.start : c.end] not in ("one", "once") or c.value == new[changed[0]]
    ]
    return found if len(old) == 1 else []


def _counted(
    query: Query, change: QueryChange, keyword: str, count: int, mine: Sequence[Bound], before: int | None
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
        return [finding("missing", change, f"it does not name “{keyword}”")]
    fine = ("new", "was") if before is None else ("new",)
    told = [b for b in mine if b.count is not None and b.role in fine]
    if before is not None and not any(b.count == count for b in told):
        told += _alone_later(query, mine)
    right = [b for b in told if b.count == count and b.exact]
    wrong = [b for b in told if b.count != count or not b.exact]
    wrong = [b for b in wrong if not (right and b.count == before and b.start < right[-1].start)]
    if wrong:
        message = f"it asks for another number of “{keyword}” than {count}"
        return [finding("wrong", change, message, (wrong[0].start, wrong[0].end))]
    if not right:
        message = f"it does not say that “{keyword}” is wanted {count} times"
        return [finding("missing", change, message, (mine[0].mention.start, mine[0].mention.end))]
    denied = [b for b in right if _is_denied(query, b)]
    spans = [(b.mention.start, b.mention.end) for b in denied[:1]]
    return [finding("reversed", change, f"it asks for no “{keyword}”", *spans)] if denied else []


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


def _unchanged(change: QueryChange, keyword: str, count: int, mine: Sequence[Bound]) -> list[Finding]:
    told = [b for b in mine if b.count is not None and b.role == "new" and b.direct]
    wrong = [b for b in told if b.count != count or not b.exact]
    return [finding("wrong", change, f"“{keyword}” stays at {count}", (wrong[0].start, wrong[0].end))] if wrong else []


def _also_counted(query: Query, change: QueryChange, bound: Sequence[Bound], known: dict[str, int]) -> list[Finding]:
    """Keywords that only the query counts."""
    names = {k.casefold() for k in known}
    extra = [b for b in bound if b.mention.value.casefold() not in names and b.direct]
    extra = [b for b in extra if b.count is not None and b.role == "new" and query.shadow[b.start : b.end] != "one"]
    if any(is_quoted(query, b.mention) for b in bound if b.mention.value in (change.after or {}).get("counts", {})):
        extra = [b for b in extra if is_quoted(query, b.mention)]  # who quotes one keyword quotes them all
    if not extra:
        return []
    mention = extra[0].mention
    return [finding("extra", change, f"it also asks for “{mention.value}”", (mention.start, mention.end))]


# Reads keywords to leave out.


class ForbiddenReader(Reader):
    """Reads keywords to leave out."""

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every keyword with what the query wants of it: `(mention, stance)`."""
        old, new = _keywords(change)
        mentions = mentions_of(query, [*old, *new, *change.keywords, *quoted_keywords(query)])
        if not change.is_known:
            mentions = [m for m in _with_unquoted(query, mentions) if is_quoted(query, m) or _is_called(query, m)]
        placed = [place for places in stances_of(query, mentions).values() for place in places]
        return [Said((m, stance), m.start, m.end, "new") for m, stance in sorted(placed, key=lambda p: p[0].start)]

    def claim(self, query: Query, said: Said) -> Claim | None:
        """A quoted word that is ruled out, or allowed again."""
        mention, stance = said.value
        if not (is_quoted(query, mention) and stance == "lift") and stance != "forbid":
            return None
        if not is_quoted(query, mention) and not _is_called(query, mention):
            return None
        return Claim("forbidden", stance, {"keywords": [mention.value]}, said.span)

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on keywords to leave out."""
        return _compare_bans(query, change, [s.value for s in said])


def _is_ruled_out(query: Query, mention: ValueMention) -> bool:
    """Whether the words near an unquoted keyword rule it out; those of the next sentence may mean others."""
    return stance_of(query, mention.start, mention.end, near=True) == "forbid"


def _is_called(query: Query, mention: ValueMention) -> bool:
    """Whether a keyword is spoken of as a word: `avoid the word oven`, `don't mention ovens`."""
    return any(word.start == mention.start for word in unquoted_words(query)) or (
        cues().before("keywords", "called").search(query.shadow, max(0, mention.start - 12), mention.start) is not None
    )


def _keywords(change: QueryChange) -> tuple[list[str], list[str]]:
    """The old and the new keywords."""
    return list((change.before or {}).get("keywords", ())), list((change.after or {}).get("keywords", ()))


def _compare_bans(query: Query, change: QueryChange, placed: Sequence[tuple[ValueMention, Stance]]) -> list[Finding]:
    old, new = _keywords(change)
    added = [k for k in new if k not in old]
    gone = [k for k in old if k not in new]
    stay = [k for k in new if k in old]
    told: dict[str, list[tuple[ValueMention, Stance]]] = {}
    for mention, stance in placed:
        told.setdefault(mention.value.casefold(), []).append((mention, stance))
    stances = _resolved(query, [mention for mention, _ in placed], told, added, gone)
    if change.kind == "remove":
        return all_lifted(query, change, old, stances)
    findings = wanted(change, added, stances, "forbid", "it does not say to leave out {}")
    findings += wanted(change, gone, stances, "lift", "it does not say that {} is allowed again")
    findings += _allowed_again(query, change, stay, stances)
    return findings or _also_forbidden(query, change, {k.casefold() for k in [*old, *new]}, stances)


def _resolved(
    query: Query, mentions: Sequence[ValueMention], stances: Stances, added: Sequence[str], gone: Sequence[str]
) -> Stances:
    """The stances, with those settled that only the change tells: `ditch “x”` rules out what was not ruled out."""
    resolved = {keyword: list(places) for keyword, places in stances.items()}
    for key, keywords, stance in (("dropped", added, _FORBID), ("freed", gone, _LIFT)):
        mine = {keyword.casefold() for keyword in keywords}
        for members in in_lists(query, mentions, between_keywords()):
            first, last = members[0].start, members[-1].end
            if mine.isdisjoint(m.value.casefold() for m in members) or not is_said(query, key, first, last):
                continue
            for member in members:
                if member.value.casefold() in mine:
                    resolved[member.value.casefold()] = [(member, stance)]
    for keyword in gone:
        places = [(m.start, m.end) for m, _ in resolved.get(keyword.casefold(), ())]
        if places and is_released(query, places):
            resolved[keyword.casefold()] = [(resolved[keyword.casefold()][0][0], _LIFT)]
    return resolved


_FORBID: Stance = "forbid"
_LIFT: Stance = "lift"


def is_said(query: Query, key: str, start: int, end: int) -> bool:
    """Whether the words right before a thing, or those right behind, say that it goes, or that it is allowed.

    Args:
        query: The query.
        key: `dropped` or `freed`.
        start: Where the thing, or the first of a list, starts.
        end: Where the thing, or the last of a list, ends.
    """
    vocabulary = heard("forbidden")
    low = max(query.sentence(start)[0], start - _SAID_BEFORE)
    before = vocabulary.framed(key, "before", right="( (the|this|that|those|my|your|a|<keyword>)){0,3}:?( )?[\"'“‘`]?$")
    found = before.search(query.shadow, low, start)
    if found:
        denied = cues().before("removal", "not_free")
        return denied.search(query.shadow, max(low, found.start() - 16), found.start()) is None
    after = vocabulary.framed(key, "after", left="[\"'”’`]{0,2}( )?")
    return after.match(query.shadow, end) is not None


_SAID_BEFORE = 110
"""Characters before keywords in which it may be said that they go, or are allowed."""


def _allowed_again(query: Query, change: QueryChange, stay: list[str], stances: Stances) -> list[Finding]:
    """Keywords that stay ruled out, and that the query allows."""
    again = [m for k in stay for m, stance in stances.get(k.casefold(), ()) if stance == "lift"]
    again = [m for m in again if not _STILL.match(query.shadow, m.end)]
    if query.quotations:  # who quotes one keyword quotes them all
        again = [m for m in again if is_quoted(query, m) or _is_freed(query, m)]
    return [
        finding("reversed", change, f"it allows “{m.value}”, which stays ruled out", (m.start, m.end))
        for m in again[:1]
    ]


_STILL = re.compile(r"[\"'”’]?\s(?:(?:is|are)\s)?(?:still|stays?|remains?)(?!\w)")
_FINE = re.compile(r"\s(?:is|are)\s(?:fine|ok|okay|allowed|welcome)(?!\w)")
_MAY_SAY = re.compile(r"(?<!\w)(?:can|may)\s(?:say|use|mention|write)\s(?:the\sword\s)?$")


def _is_freed(query: Query, mention: ValueMention) -> bool:
    """Whether the words right at an unquoted keyword allow it: `castle is fine now`."""
    before = query.shadow[max(0, mention.start - 30) : mention.start]
    return _FINE.match(query.shadow, mention.end) is not None or _MAY_SAY.search(before) is not None


def _also_forbidden(query: Query, change: QueryChange, known: set[str], stances: Stances) -> list[Finding]:
    """Keywords that only the query rules out."""
    others = " ".join(str(params).casefold() for _, params in change.others)
    for keyword, places in stances.items():
        for mention, stance in places:
            unlike = not is_quoted(query, mention) and (bool(query.quotations) or not _is_ruled_out(query, mention))
            if keyword not in known and stance == "forbid" and keyword not in others and not unlike:
                return [finding("extra", change, f"it also rules out “{mention.value}”", (mention.start, mention.end))]
    return []

"""Reads keywords to use so many times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evolif.queries.change import Change
from evolif.queries.comparison import finding, is_lifted, is_released, is_taken_back, removed
from evolif.queries.mentions import (
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
from evolif.queries.numbers import find_counts, find_numbers, find_ordinals
from evolif.queries.polarity import Mention, Stance, given_up, in_lists, role_of, stance_of
from evolif.queries.reading import Query
from evolif.queries.vocabulary import cues, heard
from evolif.turns import Finding, Params

_FORMS = re.compile(r"(?<!\w)(?:contains?|includes?|uses?|has|have)\s+an?\s+(?:possessive|plural|other\s+form)(?!\w)")
_ALONE = r"[,.;:!?)—–]|$"


def read_existence(query: Query, change: Change) -> list[Finding]:
    """Findings on keywords to use so many times."""
    old: dict[str, int] = dict((change.before or {}).get("counts", {}))
    new: dict[str, int] = dict((change.after or {}).get("counts", {}))
    mentions = mentions_of(query, [*old, *new, *change.keywords, *quoted_keywords(query)])
    if change.kind == "remove":
        return all_lifted(query, change, list(old), stances_of(query, mentions))
    bound = bind_counts(query, mentions) or _unnamed(query, old, new)
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
    nowhere = Mention(0, 0, changed[0])
    found = [
        Bound(nowhere, c.value, c.exact, role_of(query, c.start, c.end), c.start, c.end, True)
        for c in find_counts(query)
        if query.shadow[c.start : c.end] not in ("one", "once") or c.value == new[changed[0]]
    ]
    return found if len(old) == 1 else []


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


def _unchanged(change: Change, keyword: str, count: int, mine: Sequence[Bound]) -> list[Finding]:
    wrong = [b for b in mine if b.count not in (None, count) and b.role == "new" and b.direct]
    return [finding("wrong", change, f"“{keyword}” stays at {count}", (wrong[0].start, wrong[0].end))] if wrong else []


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
    return [finding("extra", change, f"it also asks for “{mention.value}”", (mention.start, mention.end))]


# Reads keywords to leave out.


def read_forbidden(query: Query, change: Change) -> list[Finding]:
    """Findings on keywords to leave out."""
    old = list((change.before or {}).get("keywords", ()))
    new = list((change.after or {}).get("keywords", ()))
    mentions = mentions_of(query, [*old, *new, *change.keywords, *quoted_keywords(query)])
    added = [k for k in new if k not in old]
    gone = [k for k in old if k not in new]
    stay = [k for k in new if k in old]
    stances = _resolved(query, mentions, stances_of(query, mentions), added, gone)
    if change.kind == "remove":
        return all_lifted(query, change, old, stances)
    findings = wanted(change, added, stances, "forbid", "it does not say to leave out {}")
    findings += wanted(change, gone, stances, "lift", "it does not say that {} is allowed again")
    findings += _allowed_again(query, change, stay, stances)
    return findings or _also_forbidden(query, change, {k.casefold() for k in [*old, *new]}, stances)


def _resolved(
    query: Query, mentions: Sequence[Mention], stances: Stances, added: Sequence[str], gone: Sequence[str]
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


def _allowed_again(query: Query, change: Change, stay: list[str], stances: Stances) -> list[Finding]:
    """Keywords that stay ruled out, and that the query allows."""
    again = [m for k in stay for m, stance in stances.get(k.casefold(), ()) if stance == "lift"]
    if query.quotations:  # who quotes one keyword quotes them all
        again = [m for m in again if is_quoted(query, m)]
    return [
        finding("reversed", change, f"it allows “{m.value}”, which stays ruled out", (m.start, m.end))
        for m in again[:1]
    ]


def _also_forbidden(query: Query, change: Change, known: set[str], stances: Stances) -> list[Finding]:
    """Keywords that only the query rules out."""
    others = " ".join(str(params).casefold() for _, params in change.others)
    for keyword, places in stances.items():
        for mention, stance in places:
            unlike = bool(query.quotations) and not is_quoted(query, mention)
            if keyword not in known and stance == "forbid" and keyword not in others and not unlike:
                return [finding("extra", change, f"it also rules out “{mention.value}”", (mention.start, mention.end))]
    return []


# Reads places of a word: in every paragraph, as the n-th word, down the first letters of the paragraphs.

_ALONE_PLACED = r"\s{0,4}[,.;:!?]|\s{0,4}$"


def read_placement(query: Query, change: Change) -> list[Finding]:
    """Findings on where a word stands."""
    value = _value(change.params)
    places = _places(query, value, spelt=change.params["mode"] == "acrostic")
    if change.kind == "remove":
        return _lifted(query, change, value, places)
    same = value == _value(change.before or {})
    places = [p for p in places if not is_taken_back(query, p[1])]
    wanted = [p for p in places if same or role_of(query, *p, in_list=True) != "old"]
    if not wanted:
        return [finding("missing", change, f"it does not name “{value}”", *places)]
    without = heard("placement").anywhere("no_paragraph_without").search(query.shadow)
    if stance_of(query, *wanted[0], near=True) == "forbid" and not without:
        return [finding("reversed", change, f"it forbids “{value}”", wanted[0])]
    return _place(query, change) or _others(query, change, value)


def _value(params: Params) -> str:
    return str(params.get("value") or params.get("word") or "")


def _places(query: Query, value: str, *, spelt: bool) -> list[tuple[int, int]]:
    """Where the word is named; the word of an acrostic may be spelt out: `L-O-A-F`."""
    places = query.find(value)
    if places or not spelt:
        return places
    letters = re.compile(r"(?<!\w)" + r"[\W_]{1,4}".join(map(re.escape, value.lower())) + r"(?!\w)")
    return [m.span() for m in letters.finditer(query.low)]


def _lifted(query: Query, change: Change, value: str, places: Sequence[tuple[int, int]]) -> list[Finding]:
    if any(is_lifted(query, *place) or stance_of(query, *place) == "lift" for place in places):
        return []
    if change.keywords and not places:
        wrong = [(q.start, q.end) for q in query.quotations if is_lifted(query, q.start, q.end)]
        if wrong:
            return [finding("wrong", change, f"it lifts something else than “{value}”", wrong[0])]
    return removed(query, change, heard("placement").anywhere("nouns"), free=heard("placement").anywhere("free"))


def _place(query: Query, change: Change) -> list[Finding]:
    """Whether the place is said; one that stays need not be said again."""
    mode = change.params["mode"]
    if mode == "nth_word":
        return _position(query, change)
    if (change.before or {}).get("mode") == mode:
        return []
    if mode == "every_paragraph" and not _is_asked(query, "every_paragraph"):
        return [finding("missing", change, "it does not say that the word belongs into every paragraph")]
    if mode == "acrostic" and not _spells(query):
        return [finding("missing", change, "it does not say that the first letters of the paragraphs spell the word")]
    return []


def _position(query: Query, change: Change) -> list[Finding]:
    position, vocabulary = change.params["position"], heard("placement")
    asked = [o for o in find_ordinals(query.shadow) if role_of(query, o.start, o.end) == "new"]
    nth = vocabulary.framed("nth_word", left="( )?(", right=f"|{_ALONE_PLACED})")
    number = vocabulary.before("number")
    said = any(o.value == position and nth.match(query.shadow, o.end) for o in asked) or any(
        n.value == position and number.search(query.shadow, max(0, n.start - 30), n.start)
        for n in find_numbers(query.shadow)
    )
    if not said:
        spans = [(o.start, o.end) for o in asked[:1]]
        return [finding("wrong", change, f"it does not say that the word is word number {position}", *spans)]
    former = (change.before or {}).get("position")
    other = [o for o in asked if o.value not in (position, former)]
    wrong = [(o.start, o.end) for o in other if vocabulary.after("nth_place").match(query.shadow, o.end)]
    return [finding("extra", change, "it names another position, too", wrong[0])] if wrong else []


def _spells(query: Query) -> bool:
    """An acrostic, or the first letters of the paragraphs."""
    said = {
        key: heard("placement").anywhere(key).search(query.shadow) is not None
        for key in ("acrostic", "first_letters", "last_letters", "first", "paragraph")
    }
    if said["last_letters"] and not said["first"]:
        return False
    return said["acrostic"] or (said["first_letters"] and said["paragraph"])


def _is_asked(query: Query, key: str) -> bool:
    return any(role_of(query, *m.span()) == "new" for m in heard("placement").anywhere(key).finditer(query.shadow))


def _others(query: Query, change: Change, value: str) -> list[Finding]:
    """Another keyword of the topic in the same place."""
    mine = {value.casefold(), _value(change.before or {}).casefold()}
    keywords = {k.casefold() for k in change.keywords} - mine
    elsewhere = " ".join(str(params).casefold() for _, params in change.others)
    for q in query.quotations:
        text = q.text.casefold()
        if text in keywords and text not in elsewhere and role_of(query, q.start, q.end) == "new":
            return [finding("extra", change, f"it also places “{q.text}”", (q.start, q.end))]
    return []


# Plain demands on the place of a word, whatever the turn is about.


def plain_places(query: Query, change: Change) -> Iterator[tuple[Params, tuple[int, int]]]:
    """Where the query plainly wants a word to stand: the parameters and the place."""
    vocabulary = heard("placement")
    for match in vocabulary.anywhere("spelt").finditer(query.shadow):
        if _spells(query):
            yield {"mode": "acrostic"}, match.span()
    words = mentions_of(query, [*change.keywords, *quoted_keywords(query)])
    for match in vocabulary.anywhere("every_paragraph").finditer(query.shadow):
        word = _beside(query, words, match.start())
        if word and role_of(query, *match.span()) == "new":
            yield {"mode": "every_paragraph", "value": word.value}, match.span()
    for match in vocabulary.anywhere("nth").finditer(query.shadow):
        word = _beside(query, words, match.start())
        if word and role_of(query, *match.span()) == "new":
            ordinals, numbers = find_ordinals(match.group()), find_numbers(match.group())
            position = ordinals[0].value if ordinals else numbers[0].value if numbers else 0
            yield {"mode": "nth_word", "value": word.value, "position": position}, match.span()


def _beside(query: Query, words: Sequence[Mention], at: int) -> Mention | None:
    """The word of which a sentence speaks, the quoted one first."""
    low, high = query.sentence(at)
    here = [word for word in words if low <= word.start < high]
    return next((word for word in here if is_quoted(query, word)), None)

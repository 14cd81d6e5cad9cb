"""Where a query names keywords, and what it wants of each: shared by the groups that list keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.queries.change import QueryChange
from evolif.scenarios.instructions.queries.comparison import finding, is_kept, is_lifted, is_released, is_taken_back
from evolif.scenarios.instructions.queries.numbers import Count, find_counts
from evolif.scenarios.instructions.queries.polarity import (
    Role,
    Stance,
    ValueMention,
    given_up,
    in_lists,
    role_of,
    stance_of,
)
from evolif.scenarios.instructions.queries.reading import MASK, Query
from evolif.scenarios.instructions.queries.vocabulary import cues, heard, whole_words
from evolif.scenarios.instructions.turns import Finding, Params

Stances = Mapping[str, Sequence[tuple[ValueMention, Stance]]]
"""For every keyword, in lower case, its mentions and what the query wants of each."""

_KEYWORD = re.compile(r"[^\W_][\w' -]*[^\W_]\W?")
_MOST_WORDS = 4
"""Words of a keyword, at most."""


def mentions_of(query: Query, keywords: Iterable[str]) -> list[ValueMention]:
    """Where keywords are named, in the order of the query: the longest where they overlap, spelt as first given."""
    return list(_mentions_of(query, tuple(keywords)))


@lru_cache(maxsize=64)
def _mentions_of(query: Query, keywords: tuple[str, ...]) -> list[ValueMention]:
    found: list[ValueMention] = []
    different = {keyword.casefold(): keyword for keyword in reversed(keywords)}
    for keyword in sorted(different.values(), key=len, reverse=True):
        for start, end in query.find(keyword, inflected=False) or query.find(keyword, inflected=True):
            if not any(start < m.end and m.start < end for m in found):
                found.append(ValueMention(start, end, keyword))
    return sorted(found, key=lambda mention: mention.start)


def quoted_keywords(query: Query) -> list[str]:
    """Quotations that could be keywords: a few words of letters and digits."""
    texts = [q.text for q in query.quotations]
    return [t.strip(" ,.") for t in texts if _KEYWORD.fullmatch(t) and len(t.split()) <= _MOST_WORDS]


def is_quoted(query: Query, mention: ValueMention) -> bool:
    """Whether a mention stands inside quotation marks."""
    return any(q.start <= mention.start < q.end for q in query.quotations)


def stances_of(query: Query, mentions: Sequence[ValueMention]) -> Stances:
    """What the query wants of every keyword; a list has one stance."""
    found: dict[str, list[tuple[ValueMention, Stance]]] = {}
    for members in in_lists(query, mentions, between_keywords()):
        first, last = members[0].start, members[-1].end
        stance = stance_of(query, first, last)
        if stance in ("require", "none") and is_lifted(query, first, last):
            stance = "lift"
        if stance == "forbid" and is_ban_lifted(query, first, last):
            stance = "lift"
        for member in members:
            mine = "lift" if stance == "forbid" and _is_given_up(query, member.start) else stance
            found.setdefault(member.value.casefold(), []).append((member, mine))
    return found


def is_ban_lifted(query: Query, start: int, end: int) -> bool:
    """`the ban on “x” can go`: what rules the thing out is given up.

    Args:
        query: The query.
        start: Where the thing, or the first of a list, starts.
        end: Where it, or the last, ends.
    """
    ban = cues().before("keywords", "ban").search(query.shadow, max(0, start - _BAN), start)
    return ban is not None and (is_lifted(query, start, end) or is_taken_back(query, end))


_BAN = 60
"""Characters before a thing in which its ban may be named."""


@lru_cache(maxsize=1)
def between_keywords() -> re.Pattern[str]:
    """What may stand between two keywords of one list."""
    joint = cues().framed("keywords", "joint", left=r"[\s,&/+]{0,8}(", right=r"[\s,]{0,4}){0,4}").pattern
    article = cues().framed("keywords", "article", left="(", right="( )?){0,4}").pattern
    return re.compile(rf"{joint}{article}(?:\([^)]{{0,20}}\)\s{{0,4}})?")


def _is_given_up(query: Query, at: int) -> bool:
    """Whether a place lies in what is replaced or lifted; `but not “x”` only tells apart."""
    spared = cues().after("keywords", "spared")
    return any(low <= at < high and not spared.match(query.shadow, low) for low, high in given_up(query.shadow, True))


def wanted(
    change: QueryChange, keywords: Sequence[str], stances: Stances, stance: Stance, message: str
) -> list[Finding]:
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
            findings.append(
                finding("missing", change, message.format(f"“{keyword}”"), *((m.start, m.end) for m, _ in mine))
            )
    return findings


def all_lifted(query: Query, change: QueryChange, keywords: Sequence[str], stances: Stances) -> list[Finding]:
    """Findings on a removal: it names all keywords, or the constraint as a whole."""
    if all(any(s == "lift" for _, s in stances.get(k.casefold(), ())) for k in keywords):
        return []
    named = [k for k in keywords if stances.get(k.casefold())]
    wrong = _wrongly_lifted(change, keywords, stances) or _held(query, change, named, stances)
    if wrong:
        return [wrong]
    vocabulary = heard(change.group)
    places = [(m.start, m.end) for keyword in named for m, _ in stances[keyword.casefold()]]
    if len(named) == len(keywords) and is_released(query, places):
        return []
    if not named or len(named) == len(keywords):
        nouns = [m.span() for m in vocabulary.anywhere("nouns").finditer(query.shadow)]
        if any(is_lifted(query, *noun) or stance_of(query, *noun) == "lift" for noun in nouns):
            return []
        if vocabulary.anywhere("free").search(query.shadow):
            return []
    return [
        finding(
            "missing", change, f"it does not say that the rule on {', '.join(f'“{k}”' for k in keywords)} is lifted"
        )
    ]


def _wrongly_lifted(change: QueryChange, keywords: Sequence[str], stances: Stances) -> Finding | None:
    known = {k.casefold() for k in keywords}
    for keyword, places in stances.items():
        for mention, stance in places:
            if stance == "lift" and keyword not in known:
                message = f"it lifts “{mention.value}”, which is not the constraint"
                return finding("wrong", change, message, (mention.start, mention.end))
    return None


def _held(query: Query, change: QueryChange, named: Sequence[str], stances: Stances) -> Finding | None:
    """A keyword that is named and plainly not lifted."""
    places = {keyword: stances[keyword.casefold()] for keyword in named}
    for keyword, mentions in places.items():
        kept = [m for m, _ in mentions if is_kept(query, m.start)]
        if kept:
            return finding("reversed", change, f"it keeps “{keyword}”", (kept[0].start, kept[0].end))
    forbidden = [keyword for keyword, mentions in places.items() if all(s == "forbid" for _, s in mentions)]
    if forbidden and len(forbidden) < len(named):
        return finding("reversed", change, f"it still rules out “{forbidden[0]}”")
    return None


# Binds the counts of a query to the keywords they belong to: `“x” twice, and three times “y”`.

_LIST = re.compile(
    r"[\s,&\"'“”‘’`]{0,8}(?:(?:and|or|plus|as\s+well\s+as|the|words?|terms?|phrases?|keywords?|both|also)[\s,\"'“”‘’`]{0,8}){0,6}"
)
_OPENED = re.compile(r"\s{0,4}[\"'“‘`]?\s{0,4}")
_STOP = re.compile(r"[.!?;](?:\s|$)|\n")
_CLOSED = rf"[\"'”’{MASK}]\s{{0,4}},?\s{{0,4}}"
_AFTER, _BETWEEN_COUNTS, _FAR_BEFORE, _FAR_BEHIND = 70, 60, 60, 90
"""Characters at most: from a keyword to its count, between two counts of it, to a count that stands far off."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A mention of a keyword with its count, if it has one."""

    mention: ValueMention
    count: int | None
    exact: bool
    role: Role
    start: int
    end: int
    direct: bool
    """Said right beside the keyword."""


_Pairs = dict[int, list[tuple[Count, bool]]]
"""For every mention its counts, and whether they stand right beside it."""


def bind_counts(query: Query, mentions: Sequence[ValueMention]) -> list[Bound]:
    """Every mention with the counts that belong to it; one that has several appears several times."""
    counts = [c for c in find_counts(query) if not any(m.start <= c.start < m.end for m in mentions)]
    binder = _Binder(query, mentions, counts)
    binder.leading()
    binder.following()
    binder.shared()
    binder.from_afar()
    return [bound for i, mention in enumerate(mentions) for bound in _bounds(query, mention, binder.pairs[i])]


class _Binder:
    """Hands out the counts, each once, in the order of the methods: what stands nearest first."""

    def __init__(self, query: Query, mentions: Sequence[ValueMention], counts: Sequence[Count]) -> None:
        self._query = query
        self._mentions = mentions
        self._free = {c.start: c for c in counts}
        self.pairs: _Pairs = {i: [] for i in range(len(mentions))}

    def _bind(self, i: int, count: Count, direct: bool) -> None:
        self.pairs[i].append((count, direct))
        self._free.pop(count.start, None)

    def leading(self) -> None:
        """`three uses of “x”`."""
        for i, mention in enumerate(self._mentions):
            left = [c for c in self._free.values() if c.end <= mention.start]
            if left and _is_adjacent(self._query, left[-1], mention):
                self._bind(i, left[-1], True)

    def following(self) -> None:
        """`“x” exactly twice`, `“x” from three times to five`."""
        for i, mention in enumerate(self._mentions):
            stop = self._mentions[i + 1].start if i + 1 < len(self._mentions) else len(self._query.text)
            for count in list(self._free.values()):
                if not mention.end <= count.start < stop or not _reaches(self._query, mention.end, count.start):
                    continue
                if not self.pairs[i] or _stands_against(self._query, self.pairs[i][-1][0], count):
                    self._bind(i, count, True)

    def shared(self) -> None:
        """A list with one count at its end: `“x” and “y” twice each`."""
        for i in range(len(self._mentions) - 2, -1, -1):
            behind = self.pairs[i + 1]
            if not self.pairs[i] and behind and self._listed(i) and behind[-1][0].start > self._mentions[i + 1].start:
                self.pairs[i] = [(count, False) for count, _ in behind]

    def from_afar(self) -> None:
        """A count that leads a list, or stands far off in the same sentence: `mention twice the words “x” and “y”`."""
        for i, mention in enumerate(self._mentions):
            if self.pairs[i]:
                continue
            before = self.pairs[i - 1] if i else []
            if before and self._listed(i - 1) and before[-1][0].end <= self._mentions[i - 1].start:
                self.pairs[i] = [(count, False) for count, _ in before]
                continue
            count = self._in_sentence(mention)
            if count is not None:
                self._bind(i, count, False)

    def _listed(self, i: int) -> bool:
        """Whether a mention and the next one form a list."""
        gap = self._query.low[self._mentions[i].end : self._mentions[i + 1].start]
        return _LIST.fullmatch(gap) is not None

    def _in_sentence(self, mention: ValueMention) -> Count | None:
        low, high = self._query.sentence(mention.start)
        free = self._free.values()
        left = [c for c in free if low <= c.start and 0 <= mention.start - c.end <= _FAR_BEFORE]
        right = [c for c in free if c.start < high and 0 <= c.start - mention.end <= _FAR_BEHIND]
        return left[-1] if left else right[0] if right else None


def _is_adjacent(query: Query, count: Count, mention: ValueMention) -> bool:
    gap = query.shadow[count.end : mention.start]
    if not cues().anywhere("counts", "named").search(query.shadow, count.start, count.end):
        return _linked("bare_link").fullmatch(gap) is not None
    if cues().anywhere("counts", "of").search(gap):
        return _linked("link").fullmatch(gap) is not None
    # "use “a” twice “b” once": without `of` the count may belong to what stands before it
    word = cues().framed("counts", "word_link", left="( )?", right="( )?[\"'“‘`]?")
    return (word.fullmatch(gap) or _OPENED.fullmatch(gap)) is not None and _opens(query, count)


def _linked(key: str) -> re.Pattern[str]:
    lead = "( )?" + (r"(<lead> )?" if key == "link" else "") + "("
    return cues().framed("counts", key, left=lead, right="( )?){0,6}[\"'“‘`:]?( )?")


def _opens(query: Query, count: Count) -> bool:
    """No keyword stands right before the count."""
    before = query.shadow[max(0, count.start - 20) : count.start]
    return not cues().framed("counts", "exact", left=f"{_CLOSED}(", right=" )?$").search(before)


def _reaches(query: Query, start: int, end: int) -> bool:
    return end - start <= _AFTER and not _STOP.search(query.shadow[start:end])


def _stands_against(query: Query, first: Count, second: Count) -> bool:
    """Whether a second count stands against the first: `three times instead of five`, `from three to five`."""
    gap = query.shadow[first.end : second.start]
    return len(gap) <= _BETWEEN_COUNTS and cues().anywhere("counts", "against", marks="→").search(gap) is not None


def _bounds(query: Query, mention: ValueMention, counts: Sequence[tuple[Count, bool]]) -> list[Bound]:
    start, end = mention.start, mention.end
    if not counts:
        return [Bound(mention, None, True, role_of(query, start, end, in_list=True), start, end, True)]
    return [
        Bound(mention, c.value, c.exact, role_of(query, c.start, c.end, in_list=True), c.start, c.end, direct)
        for c, direct in counts
    ]


# Finds punctuation marks that a query speaks of, by name or shown.

_EVERYDAY = frozenset(".,:;!?'\"()-/%&@#*_`+=<>$^~|\\")
_CALLED = re.compile(r"\s(?:mark|sign|symbol|character)(?!\w)")
_CALLED_BEFORE = re.compile(r"(?<!\w)(?:mark|sign|symbol|character)\s$")
_NEEDS_NAME = frozenset("-—&*#")
"""Between blanks these may be used and not spoken of: a dash, a list marker."""
_WITH_ARTICLE = frozenset("&*#")
_ARTICLE = re.compile(r"(?<!\w)(?:an?|one)\s$", re.IGNORECASE)
_STOPS = frozenset({",", ".", ";", "?", "!"})
_USED_BY_ALL = frozenset(".,:;!?'\"()-")
"""Marks that stand before another one for other reasons than to be spoken of."""
_AROUND = frozenset({(" ", " "), ("(", ")"), ("“", "”"), ("'", "'"), ('"', '"'), (" ", ""), ("‘", "’"), ("`", "`")})


def marks_in(query: Query) -> Iterator[tuple[str, int, int]]:
    """Marks that the query names or shows, with their places, in order; a longer name wins over one that it holds."""
    spans: set[tuple[str, int, int]] = set()
    for mark, pattern in _names().items():
        spans.update((mark, *m.span()) for m in pattern.finditer(query.shadow))
    for q in query.quotations:
        if len(q.text) == 1 and not (q.text.isalnum() or q.text == "_"):
            spans.add((q.text, q.start, q.end))
    for at, char in enumerate(query.text):
        if _stands_alone(query.text, at) if char in _EVERYDAY else char in _names():
            spans.add((char, at, at + 1))
    outer = (-1, -1)  # the longest so far of those that reach furthest
    for mark, start, end in sorted(spans, key=lambda span: (span[1], -span[2])):
        if not (outer[1] > end or (outer[1] == end and outer[0] < start)):
            yield mark, start, end
        if end > outer[1]:
            outer = (start, end)


def _stands_alone(text: str, at: int) -> bool:
    """A mark between blanks or brackets is spoken of, not used."""
    if text[at] in _WITH_ARTICLE and _ARTICLE.search(text, max(0, at - 5), at) and not text[at + 1 : at + 2].isalnum():
        return True
    if text[at] in _NEEDS_NAME:
        return _CALLED.match(text, at + 1) is not None or _CALLED_BEFORE.search(text, max(0, at - 12), at) is not None
    around = text[at - 1 : at], text[at + 1 : at + 2]
    return around in _AROUND or (around[0] == " " and around[1] in _STOPS and text[at] not in _USED_BY_ALL)


@lru_cache(maxsize=1)
def _names() -> Mapping[str, re.Pattern[str]]:
    """The names of each mark: those of its pool, and those that are only heard."""
    vocabulary, pool = heard("punctuation"), get_group("punctuation").data["pool"]
    named: dict[str, list[str]] = {}
    for mark, name in [*pool["include"], *pool["exclude"]]:
        named.setdefault(mark, []).append(re.escape(name).replace(r"\ ", " ").replace(r"\-", "-?") + "(s|es)?")
    for mark in vocabulary.keys("marks"):
        named.setdefault(mark, []).extend(vocabulary.fragments("marks", mark))
    return {mark: whole_words(names) for mark, names in named.items()}


# Finds pairs of quotation marks and brackets, shown or named.

PAIRS = "() [] {} 《》 〈〉 「」 『』 （） «» 【】 “” ‘’ '' \"\"".split()

_EVERYDAY_PAIR = frozenset({"()", "''", '""', "“”", "‘’"})
"""Pairs that a query uses itself; they count only where they are asked for, or by their names."""
_REACH = 90
"""Characters from a left mark to its partner, at most."""


def find_pairs(query: Query, wanted: Iterable[Params]) -> list[tuple[tuple[str, str], int, int]]:
    """Pairs that the query shows or names, with the range from the left to the right one.

    Marks that the query uses itself (its own brackets and quotation marks) count only where they stand alone or quoted.

    Args:
        query: The query.
        wanted: Pairs looked for although they are everyday marks.
    """
    found = []
    asked = {f"{p['left']}{p['right']}" for p in wanted}
    for pair in PAIRS:
        left, right = pair[0], pair[1]
        spans = _pairs_named(query.low)[pair]
        if not spans and pair not in _EVERYDAY_PAIR - asked:
            spans = _shown(query, left, right)
        if not spans:  # "a quotation in ( )"
            gap = rf"{re.escape(left)}[ .…]{{1,5}}{re.escape(right)}"
            spans = [m.span() for m in re.finditer(gap, query.text)]
        if not spans and pair not in _EVERYDAY_PAIR | {"[]", "{}"}:
            spans = [m.span() for m in re.finditer(rf"{left}[^{left}{right}\n]{{1,40}}{right}", query.text)]
        found += [((left, right), start, end) for start, end in spans]
    return found


@lru_cache(maxsize=256)
def _pairs_named(low: str) -> Mapping[str, list[tuple[int, int]]]:
    """Where each pair is named; a longer name of another pair wins over one that it holds."""
    places = [(pair, m.span()) for pair in PAIRS for m in cues().anywhere("pairs", pair).finditer(low)]
    found: dict[str, list[tuple[int, int]]] = {pair: [] for pair in PAIRS}
    for pair, (start, end) in places:
        if not any(p != pair and s <= start and end <= e and e - s > end - start for p, (s, e) in places):
            found[pair].append((start, end))
    return found


def _shown(query: Query, left: str, right: str) -> list[tuple[int, int]]:
    """Every left mark that stands alone and has its partner, standing alone, behind it."""
    spans = []
    at = _alone(query.text, left, 0)
    while at >= 0:
        partner = _alone(query.text, right, at + 1)
        earlier = _alone(query.text, right, max(0, at - _REACH)) if left != right else -1
        if 0 <= partner - at <= _REACH:
            spans.append((at, partner + 1))
            at = _alone(query.text, left, partner + 1)
        elif 0 <= earlier < at:  # "end with ), opened by ( before"
            spans.append((earlier, at + 1))
            at = _alone(query.text, left, at + 1)
        else:
            at = _alone(query.text, left, at + 1)
    return spans


def _alone(text: str, mark: str, start: int) -> int:
    """The next place where a mark is spoken of and not used: no word touches its inner side."""
    at = text.find(mark, start)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if not after.isalnum() and (mark == "'" or not before.isalnum()):
            return at
        at = text.find(mark, at + 1)
    return -1


# Finds single letters that a query speaks of: `the letter k`, `“K”`, `make K the first one`.

_QUOTED = re.compile(r"[\"'“‘]([A-Za-z])[\"'”’](?!\w)")
_AFTER_CUE = (
    r" (letter |an? |the )?((capital|small|upper-?case|lower-?case) )?[\"'“‘(]?(?P<letter>["
    + MASK
    + r"A-Za-z])(?!"
    + MASK
    + r")[\"'”’)]?(?![\w'’])(?!\s?-\s?\w)"
)
"""A quoted word is masked: its first letter is none by itself."""
_CAPITAL = re.compile(r"(?<![\w'’.-])([B-HJ-Z]|(?<=[aA] )A|(?<=[aA]n )I)(?![\w'’.-]\w)(?![\w'’-])")
_SMALL = re.compile(r"\b(?:an?|one|the|solitary|single|lone)\s([b-hj-z])(?![\w'’-])")
_ONTO = re.compile(r"(?:(?<=\b[OoIi]n )|(?<=\b[Ww]ith ))([AI])(?=[.,;!?]|$|\s(?:rather|instead|btw|as|now|and)\b)")
_AT_EDGE = re.compile(
    r"\b(?:[Ss]tart|[Bb]egin|[Oo]pen|[Ee]nd|[Ff]inish|[Cc]lose)(?:s|es|ning|ing)?\s(?:with|on|in|by)\s(?:an?\s|the\s)?"
    r"(?:(?:capital|big)\s)?([B-HJ-Z])(?![\w'’-])"
)
_AS_EDGE = re.compile(
    r"(?<![\w'’.-])([B-HJ-Z])\s(?:to\sbe|as|be|is|comes|goes)\s(?:the\s|your\s|its\s)?(?:very\s)?"
    r"(?:first|last|opening|closing|final|initial)\b"
)
_MADE = re.compile(
    r"\b(?:[Mm]ake|[Hh]ave|[Ll]et|(?:[Cc]ould|[Cc]an|[Ss]hould|[Mm]ay)"
    r"(?=\s[A-Z]\sbe\sthe\s(?:letter|first|last|opening|closing|final)\b))\s([A-Z])\s(?:be\s)?(?:the|your|its)\b"
)
_LETTER_CALLED = re.compile(
    r"\b[Ll]etter(?:\s+of\s+(?:the|your|its)\s+\w+(?:\s+\w+)?)?"
    r"(?:\s+(?:is|be|as|to|to\s+be|(?:should|must|has\s+to|needs\s+to|ought\s+to|to)\s+be)(?:\s+an?(?=\s+\w\b))?)?:?"
    r"\s+[\"'“‘]?([A-Za-z])(?![\w'’])(?!\s+[\"'“‘]?[A-Za-z](?!\w))"
)


_ALONE_A = re.compile(r"(?<=[a-z,] )(A)(?![\w'’-])")
_ALONE_I = re.compile(
    r"\b(?:with|on|use|have|be|letter|is|initial|an?|by|in|to|for|promised|has|that|learning|of|find)\s(I)(?=[.,;:!?]|$|\s"
    r"(?:as|be|last|first|somehow|is\s(?:the|your|to)|has\sbeen|comes?|at|rather|instead|btw|now|and|this|printed|for\sa)\b)"
)
"""A and I as letters: the article and the speaker stand elsewhere, or are followed by other words."""
_SPEAKER = re.compile(
    r"[Ii](?!\sshould\scome\s(?:first|last))(?:'|’|\s(?:want|need|like|love|had|have|am|would|should|will|can|think|mean|said|see|prefer)\b)"
)
"""`that is the letter I want`."""


def find_edge_letters(query: Query) -> list[int]:
    """Where capitals stand at which a text is said to start or end: `begin with an S`.

    Args:
        query: The query.
    """
    return [m.start(1) for pattern in (_AT_EDGE, _AS_EDGE) for m in pattern.finditer(query.text)]


def find_letters(query: Query, known: set[str]) -> list[int]:
    """Where letters stand that are spoken of.

    Args:
        query: The query.
        known: Letters of the constraint, in lower case: as a lone capital, they need no further word.
    """
    found = {m.start(1) for m in _QUOTED.finditer(query.text)}
    for match in cues().framed("edges", "letter_before", right=_AFTER_CUE).finditer(query.shadow):
        at = match.start("letter")
        letter = query.text[at]
        named = "letter" in match.group() or letter.isupper()
        speaks = letter == "I" or _SPEAKER.match(query.text, at)
        if letter.isalpha() and letter.isascii() and named and not speaks:
            found.add(at)
    alone = (m for pattern in (_CAPITAL, _SMALL, _ONTO, _ALONE_A, _ALONE_I) for m in pattern.finditer(query.text))
    found |= {m.start(1) for m in alone if m[1].lower() in known}
    called = [m for pattern in (_MADE, _LETTER_CALLED, _AT_EDGE, _AS_EDGE) for m in pattern.finditer(query.text)]
    found |= {m.start(1) for m in called if not _SPEAKER.match(query.text, m.start(1))}
    return sorted(found)

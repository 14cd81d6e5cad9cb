"""Reads places of a word: in every paragraph, as the n-th word, down the first letters of the paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evolif.scenarios.instructions.queries.bare_words import unquoted_words, word_before
from evolif.scenarios.instructions.queries.change import Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import Said, finding, is_lifted, is_taken_back, removed
from evolif.scenarios.instructions.queries.mentions import is_quoted, mentions_of, quoted_keywords
from evolif.scenarios.instructions.queries.numbers import find_numbers, find_ordinals
from evolif.scenarios.instructions.queries.polarity import ValueMention, role_of, stance_of
from evolif.scenarios.instructions.queries.reader import Reader
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import heard
from evolif.scenarios.instructions.turns import Finding, Params

_ALONE_PLACED = r"\s{0,4}[,.;:!?]|\s{0,4}$"


class PlacementReader(Reader):
    """Reads where a word is to stand."""

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every place at which a word is wanted: its parameters."""
        return list(_plain_places(query, change))

    def claim(self, query: Query, said: Said) -> Claim | None:
        """Any of them."""
        return Claim("placement", "require", said.value, said.span)

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on where a word stands."""
        return _compare(query, change)


def _compare(query: Query, change: QueryChange) -> list[Finding]:
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


def _lifted(query: Query, change: QueryChange, value: str, places: Sequence[tuple[int, int]]) -> list[Finding]:
    if any(is_lifted(query, *place) or stance_of(query, *place) == "lift" for place in places):
        return []
    if change.keywords and not places:
        wrong = [(q.start, q.end) for q in query.quotations if is_lifted(query, q.start, q.end)]
        if wrong:
            return [finding("wrong", change, f"it lifts something else than “{value}”", wrong[0])]
    return removed(query, change, heard("placement").anywhere("nouns"), free=heard("placement").anywhere("free"))


def _place(query: Query, change: QueryChange) -> list[Finding]:
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


def _position(query: Query, change: QueryChange) -> list[Finding]:
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


def _others(query: Query, change: QueryChange, value: str) -> list[Finding]:
    """Another keyword of the topic in the same place."""
    mine = {value.casefold(), _value(change.before or {}).casefold()}
    keywords = {k.casefold() for k in change.keywords} - mine
    elsewhere = " ".join(str(params).casefold() for _, params in change.others)
    for q in query.quotations:
        text = q.text.casefold()
        if text in keywords and text not in elsewhere and role_of(query, q.start, q.end) == "new":
            return [finding("extra", change, f"it also places “{q.text}”", (q.start, q.end))]
    return []


def _plain_places(query: Query, change: QueryChange) -> Iterator[Said]:
    vocabulary = heard("placement")
    for match in vocabulary.anywhere("spelt").finditer(query.shadow):
        if _spells(query):
            yield Said({"mode": "acrostic"}, *match.span(), "new")
    for match in vocabulary.anywhere("down").finditer(query.shadow):
        if stance_of(query, *match.span()) not in ("forbid", "lift"):
            yield Said({"mode": "acrostic"}, *match.span(), "new")
    words = mentions_of(query, [*change.keywords, *quoted_keywords(query)])
    for mode in ("every_paragraph", "nth"):
        for match in vocabulary.anywhere(mode).finditer(query.shadow):
            if role_of(query, *match.span()) != "new":
                continue
            told = mode == "nth" and _is_placed(query, *match.span())
            word = _beside(query, words, *match.span(), far=not told)
            if mode == "every_paragraph" and word is not None:
                yield Said({"mode": mode, "value": word.value}, *match.span(), "new")
            elif mode == "nth" and (word is not None or told):
                yield Said(_nth(word, match.group()), *match.span(), "new")


def _nth(word: ValueMention | None, told: str) -> Params:
    numbers = find_ordinals(told) or find_numbers(told)
    position = {"mode": "nth_word", "position": numbers[0].value if numbers else 0}
    return position if word is None else {**position, "value": word.value}


def _is_placed(query: Query, start: int, end: int) -> bool:
    """Whether a place is given to some word: `the fifth word is …`, `fifth word: …`."""
    vocabulary = heard("placement")
    if _TOLD.match(query.shadow, end) or vocabulary.after("named").match(query.shadow, end):
        return True
    return vocabulary.before("asks").search(query.shadow, max(0, start - _NEAR), start) is not None


_TOLD = re.compile(r"\s{0,4}[:=]\s{0,4}\S")
_NEAR = 40
"""Characters in front of a place in which a verb asks for it."""


def _beside(query: Query, words: Sequence[ValueMention], start: int, end: int, *, far: bool) -> ValueMention | None:
    """The word that a place is given to: a quoted one, one that is called a word, or a keyword right beside.

    Args:
        query: The query.
        words: Keywords and quoted words.
        start: Where the place is named.
        end: Where its name ends.
        far: Whether a word that is quoted elsewhere in the sentence may be meant.
    """
    low, high = query.sentence(start)
    first, last = query.segment(start)
    here = [word for word in words if low <= word.start < high]
    quoted = [word for word in here if is_quoted(query, word)]
    nearest = [word for word in quoted if first <= word.start < last]
    called = [word for word in unquoted_words(query) if first <= word.start < last]
    into = heard("placement").framed("into", left="\\s{0,4}", right="\\s{0,4}")
    holds = heard("placement").framed("holds", left="\\s{0,4}", right="\\s{0,4}")
    near = [
        word
        for word in here
        if into.fullmatch(query.shadow, word.end, max(word.end, start))
        or holds.fullmatch(query.shadow, end, max(end, word.start))
    ]
    return (
        next(iter((*nearest, *called, *near)), None)
        or word_before(query, start)
        or next(iter(quoted if far else ()), None)
    )

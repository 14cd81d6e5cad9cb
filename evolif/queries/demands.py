"""Reads the plain demands of a query, of every group: what could stand alone as a request.

These readers know nothing of the turn but its keywords. An aside ("I'd be happy if …") is no demand, so a value counts
only in a frame that asks for it: the lists `plain` of each group's vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evolif.queries.change import Change, Claim
from evolif.queries.comparison import is_lifted
from evolif.queries.counted import (
    BULLETS,
    HEADINGS,
    MAX_WORDS,
    NUMBERED,
    QUESTIONS,
    Thing,
    distinct_starts,
    length_claims,
    thing_claims,
)
from evolif.queries.edges import plain_edges
from evolif.queries.keywords import plain_places
from evolif.queries.mentions import bind_counts, is_quoted, marks_in, mentions_of, quoted_keywords, stances_of
from evolif.queries.numbers import UNBOUNDED, Quantity, quantities
from evolif.queries.polarity import Stance, given_up, is_denied, role_of, stance_of
from evolif.queries.reading import Query
from evolif.queries.values import case_claims, choices, format_claims, is_framed
from evolif.queries.vocabulary import cues, heard

Reader = Callable[[Query, Change], Iterator[Claim]]

_CHOICES = {"emotion": "emotion", "audience": "audience", "style": "style", "language": "code"}
_NEAR, _FAR = 60, 24
"""Characters in front of a value that belong to its frame; round a number in which its thing is named."""
_PLAIN_MARKS = frozenset(".,:")
_UNCOMMON = 0xA0
"""The first character beyond those that everybody types."""


def plain_demands(query: Query, change: Change) -> list[Claim]:
    """Everything that the query plainly asks for, in order.

    Args:
        query: The query.
        change: The turn's change; only its keywords and the words of its topic are looked at.
    """
    found = [claim for reader in _READERS for claim in reader(query, change)]
    return sorted(found, key=lambda claim: claim.span)


# One value out of a short list.


def _chosen(group: str, key: str) -> Reader:
    def read(query: Query, change: Change) -> Iterator[Claim]:
        for said in choices(query, group):
            if said.role == "new" and is_framed(query, group, *said.span) and not _quoted(query, said.start):
                yield Claim(group, "require", {key: said.value}, said.span)

    return read


def _format(query: Query, change: Change) -> Iterator[Claim]:
    for said in format_claims(query):
        if said.role == "new" and is_framed(query, "format", *said.span) and not _quoted(query, said.start):
            yield Claim("format", "require", {"mode": said.value}, said.span)


def _case(query: Query, change: Change) -> Iterator[Claim]:
    for said in case_claims(query, change):
        if said.role == "new":
            mode, percent = said.value
            params: dict[str, Any] = {"mode": mode}
            yield Claim("case", "require", params | ({} if percent is None else {"percent": percent}), said.span)


def _quoted(query: Query, at: int) -> bool:
    return any(q.start <= at < q.end for q in query.quotations)


# Numbers.


def _things(group: str, thing: Thing, **more: str) -> Reader:
    def read(query: Query, change: Change) -> Iterator[Claim]:
        if thing.nouns.search(query.shadow) is None:
            return
        for said in thing_claims(query, thing):
            around = query.shadow[max(0, said.start - _FAR) : said.end + 1]
            if said.role == "new" and heard(group).anywhere(thing.key, "plain").search(around):
                yield Claim(group, "require", {**more, **_counted(said.value)}, said.span)

    return read


def _counted(quantity: Quantity) -> dict[str, Any]:
    exact = quantity.low == quantity.high and not quantity.vague
    return {"count": quantity.number} | ({} if exact else {"relation": _relation(quantity)})


def _sized(quantity: Quantity) -> dict[str, Any]:
    """A length as the group stores it; at most 199 is less than 200."""
    relation = _relation(quantity)
    if relation == "less_than":
        return {"relation": relation, "count": quantity.high + 1}
    if relation == "more_than":
        return {"relation": relation, "count": quantity.low - 1}
    between = {"upper": quantity.high} if relation == "between" else {}
    return {"relation": relation, "count": quantity.low, **between}


def _relation(quantity: Quantity) -> str:
    if quantity.vague:
        return "about"
    if quantity.low == quantity.high:
        return "exactly"
    if quantity.high == UNBOUNDED:
        return "more_than"
    return "less_than" if quantity.low <= 1 else "between"


def _bold(query: Query, change: Change) -> Iterator[Claim]:
    """`six bold passages`, `use bold six times`."""
    for match in heard("emphasis").anywhere("named").finditer(query.shadow):
        low, high = query.sentence(match.start())
        for quantity in quantities(query, ranges=False):
            near = low <= quantity.start < high and abs(quantity.start - match.start()) <= _NEAR
            if _counts_another(query, quantity):
                continue
            if near and quantity.number > 1 and role_of(query, quantity.start, quantity.end) == "new":
                yield Claim("emphasis", "require", _counted(quantity), (quantity.start, quantity.end))


def _counts_another(query: Query, quantity: Quantity) -> bool:
    """`five headings, wholly bold lines counted`: the number is of another thing."""
    return cues().after("counted", "another").match(query.shadow, quantity.end) is not None


def _length(query: Query, change: Change) -> Iterator[Claim]:
    for said in length_claims(query):
        unit, quantity = said.value
        if (
            said.role != "new"
            or (quantity.bare and quantity.number == 1)
            or (unit == "sentences" and quantity.number <= 2 and distinct_starts(query))
            or _counts_a_part(query, unit, quantity, said.end)
        ):
            continue
        yield Claim("length", "require", {"unit": unit, **_sized(quantity)}, said.span)


def _counts_a_part(query: Query, unit: str, quantity: Quantity, end: int) -> bool:
    """Words of a sentence, words in bold, sentences that are questions, two that may not be alike."""
    low, high = query.sentence(quantity.start)
    if (
        quantity.bare
        and quantity.number <= 2
        and cues().before("counted", "any_of").search(query.shadow, max(low, quantity.start - _FAR), quantity.start)
    ):
        return True
    vocabulary = heard("sentences")
    if unit == "words":
        bold = heard("emphasis").anywhere("named").search(query.shadow, end, min(high, end + _FAR))
        return bold is not None or vocabulary.anywhere("max_words", "plain").search(query.shadow, low, high) is not None
    asked = vocabulary.anywhere("questions", "plain").search(query.shadow, low, high)
    return unit == "sentences" and asked is not None


def _sentences(query: Query, change: Change) -> Iterator[Claim]:
    for span in distinct_starts(query):
        yield Claim("sentences", "require", {"mode": "distinct_starts"}, span)
    plain = heard("sentences").anywhere("max_words", "plain")
    for said in thing_claims(query, MAX_WORDS):
        low, high = query.sentence(said.start)
        told = "word" in query.shadow[said.start : said.end] and plain.search(query.shadow, low, high)
        if told and said.role == "new" and said.value.high < UNBOUNDED:
            yield Claim("sentences", "require", {"mode": "max_words", "count": said.value.high}, said.span)


# Words and marks.


def _existence(query: Query, change: Change) -> Iterator[Claim]:
    words = mentions_of(query, [*change.keywords, *quoted_keywords(query)])
    for bound in bind_counts(query, words):
        named = cues().anywhere("counts", "named").search(query.shadow, bound.start, bound.end)
        told = query.shadow[bound.start : bound.end]
        if told == "once" and not is_quoted(query, bound.mention):
            continue  # "once two corners are missing"
        if bound.direct and bound.count is not None and bound.role == "new" and named:
            counts = {bound.mention.value: bound.count if bound.exact else -bound.count}
            yield Claim("existence", "require", {"counts": counts}, (bound.start, bound.end))


def _forbidden(query: Query, change: Change) -> Iterator[Claim]:
    quoted = [m for m in mentions_of(query, [*change.keywords, *quoted_keywords(query)]) if is_quoted(query, m)]
    for places in stances_of(query, quoted).values():
        for mention, stance in places:
            if stance == "forbid" or stance == "lift":
                yield Claim("forbidden", stance, {"keywords": [mention.value]}, (mention.start, mention.end))


def _marks(query: Query, change: Change) -> Iterator[Claim]:
    for mark, start, end in marks_in(query):
        stance = stance_of(query, start, end)
        if any(low <= start < high for low, high in given_up(query.shadow)):
            continue
        if stance == "forbid" and mark in _PLAIN_MARKS and not _some(query, start):
            yield Claim("punctuation", "forbid", {"mode": "exclude", "mark": mark}, (start, end))
        elif stance in ("require", "none") and mark not in _PLAIN_MARKS and _is_asked(query, mark, stance, start, end):
            yield Claim("punctuation", "require", {"mode": "include", "mark": mark}, (start, end))


def _some(query: Query, start: int) -> bool:
    return heard("punctuation").before("some").search(query.shadow, max(0, start - 40), start) is not None


def _is_asked(query: Query, mark: str, stance: Stance, start: int, end: int) -> bool:
    """Whether a mark is to be used: an uncommon one, or one that is called by its name."""
    if ord(mark) < _UNCOMMON or role_of(query, start, end) != "new" or is_lifted(query, start, end):
        return False
    if query.text[start:end] == mark:
        if stance == "none":  # "Markdown → HTML"
            return cues().before("beside", "article").search(query.shadow, max(0, start - 16), start) is not None
        return not query.text[start - 1 : start].isalnum()  # "6×" counts
    return heard("punctuation").anywhere("called").search(query.shadow, start, end) is not None


def _digits(query: Query, change: Change) -> Iterator[Claim]:
    vocabulary = heard("digits")
    for match in vocabulary.anywhere("plain").finditer(query.shadow):
        if stance_of(query, *match.span()) == "forbid":
            yield Claim("digits", "forbid", {"mode": "none"}, match.span())
    for match in vocabulary.anywhere("spelled_out").finditer(query.shadow):
        if not is_denied(query, *match.span()):
            yield Claim("digits", "forbid", {"mode": "none"}, match.span())


def _edges(query: Query, change: Change) -> Iterator[Claim]:
    for group, params, span in plain_edges(query, change):
        yield Claim(group, "require", params, span)


def _placement(query: Query, change: Change) -> Iterator[Claim]:
    for params, span in plain_places(query, change):
        yield Claim("placement", "require", params, span)


# What is in force and given up by its name.


def lifts(query: Query, active: Mapping[str, Any]) -> Iterator[Claim]:
    """Constraints in force that the query lifts by the name of their group.

    Args:
        query: The query.
        active: The other constraints in force, by group.
    """
    for group in active:
        vocabulary = heard(group)
        if "lifted" not in vocabulary:
            continue
        for match in vocabulary.anywhere("lifted").finditer(query.shadow):
            if is_lifted(query, *match.span()):
                yield Claim(group, "lift", {}, match.span())
                break


_READERS: Sequence[Reader] = (
    *(_chosen(group, key) for group, key in _CHOICES.items()),
    _format,
    _case,
    _things("bullets", BULLETS),
    _things("bullets", NUMBERED, kind="numbered"),
    _things("headings", HEADINGS),
    _things("sentences", QUESTIONS, mode="questions"),
    _bold,
    _length,
    _sentences,
    _existence,
    _forbidden,
    _marks,
    _digits,
    _edges,
    _placement,
)

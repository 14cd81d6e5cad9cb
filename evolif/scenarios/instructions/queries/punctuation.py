"""Reads punctuation marks to use or to leave out, and digits to leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolif.scenarios.instructions.queries.change import Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import Said, finding, is_kept, is_lifted, is_released
from evolif.scenarios.instructions.queries.keywords import is_said
from evolif.scenarios.instructions.queries.mentions import is_ban_lifted, marks_in
from evolif.scenarios.instructions.queries.polarity import (
    Stance,
    given_up,
    is_denied,
    lifted,
    replaced,
    role_of,
    stance_of,
)
from evolif.scenarios.instructions.queries.reader import Reader
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import cues, heard
from evolif.scenarios.instructions.turns import Finding

_BESIDE = re.compile(r"[\s\"'“”‘’`()\[\],:–—-]{0,6}(?:or\s|i\.?e\.?\s)?[\"'“‘`(]?")
"""What parts a mark from its name, or one name from another."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A mark where the query speaks of it."""

    mark: str
    start: int
    end: int
    stance: Stance
    settled: bool = False
    """Whether the words right beside it tell what is wanted of it now."""

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


class PunctuationReader(Reader):
    """Reads punctuation marks to use or to leave out."""

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every mark that is spoken of, with what the query wants of it."""
        seen = (_Seen(mark, start, end, _stance(query, start, end)) for mark, start, end in _named_once(query))
        return [Said(place, *place.span, "new") for place in seen]

    def claim(self, query: Query, said: Said) -> Claim | None:
        """An everyday mark that is ruled out, or another one that is asked for."""
        place: _Seen = said.value
        if any(low <= place.start < high for low, high in given_up(query.shadow)):
            return None
        everyday = place.mark in _PLAIN_MARKS
        named = place.mark not in _TALKED_OF and query.shadow[place.start : place.end] != place.mark
        if place.stance == "forbid" and (everyday or named):
            return Claim("punctuation", "forbid", {"mode": "exclude", "mark": place.mark}, place.span)
        if place.stance in ("require", "none") and not everyday and _is_asked(query, place):
            return Claim("punctuation", "require", {"mode": "include", "mark": place.mark}, place.span)
        return None

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on a mark."""
        return _compare(query, change, [s.value for s in said])


_PLAIN_MARKS = frozenset(".,:")
_TALKED_OF = frozenset(" ?'\"()[]{}-")
"""Marks that other groups speak of: questions, pairs, hyphens."""
_UNCOMMON = 0xA0
"""The first character beyond those that everybody types."""


def _is_asked(query: Query, place: _Seen) -> bool:
    """Whether a mark is to be used: an uncommon one, or one that is called by its name."""
    mark, (start, end) = place.mark, place.span
    if mark in _TALKED_OF or role_of(query, start, end) != "new" or is_lifted(query, start, end):
        return False
    if ord(mark) < _UNCOMMON and place.stance != "require":  # everybody types these, and speaks of them
        vocabulary = heard("punctuation")
        asked = vocabulary.before("asked").search(query.shadow, max(0, start - 40), start)
        return (asked or vocabulary.after("placed").match(query.shadow, end)) is not None
    if query.text[start:end] == mark:
        if place.stance == "none" or ord(mark) < _UNCOMMON:  # "Markdown → HTML"
            return cues().before("beside", "article").search(query.shadow, max(0, start - 16), start) is not None
        return not query.text[start - 1 : start].isalnum()  # "6×" counts
    return heard("punctuation").anywhere("called").search(query.shadow, start, end) is not None


def _compare(query: Query, change: QueryChange, seen: Sequence[_Seen]) -> list[Finding]:
    mark, mode = change.params["mark"], change.params["mode"]
    seen = [_settled(query, change, place) for place in seen]
    mine = [place for place in seen if place.mark == mark]
    others = [place for place in seen if place.mark != mark]
    if change.kind == "remove":
        return _lifted(query, change, mine, others)
    wanted: Stance = "require" if mode == "include" else "forbid"
    if not mine:
        other = [place.span for place in others if place.stance == wanted]
        return [finding("missing", change, f"it does not name the mark {mark}", *other[:1])]
    accepted = (wanted, "none") if mode == "include" else (wanted,)
    freed = mode == "exclude" and any(place.stance == "lift" for place in others)
    if not any(place.stance in accepted and _is_current(query, change, place, freed) for place in mine):
        what = "use" if mode == "include" else "leave out"
        return [
            finding("missing", change, f"it does not say to {what} the mark {mark}", *(place.span for place in mine))
        ]
    old = (change.before or {}).get("mark")
    kept = [place.span for place in others if place.mark == old and _is_kept_out(query, place)]
    if kept:
        return [finding("reversed", change, f"it keeps the rule on the mark {old}", kept[0])]
    for place in others:
        if place.mark != old and place.stance == wanted and role_of(query, *place.span, in_list=True) == "new":
            return [finding("extra", change, f"it also names the mark {place.mark}", place.span)]
    return []


def _settled(query: Query, change: QueryChange, place: _Seen) -> _Seen:
    """A mark with what only the change tells: `lose the commas` rules out what was not ruled out."""
    after, before = change.after or {}, change.before or {}
    if place.mark == after.get("mark") and after["mode"] == "exclude" and is_said(query, "dropped", *place.span):
        return replace(place, stance="forbid", settled=True)
    if place.mark == after.get("mark") and after["mode"] == "include" and _takes_place(query, place.start):
        return replace(place, stance="require", settled=True)
    was_out = place.mark == before.get("mark") and before["mode"] == "exclude"
    if was_out and change.kind == "modify" and is_said(query, "freed", *place.span):
        return replace(place, stance="lift")
    return place


def _takes_place(query: Query, start: int) -> bool:
    """Whether a mark stands right where the talk of what it replaces ends: `swap the ban on colons for “%”`."""
    before = heard("punctuation").before("swapped_in")
    near = max(0, start - _SWAPPED)
    return before.search(query.shadow, near, start) is not None and any(
        near <= end <= start for _, end in replaced(query.shadow)
    )


_SWAPPED = 24
"""Characters between the end of what is replaced and a mark that takes its place."""


def _named_once(query: Query) -> list[tuple[str, int, int]]:
    """Marks with their places; a name and the mark itself beside it are one: `the comma (,)`."""
    places: list[tuple[str, int, int]] = []
    for mark, start, end in marks_in(query):
        last = places[-1] if places else None
        if last and last[0] == mark and _BESIDE.fullmatch(query.text, last[2], start):
            closed = "(" in query.text[last[2] : start] and query.text[end : end + 1] == ")"
            places[-1] = (mark, last[1], end + closed)
        else:
            places.append((mark, start, end))
    return places


def _is_current(query: Query, change: QueryChange, place: _Seen, freed: bool) -> bool:
    """Whether a mark is spoken of as it is to be now; behind one that is freed, `but not colons` rules colons out."""
    if place.settled:
        return True
    start, spared = place.start, cues().after("keywords", "spared")
    zones = [zone for zone in given_up(query.shadow, True) if not (freed and spared.match(query.shadow, zone[0]))]
    if any(low <= start < high for low, high in zones):
        return False
    return change.kind == "add" or role_of(query, start, start) != "was"


def _is_kept_out(query: Query, place: _Seen) -> bool:
    """`Commas stay out`."""
    return place.stance == "forbid" and is_kept(query, place.start) and role_of(query, *place.span) == "new"


def _stance(query: Query, start: int, end: int) -> Stance:
    stance = stance_of(query, start, end)
    if stance == "forbid" and heard("punctuation").before("some").search(query.shadow, max(0, start - 40), start):
        return "none"  # "no more than three commas" leaves some
    if stance == "forbid" and is_ban_lifted(query, start, end):
        return "lift"
    if stance in ("require", "none") and is_lifted(query, start, end) and role_of(query, start, end) == "old":
        return "lift"
    return stance


def _lifted(query: Query, change: QueryChange, mine: Sequence[_Seen], others: Sequence[_Seen]) -> list[Finding]:
    mark = change.params["mark"]
    if any(_is_free(query, change, place) for place in mine):
        return []
    if is_released(query, [place.span for place in mine]):
        return []
    other = [place for place in others if place.stance == "lift"]
    if other:
        return [finding("wrong", change, f"it lifts the rule on {other[0].mark}, not the one on {mark}", other[0].span)]
    nouns = [m.span() for m in heard("punctuation").anywhere("nouns").finditer(query.shadow)]
    generic = any(is_lifted(query, *noun) or stance_of(query, *noun) == "lift" for noun in nouns)
    if generic and not any(place.stance in ("forbid", "require") for place in mine):
        return []
    message = f"it does not say that the rule on the mark {mark} is lifted"
    return [finding("missing", change, message, *(place.span for place in mine))]


def _is_free(query: Query, change: QueryChange, place: _Seen) -> bool:
    """Whether the query no longer minds a mark, there where it speaks of it."""
    if change.params["mode"] == "exclude" and heard("punctuation").after("out").match(query.shadow, place.end):
        return False  # "full stops are out"
    given = is_lifted(query, *place.span)
    if place.stance == "lift" or (given and place.stance != "forbid"):
        return True
    if place.stance != "forbid" or change.params["mode"] == "exclude":
        return role_of(query, *place.span) == "old"
    # "it works without the dagger, so don't bother with it": not asking for a mark frees it
    return given and bool(lifted(query.shadow))


class DigitsReader(Reader):
    """Reads digits to leave out."""

    def __init__(self) -> None:
        super().__init__("digits")

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every word for digits with what the query wants of them, and ways to have numbers spelled out."""
        vocabulary = heard("digits")
        nouns = [m.span() for m in vocabulary.anywhere("nouns").finditer(query.shadow)]
        spelled = [m.span() for m in vocabulary.anywhere("spelled_out").finditer(query.shadow)]
        return [
            *(Said(("digits", _stance(query, *place)), *place, "new") for place in nouns),
            *(Said(("spelled", "old" if is_denied(query, *place) else "new"), *place, "new") for place in spelled),
        ]

    def claim(self, query: Query, said: Said) -> Claim | None:
        """Digits that are plainly ruled out."""
        kind, stance = said.value
        plain = heard("digits").anywhere("plain").match(query.shadow, said.start)
        if (kind == "digits" and (stance != "forbid" or not plain)) or (kind == "spelled" and stance == "old"):
            return None
        return Claim("digits", "forbid", {"mode": "none"}, said.span)

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on digits to leave out."""
        return _compare_digits(query, change, said)


def _compare_digits(query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
    vocabulary = heard("digits")
    places = [s.span for s in said if s.value[0] == "digits"]
    stances = {s.value[1] for s in said if s.value[0] == "digits"}
    if change.kind == "remove":
        if "lift" in stances or any(is_lifted(query, *place) for place in places) or is_released(query, places):
            return []
        return [finding("missing", change, "it does not say that digits are allowed again", *places)]
    if "forbid" in stances and "lift" not in stances:
        return []
    if any(is_said(query, "dropped", *place) for place in places):
        return []
    if vocabulary.anywhere("ruled_out").search(query.shadow):
        return []
    if "require" not in stances and vocabulary.anywhere("spelled_out").search(query.shadow):
        return []
    return [finding("missing", change, "it does not say to leave out all digits", *places)]

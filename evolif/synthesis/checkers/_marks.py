"""Reads punctuation marks to use or to leave out, and digits to leave out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from evolif.constraints import get_group
from evolif.domain import Finding
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._cues import whole_words
from evolif.synthesis.checkers._removal import is_lifted
from evolif.synthesis.checkers._roles import given_up, lifted, role_of
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._stance import Stance, stance_of

_NOUNS = whole_words(["punctuation( mark)?s?", "marks?", "symbols?", "signs?", "that character"])
_ALPHABET = re.compile(r"\w")


@lru_cache(maxsize=1)
def _names() -> Mapping[str, re.Pattern[str]]:
    """Marks and their names; a longer name wins over one that it holds."""
    data = get_group("punctuation").data
    named: dict[str, list[str]] = {}
    for mark, name in [*data["pool"]["include"], *data["pool"]["exclude"]]:
        named.setdefault(mark, []).append(re.escape(name).replace(r"\ ", " ").replace(r"\-", "-?") + "(s|es)?")
    for mark, names in data["heard"]["marks"].items():
        named.setdefault(mark, []).extend(names)
    return {mark: whole_words(names) for mark, names in named.items()}


def marks_in(query: Query) -> Iterator[tuple[str, int, int]]:
    """Marks that the query names or shows, with their places."""
    spans: list[tuple[str, int, int]] = []
    for mark, pattern in _names().items():
        spans += [(mark, *m.span()) for m in pattern.finditer(query.shadow)]
    for quotation in query.quotations:
        if len(quotation.text) == 1 and not _ALPHABET.match(quotation.text):
            spans.append((quotation.text, quotation.start, quotation.end))
    everyday = set(".,:;!?'\"()-/%&@#*_`+=<>$^~|\\")
    for at, char in enumerate(query.text):
        if (char in _names() and char not in everyday) or (char in everyday and _stands_alone(query.text, at)):
            spans.append((char, at, at + 1))
    for mark, start, end in sorted(set(spans), key=lambda span: span[1]):
        if not any(s <= start and end <= e and e - s > end - start for _, s, e in spans):
            yield mark, start, end


_CALLED = re.compile(r"\s(?:mark|sign|symbol|character)(?!\w)")
_CALLED_BEFORE = re.compile(r"(?<!\w)(?:mark|sign|symbol|character)\s$")
_AROUND = frozenset({(" ", " "), ("(", ")"), ("“", "”"), ("'", "'"), ('"', '"'), (" ", ""), ("‘", "’"), ("`", "`")})


def _stands_alone(text: str, at: int) -> bool:
    """A mark between blanks or brackets is spoken of, not used."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if text[at] in "-—&*#":
        return _CALLED.match(text, at + 1) is not None or _CALLED_BEFORE.search(text, 0, at) is not None
    return (before, after) in _AROUND


def read_punctuation(query: Query, change: Change) -> list[Finding]:
    """Findings on a mark."""
    seen = [(mark, start, end, _stance(query, start, end)) for mark, start, end in marks_in(query)]
    if change.kind == "remove":
        assert change.before is not None  # a removal
        return _lifted(query, change, str(change.before["mark"]), seen)
    assert change.after is not None  # an add or a modification
    mark, mode = change.after["mark"], change.after["mode"]
    wanted: Stance = "require" if mode == "include" else "forbid"
    mine = [place for place in seen if place[0] == mark]
    if not mine:
        other = [(s, e) for m, s, e, stance in seen if stance == wanted]
        return [missing(change, f"it does not name the mark {mark}", *other[:1])]
    accepted = (wanted, "none") if mode == "include" else (wanted,)
    current = [p for p in mine if p[3] in accepted and _is_current(query, change, p[1], p[2])]
    if not current:
        what = "use" if mode == "include" else "leave out"
        return [missing(change, f"it does not say to {what} the mark {mark}", *((s, e) for _, s, e, _ in mine))]
    old = (change.before or {}).get("mark")
    extra = [
        (m, s, e)
        for m, s, e, stance in seen
        if m not in (mark, old) and stance == wanted and role_of(query, s, e, in_list=True) == "new"
    ]
    if extra:
        return [missing(change, f"it also names the mark {extra[0][0]}", extra[0][1:])]
    return []


def _is_current(query: Query, change: Change, start: int, end: int) -> bool:
    if any(low <= start < high for low, high in given_up(query.shadow, True)):
        return False
    return change.kind == "add" or role_of(query, start, start) != "was"


def _stance(query: Query, start: int, end: int) -> Stance:
    stance = stance_of(query, start, end)
    if stance == "forbid" and _SOME.search(query.shadow, max(0, start - 40), start):
        return "none"  # "no more than three commas" leaves some
    return (
        "lift"
        if stance in ("require", "none") and is_lifted(query, start, end) and role_of(query, start, end) == "old"
        else stance
    )


_SOME = re.compile(
    r"(?:than|most|only|just|exactly|to|about)\s+(?:\d+|two|three|four|five|six|seven|eight|nine|ten)\s+[\"'“‘]?$"
)


def _lifted(query: Query, change: Change, mark: str, seen: list[tuple[str, int, int, Stance]]) -> list[Finding]:
    include = (change.before or {}).get("mode") == "include"
    mine = [p for p in seen if p[0] == mark]
    if include and mine and lifted(query.shadow) and all(is_lifted(query, p[1], p[2]) for p in mine):
        return []  # "it works without the dagger, so don't bother with it"
    if any(p[3] == "lift" or (is_lifted(query, p[1], p[2]) and p[3] != "forbid") for p in mine):
        return []
    if mine and any(role_of(query, p[1], p[2]) == "old" and not (include and p[3] == "forbid") for p in mine):
        return []
    other = [p for p in seen if p[0] != mark and p[3] == "lift"]
    if other:
        return [missing(change, f"it lifts the rule on {other[0][0]}, not the one on {mark}", other[0][1:3])]
    generic = [
        m for m in _NOUNS.finditer(query.shadow) if is_lifted(query, *m.span()) or stance_of(query, *m.span()) == "lift"
    ]
    if generic and not any(p[3] in ("forbid", "require") for p in mine):
        return []
    return [
        missing(change, f"it does not say that the rule on the mark {mark} is lifted", *((p[1], p[2]) for p in mine))
    ]


_DIGITS = whole_words(["digits?", "numerals?", "figures", "numbers?( in digits)?"])


def read_digits(query: Query, change: Change) -> list[Finding]:
    """Findings on digits to leave out."""
    places = [m.span() for m in _DIGITS.finditer(query.shadow)]
    stances = {stance_of(query, *place) for place in places}
    if change.kind == "remove":
        if "lift" in stances or any(is_lifted(query, *place) for place in places):
            return []
        return [missing(change, "it does not say that digits are allowed again", *places)]
    if "forbid" in stances and "lift" not in stances:
        return []
    spelled = re.search(
        r"(?<!\w)(?:spell|write)\w*\s+(?:all\s+|every\s+|any\s+|out\s+)*(?:the\s+)?numbers?\s+(?:out|in\s+words|as\s+words|in\s+letters)",
        query.shadow,
    )
    return (
        []
        if spelled and "require" not in stances
        else [missing(change, "it does not say to leave out all digits", *places)]
    )

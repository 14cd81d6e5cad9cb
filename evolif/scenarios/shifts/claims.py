"""What a value really claims (rules 2): without what it denies, and whether it commits itself.

“Ghent (instead of Lisbon)” claims Ghent. “Not Ghent” claims nothing, and “Ghent or somewhere nearby” leaves it open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from evolif.scenarios.shifts.answer_words import answer_words, any_of
from evolif.text import find_all, fold

Manner = Literal["text", "measure", "truth"]
"""What is claimed: words; a number, a date or a time; or yes or no, of which “no” is no denial."""

_FIRST_SIGN = 0xE000
"""Signs of private use stand for values, so that no word of a value is taken for a denial."""
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")
_EMPHASIS = re.compile(r"[*`\"“”]")
_SIGNS = r"[^\w\ue000-\uf8ff]{0,3}"
_STRUCK = re.compile(r"~~[^~]{1,300}~~")
_ARROW = re.compile(r"→|⇒|->|=>")
_CLAUSES = re.compile(r"(\s[-–]\s|—|,(?![0-9])|[;:.](?=\s|$)|\n|[()\[\]])")
_ALL = re.compile(r"(?<!\w)(?:any|every|all|nothing)\w{0,12}(?!\w)", re.IGNORECASE)
_REPLACED = re.compile(r"(?<!\w)replaced (?:by|with)(?!\w)", re.IGNORECASE)
_BUT = re.compile(r"\sbut\s", re.IGNORECASE)
_HELPERS = (
    "is are was were be been has have do does did will would should can could shall must "
    "it that this now later then by you"
).split()
_SLASH = re.compile(rf"[\w{chr(_FIRST_SIGN)}]\s?[/|]\s?[\w{chr(_FIRST_SIGN)}]")
_ROUGH = re.compile(r"[~≈±<>≤≥≲≳]|[0-9]\+(?![0-9])|[0-9][\s-]?ish\b")
_FEW_WORDS = 5


@dataclass(frozen=True, slots=True)
class Claim:
    """What a text claims.

    Attributes:
        text: It, without what it denies; values have signs in their place.
        is_open: Whether it leaves open what it says.
    """

    text: str
    is_open: bool

    def holds(self, place: int) -> bool:
        """Whether it names the value at this place among those that were looked for."""
        return chr(_FIRST_SIGN + place) in self.text


def claim_of(text: str, manner: Manner, values: Sequence[Sequence[str]] = ()) -> Claim:
    """Read what a text claims.

    Args:
        text: A value of an answer, or an entry of a list.
        manner: What it is read as.
        values: Those that are looked for, each by its names as `fold` makes them.

    Example:
        `claim_of("Ghent, not Lisbon", "text", [["ghent"], ["lisbon"]])` holds the value 0, and not the value 1.
    """
    plain = _PRIVATE.sub(" ", text)
    plain = fold(plain) if manner == "text" else plain.replace("’", "'")
    plain = _STRUCK.sub(" ", plain)
    plain = _marked(_EMPHASIS.sub("", plain), values)
    plain = _ARROW.split(plain)[-1]
    pieces = _CLAUSES.split(plain)
    is_open = bool(_words().undecided.search(plain))
    inside = _depths(pieces)
    _deny(pieces, inside, manner)
    left = "".join(pieces)
    return Claim(left, is_open or _leaves_open(pieces, inside, left, manner))


def _depths(pieces: Sequence[str]) -> list[bool]:
    """Whether each piece stands in brackets; every second one is a sign."""
    depth = 0
    inside = []
    for piece in pieces:
        depth = max(0, depth + (piece in ("(", "[")) - (piece in (")", "]")))
        inside.append(depth > 0)
    return inside


def _deny(pieces: list[str], inside: Sequence[bool], manner: Manner) -> None:
    """Take out of a text's clauses what it denies."""
    denied: list[int] = []
    goes_on = False
    for at in range(0, len(pieces), 2):
        sign = pieces[at - 1] if at else ""
        goes_on = goes_on and (sign == ":" if not inside[at] else sign not in ("(", "["))
        piece = pieces[at]
        if manner != "truth" and _words().only_dropped.fullmatch(piece.strip()):
            denied += [at, _before(pieces, inside, at)]
        pieces[at] = " " if goes_on else _kept(piece, manner, is_first=at == 0)
        if not goes_on and piece.strip():
            bare = _words().denied.fullmatch(piece.strip()) is not None  # “not: Ghent”
            goes_on = bare or (inside[at] and not pieces[at].strip())
    for at in denied:
        if at >= 0:
            pieces[at] = ""


def begins_open(text: str) -> bool:
    """Whether a text begins by leaving something open: “if possible”, “or pancakes”."""
    return _words().open.match(text.lstrip()) is not None


def _marked(text: str, values: Sequence[Sequence[str]]) -> str:
    """The text with a sign for each occurrence of a value."""
    spans = [
        (start, end, place)
        for place, names in enumerate(values)
        for name in names
        if name
        for start, end in find_all(text, name)
    ]
    done: list[str] = []
    at = 0
    for start, end, place in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= at:
            done += [text[at:start], chr(_FIRST_SIGN + place)]
            at = end
    return "".join([*done, text[at:]])


def _before(pieces: Sequence[str], inside: Sequence[bool], at: int) -> int:
    """The clause that one is about, which follows it or stands in brackets behind it; -1 if there is none."""
    own = inside[at]
    earlier = range(at - 2, -1, -2)
    if own:
        earlier_outside = [one for one in earlier if not inside[one] and pieces[one].strip()]
        return earlier_outside[0] if earlier_outside else -1
    return next((one for one in earlier if pieces[one].strip() and not inside[one]), -1)


def _kept(piece: str, manner: Manner, *, is_first: bool) -> str:
    """What is left of a clause without what it denies."""
    words = _words()
    replaced = _REPLACED.search(piece)
    if replaced:
        piece = piece[replaced.end() :]
    every = _ALL.search(piece)
    if words.denies_all.search(piece) or (every and _BUT.search(piece, every.end())):
        return " "
    if manner != "truth" and words.ends_dropped.search(piece):
        return " "
    if not is_first and words.denied_first.match(piece.lstrip()):
        return " "
    found = (words.denied_truth if manner == "truth" else words.denied).search(piece)
    if not found:
        return piece
    contrast = _BUT.search(piece, found.end())
    return piece[: found.start()] + (piece[contrast.end() :] if contrast else "")


def _leaves_open(pieces: Sequence[str], inside: Sequence[bool], left: str, manner: Manner) -> bool:
    """Whether what is left of a text hedges, has alternatives, or asks."""
    if "?" in left or (manner == "text" and any(map(_has_value, _SLASH.findall(left)))):
        return True
    if manner == "measure" and _ROUGH.search(left):
        return True
    clauses = ((piece.strip(), within) for piece, within in list(zip(pieces, inside, strict=True))[::2])
    return any(_is_hedge(clause, manner, within) for clause, within in clauses if clause)


def _has_value(text: str) -> bool:
    return any(ord(char) >= _FIRST_SIGN for char in text)


def _is_hedge(clause: str, manner: Manner, within: bool) -> bool:
    """Whether a clause leaves open what the text says; one without a value does if it begins or ends so."""
    words = _words()
    pattern = words.open if manner == "text" else words.open_measure
    found = pattern.search(clause)
    if not found:
        return False
    if _has_value(clause) or (manner != "text" and not within):
        return True
    if not within and len(clause.split()) <= _FEW_WORDS and words.alternative.search(clause):
        return True
    return found.start() == 0 or any(one.end() == len(clause) for one in pattern.finditer(clause))


@dataclass(frozen=True, slots=True)
class _Words:
    """The patterns of denials and hedges; each is a choice of words, so that it takes linear time."""

    undecided: re.Pattern[str]
    open: re.Pattern[str]
    open_measure: re.Pattern[str]
    alternative: re.Pattern[str]
    denied: re.Pattern[str]
    denied_truth: re.Pattern[str]
    denied_first: re.Pattern[str]
    denies_all: re.Pattern[str]
    only_dropped: re.Pattern[str]
    ends_dropped: re.Pattern[str]


@cache
def _words() -> _Words:
    words = answer_words()
    undecided = [one for one in words["open"] if one.startswith(("not ", "no "))]
    hedges = [one for one in words["open"] if one not in undecided]
    helpers = any_of(_HELPERS)
    dropped = any_of(words["dropped"])
    negated = any_of(("not", "never", "no longer"))
    patterns = [
        any_of(undecided),
        any_of(hedges),
        any_of([*hedges, *words["open_measures"]]),
        any_of(("or", "and/or")),
        any_of(words["denied"]),
        any_of(one for one in words["denied"] if one != "no"),
        any_of(words["denied_first"]),
        rf"(?<!\w)[a-z]{{2,6}}n't(?!\w)|{helpers} {negated}",
        rf"(?:{helpers} ){{0,4}}{dropped}(?: {helpers}){{0,4}}{_SIGNS}",
        rf"{dropped}(?: {helpers}){{0,2}}{_SIGNS}\Z",
    ]
    return _Words(*(re.compile(one, re.IGNORECASE) for one in patterns))

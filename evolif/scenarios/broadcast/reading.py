"""How replies are read: what does not count in them, their lines, numbers in digits and words, the letter of an answer.

Accents, Markdown signs and case do not count. Every reading takes linear time, also of a hostile reply.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

FIRST_VERSION: Final = 1
READING_VERSION: Final = 2
"""Stored with every turn; a change of any rule by which replies are read changes it. Turns that were stored without one
are of version 1, and read as they were then."""

_DROPPED: Final = frozenset('*`~#\\$"“”„‟«»″')
_SIGNS: Final = {"_": " ", "→": ">", "⇒": ">", "➜": ">", "➔": ">", "−": "-", "⁃": "-", "…": " ", "•": " ", "·": " "}
_SIGNS_OF_APOSTROPHE: Final = frozenset("'’‘ʼ´′‛")
_LETTERS: Final = {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d"}
_MOST_CHARS: Final = 4
"""What one character may become."""
_MOST_DIGITS: Final = 9
_BREAKS: Final = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]|<br ?/?>", re.IGNORECASE)

_UNITS: Final = "one two three four five six seven eight nine".split()
_TEENS: Final = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
WORD_VALUES: Final = {
    "zero": 0,
    **{word: value for value, word in enumerate([*_UNITS, *_TEENS], start=1)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
}
"""Numbers of one word."""
_UNIT: Final = "|".join(_UNITS)
_SMALL: Final = "|".join([*_TEENS, *_UNITS, "zero"])
BELOW_100: Final = rf"(?:{'|'.join(_TENS)})(?:[ -](?:{_UNIT})(?![a-z]))?|{_SMALL}"
"""A pattern of the numbers from zero to 99 in words; no letter may follow."""
_IN_WORDS: Final = (
    rf"(?:(?:{_UNIT}|a)[ -])?hundred(?![a-z])(?:[ -](?:and[ -])?(?:{BELOW_100})(?![a-z]))?|(?:{BELOW_100})(?![a-z])"
)
_NUMBER: Final = re.compile(
    r"(?<![a-z0-9])(?<![0-9]\.)"
    r"(?:(?P<digits>[0-9]+(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?(?![0-9])(?!(?:st|nd|rd|th)(?![a-z])))"
    rf"|(?P<words>{_IN_WORDS}))"
    r"(?P<points>[ -]?(?:points?|pts?|pointers?|p)(?![a-z]))?"
)
_HEDGED: Final = re.compile(r"(?<![0-9a-z.:])[0-9]{1,4}(?:\.[0-9]{1,2})? or [0-9]{1,4}(?:\.[0-9]{1,2})?(?![0-9:])")
_BRACKETS: Final = re.compile(r"[()\[\]]")
_LEVEL: Final = re.compile(
    r"(?<![a-z])(?:ties?|tied|level|levelled|leveled|even|draws?|drawn|deadlock(?:ed)?|all square)(?![a-z])"
)
_WRAPPED: Final = r"(?:[(\[{]|(?:option|letter|choice|boxed|text)(?![a-z]) ?){0,6}"
_ANSWER: Final = re.compile(
    r"(?<![a-z])answer(?: (?:is|would be|must be))? ?(?:[:=]|-+>?)?"
    rf" ?{_WRAPPED}(?P<letter>[a-e])(?![a-z0-9']|\.[a-z]| ?(?:/|or|and) ?(?-i:[A-E])(?![a-z0-9']))",
    re.IGNORECASE,
)
_CHOSEN: Final = re.compile(
    r"(?<![a-z])(?:boxed ?\{(?:text ?\{)? ?|(?:correct|right) (?:option|choice|letter|one) (?:is|would be) ?:? ?"
    r"(?:option )?[(\[]?)([A-E])(?![A-Za-z0-9'])"
)
_ONLY_LETTER: Final = re.compile(rf"{_WRAPPED}([a-z])[)\]}}]{{0,4}}[.:!]?", re.IGNORECASE)
_LETTER_AND_TEXT: Final = re.compile(r"[(\[{]?([a-e])(?:[)\]}][.:]?|[.:]) .*", re.IGNORECASE)


class _Folded(dict[int, str]):
    """What a character becomes; filled on demand."""

    def __init__(self, *, keeps_case: bool) -> None:
        super().__init__()
        self.keeps_case = keeps_case

    def __missing__(self, code: int) -> str:
        self[code] = found = _folded(chr(code), keeps_case=self.keeps_case)
        return found


def _folded(char: str, *, keeps_case: bool) -> str:
    if char in _SIGNS:
        return _SIGNS[char]
    if char in _SIGNS_OF_APOSTROPHE:
        return "'"
    category = unicodedata.category(char)
    if char in _DROPPED or category in ("Mn", "Me", "Cf"):
        return ""
    if category == "Pd":
        return "-"
    if category in ("Zs", "Zl", "Zp", "Cc"):
        return " "
    if category == "No":  # a footnote's ² is no 2
        return char
    plain = "".join(part for part in unicodedata.normalize("NFKD", char) if unicodedata.category(part) != "Mn")
    if keeps_case:
        return plain[:_MOST_CHARS]
    return "".join(_LETTERS.get(part, part) for part in plain.casefold())[:_MOST_CHARS]


_FOLDED: Final = _Folded(keeps_case=False)
_CASED: Final = _Folded(keeps_case=True)


def fold(line: str) -> str:
    """A line in which accents, Markdown signs, case and the width of signs and spaces do not count."""
    return " ".join(line.translate(_FOLDED).split())


def lines_of(reply: str) -> list[str]:
    """The folded lines of a reply, without empty ones; of `20 or 21` neither number counts."""
    lines = [line for line in map(fold, _BREAKS.split(reply)) if line]
    return [_HEDGED.sub(" ", line) if " or " in line else line for line in lines]


class StatedNumber(NamedTuple):
    """A number in a line.

    Attributes:
        start: Where it begins.
        end: Where it ends, with the word for points.
        value: A number of too many digits is infinite.
        points: Whether the word for points follows, as in `2 points` or `3-pointer`.
    """

    start: int
    end: int
    value: float
    points: bool


def numbers_in(line: str, start: int = 0, end: int | None = None) -> list[StatedNumber]:
    """The numbers of a folded line, or of a piece of it, in digits or words; `2nd` is none."""
    return [_number(found) for found in _NUMBER.finditer(line, start, len(line) if end is None else end)]


def _number(found: re.Match[str]) -> StatedNumber:
    digits, words, points = found.groups()
    value = _in_words(words) if digits is None else _in_digits(digits)
    return StatedNumber(*found.span(), value, points is not None)


def _in_digits(digits: str) -> float:
    if len(digits) <= _MOST_DIGITS and digits.isdecimal():
        return int(digits)
    whole, _, decimals = digits.replace(",", "").partition(".")
    if len(whole) > _MOST_DIGITS:
        return float("inf")
    return float(f"{whole}.{decimals[:_MOST_DIGITS]}") if decimals else int(whole)


def _in_words(words: str) -> int:
    total = 0
    for word in words.replace("-", " ").split():
        total = 100 * max(total, 1) if word == "hundred" else total + WORD_VALUES.get(word, 0)
    return total


def brackets_in(line: str) -> list[tuple[int, int]]:
    """Where the brackets of a line stand that lie in no other ones; one that is never closed is none."""
    found: list[tuple[int, int]] = []
    depth = start = 0
    for sign in _BRACKETS.finditer(line):
        if sign[0] in "([":
            start = sign.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                found.append((start, sign.end()))
    return found


def without(line: str, spans: Iterable[tuple[int, int]]) -> str:
    """A line with spaces in place of some spans, which come in order and do not overlap."""
    parts, done = [], 0
    for start, end in spans:
        parts += [line[done:start], " " * (end - start)]
        done = end
    return "".join([*parts, line[done:]])


def says_level(line: str) -> bool:
    """Whether a folded line says that the score is level."""
    return _LEVEL.search(line) is not None


def letter_of(reply: str) -> str | None:
    """The letter of an answer: of the last `Answer: X`, else of a reply that is one letter; None if there is none."""
    lines = [line for line in (" ".join(raw.translate(_CASED).split()) for raw in _BREAKS.split(reply)) if line]
    text = " ".join(lines)
    letters = [found["letter"] for found in _ANSWER.finditer(text) if not _is_article(text, found)]
    if letters:
        return letters[-1].upper()
    if len(lines) == 1 and (alone := _ONLY_LETTER.fullmatch(text) or _LETTER_AND_TEXT.fullmatch(text)):
        return alone[1].upper()
    return None


def chosen_letter(reply: str) -> str | None:
    """The letter of an answer that is boxed, or said to be the right option; the last of several."""
    text = " ".join(" ".join(raw.translate(_CASED).split()) for raw in _BREAKS.split(reply))
    found = _CHOSEN.findall(text)
    return str(found[-1]).upper() if found else None


def _is_article(text: str, found: re.Match[str]) -> bool:
    """Whether the letter is the word in `the answer is a dozen`."""
    return found["letter"] == "a" and text[found.end() : found.end() + 2].strip()[:1].isalpha()


def quoted(line: str, most: int = 160) -> str:
    """A line as evidence: cut if it is long."""
    return line if len(line) <= most else f"{line[: most - 1]}…"

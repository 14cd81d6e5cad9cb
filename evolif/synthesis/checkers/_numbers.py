"""Numbers in a query, in digits and in words."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_UNITS = {word: value for value, word in enumerate(_ONES)} | {"single": 1}
_TENFOLD = {word: 10 * value for value, word in enumerate(_TENS, 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "dozen": 12}

_WORD = "|".join(sorted([*_ONES, *_TENS], key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?<![\w.,])\d{{1,3}}(?:[,\u00a0\u202f]\d{{3}})+(?!\w|,\d)|(?<![\w.,])\d{{1,9}}(?:\.\d{{1,3}})?(?=k?(?!\w))k?"
    rf"|(?<!\w)(?:half\s+a\s+dozen|a\s+single|a\s+couple(?:\s+of)?"
    rf"|(?:(?:{_WORD}|an?)(?:[\s-]+(?:and\s+)?)){{0,4}}(?:hundred|thousand|dozen)"
    rf"(?:[\s-]+(?:and\s+)?(?:{_WORD}|hundred))*"
    rf"|(?:{_WORD})(?:[\s-]+(?:{_WORD}))?|single)(?!\w)",
    re.IGNORECASE,
)
_ORDINALS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        1,
    )
}
_ORDINAL = re.compile(rf"(?<!\w)(?:(\d{{1,4}})(?:st|nd|rd|th)|({'|'.join(_ORDINALS)}))(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Number:
    """A number and where it stands."""

    start: int
    end: int
    value: int


def find_numbers(text: str) -> list[Number]:
    """All whole numbers of a text, in order; a decimal that is not whole is none."""
    found = []
    for match in _NUMBER.finditer(text):
        value = _value(match.group().lower())
        if value is not None:
            found.append(Number(match.start(), match.end(), value))
    return found


def find_ordinals(text: str) -> list[Number]:
    """`third`, `5th` and their like, in order."""
    return [Number(m.start(), m.end(), int(m[1]) if m[1] else _ORDINALS[m[2].lower()]) for m in _ORDINAL.finditer(text)]


def _value(written: str) -> int | None:
    if written[0].isdigit():
        factor = 1000 if written.endswith("k") else 1
        value = float(re.sub(r"[,\u00a0\u202fk]", "", written)) * factor
        return int(value) if value == int(value) else None
    if written.startswith("half"):
        return 6
    if written.startswith("a couple"):
        return 2
    return _in_words(re.split(r"[\s-]+", written))


def _in_words(parts: list[str]) -> int | None:
    total = current = 0
    for part in parts:
        if part in ("a", "an"):
            continue  # "a hundred", "a single"
        if part in _SCALES:
            current = max(current, 1) * _SCALES[part]
            if part == "thousand":
                total, current = total + current, 0
        elif part in _TENFOLD:
            current += _TENFOLD[part]
        elif part in _UNITS:
            current += _UNITS[part]
    return total + current

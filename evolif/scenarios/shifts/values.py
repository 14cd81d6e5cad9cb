"""The value that an answer gives for a key, compared with what was agreed (rules 2).

Numbers and dates may be in words, plurals in place of singulars, and “n/a” in place of null; what a value denies or
leaves open does not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

from evolif.scenarios.shifts.answer_words import answer_words, any_of, month_numbers
from evolif.scenarios.shifts.claims import Claim, Manner, begins_open, claim_of
from evolif.scenarios.shifts.reading import (
    JsonNumber,
    dates_of,
    decimal_of,
    entries_of,
    numbers_of,
    texts_of,
    times_of,
    truths_of,
)
from evolif.text import fold

_WRAPS = 8
"""So many lists or objects of one value are opened."""
_LONGEST = 1000
"""Characters of a value in which words are looked for; a longer one is no answer to a question for one value."""
_REMARK = re.compile(r"\s?\(|\s[-–]\s|—|[,;]\s")
_EDGES = " \t\n.!?*_`'\"()[]{}-–—"


def alone(value: Any) -> Any:
    """The value in a list of one, or in an object of one or with the key `value`; any other as it is."""
    for _ in range(_WRAPS):
        if isinstance(value, dict) and ("value" in value or len(value) == 1):
            value = value["value"] if "value" in value else next(iter(value.values()))
        elif isinstance(value, list) and len(value) == 1:
            value = value[0]
        else:
            break
    return value


def says_nothing(text: str) -> bool:
    """Whether a text says that nothing is agreed: `n/a`, `None`, `—`, “not agreed (withdrawn)”."""
    nothing = answer_words()["nothing"]
    folded = fold(text)[:_LONGEST]
    if not folded.strip(_EDGES) or folded.strip(_EDGES) in nothing or folded.strip() in nothing:
        return True
    remark = _REMARK.search(folded)
    if remark is None or folded[: remark.start()].strip(_EDGES) not in nothing:
        return False
    rest = folded[remark.end() :]
    return rest.strip(_EDGES) in nothing or not claim_of(rest, "text").is_open


def said_texts(value: Any) -> list[str]:
    """The texts in a value, but for those that say that nothing is agreed."""
    return [text for text in texts_of(value) if isinstance(text, JsonNumber) or not says_nothing(text)]


def said_entries(value: Any) -> list[str]:
    """The entries of a list, but for those that say that nothing is agreed."""
    value = alone(value) if isinstance(value, dict) else value
    entries: list[str] = []
    for text in entries_of(value):
        if entries and isinstance(value, str) and begins_open(text):
            entries[-1] += f", {text}"  # “waffles, if possible” is one
        elif not says_nothing(text):
            entries.append(text)
    return entries


def names_of(words: Sequence[str]) -> list[str]:
    """The names of a value as `fold` makes them, in singular and plural."""
    folded = [fold(word).strip() for word in words]
    return [*folded, *(other for word in folded for other in _other_numbers(word))]


def _other_numbers(word: str) -> Iterator[str]:
    """The plural or the singular of a name's last word; some of them no dictionary has."""
    if len(word) < 3 or not word[-3:].isalpha():
        return
    if word.endswith("ies"):
        yield f"{word[:-3]}y"
    elif word.endswith(("ches", "shes", "xes", "sses", "zes", "oes")):
        yield word[:-2]
    elif word.endswith("ves"):
        yield from (f"{word[:-3]}f", f"{word[:-3]}fe", word[:-1])
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        yield word[:-1]
    elif word.endswith("y") and word[-2] not in "aeiou":
        yield f"{word[:-1]}ies"
    else:
        yield f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"


class TextRead:
    """A value of words, or an entry of a list, read for those that a goal is about.

    Args:
        texts: What stands under the key.
        values: Names of each value that is looked for.
    """

    def __init__(self, texts: Sequence[str], values: Sequence[Sequence[str]]) -> None:
        self._claims: list[Claim] = [claim_of(text, "text", values) for text in texts]

    def claims(self, place: int) -> bool:
        """Whether one of the texts claims a value, by its place, and leaves nothing open."""
        return any(claim.holds(place) and not claim.is_open for claim in self._claims)

    def names(self, place: int) -> bool:
        """Whether one of the texts names a value, by its place, and does not deny it."""
        return any(claim.holds(place) for claim in self._claims)


_BESIDE_DATE = re.compile(
    r",\s(?=[0-9]{4}(?![0-9]))|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b[.,]{0,2}",
    re.IGNORECASE,
)
"""The name of a weekday, and a comma before a year: neither parts clauses."""


def measures_of(kind: str, text: str) -> tuple[list[Any], bool]:
    """The numbers, dates, times or answers that a text claims, and whether it leaves them open.

    Args:
        kind: The type of the goal.
        text: What stands under its key; a `JsonNumber` is read as a number.
    """
    read = _READERS[kind]
    if isinstance(text, JsonNumber) or len(text) > _LONGEST:
        return read(text), False
    manner: Manner = "truth" if kind == "yes_no" else "measure"
    claim = claim_of(_BESIDE_DATE.sub(" ", text) if kind == "date" else text, manner)
    return read(claim.text), claim.is_open


def all_measures(kind: str, text: str) -> list[Any]:
    """The same of a text with all that it denies."""
    return _READERS[kind](text)


def _numbers(text: str) -> list[Any]:
    return numbers_of(text) or ([] if isinstance(text, JsonNumber) else _spelled(text))


_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_COUNTS = {word: number for number, word in enumerate(_SMALL)} | {word: 10 * at for at, word in enumerate(_TENS, 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6}
_WORD = re.compile(r"[^\W\d_]+")


def _spelled(text: str) -> list[Any]:
    """The numbers that a text spells out; “and” and commas join the parts of one."""
    found: list[Any] = []
    whole = part = 0
    reading = False
    for word in [*_WORD.findall(text.lower()[:_LONGEST]), ""]:
        if word in _COUNTS:
            part += _COUNTS[word]
            reading = True
        elif word in _SCALES and (reading or not found):
            part = max(part, 1) * _SCALES[word]
            if word != "hundred":
                whole, part = whole + part, 0
            reading = True
        elif word != "and" and reading:
            found.append(Decimal(whole + part))
            whole, part, reading = 0, 0, False
    return found


_FIGURES = re.compile(
    r"(?<![\w./-])(?:(?P<y1>[0-9]{4})(?P<s1>[-/.])(?P<m1>[0-9]{1,2})(?P=s1)(?P<d1>[0-9]{1,2})"
    r"(?:[T ][0-9]{2}:[0-9:.]{2,12}Z?)?"
    r"|(?P<a>[0-9]{1,2})(?P<s2>[/.-])(?P<b>[0-9]{1,2})(?P=s2)(?P<y2>[0-9]{4}))(?![\w/-]|\.[0-9])"
)


def _dates(text: str) -> list[Any]:
    """The different dates of a text. In `07/06/2028` nobody knows which is the month, unless a dot parts them."""
    found = [*dates_of(text)]
    if not isinstance(text, JsonNumber):
        text = text[:_LONGEST]
        for match in _FIGURES.finditer(text):
            if match["y1"]:
                found += _date(match["y1"], match["m1"], match["d1"])
            elif match["s2"] == "." or int(match["a"]) > 12 or match["a"] == match["b"]:
                found += _date(match["y2"], match["b"], match["a"])
            elif int(match["b"]) > 12:
                found += _date(match["y2"], match["a"], match["b"])
        for match in _dates_in_words().finditer(text):
            day = (match["d1"] or match["d2"]).lower()
            number = _ordinals().get(day.replace("-", " ")) or day.rstrip("stndrh")
            found += _date(match["y"], str(month_numbers()[(match["m1"] or match["m2"]).lower()]), str(number))
    return list(dict.fromkeys(found))


def _date(year: str, month: str, day: str) -> list[date]:
    try:
        return [date(int(year), int(month), int(day))]
    except ValueError:
        return []


@cache
def _ordinals() -> Mapping[str, int]:
    first = (
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
    ).split()
    numbers = {word: at for at, word in enumerate(first, 1)}
    numbers |= {f"twenty {word}": 20 + at for at, word in enumerate(first[:9], 1)}
    return numbers | {"thirtieth": 30, "thirty first": 31}


@cache
def _dates_in_words() -> re.Pattern[str]:
    """A day, a month and a year, or a month, a day and a year."""
    spelled = "|".join(sorted((word.replace(" ", "[ -]") for word in _ordinals()), key=len, reverse=True))
    day = rf"[0-9]{{1,2}}(?:st|nd|rd|th)?|{spelled}"
    months = "|".join(sorted(month_numbers(), key=len, reverse=True))
    return re.compile(
        rf"(?<!\w)(?:(?P<d1>{day})\.?\s{{1,3}}(?:of\s{{1,3}})?(?P<m1>{months})\b|"
        rf"(?P<m2>{months})\b\.?\s{{1,3}}(?:the\s{{1,3}})?(?P<d2>{day})\b)[.,]{{0,2}}\s{{0,3}}(?P<y>[0-9]{{4}})(?!\w)",
        re.IGNORECASE,
    )


_DOTTED = re.compile(
    r"(?<![\w.:,])([0-9]{1,2})[.h]([0-5][0-9])(?=\s{0,2}(?:[ap]\.?m\b|uhr\b|o'clock\b|h\b|$|[,;)(]))", re.I
)
_SECONDS = re.compile(r"(?<![\w:])([0-9]{1,2}:[0-5][0-9]):[0-5][0-9](?![\w:])")
_HALF_DAY = re.compile(r"\bin the (morning|afternoon|evening)\b|\b(at night|tonight)\b", re.IGNORECASE)
_SPOKEN = re.compile(
    r"(?<!\w)(?:(half|(?:a )?quarter|five|ten|twenty|twenty-five) (past|to) )?"
    r"(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?: o'clock)?"
    r"(?= ?(?:[ap]\.?m\b|in the |at night|$))",
    re.IGNORECASE,
)
_MINUTES = {"half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_NAMED = {"noon": 720, "midday": 720, "midnight": 0}
_AFTER_NOON = re.compile(r"p\.?m\b|afternoon|evening|night", re.IGNORECASE)


def _times(text: str) -> list[Any]:
    """The different times of day of a text, in minutes since midnight."""
    if isinstance(text, JsonNumber):
        return times_of(text)
    text = text[:_LONGEST]
    plain = _SECONDS.sub(r"\1", _DOTTED.sub(r"\1:\2", text))
    found = times_of(plain)
    half = _HALF_DAY.search(text)
    if half and (half[1] or "").lower() != "morning":
        found = [time + 720 if 60 <= time < 720 else time for time in found]
    if not found:
        found = list(_spoken_times(text))
    return list(dict.fromkeys(found))


def _spoken_times(text: str) -> Iterator[int]:
    yield from (_NAMED[word] for word in _WORD.findall(text.lower()) if word in _NAMED)
    late = 720 if _AFTER_NOON.search(text) else 0
    for match in _SPOKEN.finditer(text):
        hour = _COUNTS[match[3].lower()] % 12
        minutes = _MINUTES[match[1].lower()] if match[1] else 0
        total = 60 * hour + (minutes if (match[2] or "past").lower() == "past" else -minutes)
        yield (total + late) % 1440


def _truths(text: str) -> list[Any]:
    """What a text answers: its first word does, unless another one says the contrary."""
    whole = truths_of(text)
    if whole:
        return whole
    words = answer_words()
    first = _FIRST_WORD.search(text.lower())
    if first is None or first[1] not in (*words["true_words"], *words["false_words"]):
        return []
    said = [bool(match[1]) for match in _answers().finditer(text)]
    return [first[1] in words["true_words"]] if len(set(said)) <= 1 else said


_FIRST_WORD = re.compile(r"(\w+|[✓✔✅☑✗✘❌✖☒])")


@cache
def _answers() -> re.Pattern[str]:
    return re.compile(rf"({any_of(('yes', 'true'))})|{any_of(('no', 'false'))}", re.IGNORECASE)


_READERS: Mapping[str, Callable[[str], list[Any]]] = {
    "number": _numbers,
    "date": _dates,
    "time": _times,
    "yes_no": _truths,
}


def wanted_of(kind: str, value: Any) -> Any:
    """The value of a goal as its reader gives it; None if it is none of this type."""
    if kind == "number" and not isinstance(value, str):
        return decimal_of(value)
    return next(iter(_READERS[kind](str(value).lower() if isinstance(value, bool) else str(value))), None)

"""Numbers in a query, in digits and in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evolif.scenarios.instructions.queries.comparison import Said
from evolif.scenarios.instructions.queries.polarity import role_of
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import cues, heard

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
    rf"(?<![\w.,])\d{{1,3}}(?:[,\u00a0\u202f]\d{{3}})+(?!\w|,\d)|(?<![\w.,])\d{{1,9}}(?:\.\d{{1,3}})?(?=[kx]?(?!\w))k?"
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


_IDLE = re.compile(r"(?<!\w)by\sthe\s$")
_THANKS = re.compile(r"\s(?:many\s)?(?:thanks|apologies)(?!\w)")
"""Before and behind a number that counts nothing: `thanks by the dozen`, `a thousand thanks`."""


def find_numbers(text: str) -> list[Number]:
    """All whole numbers of a text, in order; a decimal that is not whole is none."""
    found = []
    for match in _NUMBER.finditer(text):
        value = _value(match.group().lower())
        idle = _IDLE.search(text, max(0, match.start() - 8), match.start()) or _THANKS.match(text, match.end())
        if value is not None and not idle:
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


# Quantities with their relation: `fewer than 200`, `five or more`, `between 3 and 6`.

UNBOUNDED = 10**9
_PRONOUN = 90
"""Characters behind a number in which a pronoun may stand for it."""
_LOOK_BACK = 48
_UNIT = re.compile(r"\s{0,4}(?:words|sentences|paragraphs|characters|lines)")
_DASH = re.compile(r"\s{0,4}[-–—]\s{0,4}")
_TO = re.compile(r"\s{0,4}(?:-|–|—|to)\s{0,4}")
_UP_TO = re.compile(r"(?<!\w)up\s{1,4}to\s{1,4}$")
_CLAUSE_END = re.compile(r"[,;:.!?()]|\s[-–—]|—")


@dataclass(frozen=True, slots=True)
class Quantity:
    """Whole numbers from `low` to `high`, both included."""

    low: int
    high: int
    start: int
    end: int
    vague: bool = False
    """The query says about, roughly, or so."""
    bare: bool = False
    """No relation was said; taken as exactly that number."""
    number: int = 0
    """The number that was said; the first of a range."""


def quantities(query: Query, *, ranges: bool = True, moves: bool = False) -> Iterator[Quantity]:
    """Every number of the query with what is said of its size, in order; quotations are not read.

    Args:
        query: The query.
        ranges: Whether `3 to 5` is one quantity.
        moves: Whether `from 3 to 5` is an old and a new number.
    """
    numbers = find_numbers(query.shadow)
    index = 0
    while index < len(numbers):
        first = numbers[index]
        second = numbers[index + 1] if index + 1 < len(numbers) else None
        if ranges and second is not None and not (moves and _is_old(query, first)) and _is_range(query, first, second):
            yield Quantity(first.value, second.value, first.start, second.end, number=first.value)
            index += 2
        else:
            yield _single(query, first)
            index += 1


def relation(quantity: Quantity) -> str:
    """The relation of a quantity, as a length is stored; `about` where it is vague."""
    if quantity.vague:
        return "about"
    if quantity.low == quantity.high:
        return "exactly"
    if quantity.high == UNBOUNDED:
        return "more_than"
    return "less_than" if quantity.low <= 1 else "between"


def size_before(query: Query, start: int) -> str | None:
    """What the words right before a number say of it: `most`, `least`, `less`, `more`, `exact`, `vague`, or nothing."""
    cue = _size_cue(query, start)
    return cue.lastgroup if cue else None


def counts_as_one(query: Query, quantity: Quantity) -> bool:
    """`a list counts as one paragraph` says how to count, not how many."""
    return quantity.number == 1 and _is_as_one(query, quantity.start)


def _is_as_one(query: Query, start: int) -> bool:
    return cues().before("sizes", "as_one").search(query.shadow, max(0, start - 12), start) is not None


def _is_old(query: Query, number: Number) -> bool:
    start = number.start
    return cues().before("sizes", "from").search(query.shadow, max(0, start - _LOOK_BACK), start) is not None


def _is_range(query: Query, first: Number, second: Number) -> bool:
    if second.value <= first.value:
        return False
    between = query.shadow[first.end : second.start]
    if _TO.fullmatch(between) or (between == " or " and second.value == first.value + 1):
        return True
    unit = _UNIT.match(between)
    between = between[unit.end() :] if unit else between
    start = first.start
    opened = cues().before("sizes", "range").search(query.shadow, max(0, start - _LOOK_BACK), start)
    linked = cues().framed("sizes", "range_to", left="( )?", right="( )?").fullmatch(between)
    return opened is not None and (linked is not None or _DASH.fullmatch(between) is not None)


def _size_cue(query: Query, start: int) -> re.Match[str] | None:
    pattern = cues().framed("sizes", "before", right="( <size_fill>){0,2}( )?$")
    return pattern.search(query.shadow, max(0, start - _LOOK_BACK), start)


_UP_TO_SIZE = r"[\s-]{0,4}((?!(instead|place|rather)\b)[\w']{1,40}[\s-]{1,4}){0,5}?"
"""Words between a number and what is said of its size."""


def _single(query: Query, number: Number) -> Quantity:
    value = number.value
    before = _size_cue(query, number.start)
    rest = _CLAUSE_END.split(query.shadow[number.end : number.end + 60], maxsplit=1)[0]
    after = cues().framed("sizes", "after", left=_UP_TO_SIZE).match(rest)
    kind = _kind(query, number, before.lastgroup if before else None, after.lastgroup if after else None)
    kind = kind or ("least" if _PLUS.match(query.shadow, number.end) else None)
    kind = (not before and by_pronoun(query, number.end)) or kind or _added(query, number)
    low, high = {
        "most": (0, value),
        "least": (value, UNBOUNDED),
        "less": (0, value - 1),
        "more": (value + 1, UNBOUNDED),
    }.get(kind or "", (value, value))
    if before and kind in ("less", "more") and _is_denied(query, before.start()):
        low, high = (value, UNBOUNDED) if kind == "less" else (0, value)
    return Quantity(low, high, number.start, number.end, kind == "vague", kind is None, value)


_PLUS = re.compile(r"\+(?=\s?[a-z])")
"""`100+ words`."""


def _added(query: Query, number: Number) -> str | None:
    """A bound that is added behind a comma: `9 bullets, please, or more`."""
    found = cues().anywhere("sizes", "added").search(query.shadow, number.end, number.end + _PRONOUN)
    if found is None or not query.shadow[: found.start()].endswith(", "):
        return None
    return None if _SENTENCE.search(query.shadow, number.end, found.start()) else found.lastgroup


_SENTENCE = re.compile(r"[.!?;]\s|\d")


def by_pronoun(query: Query, end: int) -> str | None:
    """What a pronoun in the next words says of a number: `300 words is not enough, so write more than that`.

    Args:
        query: The query.
        end: Where the number ends.
    """
    found = cues().anywhere("sizes", "pronoun").search(query.shadow, end, end + _PRONOUN)
    return found.lastgroup if found and not _NUMBER.search(query.shadow, end, found.start()) else None


def _kind(query: Query, number: Number, before: str | None, after: str | None) -> str | None:
    """The relation that the words before a number and those behind it make together."""
    cannot_be = cues().before("sizes", "cannot_be")
    if after == "least" and cannot_be.search(query.shadow, max(0, number.start - _LOOK_BACK), number.start):
        return "less"  # "it can't be 4 paragraphs or longer"
    if before is None:
        return after
    moved = cues().before("sizes", "moved")
    if before == "most" and moved.search(query.shadow, max(0, number.start - 60), number.start):
        return None  # "bump the bullets up to five" names where they end
    if after is not None and before == "exact":
        return after
    if before == "most" and after == "exact" and _UP_TO.search(query.shadow, max(0, number.start - 12), number.start):
        return None  # "up to fourteen, exactly"
    if before == "vague" and after in ("least", "most"):
        return after
    return before


def _is_denied(query: Query, at: int) -> bool:
    """`don't go over 200`, `never below 200`."""
    return cues().before("sizes", "denied").search(query.shadow, max(0, at - 40), at) is not None


# Finds the numbers of times that a query speaks of: `twice`, `exactly 3 uses`, `three times or more`.

_ADVERBS = {"once": 1, "twice": 2, "thrice": 3}
_LOOSE = ("most", "least", "less", "more", "vague")


@dataclass(frozen=True, slots=True)
class Count:
    """A number of times, where the query says it."""

    start: int
    end: int
    value: int
    exact: bool


def find_counts(query: Query) -> list[Count]:
    """All numbers of times, in order."""
    shadow = query.shadow
    found = []
    for match in cues().anywhere("counts", "adverb").finditer(shadow):
        start, end = match.span()
        if match.group() != "once" or not _is_no_count(query, start, end):
            found.append(Count(start, end, _ADVERBS[match.group()], _is_exact(query, start, end)))
    for number in find_numbers(shadow):
        if cues().after("counts", "next").match(shadow, number.end):
            continue  # "one more thing"
        if number.value == 1 and cues().before("sizes", "as_one").search(
            shadow, max(0, number.start - 12), number.start
        ):
            continue  # "into this one"
        times = cues().framed("counts", "times", left=r"[\s-]{0,4}", right="|( )?×").match(shadow, number.end)
        end = times.end() if times else number.end
        found.append(Count(number.start, end, number.value, _is_exact(query, number.start, end)))
    return sorted(found, key=lambda count: count.start)


def _is_no_count(query: Query, start: int, end: int) -> bool:
    """`once more`, `at once`."""
    again, at_once = cues().after("counts", "again"), cues().before("counts", "not_once")
    return (
        again.match(query.shadow, end) is not None
        or at_once.search(query.shadow, max(0, start - 12), start) is not None
    )


def _is_exact(query: Query, start: int, end: int) -> bool:
    loose = cues().after("counts", "loose").match(query.shadow[end : end + 24])
    return size_before(query, start) not in _LOOSE and loose is None


# Which unit a number counts: words, sentences, paragraphs or characters of the answer.

_UNIT_WORD = r"(?P<unit>word|sentence|paragraph|character|line)s?(?!\w)"
_ANY_UNIT = re.compile(rf"(?<!\w){_UNIT_WORD}")
_BARE_UNIT = re.compile(rf"[\s-]{{0,4}}{_UNIT_WORD}")
_PUNCTUATION = r"[,.;:!?()—–-]|$"
_AHEAD, _BACK, _SHORTLY = 60, 90, 70


def unit_of(query: Query, quantity: Quantity) -> tuple[str, int]:
    """The unit of a number, and where it ends; an empty unit where the number counts something else."""
    rest = query.shadow[quantity.end : quantity.end + _AHEAD]
    after = unit_after(rest)
    if after:
        if _is_of_a_part(query, quantity, rest[after.end() :]):
            return "", 0
        return f"{after['unit']}s", quantity.end + after.end()
    within = _ANY_UNIT.search(query.shadow, quantity.start, quantity.end)
    if within:  # "500 characters to 700"
        return f"{within['unit']}s", quantity.end
    before = heard("length").before("unit_before").search(query.shadow, max(0, quantity.start - _AHEAD), quantity.start)
    named = _ANY_UNIT.match(before.group()) if before else None
    if named and before and role_of(query, before.start(), before.start() + len(named.group())) == "old":
        return "", 0  # "count characters instead of words: exactly 700"
    follows = heard("length").framed("after_unit_before", left="( )?(", right=f"|{_PUNCTUATION})")
    return (f"{named['unit']}s", quantity.end) if named and follows.match(rest) else ("", 0)


def unit_after(rest: str) -> re.Match[str] | None:
    """The unit right behind a number, with at most a small word between."""
    filled = heard("length").framed("unit_fill", left=r"[\s-]{0,4}", right=rf"[\s-]{{0,4}}{_UNIT_WORD}")
    return _BARE_UNIT.match(rest) or filled.match(rest)


def unit_in(text: str) -> str:
    """The first unit that a text names; empty where it names none."""
    found = _ANY_UNIT.search(text)
    return f"{found['unit']}s" if found else ""


def units_in(query: Query) -> list[re.Match[str]]:
    """Every unit that the query names, in order; `unit` is its singular."""
    return list(_ANY_UNIT.finditer(query.shadow))


def last_unit(query: Query, at: int) -> str:
    """The unit that was named last, shortly before: `what counts is sentences, exactly 20`."""
    named = list(_ANY_UNIT.finditer(query.shadow, max(0, at - _SHORTLY), at))
    kept = [match for match in named if role_of(query, *match.span()) == "new"]
    return f"{(kept or named)[-1]['unit']}s" if named else ""


def _is_of_a_part(query: Query, quantity: Quantity, behind: str) -> bool:
    """`80 words per paragraph` is no length of the answer."""
    vocabulary, start = heard("length"), quantity.start
    if vocabulary.after("each").match(behind):
        return True
    return vocabulary.before("each_before").search(query.shadow, max(0, start - _BACK), start) is not None


# Finds audiences that are named by their age: `nine-year-olds`, `aged about 70`.

_AGE = re.compile(r"[\s-]{1,4}years?[\s-]{1,4}olds?(?!\w)|[\s-]{1,4}years\s{1,4}(?:old|of\s{1,4}age)(?!\w)")
_AGED = re.compile(
    r"(?<!\w)(?:aged?|ages|age\s{1,4}of|(?:people|those|readers|folks?|kids|someone|anyone|somebody|youngsters|pupils)"
    r"\s(?:who\sare\s)?(?:of|over|past|above|under|below|around))\s{1,4}(?:(?:about|around)\s{1,4})?$"
)
_IS_AGED = re.compile(r"(?<!\w)(?:she|he|they)(?:'s|'re|\sis|\sare)\s(?:(?:only|just|about|nearly|almost)\s)?$")
"""`She's 9`: an age where the number stands alone."""
_YOUNGEST, _ELDEST = 3, 99
_LONE_AGE = re.compile(
    r"\s{0,4}(?:[.,;:!?)]|$|to\s|till\s|up(?!\w)|or\s(?:so|older|more|over)|and\s(?:over|above|up|older)|plus|\+|-|–)"
)
"""Behind a number that may be an age by itself."""
_OLDEST = (("child", 14), ("youth", 24), ("adult", 64))
"""The age groups of the paper, each with its oldest year; who is older is a senior."""


def find_ages(query: Query, *, alone: bool = False) -> list[Said]:
    """Claims on audiences, by their values.

    Args:
        query: The query.
        alone: Whether a number that counts nothing is an age: `New crowd: sixteen to twenty or so`.
    """
    found = []
    for number in find_numbers(query.shadow):
        unit = _AGE.match(query.shadow, number.end)
        lone = alone and _YOUNGEST <= number.value <= _ELDEST and _LONE_AGE.match(query.shadow, number.end)
        is_aged = _LONE_AGE.match(query.shadow, number.end) and _IS_AGED.search(
            query.shadow, max(0, number.start - 40), number.start
        )
        if unit or lone or is_aged or _AGED.search(query.shadow, max(0, number.start - 40), number.start):
            value = next((name for name, oldest in _OLDEST if number.value <= oldest), "senior")
            end = unit.end() if unit else number.end
            found.append(Said(value, number.start, end, role_of(query, number.start, end)))
    return found


# Finds shares of capitals: `about 40 % of the letters in upper case`, `a quarter of it in lower case`.

_PERCENT = re.compile(r"\s{0,4}(?:%|per\s?-?cent(?:age)?)(?P<points>\s{1,4}points?)?")
_POINTS = re.compile(r"\s{0,4}(?:percentage\s{1,4})?points?|\s{0,4}either\s{1,4}(?:way|side|direction)")
_FRACTIONS = {
    "half": 50,
    "quarter": 25,
    "third": 33,
    "two thirds": 67,
    "fifth": 20,
    "tenth": 10,
    "three quarters": 75,
    "one in ten": 10,
    "one in five": 20,
    "one in four": 25,
}
_FRACTION = re.compile(
    r"(?<!\w)(?:half|(?:an?|one)[\s-](?P<part>quarter|third|fifth|tenth)|three[\s-]quarters|two[\s-]thirds|one\sin\s(?:ten|five|four))(?!\w)"
)
_PARTED = re.compile(r"[,;:.!?]|(?<!\w)(?:but|all|use|instead|for|into)(?!\w)")
_PARTED_BEFORE = re.compile(r"[;.!?,]|(?<!\w)(?:rather|instead|than|not|for)(?!\w)")
_CAPS_BEFORE = 100
"""Characters before a sentence in which capitals may be spoken of: `Random caps? Like around 20 %`."""
_LOOSE_SHARE = ("most", "least", "less", "more")


def find_shares(query: Query, *, lone: bool = False) -> list[Said]:
    """Claims `("share", percent)` on capitals; `("share", None)` where the query gives a bound and no share.

    Args:
        query: The query.
        lone: Whether a share needs no letters beside it, as where another one is in force: `45 %, not 50 %`.
    """
    shadow, vocabulary = query.shadow, heard("case")
    claims = []
    for number in find_numbers(shadow):
        percent = _PERCENT.match(shadow, number.end)
        if percent is None:
            continue
        low, high = query.sentence(number.start)
        before = vocabulary.anywhere("letters_before").search(shadow, max(0, low - _CAPS_BEFORE), low)
        if not lone and not before and not vocabulary.anywhere("letters").search(shadow, low, high):
            continue  # another kind of share
        if not percent["points"] and not _is_margin(query, number.start, percent.end()):
            claims.append(_share(query, number.start, percent.end(), number.value))
    for match in _FRACTION.finditer(shadow):
        if vocabulary.after("fraction_of").match(shadow, match.end()):
            name = match["part"] or match.group().replace("-", " ")
            claims.append(_share(query, *match.span(), _FRACTIONS[" ".join(name.split())]))
    return claims


def is_measured(query: Query, case: Said, share: Said) -> bool:
    """Whether a case is named only as what a share is a share of: `40 % of the letters in upper case`."""
    if share.end <= case.start:
        gap = query.shadow[share.end : case.start]
        return len(gap) <= 60 and not _PARTED.search(gap)
    gap = query.shadow[case.end : share.start]
    return len(gap) <= 40 and not _PARTED_BEFORE.search(gap)


def _share(query: Query, start: int, end: int, value: int) -> Said:
    loose = size_before(query, start) in _LOOSE_SHARE or cues().after("sizes", "loose").match(query.shadow, end)
    percent = 100 - value if _nearest_case(query, start, end) == "lower" else value
    return Said(("share", None if loose else percent), start, end, role_of(query, start, end))


def _nearest_case(query: Query, start: int, end: int) -> str:
    """The case that a share is one of: the first named behind it in its sentence, else the last named before it."""
    low, high = query.sentence(start)
    patterns = [(case, heard("case").anywhere("values", case)) for case in ("upper", "lower")]
    behind = [(m.start(), case) for case, p in patterns for m in p.finditer(query.shadow, end, high)]
    before = [(-m.start(), case) for case, p in patterns for m in p.finditer(query.shadow, low, start)]
    return min(behind or before or [(0, "upper")])[1]


def _is_margin(query: Query, start: int, end: int) -> bool:
    """How far the share may be off is no share."""
    before = heard("case").before("margin").search(query.shadow, max(0, start - 30), start)
    return before is not None or _POINTS.match(query.shadow, end) is not None

"""What a final answer says: the JSON object or table in it, and the numbers, dates and times in a value.

An answer is hostile input: each step takes time that grows only with its length, and nothing recurses before the depth
is known.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal, DecimalException
from typing import Any

from evolif.text import clean, fold, normalise
from evolif.text.answers import is_too_long

MAX_DEPTH = 200
"""An object that is nested deeper does not count."""

_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)(.*+)")
_TOKEN = re.compile(
    r"""[ \t\n\r]*+(?:
    (?P<string>"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")
    |(?P<scalar>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)
    |(?P<mark>[\[\]{},:]))""",
    re.VERBOSE,
)
_VALUE, _FIRST_VALUE, _KEY, _FIRST_KEY, _COLON, _NEXT = range(6)
"""What a JSON text goes on with: a value, one or `]`, a key, one or `}`, a colon, or a comma or closing bracket."""


class JsonNumber(str):
    """A number of a JSON text, as written."""

    __slots__ = ()


def read_object(answer: str) -> dict[str, Any] | None:
    """Find the object in an answer.

    It is the last fenced `json` block that holds one and nothing else; else the last JSON object in the text; else the
    last two-column Markdown table, whose header row is a pair like the others.

    Args:
        answer: As received.

    Returns:
        Keys to JSON values, numbers as `JsonNumber`; the values of a table are texts. None if there is none, or the
        answer is longer than 64 KiB.
    """
    text = normalise(answer)
    if is_too_long(text):
        return None
    found = last_object(text)
    return _table(text) if found is None else found[0]


def last_object(text: str) -> tuple[dict[str, Any], int] | None:
    """The object in the last fenced `json` block that holds one and nothing else, or the last JSON object.

    Args:
        text: Normalised, and not too long.

    Returns:
        It, and where the text goes on behind it; None if there is none.
    """
    blocks = (inside.strip() for language, inside in fenced_blocks(text) if language == "json")
    fenced = [block for block in blocks if _is_object(block)]
    source = fenced[-1] if fenced else _last_object(text)
    if source is None:
        return None
    found: dict[str, Any] = json.loads(source, parse_int=JsonNumber, parse_float=JsonNumber)
    return found, text.rindex(source) + len(source)


def fenced_blocks(text: str) -> Iterator[tuple[str, str]]:
    """The first word of each fenced block, in small letters, and what is inside; the text's end closes the last."""
    fence, language = "", ""
    inside: list[str] = []
    for line in [*text.split("\n"), None]:
        match = _FENCE.fullmatch(line) if line is not None else None
        if not fence:
            if match and not (match[1][0] == "`" and "`" in match[2]):
                fence, language, inside = match[1], (match[2].split() or [""])[0].lower(), []
        elif line is None or (match and match[1].startswith(fence) and not match[2].strip()):
            yield language, "\n".join(inside)
            fence = ""
        else:
            inside.append(line)


def _is_object(text: str) -> bool:
    spans = list(_objects(text)) if text.startswith("{") else []
    return spans == [(0, len(text))]


def _last_object(text: str) -> str | None:
    spans = list(_objects(text))
    return text[slice(*spans[-1])] if spans else None


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of the outermost JSON objects of a text that are not nested too deeply."""
    broken: set[int] = set()
    at = text.find("{")
    while at >= 0:
        end = at + 1
        if at not in broken:
            scan = _Scan(text, at)
            if scan.end:
                end = scan.end
                if scan.depth <= MAX_DEPTH:
                    yield at, end
            # What this attempt left open is open from there, too. So no character is read more than a few times.
            broken.update(scan.open)
        at = text.find("{", end)


class _Scan:
    """Reads one JSON object strictly (RFC 8259), without recursion and without making values.

    Attributes:
        end: Just after the object; 0 if there is none.
        depth: How deeply it is nested; its own level is 1.
        open: Where the objects begin that are not closed.
    """

    def __init__(self, text: str, start: int) -> None:
        self.end = 0
        self.depth = 0
        self._text = text
        self._levels: list[int] = []
        self._expected = _VALUE
        at = start
        while not self.end:
            match = _TOKEN.match(text, at)
            if match is None or not self._take(match):
                break
            at = match.end()
            if not self._levels:
                self.end = at
        self.open = [level for level in self._levels if text[level] == "{"]

    def _take(self, match: re.Match[str]) -> bool:
        """Whether the token may stand here."""
        kind = match.lastgroup
        if kind == "mark":
            return self._mark(match["mark"], match.end() - 1)
        if kind == "string" and self._expected in (_KEY, _FIRST_KEY):
            self._expected = _COLON
            return True
        fits = self._expected in (_VALUE, _FIRST_VALUE)
        self._expected = _NEXT
        return fits

    def _mark(self, mark: str, at: int) -> bool:
        if mark in "{[":
            if self._expected not in (_VALUE, _FIRST_VALUE):
                return False  # an object may begin here, but it is no part of this one
            self._levels.append(at)
            self.depth = max(self.depth, len(self._levels))
            self._expected = _FIRST_KEY if mark == "{" else _FIRST_VALUE
            return True
        if mark == ":":
            fits = self._expected == _COLON
            self._expected = _VALUE
            return fits
        in_object = self._text[self._levels[-1]] == "{"
        if mark == ",":
            fits = self._expected == _NEXT
            self._expected = _KEY if in_object else _VALUE
            return fits
        fits = in_object == (mark == "}") and self._expected in (_NEXT, _FIRST_KEY if in_object else _FIRST_VALUE)
        if fits:
            self._levels.pop()
            self._expected = _NEXT
        return fits


def _table(text: str) -> dict[str, Any] | None:
    """The last two-column table: its first cells to its second ones, as a reader sees them; an empty one is null."""
    if "|" not in text:
        return None
    import pyromark

    last: dict[str, Any] | None = None
    cells: list[list[str]] = []
    width = 0
    inside = False
    for event in pyromark.events(text, options=pyromark.Options.ENABLE_TABLES):
        match event:
            case {"Start": {"Table": columns}}:
                width, cells = len(columns), []
            case {"Start": "TableCell"}:
                cells.append([])
                inside = True
            case {"End": "TableCell"}:
                inside = False
            case {"Text": str(part)} | {"Code": str(part)} if inside:
                cells[-1].append(part)
            case {"End": "Table"} if width == 2:
                texts = ["".join(parts).strip() for parts in cells]
                last = {key: None if fold(value) in ("", "null") else value for key, value in _pairs(texts) if key}
    return last


def _pairs(texts: list[str]) -> Iterable[tuple[str, str]]:
    return zip(texts[::2], texts[1::2], strict=True)


def texts_of(value: Any) -> list[str]:
    """The texts in a JSON value, in order: strings, numbers as written, true and false; keys and null are none."""
    texts: list[str] = []
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            left += reversed(one.values())
        elif isinstance(one, list | tuple):
            left += reversed(one)
        elif isinstance(one, JsonNumber):
            texts.append(one)
        elif one is not None:
            text = clean(str(one).lower() if isinstance(one, bool) else str(one)).strip()
            texts += [text] if text else []
    return texts


def entries_of(value: Any) -> list[str]:
    """The entries of a list: those of an array, or of a text split at commas, semicolons and line breaks."""
    if isinstance(value, str) and not isinstance(value, JsonNumber):
        parts = re.split(r"[,;\n]", clean(value))
        return [part.strip() for part in parts if part.strip()]
    return texts_of(value)


_SPACES = " \u00a0\u2009\u202f"
# No group is possessive whose body can fail halfway: Python before 3.11.5 then forgets to go back. Ten groups of
# digits at most keep the search linear.
_NUMBER = re.compile(
    rf"""
    [1-9][0-9]*+(?P<comma>,)[0-9]{{3}}(?:,[0-9]{{3}}){{0,9}}(?!,?[0-9]{{3}}|[0-9])(?:\.[0-9]++)?
    |[1-9][0-9]{{0,2}}(?P<gap>['’{_SPACES}])[0-9]{{3}}(?:(?P=gap)[0-9]{{3}}){{0,9}}(?!(?P=gap)[0-9]{{3}}|[0-9])(?:[.,][0-9]++)?
    |[1-9][0-9]{{0,2}}(?P<dots>(?:\.[0-9]{{3}}){{2,9}})(?!\.?[0-9]{{3}}|[0-9])(?:,[0-9]++)?
    |[1-9][0-9]{{0,2}}(?P<dot>\.)[0-9]{{3}},[0-9]++
    |[0-9]++(?:[.,][0-9]++)?
    |(?<![\w.])\.[0-9]++
    """,
    re.VERBOSE,
)
_GROUP_MARKS = re.compile(rf"['’{_SPACES}]")
_CODES = frozenset(
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MAD MXN MYR NOK NZD "
    "PEN PHP PLN RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR".split()
)
_MINUS = "-−"


def numbers_of(value: Any) -> list[Decimal]:
    """The numbers in a JSON value, in order.

    In a text a dot is decimal unless groups of three repeat or a decimal comma follows; a comma, space or apostrophe
    before three digits groups. Digits that touch letters are no number, but those right after a currency code are.
    """
    found: list[Decimal] = []
    for text in texts_of(value):
        if isinstance(text, JsonNumber):
            number = decimal_of(text)
            found += [] if number is None else [number]
        else:
            found += _numbers_in(text)
    return found


def decimal_of(value: Any) -> Decimal | None:
    """A number as it is; None if it is none."""
    try:
        number = Decimal(str(value))
    except DecimalException:
        return None
    return number if number.is_finite() else None


def _numbers_in(text: str) -> Iterator[Decimal]:
    for match in _NUMBER.finditer(text):
        before, after = match.start() - 1, text[match.end() : match.end() + 1]
        if _is_letter(after) or (before >= 0 and _is_letter(text[before]) and not _follows_code(text, before)):
            continue
        number = Decimal(_plain_number(match))
        yield -number if _is_negative(text, before) else number


def _plain_number(match: re.Match[str]) -> str:
    digits = match[0]
    if match["comma"]:
        return digits.replace(",", "")
    if match["dots"] or match["dot"]:
        return digits.replace(".", "").replace(",", ".")
    return _GROUP_MARKS.sub("", digits).replace(",", ".")


def _is_letter(char: str) -> bool:
    return char.isalpha() or char == "_"


def _follows_code(text: str, before: int) -> bool:
    start = before - 2
    return text[max(0, start) : before + 1] in _CODES and not (start > 0 and re.match(r"\w", text[start - 1]))


def _is_negative(text: str, before: int) -> bool:
    """Whether a minus sign stands there, maybe before a currency sign, and joins no two words or numbers."""
    if before >= 0 and unicodedata.category(text[before]) == "Sc":
        before -= 1
    return before >= 0 and text[before] in _MINUS and not (before > 0 and text[before - 1].isalnum())


_DATE = re.compile(r"(?<![\w-])([0-9]{4})-([0-9]{2})-([0-9]{2})(?![\w-])")
_CLOCK = re.compile(
    r"(?<![\w:.])([0-9]{1,2})(?::([0-5][0-9])(?::00)?(?:\s{0,2}([ap])\.?m\b)?|\s{0,2}([ap])\.?m\b)(?![\w:])",
    re.IGNORECASE,
)
_HHMM = re.compile(r"(?<![\w:.,])([0-9]{2})([0-5][0-9])(?:\s{0,2}([ap])\.?m\b)?(?![\w:]|[.,][0-9])", re.IGNORECASE)


def dates_of(value: Any) -> list[date]:
    """The dates in a JSON value, written `YYYY-MM-DD`; one that no calendar has is left out."""
    found = []
    for text in texts_of(value):
        for match in _DATE.finditer(text):
            try:
                found.append(date(int(match[1]), int(match[2]), int(match[3])))
            except ValueError:
                continue
    return found


def times_of(value: Any) -> list[int]:
    """The times of day in a JSON value, in minutes since midnight.

    They are written `H:MM`, `HHMM`, or with am or pm. A text with a colon or with am or pm has no `HHMM`: its four
    digits are a year.
    """
    return [time for text in texts_of(value) for time in _times_in(text)]


def _times_in(text: str) -> Iterator[int]:
    if isinstance(text, JsonNumber):  # which cannot begin with a 0
        text = text.zfill(4) if text.isdigit() else ""
    text = _DATE.sub(" ", text)
    found = [(m[1], m[2] or "00", m[3] or m[4]) for m in _CLOCK.finditer(text)]
    for hours, minutes, half in found or [(m[1], m[2], m[3]) for m in _HHMM.finditer(text)]:
        hour = int(hours)
        if half:
            hour = hour % 12 + 12 * (half in "pP") if 1 <= hour <= 12 else 24
        if hour < 24:
            yield 60 * hour + int(minutes)


def truths_of(value: Any) -> list[bool]:
    """What a JSON value answers: true or yes, false or no; any other text is no answer."""
    words = {"true": True, "yes": True, "false": False, "no": False}
    folded = (fold(text).rstrip(".!") for text in texts_of(value))
    return [words[word] for word in folded if word in words]

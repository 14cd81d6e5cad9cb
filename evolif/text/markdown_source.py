"""What the Markdown parser is given: the body with what CommonMark reads otherwise than a person written differently.

Every change keeps each character's place, except that a `•` without a space behind it gains one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

from evolif.text.editions import FIRST_RULES
from evolif.text.html import KNOWN

STAND_IN = "\x01"
"""Replaces a `<` that opens no HTML element; `clean` keeps this control character out of every text."""
BRACKET_STAND_IN = "\x1f"
"""Replaces a `[` that opens no link definition; no text holds this control character either."""

_TAG = re.compile(r"(?<!\\)<(?=/?([A-Za-z][A-Za-z0-9-]*)[\s/>])")
# A bullet sign is at the start of a line, of a quote, or of a list item.
_BEFORE = r"^([ \t>]*(?:(?:\d{1,9}[.)]|[-*+])[ \t]+)*+)"
_WIDE_GAP = re.compile(_BEFORE + r"•[^\S\n\t ]", re.MULTILINE)
_BULLET = re.compile(_BEFORE + r"•(?=[ \t])", re.MULTILINE)
_TIGHT_BULLET = re.compile(_BEFORE + r"•(?=[^\s•])", re.MULTILINE)
_KEY = re.compile(r"[A-Za-z_][\w .-]*:(?:\s|$)")
# A label of at most 999 characters at the start of a block, and what follows its colon.
_DEFINITION = re.compile(
    _BEFORE + r"\[(?=(?:[^\[\]\\]|\\.){1,999}+\]:[ \t]*+(?:\n[ \t>]*+)?+(\S{1,32}))", re.MULTILINE | re.DOTALL
)
_TARGET = re.compile(r"[a-z][a-z0-9+.-]*://|(?:mailto|tel|sms|data|urn):|www\.|/|\./|#|<", re.IGNORECASE)
_NUMBERED = re.compile(r"^([ \t>]*)(\d{1,9})([.)])[ \t]+(?=\S)", re.MULTILINE)
_FEWEST_ITEMS = 2
# A line that begins at the margin, and with no number of a list.
_LIST_ENDS = re.compile(r"^(?!\d{1,9}[.)][ \t])[^\s>]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MarkdownSource:
    """A body as the parser gets it."""

    text: str
    """For the parser."""
    shown: str
    """As long as `text`, and as the reader sees it: the body, but for the places that bullets gained."""
    exact: bool
    """Whether `shown` is the body, so that places in it are known."""
    numbers: Mapping[int, str] = field(default_factory=dict)
    """Where list numbers were replaced, in order, and what stood there."""

    def restored(self, text: str, start: int, end: int) -> str:
        """A stretch of `text` with the list numbers that were replaced in it."""
        if not self.numbers or end - start != len(text):
            return text
        places = list(self.numbers)
        parts, done = [], 0
        for at in places[bisect_left(places, start) : bisect_left(places, end)]:
            parts += [text[done : at - start], self.numbers[at]]
            done = at - start + len(self.numbers[at])
        return "".join((*parts, text[done:]))


def without_stand_ins(text: str) -> str:
    """The text as a reader sees it."""
    return text.replace(STAND_IN, "<").replace(BRACKET_STAND_IN, "[")


def prepare(body: str, rules: int) -> MarkdownSource:
    """Blank out front matter, turn `•` into a list marker and unknown tags into text; since edition 2 also mend lists.

    Args:
        body: The body.
        rules: The edition of the reading rules.
    """
    text, exact = body, True
    if body.startswith("---\n"):
        text = _blank_front_matter(body)
    if "•" in text:
        text = _WIDE_GAP.sub(r"\1- ", text)
        text = _BULLET.sub(r"\1-", text)
        tight = _TIGHT_BULLET.sub(r"\1- ", text)
        text, exact = tight, tight == text
    shown = body if exact else text
    numbers: dict[int, str] = {}
    if rules > FIRST_RULES:
        if "]:" in text:
            text = _DEFINITION.sub(_without_label, text)
        numbers = late_numbers(text)
        if numbers:
            text = _renumbered(text, numbers)
    if "<" in text:
        text = _TAG.sub(lambda m: "<" if m.group(1).lower() in KNOWN else STAND_IN, text)
    return MarkdownSource(text, shown, exact, numbers)


def _blank_front_matter(body: str) -> str:
    end = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE).search(body, 4)
    if end is None:
        return body
    lines = body[4 : end.start()].splitlines()
    keys = sum(1 for line in lines if _KEY.match(line))
    others = (line for line in lines if not _KEY.match(line))
    if not keys or not all(not line.strip() or line[0] in " \t-#" for line in others):
        return body
    return re.sub(r"[^\n]", " ", body[: end.end()]) + body[end.end() :]


def _without_label(match: re.Match[str]) -> str:
    """A label in brackets is text unless an address follows its colon."""
    return match.group(1) + ("[" if _TARGET.match(match.group(2)) else BRACKET_STAND_IN)


def late_numbers(text: str) -> dict[int, str]:
    """Where a numbered list opens with another number than 1 under a line of text, and that number.

    CommonMark takes such a line for running text (“It was in⏎1999. That …”). It is a list if a later line of the same
    list has the next number and the same sign.
    """
    lines = list(_NUMBERED.finditer(text))
    if len(lines) < _FEWEST_ITEMS:
        return {}
    ends = [match.start() for match in _LIST_ENDS.finditer(text)]
    lists: list[list[re.Match[str]]] = []
    last: dict[tuple[str, str], list[re.Match[str]]] = {}
    for line in lines:
        key = (line.group(1), line.group(3))
        items = last.get(key)
        if items is None or bisect_left(ends, items[-1].end()) != bisect_left(ends, line.start()):
            items = last[key] = []
            lists.append(items)
        items.append(line)
    openers = [line for items in lists if (line := _opener(text, items)) is not None]
    return {line.start(2): line.group(2) for line in sorted(openers, key=re.Match.start)}


def _opener(text: str, items: list[re.Match[str]]) -> re.Match[str] | None:
    """The line that opens the list only because a later one has the next number; None if it opens without that."""
    later: set[int] = set()
    has_next: list[bool] = []
    for line in reversed(items):
        has_next.append(int(line.group(2)) + 1 in later)
        later.add(int(line.group(2)))
    for line, continues in zip(items, reversed(has_next), strict=True):
        if int(line.group(2)) == 1 or not _is_under_text(text, line.start()):
            return None
        if continues:
            return line
    return None


def _is_under_text(text: str, start: int) -> bool:
    """Whether the line before the one that begins at `start` holds text."""
    return bool(text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start].strip(" \t>\n"))


def _renumbered(text: str, numbers: Mapping[int, str]) -> str:
    """The text with 1, in as many digits, in the place of these numbers: such a list may open anywhere."""
    parts, done = [], 0
    for at, digits in numbers.items():
        parts += [text[done:at], "1".zfill(len(digits))]
        done = at + len(digits)
    return "".join((*parts, text[done:]))

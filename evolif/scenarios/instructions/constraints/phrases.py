"""Phrases at an edge: whether a text begins or ends with given words, as `start_with`, `end_with` and others ask.

Capitals, kinds of quotation mark and runs of white space make no difference. Marks of headings, quotes, lists and bold
type are looked past, and so are quotation marks, unless the phrase has them itself.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import Annotated, Any, Self

import regex
from pydantic import AfterValidator, Field, model_validator

from evolif.scenarios.instructions.constraints.base import SparseParams
from evolif.text import Reading, fold
from evolif.text.tokens import last_grapheme

_QUOTES = "\"'“”„‟«»‹›‘’‚‛「」『』〝〞＂＇"
_PLAIN_QUOTES = str.maketrans({**dict.fromkeys("“”„‟«»「」『』〝〞＂", '"'), **dict.fromkeys("‹›‘’‚‛＇", "'")})
_MARKS = "#*_>-+•`"
_FINAL = ".!?…。！？"
_BOLD = ("**", "__")
_FENCES = ("```", "~~~")
_EMOJI = regex.compile(r"[\p{Emoji_Presentation}\uFE0F\u20E3]")
_DATA = frozenset({"json", "csv", "xml", "html"})
"""Formats whose body begins with marks of its own, so that only what a reader sees is compared."""
_ROOM = 4
"""Characters of a text that are looked at, for each of the phrase: bold marks and white space take some."""


def _phrase(value: str) -> str:
    value = value.strip()
    if not any(char.isalnum() or (char not in _MARKS and not char.isspace()) for char in value):
        raise ValueError("a phrase needs a letter, a digit or a sign of its own")
    return value


Phrase = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_phrase)]


def no_doubles(values: list[str]) -> list[str]:
    """Refuse a value that is given twice, capitals aside."""
    if len({fold(value) for value in values}) < len(values):
        raise ValueError("a value is given twice")
    return values


Phrases = Annotated[list[Phrase], Field(min_length=1, max_length=50), AfterValidator(no_doubles)]


class OneOfPhrases(SparseParams):
    """A phrase (`value`), or several of which one will do (`values`)."""

    value: Phrase | None = None
    values: Phrases | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.value is None) == (self.values is None):
            raise ValueError("give a “value”, or “values” of which one will do")
        return self


def phrases_of(params: Any) -> list[str]:
    """The phrases of parameters with `value` or `values`."""
    return list(params["values"]) if "values" in params else [params["value"]]


def comparable(text: str) -> str:
    """The text with capitals, kinds of quotation mark and runs of white space made plain."""
    return fold(text.translate(_PLAIN_QUOTES))


@lru_cache(maxsize=1024)
def _has_markup(value: str) -> bool:
    """Whether a reader of the rendered phrase would see something else than its characters."""
    reading = Reading(value)
    return any(block.number for block in reading.blocks) or comparable(reading.content_text) != comparable(value)


def begins(reading: Reading, value: str) -> bool:
    """Whether the text as the reader sees it and the body both begin with the phrase."""
    seen, body = _seen(reading), source_begins(reading.body, value)
    if reading.fmt in _DATA:
        return _starts(seen, value, _QUOTES)
    fenced = reading.body.lstrip().startswith(_FENCES) and not value.startswith(_FENCES)
    return body and not fenced and (_has_markup(value) or _starts(seen, value, _QUOTES))


def ends(reading: Reading, value: str) -> bool:
    """Whether the text as the reader sees it and the body both end with the phrase."""
    seen, body = reading.content_text, _ends(reading.body, value, _QUOTES + _MARKS)
    if reading.fmt in _DATA:
        return _ends(seen, value, _QUOTES)
    fenced = reading.body.rstrip().endswith(_FENCES) and not value.endswith(_FENCES)
    return body and not fenced and (_has_markup(value) or _ends(seen, value, _QUOTES))


def source_begins(source: str, value: str) -> bool:
    """Whether a piece of the body, as written, begins with the phrase."""
    return _starts(source, value, _QUOTES + _MARKS)


def _seen(reading: Reading) -> str:
    number = next((block.number for block in reading.blocks if block.number or block.text.strip()), "")
    return f"{number} {reading.content_text}" if number else reading.content_text


def _skipping(marks: str, value: str) -> str:
    """The marks to look past: none of those that the phrase itself begins (or, reversed, ends) with."""
    own = "".join(takewhile(lambda char: not char.isalnum(), value))
    taken = comparable(own)
    return "".join(mark for mark in marks if comparable(mark) not in taken)


def _starts(text: str, value: str, marks: str) -> bool:
    skipped = _skipping(marks, value)
    start = next((at for at, char in enumerate(text) if not (char.isspace() or char in skipped)), len(text))
    room = text[start : start + _ROOM * len(value) + 64]
    head, phrase = comparable(_without_bold(room, value)).lstrip(), comparable(value)
    if not head.startswith(phrase):
        return False
    behind = head[len(phrase) : len(phrase) + 1]
    return not (phrase[-1].isalnum() and behind.isalnum())


def _ends(text: str, value: str, marks: str) -> bool:
    end = _trimmed(text, value, _skipping(marks, value[::-1]))
    room = text[max(0, end - _ROOM * len(value) - 64) : end]
    tail, phrase = comparable(_without_bold(room, value)).rstrip(), comparable(value)
    if not tail.endswith(phrase):
        return False
    before = tail[: len(tail) - len(phrase)][-1:]
    return not (phrase[0].isalnum() and before.isalnum())


def _trimmed(text: str, value: str, skipped: str) -> int:
    """Where the text ends without what may stand behind the phrase."""
    final = _FINAL if value[-1].isalnum() else ""
    emoji = not _EMOJI.search(value)
    end = len(text)
    while end:
        char = text[end - 1]
        if char.isspace() or char in skipped or char in final:
            end -= 1
            continue
        cluster = last_grapheme(text, end) if emoji else ""
        if not (cluster and _EMOJI.search(cluster)):
            break
        end -= len(cluster)
    return end


def _without_bold(text: str, value: str) -> str:
    for mark in _BOLD:
        if mark not in value:
            text = text.replace(mark, "")
    return text

"""`lettering` (not in the paper): the letters of each word, or no word twice."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, quoted, shorten
from evolif.scenarios.instructions.constraints.relations import ClosedParams, draw_weighted
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, fold, plural, words
from evolif.text.prose import without_addresses
from evolif.types import Verdict
from evolif.util.rng import Stream

_PARTS = re.compile("[-‐‑–/]")
"""What joins words that are words of their own."""
_SHOWN = 3
_LONGEST = 30


def _one_letter(value: str) -> str:
    if not value.isalpha():
        raise ValueError("give one letter")
    return value


class _Counted(ClosedParams):
    misfits = {"letter": "the modes first and without"}  # noqa: RUF012 - as in the base
    mode: Literal["max_letters", "min_letters"]
    count: Annotated[int, Field(ge=1, le=100)]


class _Lettered(ClosedParams):
    misfits = {"count": "the modes max_letters and min_letters"}  # noqa: RUF012 - as in the base
    mode: Literal["first", "without"]
    letter: Annotated[str, Field(min_length=1, max_length=1), AfterValidator(_one_letter)]


class _NoRepeat(ClosedParams):
    misfits = {"letter": "the modes first and without", "count": "the modes max_letters and min_letters"}  # noqa: RUF012
    mode: Literal["no_repeat"]


class Lettering(Group):
    """What every word is made of; a text without letters satisfies every mode."""

    name = "lettering"
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[_Counted | _Lettered | _NoRepeat, Field(discriminator="mode")])

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's parameters."""
        return draw_weighted(stream, context)

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return sorted({self.key(params) for params, _ in pool["drawn"]})

    def check(self, params: Params, reading: Reading) -> Verdict:
        mode = params["mode"]
        if mode == "without":
            return self._without(params["letter"], reading)
        expected = self._expected(params)
        read = spelt_words(reading.content_text)
        if mode == "no_repeat":
            counts = Counter(map(_core, read))
            odd = [f"“{shorten(word, _LONGEST)}” {n}×" for word, n in counts.items() if n > 1]
        else:
            odd = [f"“{shorten(word, _LONGEST)}”" for word in dict.fromkeys(read) if not _fits(word, params)]
        found = plural(len(read), "word")
        if odd:
            found += f", among them {', '.join(odd[:_SHOWN])}{' …' if len(odd) > _SHOWN else ''}"
        return self.verdict(not odd, expected, found)

    def _without(self, letter: str, reading: Reading) -> Verdict:
        places = [at for at, char in enumerate(reading.content_text.casefold()) if char == letter.casefold()]
        holding = [word for word in dict.fromkeys(words(reading.content_text)) if letter.casefold() in word.casefold()]
        found = f"it occurs {len(places)}×"
        if holding:
            found += f", as in {quoted([shorten(word, _LONGEST) for word in holding[:_SHOWN]], 'and')}"
        return self.verdict(not places, f"no {letter}", found)

    def _expected(self, params: Params) -> str:
        if params["mode"] == "no_repeat":
            return "no word twice"
        if params["mode"] == "first":
            return f"every word begins with {params['letter']}"
        limit = "at most" if params["mode"] == "max_letters" else "at least"
        return f"{limit} {plural(params['count'], 'letter')} in every word"


def spelt_words(text: str) -> list[str]:
    """The words of a text that have a letter; the parts of a hyphenated one are words, addresses are none.

    >>> spelt_words("A well-known 4th day.")
    ['A', 'well', 'known', '4th', 'day.']
    """
    parts = (part for word in words(without_addresses(text)) for part in _PARTS.split(word))
    return [part for part in parts if any(map(str.isalpha, part))]


def _fits(word: str, params: Params) -> bool:
    letters = [char for char in word if char.isalpha()]
    if params["mode"] == "first":
        return letters[0].casefold() == str(params["letter"]).casefold()
    count: int = params["count"]
    return len(letters) <= count if params["mode"] == "max_letters" else len(letters) >= count


def _core(word: str) -> str:
    """A word in its form for comparison, without case and without the signs around it."""
    start, end = 0, len(word)
    while _is_sign(word[start]):
        start += 1
    while _is_sign(word[end - 1]):
        end -= 1
    return fold(word[start:end])


@lru_cache(maxsize=1024)
def _is_sign(char: str) -> bool:
    """Whether it belongs to no word; marks over and behind letters, such as vowel signs, do."""
    return not char.isalnum() and unicodedata.category(char)[0] != "M"

"""`person` (not in the paper): an answer in the first person, or without the first or the second."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag, TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, group_data, quoted
from evolif.scenarios.instructions.constraints.relations import ClosedParams, draw_weighted
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, plural
from evolif.text.prose import without_addresses
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

_NUMBERING = frozenset(".):/-")
"""Before one of these, *I* is a number or a part of a name: `I.`, `I/O`, `I-95`."""
_BEFORE = 40
"""How far back the word before *I* is looked for."""
_SHOWN = 5
_ENOUGH = 500
"""Nobody reads further places."""


class _Avoid(ClosedParams):
    misfits = {"use": "an answer in the first person, without “avoid”,"}  # noqa: RUF012 - as in the base
    avoid: Literal["first", "second"]


class _Use(ClosedParams):
    use: Literal["first"]


def _kind(params: Any) -> str:
    return "use" if isinstance(params, dict) and "use" in params and "avoid" not in params else "avoid"


class Person(Group):
    """Words of the first or the second person, outside quotations and code."""

    name = "person"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[Annotated[_Avoid, Tag("avoid")] | Annotated[_Use, Tag("use")], Discriminator(_kind)]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's parameters."""
        return draw_weighted(stream, context)

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return sorted({self.key(params) for params, _ in pool["drawn"]})

    def key(self, params: Params) -> str:
        return "use_first" if "use" in params else f"avoid_{params['avoid']}"

    def slots(self, params: Params) -> dict[str, str]:
        return {}

    def check(self, params: Params, reading: Reading) -> Verdict:
        person = params.get("use") or params["avoid"]
        spans: list[Span] = []
        said: list[str] = []
        for index, text in enumerate(reading.unquoted):
            for start, end in islice(persons(text, person), _ENOUGH - len(said)):
                spans += reading.spans(index, start, end)
                said.append(text[start:end])
        found = "at least " if len(said) == _ENOUGH else ""
        found += plural(len(said), f"word of the {person} person", f"words of the {person} person")
        if said:
            distinct = list(dict.fromkeys(said))
            found += f": {quoted(distinct[:_SHOWN], 'and')}{' …' if len(distinct) > _SHOWN else ''}"
        wanted = "use" in params
        expected = f"{'a' if wanted else 'no'} word of the {person} person"
        return self.verdict(bool(said) == wanted, expected, found, spans)


def persons(text: str, person: str) -> Iterator[tuple[int, int]]:
    """Where a text without quotations and code says a word of a person, as ranges.

    Args:
        text: The text.
        person: `first` or `second`.

    >>> list(persons("World War I ended before my time.", "first"))
    [(25, 27)]
    """
    text = without_addresses(text)
    for match in _pattern(person).finditer(text):
        word = match.group()
        if word == "US" or (word in ("I", "i") and _is_number(text, match.start(), match.end())):
            continue
        yield match.span()


@lru_cache(maxsize=2)
def _pattern(person: str) -> re.Pattern[str]:
    words = sorted(group_data("person")["words"][person], key=len, reverse=True)
    either = "|".join(map(re.escape, words)).replace("'", "['’]")
    # Not inside a word with a hyphen (do-it-yourself); an I before a hyphen is a number anyway.
    return re.compile(rf"(?<!\w)(?<!\w['’-])(?:{either})(?!\w)(?!-\w)", re.IGNORECASE)


def _is_number(text: str, start: int, end: int) -> bool:
    """Whether an *I* there numbers something, or is a part of a name."""
    if text[end : end + 1] in _NUMBERING and end < len(text):
        return True
    window = text[max(0, start - _BEFORE) : start]
    before = window.split()[-1] if window.strip() else ""
    if len(before) >= 2 and before.endswith("."):
        return before[-2].isupper() and not before[-3:-2].isalnum() and before[-3:-2] != "."
    before = before.lstrip("([{“‘\"'*_")
    data = group_data("person")
    return before.casefold() in data["numbered"] or before in _rulers()


@lru_cache(maxsize=1)
def _rulers() -> frozenset[str]:
    names = group_data("person")["rulers"]
    return frozenset(names) | {name.upper() for name in names}

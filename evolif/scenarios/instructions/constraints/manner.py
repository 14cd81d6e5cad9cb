"""`manner` (not in the paper): just the answer, without an offer, a question or a disclaimer; the phrases are data."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, group_data, shorten
from evolif.scenarios.instructions.constraints.relations import ClosedParams, draw_weighted
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, fold
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

_LAST = 2
"""How many sentences at the end make no offer."""
_OPENING = 80
"""How many characters of the first block the opening phrases are looked for in."""
_NO_WORD = "\x1f"
"""Stands for what is quoted and for code, so that no phrase reaches across it; no answer holds it."""
_QUESTION_MARKS = frozenset("?？؟")
_CLOSING = frozenset({"Pe", "Pf", "Pi"})
_CLOSING_SIGNS = frozenset("\"'*_~`")
_EXPECTED = {
    "answer_only": "no opening phrase, and no offer at the end",
    "no_offer": "no offer at the end",
    "no_closing_question": "no question at the end",
    "no_disclaimer": "no disclaimer",
}


class _Manner(ClosedParams):
    mode: Literal["answer_only", "no_offer", "no_closing_question", "no_disclaimer"]


class Manner(Group):
    """What people do not want round an answer: an opening, an offer, a question at the end, a disclaimer."""

    name = "manner"
    adapter: TypeAdapter[Any] = TypeAdapter(_Manner)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of the pool's parameters."""
        return draw_weighted(stream, context)

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return sorted({self.key(params) for params, _ in pool["drawn"]})

    def slots(self, params: Params) -> dict[str, str]:
        return {}

    def check(self, params: Params, reading: Reading) -> Verdict:
        mode = params["mode"]
        found, spans = _FINDERS[mode](reading)
        return self.verdict(not found, _EXPECTED[mode], found or "none", spans)


_Found = tuple[str, tuple[Span, ...]]
_NOTHING: _Found = ("", ())


def _opening(reading: Reading) -> _Found:
    """The phrase that the first block with text opens with."""
    first = next((n for n, block in enumerate(reading.blocks) if any(map(str.isalnum, block.text))), None)
    if first is None:
        return _NOTHING
    text = reading.blocks[first].text
    start = next(at for at, char in enumerate(text) if char.isalnum())
    opening = _own_words(reading)[first][start : start + _OPENING]
    # An opening phrase ends with its line at the latest.
    match = _openers().match(fold(opening.partition("\n")[0]).rstrip() + "\n")
    if match is None:
        return _NOTHING
    end = start + len(match.group())
    return f"it opens with “{text[start:end]}”", reading.spans(first, start, end)


def _offer(reading: Reading) -> _Found:
    """An offer in one of the last sentences."""
    text = "\n".join(_own_words(reading))
    for start, end in reading.sentence_spans[-_LAST:]:
        sentence = fold(text[start:end])
        condition = _conditions().search(sentence)
        if _offers().search(sentence) or (condition and _conditional().search(sentence, condition.end())):
            said = shorten(reading.content_text[start:end], 80)
            return f"an offer: “{said}”", (Span(start, end),)
    return _NOTHING


def _opening_or_offer(reading: Reading) -> _Found:
    opening = _opening(reading)
    return opening if opening[0] else _offer(reading)


def _disclaimer(reading: Reading) -> _Found:
    for index, text in enumerate(_own_words(reading)):
        compared = fold(text)
        match = _disclaimers().search(compared)
        if match is not None:
            known = len(compared) == len(text)
            return f"it says “{match.group()}”", reading.spans(index, *match.span()) if known else ()
    return _NOTHING


def _closing_question(reading: Reading) -> _Found:
    """A question mark at the end of the content."""
    text = reading.content_text
    emoji = {end: start for start, end in reading.emoji}
    end = len(text)
    while end:
        char = text[end - 1]
        if end in emoji:
            end = emoji[end]
        elif char.isspace() or char in _CLOSING_SIGNS or unicodedata.category(char) in _CLOSING:
            end -= 1
        else:
            break
    if text[end - 1 : end] not in _QUESTION_MARKS or not end:
        return _NOTHING
    last = next((shorten(text[start:stop], 80) for start, stop in reversed(reading.sentence_spans)), "")
    return f"it ends with a question: “{last}”" if last else "it ends with a question mark", (Span(end - 1, end),)


_FINDERS = {
    "answer_only": _opening_or_offer,
    "no_offer": _offer,
    "no_closing_question": _closing_question,
    "no_disclaimer": _disclaimer,
}


@lru_cache(maxsize=4096)
def mannered(text: str, mode: str) -> bool:
    """Whether a piece of an answer, such as a phrase that it starts or ends with, holds what a mode excludes."""
    return bool(_FINDERS[mode](Reading(text))[0])


def _own_words(reading: Reading) -> list[str]:
    """Each block, with a stand-in for each character that is quoted or code."""
    pairs = zip(reading.unquoted, (block.text for block in reading.blocks), strict=True)
    return [own if own == text else "".join(map(_stand_in, own, text)) for own, text in pairs]


def _stand_in(own: str, char: str) -> str:
    return own if own == char else _NO_WORD


_ENDS = r"(?!\w)(?!['-]\w)"
"""Where a phrase ends: `I can` is not in `I can't`, nor `as an AI` in `as an AI-powered tool`."""


def _either(phrases: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))


def _phrases(phrases: Iterable[str]) -> re.Pattern[str]:
    """Any of the phrases, as whole words."""
    return re.compile(rf"(?<!\w)(?<!\w['-])(?:{_either(phrases)}){_ENDS}")


@lru_cache(maxsize=1)
def _openers() -> re.Pattern[str]:
    data = group_data("manner")["openers"]
    return re.compile(rf"(?:{_either(data['before_a_sign'])})(?=[!.,:\n])|(?:{_either(data['always'])}){_ENDS}")


@lru_cache(maxsize=1)
def _offers() -> re.Pattern[str]:
    return _phrases(group_data("manner")["offers"])


@lru_cache(maxsize=1)
def _conditions() -> re.Pattern[str]:
    return _phrases([group_data("manner")["condition"]])


@lru_cache(maxsize=1)
def _conditional() -> re.Pattern[str]:
    return _phrases(group_data("manner")["conditional"])


@lru_cache(maxsize=1)
def _disclaimers() -> re.Pattern[str]:
    data = group_data("manner")
    refusals = [f"{refusal} {verb}" for refusal in data["refusals"] for verb in data["verbs"]]
    return _phrases([*data["disclaimers"], *refusals])

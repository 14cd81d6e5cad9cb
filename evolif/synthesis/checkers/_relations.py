"""Quantities with their relation: `fewer than 200`, `five or more`, `between 3 and 6`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evolif.synthesis.checkers._numbers import Number, find_numbers
from evolif.synthesis.checkers._shadow import Query

UNBOUNDED = 10**9


@dataclass(frozen=True, slots=True)
class Quantity:
    """Whole numbers from `low` to `high`, both included; `vague` where the query says about, roughly, or so."""

    low: int
    high: int
    start: int
    end: int
    vague: bool = False
    bare: bool = False
    """No relation was said; taken as exactly that number."""
    number: int = 0


_MORE = r"(?:more|greater|longer|higher|larger)\s+than|over|above|beyond|past|exceed(?:s|ing)?|in\s+excess\s+of|upwards?\s+of|north\s+of|surpass(?:es|ing)?|top(?:s|ping)?|(?:anything|something)\s+over"
_LESS = (
    r"(?:less|fewer|shorter|lower|smaller)\s+than|under|below|beneath|south\s+of|short\s+of|shy\s+of|inside(?:\s+of)?"
)
_MOST = r"at\s+(?:the\s+)?(?:very\s+)?most|up\s+to|no(?:t)?\s+(?:more|longer|greater|higher|over)\s+than|not\s+over|no\s+over|not\s+above|not\s+(?:to\s+)?exceed(?:ing|s)?|n(?:o|')t\s+exceed|(?:a\s+)?max(?:imum)?\.?(?:\s+of)?|cap(?:ped)?(?:\s+(?:it|them|this|things|the\s+\w+))?\s+at|within|limit(?:ed)?(?:\s+(?:it|this|them|yourself|the\s+\w+|each\s+\w+|every\s+\w+))?\s+to|never\s+(?:more\s+than|over|exceed(?:ing)?)|without\s+exceeding|no(?:ne)?\s+\w+\s+(?:\w+\s+){0,3}?(?:over|above|longer\s+than|(?:of\s+|with\s+)?more\s+than|exceeding|exceeds|beyond|past|runs?\s+(?:past|over))|n[o']t\s+(?:go|run|get|be)\s+(?:over|above|past|beyond|longer\s+than)"
_LEAST = r"at\s+(?:the\s+)?(?:very\s+)?least|no(?:t)?\s+(?:fewer|less|shorter|lower|under)\s+than|(?:a\s+)?min(?:imum)?(?:\s+of)?|not\s+below|n[o']t\s+(?:go|fall|drop|be)\s+(?:under|below)"
_EXACT = r"exactly|precisely|just|only|a\s+total\s+of|dead\s+on|an\s+exact|a\s+precise"
_VAGUE = r"(?<!what\s)(?<!how\s)(?<!think\s)about|around|roughly|approximately|approx\S?|some|circa|close\s+to|near(?:ly)?|almost|in\s+the\s+region\s+of|more\s+or\s+less|somewhere\s+(?:near|around)|give\s+or\s+take|~"
_FILL = r"(?:\s+(?:the|a|an|of|mark|full|total|whole|complete|really|it|them|of\s+all)){0,2}\s*"
_BEFORE = re.compile(
    rf"(?<!\w)(?:(?P<most>{_MOST})|(?P<least>{_LEAST})|(?P<less>{_LESS})|(?P<more>{_MORE})|(?P<exact>{_EXACT})|(?P<vague>{_VAGUE})){_FILL}$"
)
_AFTER = re.compile(
    r"^(?:[\s-]*(?:[\w']+[\s-]+){0,5}?)(?:(?P<least>or\s+(?:even\s+)?(?:more|longer|above|over|greater|higher|upwards)|and\s+(?:up|above|over)(?!\s+(?:\d|\w+\s+(?:words|sentences|paragraphs|characters)))|(?:at\s+)?(?:the\s+)?(?:very\s+)?(?:minimum|least)(?!\s+\d))|(?P<most>or\s+(?:even\s+)?(?:fewer|less|shorter|below|under)|and\s+(?:under|below)(?!\s+(?:\d|\w+\s+(?:words|sentences|paragraphs|characters)))|tops|(?:at\s+)?(?:the\s+)?(?:very\s+)?(?:max(?:imum)?|most))"
    r"|(?P<exact>exactly|precisely|on\s+the\s+(?:dot|nose|button)|sharp|flat|in\s+total|no\s+more(?:,|\s+and)?\s+(?:and\s+)?no\s+(?:less|fewer))|(?P<vague>or\s+so|or\s+thereabouts|give\s+or\s+take|approximately|roughly|-?ish))(?!\w)"
)
_RANGE = re.compile(
    r"^\s*(?:-|–|—|to|and|through|till|until|or)\s*(?:(?:no\s+more\s+than|at\s+most|not\s+more\s+than|up\s+to|no\s+longer\s+than|at\s+the\s+most)\s+)?$"
)


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
        moved = moves and re.search(r"(?<!\w)from\s+(?:[\w-]+\s+){0,3}$", query.shadow[: first.start]) is not None
        if ranges and not moved and second is not None and _is_range(query.shadow, first, second):
            high = second.value
            yield Quantity(first.value, high, first.start, second.end, number=first.value)
            index += 2
            continue
        yield _single(query, first)
        index += 1


def _is_range(text: str, first: Number, second: Number) -> bool:
    between = text[first.end : second.start]
    opened = re.search(
        r"(?<!\w)(?:between|from|range\s+of|ranging|anywhere|anything|at\s+least|no\s+fewer\s+than|no\s+less\s+than|no\s+shorter\s+than|not\s+fewer\s+than|stay\s+(?:with)?in)\s+(?:\w+\s+)?$",
        text[: first.start],
    )
    return (
        second.value > first.value
        and _RANGE.match(re.sub(r"^\s*(?:words|sentences|paragraphs|characters)", "", between)) is not None
        and (opened is not None or re.fullmatch(r"\s*(?:-|–|—|to)\s*", between) is not None)
    )


_MOVED = re.compile(
    r"(?<!\w)(?:bump|rais|mov|go|tak|bring|push|crank|turn|step|scale|increas|pull)\w*\s[^.!?;,]{0,40}?\bup\s+to\s+$"
)


def _single(query: Query, number: Number) -> Quantity:
    value = number.value
    before = _BEFORE.search(query.shadow[max(0, number.start - 48) : number.start])
    after = _AFTER.match(_rest(query.shadow, number.end))
    kind = before.lastgroup if before else after.lastgroup if after else None
    if before and kind == "most" and _MOVED.search(query.shadow, max(0, number.start - 60), number.start):
        kind = None  # "bump the bullets up to five" names where they end
    if before and after and kind == "exact":
        kind = after.lastgroup if after.lastgroup != "vague" else "vague"
    if before and before.lastgroup == "vague" and after and after.lastgroup in ("least", "most"):
        kind = after.lastgroup
    low, high = {
        "most": (0, value),
        "least": (value, UNBOUNDED),
        "less": (0, value - 1),
        "more": (value + 1, UNBOUNDED),
    }.get(kind or "", (value, value))
    if before and kind in ("less", "more") and _denied(query.shadow[: number.start], before.group()):
        low, high = (value, UNBOUNDED) if kind == "less" else (0, value)
    return Quantity(low, high, number.start, number.end, kind == "vague", kind is None, value)


def counts_as_one(query: Query, quantity: Quantity) -> bool:
    """`a list counts as one paragraph` says how to count, not how many."""
    left = query.shadow[max(0, quantity.start - 12) : quantity.start]
    return quantity.number == 1 and re.search(r"(?<!\w)(?:as|is|are|being|for|be|and|any)\s+$", left) is not None


def _denied(text: str, cue: str) -> bool:
    """`don't go over 200`, `never below 200`."""
    return (
        re.search(r"(?:\bnot|n't|\bnever|\bwithout)(?:\s+\w+){0,2}\s+$", text[: len(text) - len(cue)][-40:]) is not None
    )


def _rest(text: str, start: int) -> str:
    return re.split(r"[,;:.!?()]|\s[-–—]|—", text[start : start + 60], maxsplit=1)[0]

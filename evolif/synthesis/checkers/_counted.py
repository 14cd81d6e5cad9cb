"""Reads counts of things: bullets, headings, bold passages, questions, words per sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, Claim, compare, misnamed, missing
from evolif.synthesis.checkers._cues import cues, heard
from evolif.synthesis.checkers._denial import is_denied
from evolif.synthesis.checkers._quantities import Quantity, counts_as_one, quantities
from evolif.synthesis.checkers._removal import removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query

_ADJECTIVES = r"([\s-]{1,4}(?!bullet|heading|bold|question|word|number)[a-z'-]{1,40}){0,2}?[\s-]{0,4}"
_PUNCTUATION_ALONE = r"[,.;:!?)—–]|$|-\s"
_ANOTHER_UNIT = re.compile(r"\s{0,4}(?:words|sentences|paragraphs|characters)")
_ENUMERATED = re.compile(r"\d\s?,\s\d|\d\)\s")
_SENTENCE_END = re.compile(r"[.!?;]")
_AHEAD, _BACK = 110, 60


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can be counted; how people name it stands in its group's vocabulary."""

    name: str
    group: str
    key: str
    """Where its names stand under `heard`."""
    most: bool = False
    """The number is the most that is allowed, not the exact number."""

    @property
    def nouns(self) -> re.Pattern[str]:
        """What the constraint may be called by when it is lifted."""
        return heard(self.group).anywhere(self.key, "nouns")

    @property
    def after(self) -> re.Pattern[str]:
        """What may follow the number."""
        return heard(self.group).framed(self.key, "after", left=_ADJECTIVES)

    @property
    def before(self) -> re.Pattern[str]:
        """What may stand before it: `the bullet count to 5`."""
        return heard(self.group).framed(self.key, "before", right="(( )?<thing_fill>){0,5}( )?$")

    def demand(self, params: Params) -> str:
        """What a query should ask for, in words."""
        return f"{'at most' if self.most else 'exactly'} {params.get('count')} {self.name}"


def read_counted(query: Query, change: Change, thing: Thing) -> list[Finding]:
    """Findings on a number of things.

    Args:
        query: The query.
        change: The change of the turn.
        thing: What is counted.
    """
    claims = thing_claims(query, thing, elsewhere=change.kind == "modify")
    demand = thing.demand(change.params)
    if change.kind == "remove":
        return removed(query, change, thing.nouns, claims, cues().anywhere("counted", "free"), _is, demand)
    if change.kind == "add" and not thing.most:
        denied = [m.span() for m in thing.nouns.finditer(query.shadow) if _is_unwanted(query, *m.span())]
        if denied:
            return [missing(change, f"it asks for no {thing.name}", denied[0])]
    findings = compare(query, change, claims, _most if thing.most else exactly, demand)
    return findings or (misnamed(change, claims, _is) if "count" in (change.before or {}) else [])


def thing_claims(query: Query, thing: Thing, *, elsewhere: bool = False) -> list[Claim]:
    """What the query says of the number of a thing.

    Args:
        query: The query.
        thing: What is counted.
        elsewhere: Whether numbers of words count for sentences even where no sentence is named.
    """
    if thing.most and not elsewhere and not heard(thing.group).anywhere("per_sentence").search(query.shadow):
        return []
    claims: list[Claim] = []
    for quantity in quantities(query, ranges=False):
        end = _end_of_claim(query, thing, quantity, claims)
        if end is not None:
            denied = quantity.bare and is_denied(query, quantity.start, end)  # "she'd never get through five"
            role = "old" if denied else role_of(query, quantity.start, quantity.end)
            claims.append(Claim(quantity, quantity.start, end, role))
    return claims


def exactly(value: Quantity, params: Params) -> bool:
    """Whether a number is said to be exactly that of the parameters."""
    return not value.vague and value.low == value.high == params.get("count")


def _end_of_claim(query: Query, thing: Thing, quantity: Quantity, claims: Sequence[Claim]) -> int | None:
    """Where the claim ends that a number makes; None where it does not count the thing."""
    rest = query.shadow[quantity.end : quantity.end + _AHEAD]
    after = thing.after.match(rest)
    if _counts_nothing(query, quantity, rest, after is not None):
        return None
    if _of_them(query, thing, quantity, rest):
        return quantity.end
    if cues().after("counted", "relative").match(rest):
        return None  # "two bullets more" counts from where one is
    if after:
        return quantity.end + after.end()
    start = quantity.start
    alone = _stands_alone(rest)
    before = thing.before.search(query.shadow, max(0, start - _BACK), start)
    if before and (alone or not _ANOTHER_UNIT.match(rest)):
        return quantity.end
    named = bool(claims) or thing.nouns.search(query.shadow, max(0, start - 50), start) is not None
    return quantity.end if named and alone else None  # "bullets would help. Make it 5"


def _counts_nothing(query: Query, quantity: Quantity, rest: str, named: bool) -> bool:
    """`one` as a pronoun, and numbers that only enumerate: `(1, 2, 3 and so on)`."""
    if _ENUMERATED.search(query.shadow[max(0, quantity.start - 6) : quantity.end + 3]):
        return True
    if quantity.number != 1:
        return False
    return not named or counts_as_one(query, quantity) or cues().after("counted", "one").match(rest) is not None


def _of_them(query: Query, thing: Thing, quantity: Quantity, rest: str) -> bool:
    """Whether the thing was named just before: `Bullets, please: five of them`."""
    if not cues().after("counted", "of_them").match(rest):
        return False
    asked = cues().before("counted", "asked", marks="[,:—–]")
    if not asked.search(query.shadow, max(0, quantity.start - 16), quantity.start):
        return False
    return thing.nouns.search(query.shadow, *query.sentence(quantity.start)) is not None


def _stands_alone(rest: str) -> bool:
    alone = cues().framed("counted", "alone", left="( )?(", right=f"|(of (them|those)( )?)?({_PUNCTUATION_ALONE}))")
    return alone.match(rest) is not None


def _is_unwanted(query: Query, start: int, end: int) -> bool:
    """`no bullets`, `bullets mustn't occur`."""
    if cues().before("counted", "denied").search(query.shadow, max(0, start - 30), start):
        return True
    rest = _SENTENCE_END.split(query.shadow[end : end + _BACK], maxsplit=1)[0]
    return cues().anywhere("counted", "denied_after").search(rest) is not None


def _most(value: Quantity, params: Params) -> bool:
    if value.vague or value.high != params.get("count"):
        return False
    return value.low <= 1 or value.bare


def _is(value: Quantity, params: Params) -> bool:
    return bool(value.number == params.get("count"))

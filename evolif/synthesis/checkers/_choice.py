"""Reads one value out of a short list: a tone, an audience, a style, a language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from evolif.constraints import get_group
from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, Claim, compare, missing
from evolif.synthesis.checkers._cues import whole_words
from evolif.synthesis.checkers._numbers import find_numbers
from evolif.synthesis.checkers._removal import is_lifted, removed
from evolif.synthesis.checkers._roles import Role, role_of
from evolif.synthesis.checkers._shadow import Query

_DENIED = re.compile(
    r"(?:\bnot|n't|\bno|\bnever|\bwithout|\bavoid(?:ing)?|\bless|\bnothing|\banything\s+but|\banyone\s+but|\banybody\s+but|\bany\s+\w+\s+(?:but|except|other\s+than)|\beverything\s+but|\bexcept|\bneither|\bnor|\bfree\s+of|\bstay\s+away\s+from|\bsteer\s+clear\s+of|\bkeep\s+(?:away\s+from|clear\s+of)|\brefrain\s+from)"
    r"(?:\s+(?:be|sound|a|an|any|the|too|very|to|for|in|written|write|use|using|so|sounding|being|want|speak|an|come|across|as|feel|read|geared|towards?|get|appear|targeted|directed|tailored|overly|clearly|aimed|at|as|seem|feel|let|it)){0,4}\s*[\"'“‘]?$"
)


@lru_cache(maxsize=32)
def _heard(group: str) -> tuple[Mapping[str, re.Pattern[str]], re.Pattern[str], re.Pattern[str] | None]:
    """How the values of a group are named, what the constraint is called, and how it is set free."""
    data: Mapping[str, Any] = get_group(group).data["heard"]
    values = {value: whole_words(fragments) for value, fragments in data["values"].items()}
    free = whole_words(data["free"]) if data.get("free") else None
    return values, whole_words(data["nouns"]), free


def read_choice(query: Query, change: Change, key: str) -> list[Finding]:
    """Findings on a value out of a list.

    Args:
        query: The query.
        change: The change of the turn.
        key: The parameter that holds the value.
    """
    values, nouns, free = _heard(change.group)
    claims = _claims(query, values)

    def says(value: str, params: Params) -> bool:
        return bool(value == params[key])

    if change.kind != "remove":
        assert change.after is not None  # an add or a modification
        return compare(query, change, claims, says, f"“{change.after[key]}” ({change.group})")
    assert change.before is not None  # a removal
    findings = removed(query, change, nouns, claims, free, says)
    lifted = [c for c in claims if is_lifted(query, c.start, c.end)]
    if not findings and lifted and not any(says(c.value, change.before) for c in lifted):
        return [
            missing(
                change, f"it lifts “{lifted[0].value}”, not “{change.before[key]}”", (lifted[0].start, lifted[0].end)
            )
        ]
    return findings


_IS_NOT = re.compile(r"\W*(?:\w+\s+)?(?:is|are)(?:n't|\s+not)\s+(?:the|my|our|who|what)\b")
_PERSON = re.compile(
    r"\s+(?:child|children|kids?|readers?|customers?|people|person|couple|man|woman|dog|crowd|audience|birthday|hour|medium|ending|accident)(?!\w)"
)
_AGE = re.compile(r"[\s-]+years?[\s-]+olds?(?!\w)|[\s-]+years\s+(?:old|of\s+age)(?!\w)")
_AGED = re.compile(r"(?<!\w)(?:aged?|ages|age\s+of)\s+(?:about\s+|around\s+)?$")
_UPPER_AGES = (("child", 14), ("youth", 24), ("adult", 64), ("senior", 130))


def _ages(query: Query) -> list[Claim]:
    """Audiences that are named by their age."""
    found = []
    for number in find_numbers(query.shadow):
        end = _AGE.match(query.shadow, number.end)
        if end or _AGED.search(query.shadow, max(0, number.start - 16), number.start):
            value = next((name for name, upper in _UPPER_AGES if number.value <= upper), "senior")
            stop = end.end() if end else number.end
            found.append(Claim(value, number.start, stop, role_of(query, number.start, stop)))
    return found


def _denied_whole(query: Query, claims: list[Claim]) -> list[Claim]:
    """`not for young people of 15 to 24`: the ages are denied with the people."""
    denied = {
        (c.value, query.sentence(c.start))
        for c in claims
        if _DENIED.search(query.shadow, max(0, c.start - 50), c.start)
    }
    return [replace(c, role="old") if (c.value, query.sentence(c.start)) in denied else c for c in claims]


def _claims(query: Query, values: Mapping[str, re.Pattern[str]]) -> list[Claim]:
    claims: list[Claim] = []
    for value, pattern in values.items():
        for match in pattern.finditer(query.low):
            role: Role = role_of(query, *match.span())
            if _PERSON.match(query.shadow, match.end()) and "happy" in values:
                continue  # "a happy child" is somebody, not a tone
            if _DENIED.search(query.shadow, max(0, match.start() - 50), match.start()) or _IS_NOT.match(query.shadow, match.end()):
                role = "old"
            claims.append(Claim(value, match.start(), match.end(), role))
    if "child" in values:
        claims += _ages(query)
    claims.sort(key=lambda claim: (claim.start, -claim.end))
    if "child" in values:
        claims = _denied_whole(query, claims)
    outermost: list[Claim] = []
    for claim in claims:  # "older adults" is one audience, not two
        if not outermost or claim.start >= outermost[-1].end:
            outermost.append(claim)
    return outermost

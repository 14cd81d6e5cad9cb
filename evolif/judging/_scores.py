"""From a judge's reply to a score: JSON, or else prose with one score in it; nothing is guessed.

A reply is hostile input, and it may quote the answer it is about, scores in it included. So a reply that holds two
different scores holds none, and nothing is looked for inside of an object that cannot be read: what is found there
could be the quotation.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LONGEST_REPLY = 20_000
"""Characters of a reply that are read; a longer one is no reply to this question."""

_MOST_OBJECTS = 16
_NUMBER = r"(?<![\w.,/-])(-?[0-9]{1,6}(?:[.,][0-9]{1,6})?)(?!\w|[.,][0-9])"
_OF = r"(?:\s{0,3}(?:/|out of|of)\s{0,3}([0-9]{1,6}))"
_LABELLED = re.compile(
    r"\b(?:score|rating|grade)\b(?:\s(?:is|of|would be)\b)?"
    rf"[^\w\n-]{{0,12}}{_NUMBER}(?!\s{{0,3}}(?:-|–|to)\s{{0,3}}[0-9]){_OF}?",
    re.IGNORECASE,
)
"""“Score: 8”, “**Rating** 8/10”, but not the “score (1–10)” of a heading."""
_FRACTION = re.compile(rf"{_NUMBER}\s{{0,3}}/\s{{0,3}}([0-9]{{1,6}})")
_ALONE = re.compile(rf"[^\w-]{{0,8}}{_NUMBER}{_OF}?\W{{0,8}}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Read:
    """A score with its rationale, or why there is none."""

    score: float | None
    rationale: str = ""
    problem: str = ""


def read_score(reply: str, longest_rationale: int = 300) -> Read:
    """The score in a reply; None with a reason where it has none, several, or one outside of 1 to 10."""
    if not reply.strip():
        return Read(None, problem="the reply is empty")
    if len(reply) > LONGEST_REPLY:
        return Read(None, problem="the reply is too long")
    try:
        objects = _objects(reply)
    except ValueError as fault:
        return Read(None, problem=str(fault))
    if "{" in reply:
        return _from_objects(objects, longest_rationale)
    return _from_prose(reply, longest_rationale)


def _objects(reply: str) -> list[Mapping[str, Any]]:
    """The JSON objects with a score that stand side by side in a reply.

    Raises:
        ValueError: there is an object that cannot be read, or there are too many.
    """
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_once, parse_constant=_refuse)
    found: list[Any] = []
    at = reply.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            return [item for item in found if isinstance(item, dict) and "score" in item]
        try:
            item, end = decoder.raw_decode(reply, at)
        except (ValueError, RecursionError):
            raise ValueError("the reply holds JSON that cannot be read") from None
        found.append(item)
        at = reply.find("{", end)
    raise ValueError("the reply holds too many objects")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = {key.lower(): value for key, value in pairs}
    if len(made) != len(pairs):
        raise ValueError("a key comes twice")
    return made


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no score")


def _from_objects(objects: list[Mapping[str, Any]], longest: int) -> Read:
    read = [_value(item["score"]) for item in objects]
    rationale = next((r for item in objects if isinstance(r := item.get("rationale"), str)), "")
    return _one(read, rationale, longest)


def _from_prose(reply: str, longest: int) -> Read:
    alone = _ALONE.fullmatch(reply.strip())
    matches = [alone] if alone else [*_LABELLED.finditer(reply), *_FRACTION.finditer(reply)]
    return _one([_number(match[1], match[2]) for match in matches], "" if alone else reply, longest)


def _one(values: list[float | None], rationale: str, longest: int) -> Read:
    """The one score that all of these are."""
    if not values:
        return Read(None, problem="the reply holds no score")
    if None in values:
        return Read(None, problem="the reply's score is no number from 1 to 10")
    if len(set(values)) > 1:
        return Read(None, problem="the reply holds different scores")
    return Read(values[0], shorten(rationale, longest))


def _value(value: object) -> float | None:
    if isinstance(value, str):
        match = _ALONE.fullmatch(value.strip())
        return _number(match[1], match[2]) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 1 <= value <= 10 and math.isfinite(value) else None


def _number(digits: str, scale: str | None) -> float | None:
    value = float(digits.replace(",", "."))
    return value if 1 <= value <= 10 and scale in (None, "10") else None


def shorten(text: str, longest: int) -> str:
    """On one line, cut to a length, and without the half surrogates that no file can hold."""
    line = " ".join(text[: 4 * longest].encode("utf-8", "replace").decode("utf-8").split())
    return line if len(line) <= longest else line[: longest - 1] + "…"

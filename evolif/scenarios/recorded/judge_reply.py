"""The score in a judge's reply: JSON with a score, in a code fence or not, or text that quotes one.

A reply is hostile input: each step takes time that grows only with the reply's length.
"""

from __future__ import annotations

import json
import math
import re

from evolif.errors import ArgumentError, EvolifError

_KEYS = ("Score", "score")
_FENCE = re.compile(r"(`{3,}+)[^`\n]*+\n|(~{3,}+)[^\n]*+\n")
# The possessive quantifiers keep a number whole: “8/10” is no 8, and “10” is no 1. The closing quotation mark is the
# one that was opened.
_QUOTED_SCORE = re.compile(
    r"""["']score["']\s*+:\s*+(?P<mark>["'])?+\s*+"""
    r"""(?P<number>[+-]?+(?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?)"""
    r"""(?(mark)\s*+(?P=mark))(?!\w|\.[0-9]|\s*+[/-]\s*+[0-9])""",
    re.IGNORECASE,
)


class NoScore(EvolifError, ValueError):
    """A judge's reply gives no score; says why."""


def judge_score(text: str | None, min_score: float, max_score: float, *, as_released: bool = False) -> float:
    """The score in a judge's reply, scaled to [0, 1].

    A JSON object gives it under `Score`, else under `score`, as a number or a numeric string. In a reply that is not
    JSON, the first quoted key “score” with a colon and a number gives it.

    Args:
        text: The reply as received; None is the empty reply.
        min_score: The lowest score that the judge was told; it becomes 0.
        max_score: The highest one; it becomes 1.
        as_released: As UniDial-EvalKit's release does: a JSON object without a score counts as the lowest one, and a
            score outside the scale is taken as it is.

    Raises:
        NoScore: no score, another JSON value, or a score outside the scale.
        ArgumentError: the scale is empty or not finite.
    """
    if not (math.isfinite(min_score) and math.isfinite(max_score) and min_score < max_score):
        raise ArgumentError(f"the scale {min_score} to {max_score} is empty; give a highest score above the lowest one")
    score = _read((text or "").strip(), min_score if as_released else None)
    if not as_released and not min_score <= score <= max_score:
        raise NoScore(f"the judge's score {score:g} is outside the scale {min_score:g} to {max_score:g}")
    return (score - min_score) / (max_score - min_score)


def _read(reply: str, absent: float | None) -> float:
    """The score as the judge wrote it; `absent` is that of an object without one, None if it has none."""
    try:
        # Numbers stay text: converting very long ones is slow, and a numeric string counts like a number anyway.
        data = json.loads(_unfenced(reply), parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return _quoted(reply)
    if not isinstance(data, dict):
        raise NoScore("the judge's reply is JSON, but no object with a score")
    key = next((key for key in _KEYS if key in data), None)
    if key is None and absent is not None:
        return absent
    score = _number(data[key]) if key is not None else None
    if score is None:
        raise NoScore("the judge's reply is a JSON object without a numeric “Score”")
    return score


def _unfenced(reply: str) -> str:
    """What is inside the code fence that the reply begins with; the reply itself without one."""
    opening = _FENCE.match(reply)
    if opening is None:
        return reply
    return reply[opening.end() :].removesuffix(opening[1] or opening[2])


def _quoted(reply: str) -> float:
    """The first quoted key “score” with a finite number."""
    for match in _QUOTED_SCORE.finditer(reply):
        score = _number(match["number"])
        if score is not None:
            return score
    raise NoScore("the judge's reply is not JSON and quotes no score" if reply else "the judge's reply is empty")


def _number(value: object) -> float | None:
    """A finite number in a text; None if it is none."""
    if not isinstance(value, str) or "_" in value:  # Python would read 1_0 as 10
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None

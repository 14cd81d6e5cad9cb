"""Moments in a reply: labels of periods and clocks, in any order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.clock import SPARE, SPORTS, Sport, elapsed_at

_NEAR: Final = 50_000_000 + SPARE
"""Nanoseconds by which a clock may differ."""
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "opening": 1}
_WORDS: Final = {"one": 1, "two": 2, "three": 3, "four": 4}
_PERIOD: Final = r"(?:quarter|qtr|period|prd)"
_ORDINAL: Final = r"first|second|third|fourth|[1-9](?:st|nd|rd|th)"
_LABELS: Final = (
    r"(?P<short>[qp]\.? ?[1-9])(?![0-9]|(?<= [1-9])[:.][0-9])",
    r"(?P<turned>[1-9][qp])(?![a-z0-9])",
    rf"(?P<ordinal>(?:{_ORDINAL}|final|last|opening)[ -](?:{_PERIOD}|frame|[qp])(?![a-z]))",
    rf"(?P<named>{_PERIOD}(?: ?: ?|[ -])?(?:no\.? |number )?(?:[1-9]|one|two|three|four)(?![a-z0-9]|:[0-9]))",
    rf"(?P<bare>(?<=n the |f the )(?:{_ORDINAL})(?=[,.;:)|-]|$| at | with | - | when | to )"
    r"|[1-4](?:st|nd|rd|th)(?=,? [0-9]{1,2}[:.][0-9]))",
)
_UNITS: Final = r"(?:s|secs?|seconds?)(?![a-z])\.?"
_LEFT: Final = r"(?:left|remaining|to go|to play|on the clock)(?![a-z])"
_CLOCKS: Final = (
    r"(?P<long>[0-9]+(?::[0-9]+){2,})",
    rf"(?P<spelled>[0-9]{{1,2}} ?(?:m|mins?|minutes?)\.?,?(?: and)? ?[0-9]{{1,2}}) ?{_UNITS}",
    r"(?P<clock>[0-9]{1,2}:[0-5][0-9](?:\.[0-9]{1,9})?)(?![0-9]|:[0-9])(?! (?:later|earlier|minutes|mins?(?![a-z])))",
    rf"(?P<tenths>[0-5]?[0-9]\.[0-9]{{1,2}})(?![0-9%])(?! ?%)(?! ?{_UNITS} (?!{_LEFT}|in|of|on|at|from|before))",
    rf"(?P<whole>[0-5]?[0-9]) ?{_UNITS} {_LEFT}",
)
_TOKEN: Final = re.compile(
    rf"(?<![a-z0-9])(?:{'|'.join(_LABELS)})|(?<![0-9.])(?<!after )(?<!plus )(?:{'|'.join(_CLOCKS)})"
)
_SHOWN: Final = {True: re.compile(rf" {_LEFT}"), False: re.compile(r" (?:into|gone|played)(?![a-z])")}
"""What follows `6 minutes 14 seconds` where a clock shows them; else they are a span of time."""
_DIGITS: Final = re.compile(r"[0-9]+")
_OF: Final = re.compile(rf" ?{_UNITS}? ?(?:{_LEFT} )?(?:in|of|into|from)(?: the)? ")
_SHORT_WHOLE: Final = re.compile(r"(?: |, ?)([0-5][0-9])(?= ?s?(?:$|[,;)|]|\.(?![0-9])|left|remaining))")
"""`Q2 37`."""


class StatedMoment(NamedTuple):
    """A moment in a line.

    Attributes:
        start: Where its clock begins.
        end: Where its clock ends.
        period: None if nothing says which.
        time: Nanoseconds elapsed in the period.
    """

    start: int
    end: int
    period: int | None
    time: int


@dataclass(frozen=True, slots=True)
class TimedLine:
    """What a line says of time.

    Attributes:
        moments: In order.
        spans: Where its labels and clocks stand.
        label: The last period that it names; without one that of the lines before.
    """

    moments: Sequence[StatedMoment]
    spans: Sequence[tuple[int, int]]
    label: int | None


class _Token(NamedTuple):
    start: int
    end: int
    period: int | None
    """Of a label."""
    time: int | None
    """Of a clock."""


def times_in(line: str, sport: str, label: int | None = None) -> TimedLine:
    """The moments of a folded line.

    A clock belongs to the label before it; where `of` joins them, or in a line that begins with a clock and ends with a
    label, to the label after it.

    Args:
        line: Folded.
        sport: How the clock counts.
        label: The period named last before the line.
    """
    rules = SPORTS[sport]
    tokens = [token for found in _TOKEN.finditer(line) if (token := _token(found, rules)) is not None]
    if rules.counts_down:
        tokens = _with_whole_seconds(line, tokens, rules)
    follows = bool(tokens) and tokens[0].time is not None and tokens[-1].time is None
    moments: list[StatedMoment] = []
    for place, token in enumerate(tokens):
        if token.time is None:
            label = token.period
            continue
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if after is not None and after.time is None and (follows or _OF.fullmatch(line, token.end, after.start)):
            label = after.period
        moments.append(StatedMoment(token.start, token.end, label, token.time))
    return TimedLine(moments, [(token.start, token.end) for token in tokens], label)


def same_moment(moment: StatedMoment, period: int | None, clock: str, sport: str) -> bool:
    """Whether a moment is one of the key; without a period the clock alone counts."""
    return (period is None or moment.period == period) and abs(moment.time - time_of(clock, sport)) <= _NEAR


@lru_cache(maxsize=8192)
def time_of(clock: str, sport: str) -> int:
    """Nanoseconds elapsed in the period when a clock shows this.

    Raises:
        ArgumentError: it is no clock of this sport.
    """
    return elapsed_at(clock, SPORTS[sport])


def _token(found: re.Match[str], sport: Sport) -> _Token | None:
    kind = found.lastgroup or ""
    text = found[kind]
    if kind == "long" or (kind in ("tenths", "whole") and not sport.counts_down):
        return None
    if kind == "spelled":
        if not _SHOWN[sport.counts_down].match(found.string, found.end()):
            return None
        kind, text = "clock", ":".join(digits.zfill(2) for digits in _DIGITS.findall(text))
    if kind in ("clock", "tenths", "whole"):
        time = _time(text, sport.name)
        return None if time is None else _Token(*found.span(), None, time)
    return _Token(*found.span(), _period(kind, text, sport.periods), None)


@lru_cache(maxsize=8192)
def _time(clock: str, sport: str) -> int | None:
    try:
        return elapsed_at(clock, SPORTS[sport])
    except ArgumentError:  # 97:95 is a score
        return None


@lru_cache(maxsize=1024)
def _period(kind: str, text: str, periods: int) -> int:
    word = re.split("[ -]", text)[0] if kind in ("ordinal", "bare") else text.rpartition(" ")[2]
    if word in ("final", "last"):
        return periods
    if word in _ORDINALS:
        return _ORDINALS[word]
    digits = [int(char) for char in text if char.isdecimal()]
    return digits[0] if digits else next(value for name, value in _WORDS.items() if text.endswith(name))


def _with_whole_seconds(line: str, tokens: list[_Token], sport: Sport) -> list[_Token]:
    """Adds the clock of `Q2 37`, where nothing else can be meant."""
    found: list[_Token] = []
    for token in tokens:
        found.append(token)
        if token.time is None and (whole := _SHORT_WHOLE.match(line, token.end)):
            time = _time(whole[1], sport.name)
            if time is not None:
                found.append(_Token(whole.start(1), whole.end(1), None, time))
    return found

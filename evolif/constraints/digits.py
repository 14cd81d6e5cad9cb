"""`digits`: an answer without a single digit. Not in the paper."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import TypeAdapter

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group, ParamsModel, plural, shorten
from evolif.domain import Params, Span, Verdict
from evolif.text import Reading

_DIGIT = re.compile(r"\d")  # in Python, every Unicode decimal digit
_SHOWN = 20


class _Digits(ParamsModel):
    mode: Literal["none"]


class Digits(Group):
    """No decimal digit of any script anywhere in the body, list numbers and mark-up included."""

    name = "digits"
    adapter: TypeAdapter[Any] = TypeAdapter(_Digits)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """There is one mode."""
        return {"mode": stream.choice(context.pool["modes"])}

    def modify(self, params: Params, stream: Stream, context: DrawContext) -> Params | None:
        """Nothing else can be asked for."""
        return None

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Look for digits in the body."""
        places = [match.start() for match in _DIGIT.finditer(reading.body)]
        if not places:
            return self.verdict(True, "no digit anywhere", "no digit")
        text = shorten("".join(reading.body[at] for at in places[: _SHOWN * 2]), _SHOWN)
        spans = [Span(at, at + 1, "body") for at in places]
        return self.verdict(False, "no digit anywhere", f"{plural(len(places), 'digit')}: {text}", spans)

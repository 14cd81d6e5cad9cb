"""`wrap` (not in the paper): everything stands between two given marks, such as quotation marks or tags."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, ParamsModel, shorten
from evolif.scenarios.instructions.constraints.phrases import comparable
from evolif.scenarios.instructions.constraints.relations import draw_weighted
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading
from evolif.types import Verdict
from evolif.util.rng import Stream

_Mark = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^\S(?:.*\S)?$")]
_FENCE = re.compile(r"(`{3,}+|~{3,}+)[^\n`]*+\n")
_BOLD = "*_"
_ANY_QUOTES = "\"“”„‟«»‹›‘’‚‛「」『』〝〞＂'"
_SHOWN = 24


class _Wrap(ParamsModel):
    left: _Mark
    right: _Mark


class Wrap(Group):
    """What the whole answer stands between."""

    name = "wrap"
    adapter: TypeAdapter[Any] = TypeAdapter(_Wrap)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """A pair from the pool."""
        if "drawn" in context.pool:
            return draw_weighted(stream, context)
        left, right = stream.choice(context.pool["pairs"])
        return {"left": left, "right": right}

    def key(self, params: Params) -> str:
        return "quotation" if params["left"] == params["right"] == '"' else "pair"

    def slots(self, params: Params) -> dict[str, str]:
        return {"left": params["left"], "right": params["right"]}

    def check(self, params: Params, reading: Reading) -> Verdict:
        left, right = params["left"], params["right"]
        expected = f"{left} at the very beginning, {right} at the very end, and text between them"
        text = _inside_fence(reading.body)
        for mark in _BOLD:
            if not (left.startswith(mark) or right.endswith(mark)):
                text = text.strip(mark).strip()
        opened, closed = _length_at_start(text, left), _length_at_end(text, right)
        if not opened:
            return self.verdict(False, expected, f"the answer begins with “{shorten(text[:_SHOWN], _SHOWN)}”")
        if not closed:
            return self.verdict(False, expected, f"the answer ends with “{shorten(text[-_SHOWN:], _SHOWN)}”")
        between = text[opened : len(text) - closed] if opened + closed <= len(text) else ""
        holds = any(map(str.isalnum, between))
        return self.verdict(holds, expected, "both, with text between them" if holds else "nothing between them")


def _inside_fence(body: str) -> str:
    """What is inside the one fence round the whole body, whatever its tag; else the body."""
    opening = _FENCE.match(body)
    if opening is None:
        return body
    fence, inside = opening.group(1), body[opening.end() :]
    lines = inside.rstrip().split("\n")
    last = lines.pop().strip()
    if last.strip(fence[0]) or len(last) < len(fence) or any(line.strip() == last for line in lines):
        return body
    return "\n".join(lines).strip()


def _length_at_start(text: str, mark: str) -> int:
    """How many characters of the text's beginning are the mark; 0 if none."""
    if mark == '"':
        return int(text[:1] in _ANY_QUOTES and bool(text))
    return len(mark) if comparable(text[: len(mark)]) == comparable(mark) else 0


def _length_at_end(text: str, mark: str) -> int:
    """The same of the text's end."""
    if mark == '"':
        return int(text[-1:] in _ANY_QUOTES and bool(text))
    return len(mark) if comparable(text[-len(mark) :]) == comparable(mark) else 0

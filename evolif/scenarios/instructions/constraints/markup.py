"""Groups about mark-up and characters of the body: `bullets` (CTI), and `headings`, `emphasis` and `digits`.

Only `bullets` is in the paper.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag, TypeAdapter

from evolif.scenarios.instructions.constraints.base import (
    CountGroup,
    CountParams,
    DrawContext,
    Group,
    ParamsModel,
    shorten,
)
from evolif.scenarios.instructions.constraints.compatibility import find_declared
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, plural
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

_DIGIT = re.compile(r"\d")  # in Python, every Unicode decimal digit
_SHOWN_DIGITS = 20


class _Numbered(CountParams):
    kind: Literal["numbered"]


def _kind(params: Any) -> str:
    return "plain" if not isinstance(params, dict) or params.get("kind", "bullet") == "bullet" else "numbered"


class Bullets(CountGroup):
    """Items marked with `-`, `*`, `+` or `•` at any depth, in HTML the `li` of a `ul`; or numbered items."""

    name = "bullets"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[Annotated[CountParams, Tag("plain")] | Annotated[_Numbered, Tag("numbered")], Discriminator(_kind)]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """A count from the pool; also a kind, if the pool has kinds."""
        kinds = context.pool.get("kinds")
        if kinds:
            kinds = [k for k in kinds if not find_declared({**context.active, self.name: {"kind": k}})]
        kind = stream.choice(kinds) if kinds else "bullet"
        count = stream.between(context.pool["min"], context.pool["max"])
        return {"count": count} if kind == "bullet" else {"count": count, "kind": kind}

    def key(self, params: Params) -> str:
        return str(params.get("kind", "count"))

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        return ["count" if kind == "bullet" else kind for kind in pool.get("kinds") or ("bullet",)]

    def slots(self, params: Params) -> dict[str, str]:
        return {"count": str(params["count"])}

    def note(self, params: Params, fmt: str | None) -> str:
        name = "ol" if "kind" in params else "ul"
        return f"In HTML, the <li> elements of a <{name}> count." if fmt == "html" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count the items that have content."""
        numbered = "kind" in params
        items = reading.content.numbered if numbered else reading.content.bullets
        spans = [Span(start, end, "body") for start, end in items if start >= 0]
        return self.count_verdict(params, len(items), "numbered item" if numbered else "bullet item", spans)


class Headings(CountGroup):
    """Headings of any level, and separate lines entirely in bold, which readers see as headings."""

    name = "headings"
    adapter: TypeAdapter[Any] = TypeAdapter(CountParams)

    def note(self, params: Params, fmt: str | None) -> str:
        return "In HTML, the elements <h1> to <h6> and wholly bold blocks count." if fmt == "html" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        headings = [(index, block) for index, block in enumerate(reading.blocks) if block.kind == "heading"]
        spans = [span for index, block in headings for span in reading.spans(index, 0, len(block.text))]
        return self.count_verdict(params, len(headings), "heading", spans)


class Emphasis(CountGroup):
    """Passages between `**` or `__`, in HTML `<b>` and `<strong>`; bold inside bold is not a separate passage."""

    name = "emphasis"
    adapter: TypeAdapter[Any] = TypeAdapter(CountParams)

    def note(self, params: Params, fmt: str | None) -> str:
        return "In HTML, the elements <b> and <strong> count." if fmt == "html" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        passages = reading.content.strong
        spans = [Span(start, end, "body") for start, end in passages if start >= 0]
        return self.count_verdict(params, len(passages), "bold passage", spans)


class _Digits(ParamsModel):
    mode: Literal["none"]


class Digits(Group):
    """No decimal digit of any script anywhere in the body, list numbers and mark-up included."""

    name = "digits"
    adapter: TypeAdapter[Any] = TypeAdapter(_Digits)

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        return {"mode": stream.choice(context.pool["modes"])}

    def modify(self, params: Params, stream: Stream, context: DrawContext) -> Params | None:
        """Nothing: there is one mode."""
        return None

    def check(self, params: Params, reading: Reading) -> Verdict:
        places = [match.start() for match in _DIGIT.finditer(reading.body)]
        if not places:
            return self.verdict(True, "no digit anywhere", "no digit")
        text = shorten("".join(reading.body[at] for at in places[: _SHOWN_DIGITS * 2]), _SHOWN_DIGITS)
        spans = [Span(at, at + 1, "body") for at in places]
        return self.verdict(False, "no digit anywhere", f"{plural(len(places), 'digit')}: {text}", spans)

"""`bullets` (CTI): how many bullet list items there are."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter

from evolif.constraints.base import CountGroup, CountParams, DrawContext, Group, ParamsModel, plural, shorten
from evolif.constraints.compatibility import find_declared
from evolif.rng import Stream
from evolif.text import Reading
from evolif.types import Params, Span, Verdict


class _Bullets(ParamsModel):
    count: Annotated[int, Field(ge=0)]


class _Numbered(_Bullets):
    kind: Literal["numbered"]


def _kind(params: Any) -> str:
    return "plain" if not isinstance(params, dict) or params.get("kind", "bullet") == "bullet" else "numbered"


class Bullets(Group):
    """Items marked with `-`, `*`, `+` or `•` at any depth, in HTML the `li` of a `ul`; or numbered ones."""

    name = "bullets"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[Annotated[_Bullets, Tag("plain")] | Annotated[_Numbered, Tag("numbered")], Discriminator(_kind)]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """A count from the pool; the kind, too, where the pool has kinds."""
        kinds = context.pool.get("kinds")
        if kinds:
            kinds = [k for k in kinds if not find_declared({**context.active, self.name: {"kind": k}})]
        kind = stream.choice(kinds) if kinds else "bullet"
        count = stream.between(context.pool["min"], context.pool["max"])
        return {"count": count} if kind == "bullet" else {"count": count, "kind": kind}

    def key(self, params: Params) -> str:
        """Bullets or numbers."""
        return str(params.get("kind", "count"))

    def slots(self, params: Params) -> dict[str, str]:
        """Only the number varies."""
        return {"count": str(params["count"])}

    def note(self, params: Params, fmt: str | None) -> str:
        """What an item is in HTML."""
        name = "ol" if "kind" in params else "ul"
        return f"In HTML, the <li> elements of a <{name}> count." if fmt == "html" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count the items that have content."""
        numbered = "kind" in params
        items = reading.content.numbered if numbered else reading.content.bullets
        noun = "numbered item" if numbered else "bullet item"
        spans = [Span(start, end, "body") for start, end in items if start >= 0]
        expected = f"exactly {plural(params['count'], noun)}"
        return self.verdict(len(items) == params["count"], expected, plural(len(items), noun), spans)


# `headings`: how many headings there are. Not in the paper.


class Headings(CountGroup):
    """Headings of any level, and wholly bold lines of their own, which a reader takes for headings."""

    name = "headings"
    adapter: TypeAdapter[Any] = TypeAdapter(CountParams)

    def note(self, params: Params, fmt: str | None) -> str:
        """What a heading is in HTML."""
        return "In HTML, the elements <h1> to <h6> and wholly bold blocks count." if fmt == "html" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count the heading blocks."""
        spans: list[Span] = []
        count = 0
        for index, block in enumerate(reading.blocks):
            if block.kind == "heading":
                count += 1
                spans.extend(reading.spans(index, 0, len(block.text)))
        expected = f"exactly {plural(params['count'], 'heading')}"
        return self.verdict(count == params["count"], expected, plural(count, "heading"), spans)


# `emphasis`: how many passages are in bold. Not in the paper.


class Emphasis(CountGroup):
    """Passages between `**` or `__`, in HTML `<b>` and `<strong>`; bold inside bold is no passage of its own."""

    name = "emphasis"
    adapter: TypeAdapter[Any] = TypeAdapter(CountParams)

    def note(self, params: Params, fmt: str | None) -> str:
        """What bold is in HTML."""
        return "In HTML, the elements <b> and <strong> count." if fmt == "html" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Count the passages that hold text."""
        passages = reading.content.strong
        spans = [Span(start, end, "body") for start, end in passages if start >= 0]
        expected = f"exactly {plural(params['count'], 'bold passage')}"
        found = plural(len(passages), "bold passage")
        return self.verdict(len(passages) == params["count"], expected, found, spans)


# `digits`: an answer without a single digit. Not in the paper.

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

"""`bullets` (CTI): how many bullet list items there are."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter

from evolif._stream import Stream
from evolif.constraints._base import DrawContext, Group, ParamsModel, plural
from evolif.constraints._compatibility import find_declared
from evolif.domain import Params, Span, Verdict
from evolif.text import Reading


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

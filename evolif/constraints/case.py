"""`case` (CS): all upper case, all lower case, or a share of upper case."""

from __future__ import annotations

import string
from typing import Annotated, Any, Literal

import regex
from pydantic import Field, TypeAdapter

from evolif.constraints.base import DrawContext, Group, ParamsModel
from evolif.rng import Stream
from evolif.text import Reading
from evolif.types import Params, Span, Verdict

TOLERANCE = 3
"""Tolerance of a share, in percentage points."""

_UPPER, _LOWER = string.ascii_uppercase.encode(), string.ascii_lowercase.encode()
_UNICODE = (regex.compile(r"\p{Lu}"), regex.compile(r"\p{Ll}"), regex.compile(r"\p{Lt}"))


class _Whole(ParamsModel):
    mode: Literal["all_upper", "all_lower"]


class _Share(ParamsModel):
    mode: Literal["share"]
    percent: Annotated[int, Field(ge=0, le=100)]


def _count_cased(text: str) -> tuple[int, int, int]:
    """Upper-case, lower-case and title-case letters of `text`."""
    if text.isascii():
        letters = text.encode()  # deleting bytes is the fastest way to count them
        upper, lower = (len(letters) - len(letters.translate(None, case)) for case in (_UPPER, _LOWER))
        return upper, lower, 0
    upper, lower, title = (len(pattern.findall(text)) for pattern in _UNICODE)
    return upper, lower, title


class Case(Group):
    """The case of the content's cased letters."""

    name = "case"
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[_Whole | _Share, Field(discriminator="mode")])

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of three modes; a share from the pool."""
        mode = stream.choice(("all_upper", "all_lower", "share"))
        if mode != "share":
            return {"mode": mode}
        pool = context.pool["share"]
        return {"mode": mode, "percent": stream.between(pool["min"], pool["max"], pool["step"])}

    def note(self, params: Params, fmt: str | None) -> str:
        """What counts as text."""
        if fmt == "json":
            return "In JSON, keys count as text."
        return "Tags do not count." if fmt in ("xml", "html") else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        upper, lower, title = _count_cased(reading.content_text)
        total = upper + lower + title
        mode = params["mode"]
        if mode == "share":
            percent = params["percent"]
            expected = f"{percent} % of the letters in upper case, within {TOLERANCE} points"
            satisfied = total > 0 and abs(100 * upper - percent * total) <= TOLERANCE * total
            found = f"{100 * upper / total:.1f} % ({upper} of {total})" if total else "no cased letter"
            return self.verdict(satisfied, expected, found)
        wrong = total - upper if mode == "all_upper" else total - lower
        name = "upper" if mode == "all_upper" else "lower"
        expected = f"every letter in {name} case"
        if not total:
            return self.verdict(False, expected, "no cased letter")
        found = f"all {total} letters in {name} case" if not wrong else f"{wrong} of {total} letters are not"
        return self.verdict(not wrong, expected, found, self._first_wrong(mode, reading) if wrong else ())

    def _first_wrong(self, mode: str, reading: Reading) -> list[Span]:
        pattern = r"[\p{Ll}\p{Lt}]" if mode == "all_upper" else r"[\p{Lu}\p{Lt}]"
        match = regex.search(pattern, reading.content_text)
        return [Span(match.start(), match.end())] if match else []

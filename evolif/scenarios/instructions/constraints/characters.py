"""`case` (CS): all upper case, all lower case, or a share; `punctuation` (PTT): a mark that must or must not occur."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterator, Mapping
from operator import itemgetter
from typing import Annotated, Any, Literal

import regex
from pydantic import Field, TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, ParamsModel
from evolif.scenarios.instructions.constraints.relations import draw_weighted
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, plural
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

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
        if "drawn" in context.pool:
            return draw_weighted(stream, context)
        mode = stream.choice(("all_upper", "all_lower", "share"))
        if mode != "share":
            return {"mode": mode}
        pool = context.pool["share"]
        return {"mode": mode, "percent": stream.between(pool["min"], pool["max"], pool["step"])}

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str] | None:
        return sorted({self.key(params) for params, _ in pool["drawn"]}) if "drawn" in pool else None

    def values(self, params: Params) -> dict[str, str]:
        """The share with its sign."""
        return {"percent": f"{params['percent']}%"} if params["mode"] == "share" else {}

    def size(self, params: Params) -> tuple[str, int] | None:
        return ("percent", params["percent"]) if params["mode"] == "share" else None

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


_WHERE_EXCLUDED = {
    "json": "The ban is on keys and values, not on the syntax.",
    "csv": "The ban is on the cells, not on what stands between them.",
    "html": "The ban is on the visible text, not on the tags.",
    "xml": "The ban is on the text, not on the tags.",
}
"""Formats in which an excluded mark is searched for in the content only, and the note that says so."""


_WELL_KNOWN = frozenset(".,:;%@/€£$°©&!?-")
"""Marks that people call by their name; others have to be shown."""


class _Punctuation(ParamsModel):
    mode: Literal["include", "exclude"]
    mark: Annotated[str, Field(min_length=1, max_length=16, pattern=r"\S")]


_MARK_ONLY = {"mark": "the modes include and exclude"}


class _NoMarks(ParamsModel):
    misfits = _MARK_ONLY
    mode: Literal["exclude_all"]


# What a reader takes for part of a word or a number is no mark of its own.
_INNER = regex.compile(r"(?<=\w)['’‐‑-](?=\w)|(?<=\d)[.,](?=\d)|[%％]")
_MARKS = regex.compile(r"\p{P}")
_SHOWN_MARKS = 12


def _places(text: str, mark: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))


class Punctuation(Group):
    """Inclusion is checked in the content; exclusion in the body, or in the content for data formats."""

    name = "punctuation"
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[_Punctuation | _NoMarks, Field(discriminator="mode")])

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """Include or exclude, then a mark from that pool."""
        if "drawn" in context.pool:
            return draw_weighted(stream, context)
        mode = stream.choice(("include", "exclude"))
        if mode == "exclude":
            return {"mode": mode, "mark": stream.choice(context.pool[mode])[0]}
        return {"mode": mode, "mark": context.pick(stream, "marks", context.pool[mode], itemgetter(0))[0]}

    def slots(self, params: Params) -> dict[str, str]:
        """The mark in quotation marks, with its name if the pool has one."""
        if "mark" not in params:
            return {}
        mark = params["mark"]
        pool = self.data["pool"]
        names: dict[str, str] = dict([*pool["include"], *pool["exclude"]])
        return {"mark": f"“{mark}” ({names[mark]})" if names.get(mark) else f"“{mark}”"}

    def values(self, params: Params) -> dict[str, str]:
        """The mark in quotation marks and its names; a mark whose name few people know is shown instead."""
        if "mark" not in params:
            return {}
        mark, pool = params["mark"], self.data["pool"]
        name = dict([*pool["include"], *pool["exclude"]]).get(mark, "")
        if mark not in _WELL_KNOWN or not name:
            return {"mark": f"“{mark}”", "name": f"“{mark}”", "a_name": f"a “{mark}”", "names": f"“{mark}” signs"}
        article = "an" if name[0] in "aio" else "a"
        plural = f"{name}es" if name.endswith("sh") else f"{name}s"
        return {"mark": f"“{mark}”", "name": name, "a_name": f"{article} {name}", "names": plural}

    def note(self, params: Params, fmt: str | None) -> str:
        """Where the mark is searched for."""
        if params["mode"] == "exclude":
            return _WHERE_EXCLUDED.get(fmt or "", "")
        return "In the text, not in the mark-up." if fmt else ""

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        if "drawn" in pool:
            return sorted({self.key(params) for params, _ in pool["drawn"]})
        return tuple(pool.get("modes", ("include", "exclude")))

    def check(self, params: Params, reading: Reading) -> Verdict:
        if params["mode"] == "exclude_all":
            return self._check_no_marks(reading)
        mark = params["mark"]
        if params["mode"] == "include":
            first = next(_places(reading.content_text, mark), None)
            spans = [] if first is None else [Span(first, first + len(mark))]
            return self.verdict(first is not None, f"“{mark}” occurs", "it occurs" if spans else "it does not", spans)
        if reading.fmt in _WHERE_EXCLUDED:
            found = [Span(at, at + len(mark)) for at in _places(reading.content_text, mark)]
        else:
            rows = reading.content.delimiter_rows
            places = (at for at in _places(reading.body, mark) if not any(start <= at < end for start, end in rows))
            found = [Span(at, at + len(mark), "body") for at in places]
        text = f"it occurs {len(found)}×" if found else "it does not occur"
        return self.verdict(not found, f"no “{mark}” anywhere", text, found)

    def _check_no_marks(self, reading: Reading) -> Verdict:
        """No punctuation in the content, the signs of list numbers included."""
        expected = "no punctuation mark, apart from apostrophes and hyphens inside words and points inside numbers"
        numbers = [block.number for block in reading.blocks if block.number]
        text = _INNER.sub(lambda match: " " * len(match.group()), reading.content_text)
        places = [match.start() for match in _MARKS.finditer(text)]
        shown = [*numbers, *(text[at] for at in places)]
        if not shown:
            return self.verdict(True, expected, "none")
        found = f"{plural(len(shown), 'mark')}, such as {' '.join(dict.fromkeys(shown[:_SHOWN_MARKS]))}"
        return self.verdict(False, expected, found, [Span(at, at + 1) for at in places])

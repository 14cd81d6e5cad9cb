"""Shapes of a whole answer that `format` may ask for: tables, one block of code, plain text, a list in one line.

Each check says whether the answer has the shape, what is expected, and what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from evolif.scenarios.instructions.constraints.base import SparseParams, shorten
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, plural

MIN_ROWS = 2
"""The fewest data rows of a table."""
_MOST_WORDS = 15
"""A longer field is no entry of a list in one line."""

_Tag = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9+#._-]{0,29}$")]


_KEYS = {
    "columns": "tables",
    "column_count": "tables without “columns”",
    "only": "tables",
    "keys": "JSON",
    "fence": "JSON",
    "tag": "code",
    "count": "comma_list and literal_list",
}


def keys_of_others(*own: str) -> Mapping[str, str]:
    """The keys of other formats, and what each goes with."""
    return {key: place for key, place in _KEYS.items() if key not in own}


class AnyTable(SparseParams):
    """Tables of any columns."""

    misfits = keys_of_others("column_count", "only")
    mode: Literal["table"]
    column_count: Annotated[int, Field(ge=1, le=50)] | None = None
    only: bool | None = None


class CodeBlock(SparseParams):
    """One block of code."""

    misfits = keys_of_others("tag")
    mode: Literal["code"]
    tag: _Tag | None = None


class PlainText(SparseParams):
    """Text without mark-up."""

    misfits = keys_of_others()
    mode: Literal["plain"]


class OneLineList(SparseParams):
    """A list in one line, with commas, or as a literal of Python and JSON."""

    misfits = keys_of_others("count")
    mode: Literal["comma_list", "literal_list"]
    count: Annotated[int, Field(ge=1, le=1000)] | None = None


class Shape(NamedTuple):
    """Whether an answer has a shape, what is expected, and what was found."""

    satisfied: bool
    expected: str
    found: str


def check_shape(params: Params, reading: Reading) -> Shape:
    """Check a shape of this module, by its mode."""
    return _CHECKS[params["mode"]](params, reading)


def check_tables(params: Params, reading: Reading) -> Shape:
    """At least one table with rows, all with the given number of columns, and nothing else if `only`."""
    wanted, tables = params.get("column_count"), reading.content.tables
    columns = f" of {plural(wanted, 'column')}" if wanted else ""
    expected = f"a Markdown table{columns} with at least {MIN_ROWS} rows" + " and nothing else" * bool(
        params.get("only")
    )
    if not any(table.rows >= MIN_ROWS for table in tables):
        rows = f"; the longest has {plural(max(table.rows for table in tables), 'row')} of text" if tables else ""
        return Shape(False, expected, f"{plural(len(tables), 'Markdown table')}{rows}")
    counts = sorted({len(table.header) for table in tables})
    if wanted and counts != [wanted]:
        return Shape(False, expected, f"tables of {' and '.join(map(str, counts))} columns")
    if params.get("only"):
        other = outside_tables(reading)
        if other:
            return Shape(False, expected, f"a table, and “{shorten(other)}”")
    return Shape(True, expected, f"{plural(len(tables), 'table')} of {' and '.join(map(str, counts))} columns")


def outside_tables(reading: Reading) -> str:
    """The first text that is in no table and no heading; empty if there is none."""
    others = (block.text for block in reading.blocks if block.kind not in ("cell", "heading") and block.text.strip())
    return next(others, "")


_FENCE = re.compile(r"(`{3,}+|~{3,}+)([^\n]*+)\n")


class Fence(NamedTuple):
    """The one fence that encloses a whole answer."""

    tag: str
    inside: str


def whole_fence(text: str) -> Fence | str:
    """The closed fence that is the whole text; else why there is none."""
    opening = _FENCE.match(text)
    if opening is None or (opening.group(1)[0] == "`" and "`" in opening.group(2)):
        return "the answer does not begin with a code fence"
    mark, tag = opening.group(1), opening.group(2).strip()
    closing = re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
    end = closing.search(text, opening.end())
    if end is None:
        return "the code fence is never closed"
    if text[end.end() :].strip():
        return "there is text behind the code fence"
    return Fence(tag.split(None, 1)[0].lower() if tag else "", text[opening.end() : end.start()])


_SYNONYMS = (
    {"python", "py", "python3", "py3"},
    {"javascript", "js", "node", "mjs"},
    {"typescript", "ts"},
    {"bash", "sh", "shell", "zsh", "console"},
    {"yaml", "yml"},
    {"markdown", "md"},
    {"ruby", "rb"},
    {"csharp", "cs", "c#"},
    {"cpp", "c++", "cxx", "cc"},
    {"rust", "rs"},
    {"kotlin", "kt"},
    {"go", "golang"},
    {"powershell", "ps1", "pwsh"},
    {"html", "htm"},
    {"text", "txt", "plaintext", "plain"},
    {"perl", "pl"},
    {"haskell", "hs"},
    {"latex", "tex"},
    {"dockerfile", "docker"},
    {"objective-c", "objc"},
    {"visualbasic", "vb"},
)


def same_language(tag: str, other: str) -> bool:
    """Whether two tags of code fences name one language.

    >>> same_language("python", "py")
    True
    """
    tag, other = tag.lower(), other.lower()
    return tag == other or any({tag, other} <= names for names in _SYNONYMS)


def _check_code(params: Params, reading: Reading) -> Shape:
    tag = params.get("tag")
    expected = f"one closed block of {tag} code and nothing else" if tag else "one closed code block and nothing else"
    fence = whole_fence(reading.text)
    if isinstance(fence, str):
        return Shape(False, expected, fence)
    if not fence.inside.strip():
        return Shape(False, expected, "an empty code block")
    if tag and not same_language(tag, fence.tag):
        return Shape(False, expected, f"a code block tagged {fence.tag}" if fence.tag else "a code block without a tag")
    return Shape(True, expected, "one code block")


_RULE = re.compile(r"^[ \t]*-{3,}[ \t]*$", re.MULTILINE)
_LIST_LINE = re.compile(r"^[ \t]*((?:[-*+•▪]|\d{1,3}[.)])[ \t]+\S)", re.MULTILINE)
_STAR = re.compile(r"(?<=[^\W_])\*{1,2}(?=[^\W_])")
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


def _check_plain(params: Params, reading: Reading) -> Shape:
    """No element of Markdown once rules, indents and stars inside words are gone, which plain text may hold, too."""
    expected = "plain text without Markdown and without lists"
    line = _LIST_LINE.search(reading.body)
    if line is not None:
        return Shape(False, expected, f"a list line: “{shorten(reading.body[line.start(1) :][:60])}”")
    text = _STAR.sub("x", _INDENT.sub("", _RULE.sub("", reading.body)))
    elements = Reading(text).content.elements
    return Shape(not elements, expected, plural(elements, "Markdown element") if elements else "plain text")


_STOP = re.compile(r"[.!?;:]\s")
_LIST_MARK = re.compile(r"(?:[-*+•▪]|\d{1,3}[.)])\s")
_AND = " and "


def comma_fields(body: str) -> list[str]:
    """The fields of a list in one line; a last “and” parts two fields, with a comma before it or without.

    >>> comma_fields("red, green, and blue.")
    ['red', 'green', 'blue']
    """
    fields = [field.strip() for field in body.strip().removesuffix(".").split(",")]
    last = fields.pop()
    if last.lower().startswith(_AND.lstrip()):
        return [*fields, last[len(_AND) - 1 :].strip()]
    at = last.lower().rfind(_AND)
    return [*fields, last] if at < 0 else [*fields, last[:at].strip(), last[at + len(_AND) :].strip()]


def _check_comma_list(params: Params, reading: Reading) -> Shape:
    count, body = params.get("count"), reading.body
    expected = f"{plural(count, 'entry', 'entries')} in one line" if count else "entries in one line"
    expected += ", separated by commas"
    problem = _comma_problem(body)
    if problem:
        return Shape(False, expected, problem)
    fields = comma_fields(body)
    odd = next((f for f in fields if not any(map(str.isalnum, f)) or len(f.split()) > _MOST_WORDS), None)
    if odd is not None:
        return Shape(False, expected, f"“{shorten(odd)}” between commas")
    found = plural(len(fields), "entry", "entries")
    return Shape(len(fields) == count if count else len(fields) >= 2, expected, found)


def _comma_problem(body: str) -> str:
    if "\n" in body:
        return f"{plural(body.count(chr(10)) + 1, 'line')}"
    if _LIST_MARK.match(body):
        return "a list mark at the beginning"
    stop = _STOP.search(body)
    return f"“{shorten(body[max(0, stop.start() - 20) : stop.end()])}” inside the line" if stop else ""


_LITERAL = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?""")
_SPACE = re.compile(r"\s*")


def count_literals(body: str) -> int | None:
    """How many strings and numbers a literal list holds; None if the text is no such list.

    >>> count_literals("['a', 2.5, 3]")
    3
    """
    if not (body.startswith("[") and body.endswith("]")):
        return None
    at, end, count = 1, len(body) - 1, 0
    while (at := _skip(body, at)) < end:
        literal = _LITERAL.match(body, at, end)
        if literal is None:
            return None
        count, at = count + 1, _skip(body, literal.end())
        if at < end and body[at] != ",":
            return None
        at += 1
    return count


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _check_literal_list(params: Params, reading: Reading) -> Shape:
    wanted = params.get("count")
    expected = (
        f"a literal list of {plural(wanted, 'string or number', 'strings or numbers')}"
        if wanted
        else ("a literal list of strings or numbers")
    )
    count = count_literals(reading.body)
    if count is None:
        return Shape(False, expected, f"“{shorten(reading.body)}”")
    return Shape(count == wanted if wanted else count > 0, expected, plural(count, "entry", "entries"))


_CHECKS: Mapping[str, Callable[[Params, Reading], Shape]] = MappingProxyType(
    {
        "table": check_tables,
        "code": _check_code,
        "plain": _check_plain,
        "comma_list": _check_comma_list,
        "literal_list": _check_literal_list,
    }
)
SHAPES = tuple(_CHECKS)
"""The modes of this module; `table` also stands for a table of given columns, which `format` checks."""

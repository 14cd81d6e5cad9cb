"""The data formats: JSON (RFC 8259), XML and CSV (RFC 4180), each parsed strictly into blocks.

The parsers read hostile input: nesting is bounded, and time grows only with the size of the text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from xml.parsers import expat

from evolif.text.blocks import CELL_GAP, MAX_DEPTH, Block, Content, FormatFaultError
from evolif.text.display import plural
from evolif.text.tokens import clean

# The closing alternative `\Z` keeps an unclosed string linear: it is consumed once.
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[\]{}]', re.DOTALL)
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null', re.DOTALL)


def parse_json(body: str) -> Content:
    """Keys, strings and numbers in document order, one block each.

    Raises:
        FormatFaultError: not one strict RFC 8259 object or array.
    """
    if body[:1] not in ("{", "["):
        raise FormatFaultError("does not start with { or [", 0)
    _check_depth(body)
    try:
        json.loads(body, parse_constant=_refuse_constant, parse_int=str, parse_float=str)
    except json.JSONDecodeError as fault:
        raise FormatFaultError(f"{fault.msg} (line {fault.lineno}, column {fault.colno})", fault.pos) from None
    content = Content([])
    for match in _TOKENS.finditer(body):
        token = match.group()
        if token in ("true", "false", "null"):
            content.literal_last = token
            if not content.blocks:
                content.literal_first = content.literal_first or token
            continue
        quotes = int(token[0] == '"')
        text = token[quotes : len(token) - quotes]
        if quotes and "\\" in token:
            text = clean(json.loads(token))
        if text.strip():
            exact = len(text) == len(token) - 2 * quotes
            pieces = [(0, match.start() + quotes, len(text))] if exact else []
            content.blocks.append(Block("value", text, pieces=pieces))
            content.literal_last = ""
    return content


def _check_depth(body: str) -> None:
    if body.count("[") + body.count("{") <= MAX_DEPTH:
        return  # even if every bracket were nested in the one before
    depth = 0
    for match in _BRACKETS.finditer(body):
        mark = match.group()
        if mark in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise FormatFaultError(f"nested deeper than {MAX_DEPTH} levels", match.start())
        elif mark in "]}":
            depth -= 1


def _refuse_constant(name: str) -> float:
    raise FormatFaultError(f"{name} is not JSON")


_TAG = "\x1f"
"""Replaces a tag: a character that no XML text can contain."""
_TAG_IN_WORD = re.compile(r"(?<=\w)\x1f+(?=\w)")


def parse_xml(body: str) -> Content:
    """The text nodes of one well-formed document, by the standard library's expat.

    Raises:
        FormatFaultError: not well-formed, a DTD or entity declaration, or nested too deeply.
    """
    if not body.startswith("<"):
        raise FormatFaultError("does not start with <", 0)
    reader = _XmlReader()
    parser = expat.ParserCreate(encoding="utf-8")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.EntityDeclHandler = _refuse_doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(body.encode(), True)
    except expat.ExpatError as fault:
        place = f"(line {fault.lineno}, column {fault.offset + 1})"
        raise FormatFaultError(f"{expat.ErrorString(fault.code)} {place}") from None
    return Content(reader.blocks)


def _refuse_doctype(*_: object) -> None:
    raise FormatFaultError("document type declarations are not allowed")


@dataclass(slots=True)
class _Element:
    """An open element: the text and the blocks inside it so far, and whether it holds text directly."""

    pieces: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    has_text: bool = False


class _XmlReader:
    """Collects one block per outermost element that holds text directly."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._open: list[_Element] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise FormatFaultError(f"nested deeper than {MAX_DEPTH} levels")
        self._open.append(_Element())

    def text(self, data: str) -> None:
        if self._open:
            element = self._open[-1]
            element.pieces.append(data)
            element.has_text = element.has_text or not data.isspace()

    def end(self, name: str) -> None:
        element = self._open.pop()
        blocks = element.blocks
        if element.has_text:
            # Mixed content reads as one run of text; a tag between two words separates them (`<n>1</n><t>Mix</t>`).
            text = _TAG_IN_WORD.sub(" ", "".join(element.pieces)).replace(_TAG, "")
            blocks = [Block("value", " ".join(text.split()), running=True)]
        if self._open:
            self._open[-1].pieces.append("".join((_TAG, *element.pieces, _TAG)))
            self._open[-1].blocks.extend(blocks)
        else:
            self.blocks = blocks


_FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|\Z)')


def parse_csv(body: str) -> Content:
    """The cells, one block per row.

    Raises:
        FormatFaultError: fewer than 2 rows or columns, uneven rows, a blank line, unbalanced quotes.
    """
    rows = _rows(body)
    blank = next((i for i, row in enumerate(rows, 1) if len(row) == 1 and not row[0][0].strip()), None)
    if blank is not None:
        raise FormatFaultError(f"row {blank} is blank")
    if len(rows) < 2:
        raise FormatFaultError("only one row")
    width = len(rows[0])
    if width < 2:
        raise FormatFaultError("only one column")
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise FormatFaultError(f"row {number} has {plural(len(row), 'column')}, the first row {width}", row[0][1])
    return Content([block for block in map(_row_block, rows) if block.text.strip()])


def _rows(body: str) -> list[list[tuple[str, int]]]:
    rows: list[list[tuple[str, int]]] = [[]]
    position = 0
    while True:
        match = _FIELD.match(body, position)
        if match is None:
            line = body.count("\n", 0, position) + 1
            raise FormatFaultError(f"misplaced quotation mark in line {line}", position)
        quoted, plain, separator = match.groups()
        if quoted is not None:
            rows[-1].append((quoted.replace('""', '"'), match.start(1)))
        else:
            rows[-1].append((plain, match.start(2)))
        if not separator:
            return rows
        if separator == "\n":
            rows.append([])
        position = match.end()


def _row_block(row: list[tuple[str, int]]) -> Block:
    pieces: list[tuple[int, int, int]] = []
    offset = 0
    for cell, start in row:
        pieces.append((offset, start, len(cell)))
        offset += len(cell) + 1
    return Block("row", CELL_GAP.join(cell for cell, _ in row), pieces=pieces)

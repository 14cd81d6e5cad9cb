"""JSON as RFC 8259 has it: validity by the standard library, content token by token."""

from __future__ import annotations

import json
import re
from xml.parsers import expat

from evolif.text.blocks import CELL_GAP, MAX_DEPTH, Block, Content, FormatFaultError
from evolif.text.tokens import clean

# The closing alternative `\Z` keeps an unclosed string linear: it is consumed once.
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[\]{}]', re.DOTALL)
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null', re.DOTALL)


def _refuse(name: str) -> float:
    raise FormatFaultError(f"{name} is not JSON")


def _check_depth(body: str) -> None:
    if body.count("[") + body.count("{") <= MAX_DEPTH:
        return  # too few brackets to be too deep, wherever they stand
    depth = 0
    for match in _BRACKETS.finditer(body):
        mark = match.group()
        if mark in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise FormatFaultError(f"nested deeper than {MAX_DEPTH} levels", match.start())
        elif mark in "]}":
            depth -= 1


def _number(text: str) -> float:
    return 0.0  # the number as written is read from the body; its value is of no interest


def parse_json(body: str) -> Content:
    """Keys, strings and numbers in document order, one block each.

    Raises:
        FormatFaultError: not one strict RFC 8259 object or array.
    """
    if body[:1] not in ("{", "["):
        raise FormatFaultError("does not start with { or [", 0)
    _check_depth(body)
    try:
        json.loads(body, parse_constant=_refuse, parse_int=_number, parse_float=_number)
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
        text, shift = token, 0
        if token[0] == '"':
            text, shift = (clean(json.loads(token)), 1) if "\\" in token else (token[1:-1], 1)
        if text.strip():
            exact = len(text) == len(token) - 2 * shift
            pieces = [(0, match.start() + shift, len(text))] if exact else []
            content.blocks.append(Block("value", text, pieces=pieces))
            content.literal_last = ""
    return content


# XML by the standard library's expat, hardened: no DTD, no entities, bounded depth.

_TAG = "\x1f"
"""Stands where a tag stood: a character that no XML text can hold."""
_TAG_IN_WORD = re.compile(r"(?<=\w)\x1f+(?=\w)")


def _flatten(pieces: list[str]) -> str:
    """Mixed content as one run of text; a tag between two words keeps them apart (`<n>1</n><t>Mix</t>`)."""
    return " ".join(_TAG_IN_WORD.sub(" ", "".join(pieces)).replace(_TAG, "").split())


class _Frame:
    """An open element: its text so far, its blocks so far, and whether it has text of its own."""

    __slots__ = ("blocks", "own", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.blocks: list[Block] = []
        self.own = False


class _Reader:
    """Collects one block per outermost element that has text of its own."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._open: list[_Frame] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise FormatFaultError(f"nested deeper than {MAX_DEPTH} levels")
        self._open.append(_Frame())

    def text(self, data: str) -> None:
        if self._open:
            frame = self._open[-1]
            frame.pieces.append(data)
            frame.own = frame.own or not data.isspace()

    def end(self, name: str) -> None:
        frame = self._open.pop()
        blocks = frame.blocks
        if frame.own:
            # Text of its own swallows the blocks of its children: mixed content reads as one run.
            blocks = [Block("value", _flatten(frame.pieces), running=True)]
        if self._open:
            self._open[-1].pieces.append("".join((_TAG, *frame.pieces, _TAG)))
            self._open[-1].blocks.extend(blocks)
        else:
            self.blocks = blocks


def _refuse_doctype(*_: object) -> None:
    raise FormatFaultError("a document type declaration is refused")


def parse_xml(body: str) -> Content:
    """The text nodes of one well-formed document.

    Raises:
        FormatFaultError: not well-formed, a DTD or entity declaration, or nested too deeply.
    """
    if not body.startswith("<"):
        raise FormatFaultError("does not start with <", 0)
    reader = _Reader()
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
        raise FormatFaultError(
            f"{expat.ErrorString(fault.code)} (line {fault.lineno}, column {fault.offset + 1})"
        ) from None
    return Content(reader.blocks)


# CSV as RFC 4180 has it, read strictly and in linear time.

_FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|\Z)')


def _rows(body: str) -> list[list[tuple[str, int]]]:
    rows: list[list[tuple[str, int]]] = [[]]
    position = 0
    while True:
        match = _FIELD.match(body, position)
        if match is None:
            line = body.count("\n", 0, position) + 1
            raise FormatFaultError(f"a quotation mark out of place in line {line}", position)
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
            raise FormatFaultError(f"row {number} has {len(row)} columns, the first row {width}", row[0][1])
    return Content([block for block in map(_row_block, rows) if block.text.strip()])


def _row_block(row: list[tuple[str, int]]) -> Block:
    pieces: list[tuple[int, int, int]] = []
    offset = 0
    for cell, start in row:
        pieces.append((offset, start, len(cell)))
        offset += len(cell) + 1
    return Block("row", CELL_GAP.join(cell for cell, _ in row), pieces=pieces)

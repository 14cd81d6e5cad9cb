"""CSV as RFC 4180 has it, read strictly and in linear time."""

from __future__ import annotations

import re

from evolif.text._blocks import CELL_GAP, Block, Content, FormatFaultError

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

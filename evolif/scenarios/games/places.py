"""Places that a sentence names: rows, columns, cells, corners, halves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from evolif.scenarios.games.scenes import Cell
from evolif.scenarios.games.statements import Place

NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {word: 10 * at for at, word in enumerate("twenty thirty forty fifty".split(), start=2)}
_ORDINALS: Final = {
    word: at for at, word in enumerate("first second third fourth fifth sixth seventh eighth ninth".split(), start=1)
}
_SHORT: Final = {"1st": 1, "2nd": 2, "3rd": 3, **{f"{at}th": at for at in range(4, 10)}}
_UP: Final = {"top": "top", "upper": "top", "uppermost": "top", "topmost": "top"}
_DOWN: Final = {"bottom": "bottom", "lower": "bottom", "lowest": "bottom", "bottommost": "bottom"}
_LINES: Final = {"row": "row", "rows": "row", "line": "row", "column": "column", "columns": "column", "col": "column"}
_ENDS: Final = {"top": ("row", 1), "bottom": ("row", 0), "left": ("column", 1), "right": ("column", 0)}
_BETWEEN: Final = frozenset({",", "of", "in", "the", "at", "and"})
_MOST_LISTED: Final = 9


@dataclass(frozen=True, slots=True)
class Lines:
    """Rows or columns by number, before it is known whether cells are meant."""

    kind: str
    numbers: tuple[int, ...]


def number_of(word: str) -> int | None:
    """The number that a word is, in digits or letters."""
    if word.isascii() and word.isdigit():
        return int(word)
    tens, _, ones = word.partition("-")
    if ones and NUMBERS.get(tens, 0) >= 20 and 1 <= NUMBERS.get(ones, 0) <= 9:
        return NUMBERS[tens] + NUMBERS[ones]
    return NUMBERS.get(word)


def place_at(words: Sequence[str], at: int, side: int) -> tuple[tuple[Place, ...], int] | None:
    """The places that are named from a word on, and where the next word stands; None if none is.

    There may be no places where rows or columns are named that the image does not have.
    """
    found = _coordinates(words, at, side)
    if found is not None:
        return found
    lines = _lines(words, at, side)
    if lines is not None:
        return _joined(words, *lines, side)
    return _region(words, at, side)


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""


def _coordinates(words: Sequence[str], at: int, side: int) -> tuple[tuple[Place, ...], int] | None:
    """`(3, 4)` and `r3c4`."""
    own = [_word(words, at + step) for step in range(5)]
    if own[0] == "(" and own[2] == "," and own[4] == ")":
        pair, end = (own[1], own[3]), at + 5
    elif own[0] == "r" and own[2] == "c":
        pair, end = (own[1], own[3]), at + 4
    else:
        return None
    row, column = (number_of(word) for word in pair)
    if row is None or column is None:
        return None
    return _places(Lines("row", (row,)), Lines("column", (column,)), side), end


def _lines(words: Sequence[str], at: int, side: int) -> tuple[Lines, int] | None:
    """`row 3`, `columns 1 and 4`, `second row`, `top row`, `last column`."""
    first, second = _word(words, at), _word(words, at + 1)
    if first in _LINES:
        numbers, end = _listed(words, at + 1, several=first.endswith("s"))
        return (Lines(_LINES[first], numbers), end) if numbers else None
    if second not in _LINES:
        return None
    if first in _ORDINALS or first in _SHORT:
        return Lines(_LINES[second], (_ORDINALS.get(first) or _SHORT[first],)), at + 2
    if first == "last":
        return Lines(_LINES[second], (side,)), at + 2
    edge = _ENDS.get(_UP.get(first) or _DOWN.get(first) or first.removesuffix("most"))
    return (Lines(edge[0], (edge[1] or side,)), at + 2) if edge and edge[0] == _LINES[second] else None


def _listed(words: Sequence[str], at: int, *, several: bool) -> tuple[tuple[int, ...], int]:
    """Numbers with `and` or commas between them; without `several` only the first."""
    numbers: list[int] = []
    end = at
    while len(numbers) < _MOST_LISTED:
        start = end
        while numbers and _word(words, start) in (",", "and"):
            start += 1
        number = number_of(_word(words, start)) if start == end == at or (several and start > end) else None
        if number is None:
            break
        numbers.append(number)
        end = start + 1
        if not several:
            break
    return tuple(numbers), end


def _joined(words: Sequence[str], lines: Lines, end: int, side: int) -> tuple[tuple[Place, ...], int]:
    """The cells where a row and a column meet, if both are named; else the rows or columns."""
    start = end
    while start - end < 3 and _word(words, start) in _BETWEEN:
        start += 1
    more = _lines(words, start, side)
    if more is not None and more[0].kind != lines.kind:
        return _places(lines, more[0], side), more[1]
    return tuple(line_place(lines.kind, number, side) for number in lines.numbers if 1 <= number <= side), end


def _places(one: Lines, other: Lines, side: int) -> tuple[Place, ...]:
    rows, columns = (one, other) if one.kind == "row" else (other, one)
    cells = [(row, column) for row in rows.numbers for column in columns.numbers]
    return tuple(named(frozenset([cell]), side) for cell in cells if min(cell) >= 1 and max(cell) <= side)


def _region(words: Sequence[str], at: int, side: int) -> tuple[tuple[Place, ...], int] | None:
    """Corners, quarters, halves and the middle."""
    first, second, third = (_word(words, at + step) for step in range(3))
    if first in ("middle", "centre", "center"):
        return (named(_middle(side), side, "middle"),), at + 1
    edge = _UP.get(first) or _DOWN.get(first)
    if edge and second in ("left", "right"):
        rows, columns = _half(edge, side), _half(second, side)
        if third == "corner":
            corner = (1 if edge == "top" else side, 1 if second == "left" else side)
            return (named(frozenset([corner]), side),), at + 3
        return (Place(f"{'upper' if edge == 'top' else 'lower'} {second}", rows & columns),), at + 2
    edge = edge or (first if first in ("left", "right") else None)
    if edge and second in ("half", "side", "part"):
        return (Place(f"{edge} half", _half(edge, side)),), at + 2
    return None


def _middle(side: int) -> frozenset[Cell]:
    lines = [side // 2 + 1] if side % 2 else [side // 2, side // 2 + 1]
    return frozenset((row, column) for row in lines for column in lines)


@lru_cache(maxsize=64)
def _half(edge: str, side: int) -> frozenset[Cell]:
    """A middle row or column belongs to both halves."""
    axis, first = (0 if edge in ("top", "bottom") else 1), edge in ("top", "left")
    lines = range(1, side + 1)
    cells = ((row, column) for row in lines for column in lines)
    return frozenset(cell for cell in cells if (cell[axis] * 2 <= side + 1 if first else cell[axis] * 2 > side))


def line_place(kind: str, number: int, side: int) -> Place:
    """A row or a column."""
    lines = range(1, side + 1)
    cells = frozenset((number, at) if kind == "row" else (at, number) for at in lines)
    return Place(f"{kind} {number}", cells)


def named(cells: frozenset[Cell], side: int, name: str = "") -> Place:
    """A place by its cells; a single cell is called by row and column."""
    if len(cells) == 1:
        [(row, column)] = cells
        return Place(f"row {row} column {column}", cells)
    return Place(name or "several cells", cells)


def within(outer: Place, inner: Place, side: int) -> Place:
    """Where two places meet; the inner one where they do not."""
    cells = outer.cells & inner.cells
    if not cells or cells == inner.cells:
        return inner
    return named(cells, side, f"{outer.name} {inner.name}")

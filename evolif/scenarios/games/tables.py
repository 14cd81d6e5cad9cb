"""Two tables of people that agree in one row: how they are drawn, so that neither table alone says which row it is.

Both tables are drawn as patterns in which every row has the same part: each value of a column stands there at least
twice. Row 0 of both is the shared one; the second table is named after the first, so that it agrees there. Values are
then swapped within columns of the second table, which leaves all frequencies as they are, until no other row is shared
and enough rows are near-duplicates. Whoever sees one table sees rows that might all be the shared one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from evolif.errors import ArgumentError
from evolif.util.rng import Stream

Row: TypeAlias = list[str]
Table: TypeAlias = list[Row]

_VALUES = {9: (3, 2), 16: (5, 4), 25: (6, 5)}
"""By number of rows: the values of each column, and how many of them both tables have."""
SIZES = tuple(_VALUES)
_MOST_DRAWS = 200
_SWEEPS = 60
"""Changes tried for each row before the tables are drawn anew."""


def draw_tables(stream: Stream, pools: Sequence[Sequence[str]], n: int, near: int) -> tuple[Table, Table]:
    """Two tables whose first rows are equal, and no other two.

    Args:
        stream: What is drawn from.
        pools: The values of each column.
        n: Rows of each table, one of `SIZES`.
        near: In each table so many rows or more share three or four values with a row of the other table.

    Raises:
        ArgumentError: no such tables were found; `near` is too close to `n`.
    """
    for _ in range(_MOST_DRAWS):
        first, second = _pair_of_tables(stream, pools, n)
        if _part(stream, first, second) and _bring_near(stream, first, second, near):
            return first, second
    raise ArgumentError(f"no tables of {n} rows with {near} near-duplicates were found; ask for fewer")


def _pair_of_tables(stream: Stream, pools: Sequence[Sequence[str]], n: int) -> tuple[Table, Table]:
    values, shared = _VALUES[n]
    columns: list[tuple[list[str], list[str]]] = []
    for pool in pools:
        drawn = stream.sample(pool, 2 * values - shared)
        own, other = _pattern(stream, n, values), _pattern(stream, n, values)
        # The name that the shared row has comes first, whatever its place in the second pattern.
        kept = [at for at in range(values) if at != own[0]]
        names = [drawn[own[0]], *(drawn[at] for at in stream.sample(kept, shared - 1)), *drawn[values:]]
        renamed = dict(zip([other[0], *(at for at in range(values) if at != other[0])], names, strict=True))
        columns.append(([drawn[at] for at in own], [renamed[at] for at in other]))
    return [[column[0][at] for column in columns] for at in range(n)], [
        [column[1][at] for column in columns] for at in range(n)
    ]


def _pattern(stream: Stream, n: int, values: int) -> list[int]:
    """A column as numbers of values, each of them twice or more, in random order."""
    column = [at % values for at in range(2 * values)] + [stream.below(values) for _ in range(n - 2 * values)]
    return stream.sample(column, n)


def _part(stream: Stream, first: Table, second: Table) -> bool:
    """Swap values of the second table until no two rows are equal but the first ones; False if that takes too long."""
    if len(set(map(tuple, first))) < len(first):
        return False
    taken = set(map(tuple, first))
    for _ in range(_SWEEPS * len(second)):
        at = _first_double(second, taken)
        if at is None:
            return True
        _swap(second, stream.below(len(second[at])), at, 1 + stream.below(len(second) - 1))
    return False


def _first_double(table: Table, taken: set[tuple[str, ...]]) -> int | None:
    """The first row but the shared one that is equal to an earlier row, or is taken."""
    seen = {tuple(table[0])}
    for at, row in enumerate(table[1:], 1):
        if tuple(row) in seen or tuple(row) in taken:
            return at
        seen.add(tuple(row))
    return None


def _swap(table: Table, column: int, row: int, other: int) -> None:
    table[row][column], table[other][column] = table[other][column], table[row][column]


def _bring_near(stream: Stream, first: Table, second: Table, near: int) -> bool:
    """Swap values of the second table until enough rows of both are near-duplicates; False if that takes too long."""
    before = fewest_near(first, second)
    for _ in range(_SWEEPS * len(first)):
        if before[0] >= near:
            return True
        changed = [row.copy() for row in second]
        _approach(stream, stream.choice(first), changed, 1 + stream.below(len(second) - 1))
        after = fewest_near(first, changed)
        if after >= before and _is_apart(first, changed):
            second[:], before = changed, after
    return before[0] >= near


def _approach(stream: Stream, model: Row, table: Table, row: int) -> None:
    """Give a row three values of the model row, from other rows than the first."""
    for column in stream.sample(range(len(model)), 3):
        having = [at for at in range(1, len(table)) if table[at][column] == model[column]]
        if having and row not in having:
            _swap(table, column, row, stream.choice(having))


def _is_apart(first: Table, second: Table) -> bool:
    rows = set(map(tuple, second))
    return len(rows) == len(second) and len(rows & set(map(tuple, first))) == 1


def fewest_near(first: Table, second: Table) -> tuple[int, int]:
    """Near-duplicates in the table that has fewer, and in the other."""
    one, two = sorted((_near(first, second), _near(second, first)))
    return one, two


def _near(table: Table, other: Table) -> int:
    """How many rows but the first share three or four values with a row of the other table."""
    places: list[dict[str, int]] = [{} for _ in other[0]]
    for at, row in enumerate(other):
        for column, value in zip(places, row, strict=True):
            column[value] = column.get(value, 0) | 1 << at
    count = 0
    for row in table[1:]:
        # For each row of the other table the number of equal values, as bits of three numbers.
        ones = twos = fours = 0
        for column, value in zip(places, row, strict=True):
            same = column.get(value, 0)
            carried = ones & same
            ones ^= same
            fours |= twos & carried
            twos ^= carried
        count += bool((fours & ~ones) | (ones & twos & ~fours))
    return count

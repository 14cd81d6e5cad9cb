"""Names: two tables of people, and the one person who is in both."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from evolif.errors import ArgumentError, InputError
from evolif.scenarios.games.floors import CALIBRATION, stored_floor
from evolif.scenarios.games.instance import GameContent, Maker, stream_of
from evolif.scenarios.games.tables import SIZES, draw_tables
from evolif.util.resources import data_path, load_data
from evolif.util.rng import Stream

NAME = "name"
"""The column that every table has."""
COLUMNS = 5
_FEWEST_COLUMNS = 8
_FEWEST_VALUES = 20


class TableSettings(BaseModel):
    """The settings of names."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    n: int = 16
    """Rows of each table: 9, 16 or 25."""
    near: int | None = Field(None, validate_default=True)
    """Near-duplicates in each table, or more: from a third of the rows, which is usual, to two thirds."""

    @field_validator("n", "near", mode="before")
    @classmethod
    def _is_number(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("a truth value is no number")
        return value

    @field_validator("n")
    @classmethod
    def _is_size(cls, n: int) -> int:
        if n not in SIZES:
            raise ValueError(f"{n} rows; give {', '.join(map(str, SIZES[:-1]))} or {SIZES[-1]}")
        return n

    @field_validator("near")
    @classmethod
    def _is_possible(cls, near: int | None, info: ValidationInfo) -> int | None:
        n = info.data.get("n")
        if n is None:  # the error names it
            return near
        fewest, most = -(-n // 3), 2 * n // 3
        if near is not None and not fewest <= near <= most:
            raise ValueError(f"{near} near-duplicates; tables of {n} rows have from {fewest} to {most}")
        return near or fewest


class TableMaker(Maker):
    """Makes instances of names."""

    settings: ClassVar[type[BaseModel]] = TableSettings

    def draw(self, stream: Stream, settings: TableSettings) -> GameContent:
        """Two tables that agree in one row; who has which, and the order of rows, are drawn last."""
        pools = read_pools()
        columns = [NAME, *stream.sample([column for column in pools if column != NAME], COLUMNS - 1)]
        tables = draw_tables(stream, [pools[column] for column in columns], settings.n, settings.near or 0)
        order = stream.sample(tables, 2)
        private, answer = [], []
        for table in order:
            places = stream.sample(range(settings.n), settings.n)
            private.append({"columns": list(columns), "rows": [table[at] for at in places]})
            answer.append(places.index(0) + 1)
        return GameContent(private, answer, list(answer), 1 / settings.n, {})

    def floor(self, settings: TableSettings, content: GameContent) -> float:
        """The best guess by how often values stand in the own table; measured once for these settings."""
        return stored_floor("names", settings) or measured_floor(settings)

    def text(self, instance: Mapping[str, Any], player: int) -> str:
        """The table as CSV, its rows numbered from 1."""
        table = instance["private"][player]
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", *table["columns"]])
        writer.writerows([number, *row] for number, row in enumerate(table["rows"], 1))
        return file.getvalue()


@lru_cache(maxsize=1)
def read_pools() -> dict[str, tuple[str, ...]]:
    """The values of each column. No value stands in two columns, whatever its case.

    Raises:
        InputError: the data file breaks this rule, or has too few columns or values.
    """
    path = data_path("seeds", "games", "people.yaml")
    data = load_data(path)
    if not isinstance(data, dict) or len(data) < _FEWEST_COLUMNS or NAME not in data:
        raise InputError(f"there must be {_FEWEST_COLUMNS} columns, {NAME} among them; add what is missing", path=path)
    pools = {str(column): tuple(map(str, values)) for column, values in data.items()}
    for column, values in pools.items():
        if len(values) < _FEWEST_VALUES:
            raise InputError(f"{column} has fewer than {_FEWEST_VALUES} values; add some", path=path)
    for value, count in Counter(value.lower() for values in pools.values() for value in values).items():
        if count > 1:
            raise InputError(f"the value {value} stands there twice; replace one", path=path)
    return pools


def shared_rows(table_1: Any, table_2: Any) -> list[list[int]]:
    """Find every pair of rows that are equal in all cells.

    Args:
        table_1: A list of rows, each a list of cells; or a private part of names.
        table_2: Another.

    Returns:
        Pairs of row numbers from 1, the first table's first; by the first number, then by the second.

    Raises:
        ArgumentError: one is no table.
    """
    places: dict[tuple[Any, ...], list[int]] = {}
    for at, row in enumerate(_rows(table_2), 1):
        places.setdefault(row, []).append(at)
    return [[at, other] for at, row in enumerate(_rows(table_1), 1) for other in places.get(row, ())]


def _rows(table: Any) -> list[tuple[Any, ...]]:
    rows = table.get("rows") if isinstance(table, Mapping) else table
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise ArgumentError("this is no table; give a list of rows, each a list of cells")
    found = []
    for row in rows:
        if isinstance(row, str | Mapping) or not isinstance(row, Iterable):
            raise ArgumentError(f"{row!r:.80} is no row; give a list of cells")
        found.append(tuple(row))
    try:
        set(found)
    except TypeError:
        raise ArgumentError("a cell holds more than a text or a number; give plain cells") from None
    return found


Feature: TypeAlias = Callable[[Sequence[Sequence[str]]], list[float]]
"""What is known of each row from its own table alone."""


def _counts(rows: Sequence[Sequence[str]]) -> list[list[int]]:
    """How often each value of each row stands in its column."""
    columns = [Counter(column) for column in zip(*rows, strict=True)]
    return [[column[value] for column, value in zip(columns, row, strict=True)] for row in rows]


def _closest(rows: Sequence[Sequence[str]]) -> list[float]:
    """How many values each row shares with the most similar other row."""
    return [
        max(sum(map(str.__eq__, row, other)) for at, other in enumerate(rows) if at != own)
        for own, row in enumerate(rows)
    ]


FEATURES: tuple[Feature, ...] = (
    lambda rows: [sum(own) for own in _counts(rows)],
    lambda rows: [math.prod(own) for own in _counts(rows)],
    lambda rows: [min(own) for own in _counts(rows)],
    lambda rows: [max(own) for own in _counts(rows)],
    _closest,
)
"""What a guesser may go by."""


def typical_row(rows: Sequence[Sequence[str]]) -> int:
    """The row, from 0, whose values stand in the table most often; the first of several."""
    totals = [sum(own) for own in _counts(rows)]
    return totals.index(max(totals))


@lru_cache(maxsize=64)
def measured_floor(settings: TableSettings, instances: int = CALIBRATION) -> float:
    """The share that the best rule gets right that takes the row with the most or the least of one feature.

    Args:
        settings: Of the instances.
        instances: How many are made; each is guessed from either side.
    """
    maker = TableMaker()
    right = [0.0] * (2 * len(FEATURES))
    for number in range(instances):
        content = maker.draw(stream_of("names", settings, 0, number), settings)
        for part, answer in zip(content.private, content.answer, strict=True):
            for at, feature in enumerate(FEATURES):
                values = feature(part["rows"])
                for side, bound in enumerate((min(values), max(values))):
                    if values[answer - 1] == bound:
                        right[2 * at + side] += 1 / values.count(bound)
    return round(max(right) / (2 * instances), 4)

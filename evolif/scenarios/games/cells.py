"""Cells and rows of the tables about games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from evolif.scenario.presentation import TableCell, TableRow
from evolif.scenarios.games.figures import AccuracyRow
from evolif.scenarios.games.sessions import GameColumn
from evolif.scenarios.games.stored import Played
from evolif.text import plural


def without_references(columns: Sequence[GameColumn]) -> list[GameColumn]:
    """Without models that answered at once."""
    return [one for one in columns if one.reference == "none"]


def game_of(column: GameColumn) -> str:
    return str(column.played[0]["instance"]["game"])


def heads_of(columns: Sequence[GameColumn]) -> tuple[str, ...]:
    return tuple(one.name for one in columns)


def rows_by_turns(
    columns: Sequence[GameColumn], cells: Callable[[Sequence[Played]], tuple[TableCell, ...]], fewest: int = 1
) -> tuple[TableRow, ...]:
    """A row for each column and number of turns from the fewest on."""
    return tuple(
        (row_name(columns, column, turns), cells(own))
        for column in columns
        for turns, own in column.budgets.items()
        if turns >= fewest
    )


def row_name(columns: Sequence[GameColumn], column: GameColumn, turns: int) -> str:
    return str(turns) if len(columns) == 1 else f"{column.name}, {plural(turns, 'turn')}"


def counted(columns: Sequence[GameColumn]) -> str:
    """Over how many instances the figures go, and over how many dialogues, as a sentence."""
    sizes = {one.name: _size(one) for one in columns}
    if len(set(sizes.values())) == 1:
        return f"Over {next(iter(sizes.values()))}{' each' if len(sizes) > 1 else ''}."
    return f"Over {'; '.join(f'{size} ({name})' for name, size in sizes.items())}."


def _size(column: GameColumn) -> str:
    instances, dialogues = column.instances, len(column.played)
    told = plural(instances, "instance")
    return told if instances == dialogues else f"{told} ({plural(dialogues, 'dialogue')})"


def mean_of(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def accuracy_cell(row: AccuracyRow | None) -> TableCell:
    if row is None:
        return TableCell()
    low, high = row["low"], row["high"]
    between = "" if low is None or high is None else f"[{100 * low:.0f}–{100 * high:.0f}] "
    return TableCell(f"{100 * row['accuracy']:.0f}", f"{between}of {row['n']}")


def percent_cell(value: float | None) -> TableCell:
    return TableCell() if value is None else TableCell(f"{100 * value:.0f}")


def share_cell(value: float | None, count: int) -> TableCell:
    return TableCell() if value is None else TableCell(f"{100 * value:.0f}", f"of {count}")


def points_cell(value: float | None, low: float | None, high: float | None, of: int | None = None) -> TableCell:
    if value is None:
        return TableCell()
    between = "" if low is None or high is None else f"[{_signed(low)}, {_signed(high)}]"
    return TableCell(_signed(value), f"{between} {'' if of is None else f'of {of}'}".strip())


def _signed(value: float) -> str:
    return (
        f"{100 * value:.0f}".replace("-0", "0") if round(100 * value) == 0 else f"{100 * value:.0f}".replace("-", "−")
    )


def first_head(columns: Sequence[GameColumn]) -> str:
    """What `row_name` says."""
    return "turns" if len(columns) == 1 else "model"

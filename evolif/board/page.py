"""The page of a board: one file without network, rendered with its data in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from markupsafe import Markup

from evolif._version import __version__
from evolif.board.board import Board, Cell, Column, Figure, MetricInfo, Row, board_from_object
from evolif.metrics.shown import metric_text
from evolif.report.page.transcript_cache import asset, environment
from evolif.report.wording import dollars
from evolif.text import plural, unhidden

_PACKAGE = "evolif.board"
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Signs by which data could end the element that it stands in."""
_WIDTH = 100
"""Of the little chart of an interval, in its own units."""
_SHORT: Mapping[str, str] = {
    "reference": "knows the answers",
    "floor": "no better than following nothing",
    "edited": "edited after it was written",
    "not-sealed": "edits cannot be seen",
    "suspended": "not finished",
    "not-started": "sessions never started",
    "withheld": "sessions withheld",
    "refused": "refused by the provider",
    "early": "ended early",
    "few": "too few dialogues",
}
"""What a cell shows of a mark."""
_GRAVE = frozenset({"edited", "suspended", "refused", "not-started", "withheld"})
"""Marks that warn; the others explain."""


@dataclass(frozen=True)
class _Shown:
    """A board as the template reads it."""

    board: Board

    @cached_property
    def cells(self) -> Mapping[tuple[str, str], Cell]:
        """By row and column."""
        return {(cell.row, cell.column): cell for cell in self.board.cells}

    @cached_property
    def references(self) -> Sequence[Row]:
        """Rows that know the answers wherever they stand."""
        return [row for row in self.board.rows if self._is_reference(row)]

    @cached_property
    def rows(self) -> Sequence[Row]:
        """The others, by the figure of the first column, the best first; those without one last."""
        others = [row for row in self.board.rows if row not in self.references]
        return sorted(others, key=self._place)

    def _is_reference(self, row: Row) -> bool:
        own = [cell for cell in self.board.cells if cell.row == row.name]
        return all(any(mark.kind == "reference" for mark in cell.marks) for cell in own)

    def _place(self, row: Row) -> tuple[bool, float]:
        for column in self.board.columns[:1]:
            cell = self.cells.get((row.name, column.id))
            if cell is not None and cell.newest.figure.value is not None:
                value = cell.newest.figure.value
                return False, value if column.headline.lower_is_better else -value
        return True, 0.0

    def most(self, column: Column) -> float:
        """The end of a column's scale: 1 for rates that are not small, else the largest end of an interval."""
        info = column.headline
        if info.unit == "rate" and not info.small:
            return 1.0
        figures = [cell.newest.figure for cell in self.board.cells if cell.column == column.id]
        ends = [end for one in figures for end in (one.value, one.high) if end is not None]
        return max([*ends, 0.0]) or 1.0

    def least(self, column: Column) -> float:
        """The start of a column's scale: 0, or less if a figure is."""
        figures = [cell.newest.figure for cell in self.board.cells if cell.column == column.id]
        return min([end for one in figures for end in (one.value, one.low) if end is not None] + [0.0])

    def place(self, column: Column, value: float) -> str:
        """Where a value stands in the little chart."""
        low, high = self.least(column), self.most(column)
        share = (value - low) / (high - low) if high > low else 0.0
        return f"{2 + (_WIDTH - 4) * min(1.0, max(0.0, share)):.1f}"


def page_of(board: Board) -> str:
    """The page as HTML.

    Everything foreign is escaped, hidden characters are spelled out, and a content security policy allows only the
    page's own script and style sheet.

    Args:
        board: What it shows.
    """
    data = _spelled_out(board.to_object())
    shown = _Shown(board_from_object(data))
    style = asset("base.css") + asset("board.css", package=_PACKAGE)
    script = asset("views.js", "board.js", package=_PACKAGE)
    template = environment(_PACKAGE).get_template("board.html")
    return template.render(
        shown=shown,
        board=shown.board,
        data=_embedded(data),
        style=style,
        script=script,
        version=__version__,
        figure=_figure,
        interval=_interval,
        money=_money,
        short=_SHORT,
        grave=_GRAVE,
        counted=plural,
        scenarios=list(dict.fromkeys(column.scenario for column in board.columns)),
        profiles=list(dict.fromkeys(column.profile for column in board.columns if column.profile)),
        notes=list(dict.fromkeys(note for column in shown.board.columns for note in column.notes[:1])),
    )


def _embedded(data: Mapping[str, Any]) -> Markup:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_ESCAPES))


def _spelled_out(value: Any) -> Any:
    """The data with hidden characters spelled out in every text."""
    if isinstance(value, str):
        return unhidden(value)
    if isinstance(value, Mapping):
        return {unhidden(key): _spelled_out(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_spelled_out(item) for item in value]
    return value


def _figure(info: MetricInfo, figure: Figure) -> str:
    """A figure as reports print it."""
    return "–" if figure.value is None else metric_text(info.metric, figure.value)


def _interval(info: MetricInfo, figure: Figure) -> str:
    """Its interval; empty if it has none."""
    if figure.low is None or figure.high is None:
        return ""
    return f"{metric_text(info.metric, figure.low)}–{metric_text(info.metric, figure.high)}"


def _money(cell: Cell) -> str:
    """What the model's calls cost, or that nobody knows."""
    cost = cell.cost
    if cost.usd is None:
        return "usage unknown" if cost.unknown_calls else "price unknown"
    return dollars(cost.usd)

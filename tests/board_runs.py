"""Sessions for boards, and short ways to build and read one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from evolif.board import Board, build_board
from evolif.board.board import Cell, Column

Made = Callable[..., Path]
GOOD = "finished:111 111 111 111 111 111 110 000 000 000"
"""Six good turns of ten."""
MIDDLING = "finished:111 110 111 000 111 100 000 000"
POOR = "finished:100 110 000"


def over(session: str, dialogues: int = 8) -> dict[int, str]:
    """The same session in so many dialogues, the odd ones a turn shorter, so that figures spread."""
    ending, _, turns = session.partition(":")
    return {n: f"{ending}:{turns}" if n % 2 else f"{ending}:1{turns[1:]} 000" for n in range(1, dialogues + 1)}


def built(*runs: Path, **more: Any) -> Board:
    return build_board(runs, **{"resamples": 50, **more})


def cell(board: Board, row: str, column: Column | None = None) -> Cell:
    """The cell of a row, in the first column that has it or in the one given."""
    return next(c for c in board.cells if c.row == row and (column is None or c.column == column.id))

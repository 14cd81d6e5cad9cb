"""A board: models × scenarios on one page, from runs."""

from evolif.board.board import Board
from evolif.board.build import build_board
from evolif.board.files import write_board

__all__ = ["Board", "build_board", "write_board"]

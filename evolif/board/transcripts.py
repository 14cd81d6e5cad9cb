"""The pages of a board on which the transcripts of two models stand side by side."""

from __future__ import annotations

import re
from pathlib import Path

from evolif.errors import OutsideError
from evolif.report.comparison import ModelComparison
from evolif.report.page import write_side_by_side

FOLDER = "transcripts"
MOST_PAGES = 45
"""Of a column: all pairs of ten models."""
_NAME = re.compile(r"[\w-]{1,80}-\d{3}\.html")
_OURS = re.compile(r'<meta name="generator" content="evolif ')
_HEAD = 4_000
"""Characters at the beginning of a page that say who made it."""


class TranscriptPages:
    """Writes pages into a board's folder, and removes those of an earlier board that are not written again.

    Args:
        board: The board's folder.
    """

    def __init__(self, board: Path) -> None:
        self._folder = board / FOLDER
        self._written: dict[str, int] = {}
        """Pages per column."""
        self._names: set[str] = set()
        self.pairs = 0
        """Those that were asked for."""

    @property
    def folder(self) -> Path:
        """Where the pages are."""
        return self._folder

    @property
    def pages(self) -> int:
        """How many were written."""
        return len(self._names)

    def write(self, column: str, pair: ModelComparison) -> str:
        """Write the page of a pair.

        Args:
            column: Whose pair it is.
            pair: The two.

        Returns:
            The page's place in the board's folder; empty if the column has as many as it may.

        Raises:
            OutsideError: the disk.
        """
        self.pairs += 1
        number = self._written.get(column, 0) + 1
        if number > MOST_PAGES:
            return ""
        self._written[column] = number
        name = f"{re.sub(r'[^A-Za-z0-9-]+', '-', column).strip('-')[:80]}-{number:03}.html"
        write_side_by_side(pair.a, pair.b, self._folder / name, labels=pair.labels)
        self._names.add(name)
        return f"{FOLDER}/{name}"

    def remove_others(self) -> None:
        """Remove pages of an earlier board, and nothing that somebody else put there.

        Raises:
            OutsideError: the disk.
        """
        if self._folder.is_symlink() or not self._folder.is_dir():
            return
        try:
            for file in self._folder.iterdir():
                if file.name not in self._names and _NAME.fullmatch(file.name) and _is_ours(file):
                    file.unlink()
        except OSError as fault:
            raise OutsideError(f"{self._folder} cannot be cleared ({fault.strerror or fault})") from None


def _is_ours(file: Path) -> bool:
    if file.is_symlink() or not file.is_file():
        return False
    with file.open(encoding="utf-8", errors="replace") as opened:
        return _OURS.search(opened.read(_HEAD)) is not None

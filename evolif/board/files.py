"""The folder of a board: `index.html`, `board.json`, and accepted runs in `runs/`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from evolif.board.board import Board
from evolif.errors import OutsideError, UsageError
from evolif.util.files import workshop

PAGE = "index.html"
DATA = "board.json"
RUNS = "runs"


def runs_of(board: Path) -> list[Path]:
    """The accepted runs of a board, by name.

    Raises:
        UsageError: there are none.
    """
    folder = board / RUNS
    inside = folder.iterdir() if folder.is_dir() else ()
    found = sorted(path for path in inside if path.is_dir() and not path.name.startswith("."))
    if not found:
        raise UsageError(f"{folder} has no runs; name some: evolif board RUN... --out {board}")
    return found


def write_board(board: Board, out: Path) -> tuple[Path, Path]:
    """Write a board's page and its data, each of which appears whole.

    Args:
        board: What to write.
        out: The folder; made if it is not there.

    Returns:
        The paths of the page and of the data.

    Raises:
        UsageError: the extra `report` is not installed.
        OutsideError: the disk.
    """
    try:
        import jinja2  # noqa: F401  # the module below needs it to be imported
    except ImportError:
        raise UsageError("a board needs Jinja: install evolif[report]") from None
    from evolif.board.page import page_of

    texts = {
        out / PAGE: page_of(board),
        out / DATA: json.dumps(board.to_object(), ensure_ascii=False, allow_nan=False, indent=1) + "\n",
    }
    try:
        for path, text in texts.items():
            with workshop(path) as folder:
                (folder / "text").write_text(text, encoding="utf-8")
                os.replace(folder / "text", path)
    except OSError as fault:
        raise OutsideError(f"{out} cannot be written ({fault.strerror or fault})") from None
    return out / PAGE, out / DATA

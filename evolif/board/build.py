"""Build a board from the folders of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from evolif.board.board import Board
from evolif.board.cells import cells_of
from evolif.board.columns import column_of, groups_of
from evolif.board.models import rows_of, run_names
from evolif.board.pairs import pairs_of
from evolif.board.transcripts import TranscriptPages
from evolif.budget import PriceTable, load_prices
from evolif.errors import UsageError
from evolif.report import analyse
from evolif.runner import load_run
from evolif.text import plain
from evolif.types import DEFAULT_RESAMPLES

TITLE = "Models compared"
"""The head of a board without one of its own."""


def build_board(
    runs: Sequence[Path],
    *,
    title: str = "",
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    prices: PriceTable | None = None,
    pages: TranscriptPages | None = None,
    afresh: bool = False,
) -> Board:
    """A board of runs; they are only read.

    Args:
        runs: Their folders; one that is named twice counts once.
        title: The head of the page.
        seed: Of every draw.
        resamples: How many draws each figure takes that needs some.
        prices: Of tokens; those of the package if None.
        pages: Gets the transcripts of every pair, side by side; None to write none.
        afresh: Work out what was found of a run's file before, see `evolif.runner.findings`: the folders are not one's
            own.

    Raises:
        UsageError: there is none, one of the folders is not a run, or the extra `report` is not installed.

    Example:
        ```python
        from pathlib import Path

        from evolif.board import build_board, write_board

        board = build_board([Path("monday"), Path("tuesday")], title="This week")
        page, data = write_board(board, Path("board"))
        ```
    """
    paths = _once(runs)
    if not paths:
        raise UsageError("a board needs at least one run")
    table = prices or load_prices(None)
    with ExitStack() as opened:
        loaded = [opened.enter_context(closing(load_run(path, read_only=True))) for path in paths]
        for run in loaded if afresh else ():
            run.store.findings.disregard()
        analyses = analyse(loaded, seed=seed, resamples=resamples)
        names = run_names(analyses)
        groups = groups_of(analyses, names)
        rows = rows_of(list(dict.fromkeys(named for group in groups for named in group.entries)))
        return Board(
            title=plain(title) or TITLE,
            seed=seed,
            resamples=resamples,
            columns=tuple(column_of(group, groups, rows, names) for group in groups),
            rows=tuple(rows.values()),
            cells=tuple(cell for group in groups for cell in cells_of(group, rows, table)),
            pairs=tuple(pair for group in groups for pair in pairs_of(group, rows, pages)),
        )


def _once(runs: Iterable[Path]) -> list[Path]:
    return list({path.resolve(): path for path in reversed(list(runs))}.values())[::-1]

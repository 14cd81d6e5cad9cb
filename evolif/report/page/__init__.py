"""The page: one HTML file, without network, with the results and the transcripts of runs.

Importing it is light; Jinja and the figures (extra `report`) are loaded when a page is written.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evolif.benchmark.files import HEADER
from evolif.errors import UsageError
from evolif.runner.store_file import FILE_NAME

if TYPE_CHECKING:
    from evolif.budget import PriceTable
    from evolif.report.analysis import ModelAnalysis, RunAnalysis
    from evolif.report.comparison import ModelComparison
    from evolif.report.leaderboard import Leaderboard
    from evolif.report.page.page import Plan, Written

__all__ = ["write_comparison_page", "write_page", "write_side_by_side"]


def write_page(
    analyses: Sequence[RunAnalysis],
    path: Path | str,
    *,
    comparisons: Sequence[ModelComparison] = (),
    prices: PriceTable | None = None,
    published: Leaderboard | None = None,
    packed: bool = False,
) -> Written:
    """Write the page of one or several runs.

    The file is self-contained. Beyond 20 MB all transcripts are in a folder named after it, and some in the page, too.
    Of more than 1,000 sessions it has a hundred dialogues instead, and says how they were chosen. In a folder, or
    packed, such a page has all of them: their transcripts are in files of about 1 MB, which it loads when they are
    opened, without a server. All text of models, judges and files is escaped, and a content security policy allows only
    the page's own script, and what that loads.

    Args:
        analyses: The runs; those that may not be compared have separate sections.
        path: The file; or a folder, which exists or ends in a slash, for a page `index.html` in it. An earlier page of
            that name and its transcripts are replaced.
        comparisons: Pairs of models; by default each pair of a few models, or the best of many with every other.
        prices: For the costs; None means the packaged table.
        published: The published leaderboard, shown under its warning; None for none.
        packed: Pack the page, and its folder if it has one, into `NAME.zip` instead.

    Raises:
        UsageError: The extra `report` is not installed, or the folder is a run or a benchmark.
        OutsideError: The file cannot be written.
    """
    _need_jinja()
    from evolif.report.page.page import report_plan

    return _write(report_plan(analyses, comparisons, prices, published), path, packed=packed)


def write_comparison_page(comparisons: Sequence[ModelComparison], path: Path | str, *, packed: bool = False) -> Written:
    """Write a page about pairs of models: who is better, by how much and how sure, and where the two differ.

    It has no other models of their runs: neither figures nor transcripts.

    Args:
        comparisons: At least one.
        path: The file or folder, as for `write_page`.
        packed: Pack the page, and its folder if it has one, into `NAME.zip` instead.

    Raises:
        UsageError: The extra `report` is not installed, or the folder is a run or a benchmark.
        OutsideError: The file cannot be written.
    """
    _need_jinja()
    from evolif.report.page.page import comparison_plan

    return _write(comparison_plan(comparisons), path, packed=packed)


def _write(plan: Plan, path: Path | str, *, packed: bool) -> Written:
    from evolif.report.page import page
    from evolif.report.page.large_page import write

    if packed:
        return page.packed(Path(path), lambda place: write(plan, place, whole=True))
    if _is_folder(path):
        return write(plan, _place_in(Path(path)), whole=True)
    return write(plan, Path(path), whole=False)


def _is_folder(path: Path | str) -> bool:
    """Whether a page is wanted in a folder: one that exists, or is told by its last character."""
    if str(path).endswith(tuple(filter(None, (os.sep, os.altsep)))):
        return True
    return Path(path).is_dir() and Path(path).suffix.lower() not in (".html", ".htm")


def write_side_by_side(
    a: ModelAnalysis,
    b: ModelAnalysis,
    out: Path | str,
    *,
    dialogues: Sequence[int] | None = None,
    labels: tuple[str, str] | None = None,
) -> Path:
    """Write a page with two models' transcripts of the same dialogues, turn by turn.

    What was asked stands there once, and below it the two answers beside each other, with verdicts and evidence.
    Dialogues with the most differences come first; a page holds at most 100 of them, or 10 MB, and says how many are
    left out.

    Args:
        a: A model of a run.
        b: Another one, or the same in another run on the same benchmark.
        out: The file; an earlier one is replaced.
        dialogues: Only these; all that both played if None.
        labels: What the two are called; their names if None.

    Returns:
        The file.

    Raises:
        UsageError: The extra `report` is not installed, the two have no dialogue in common, or both are the same.
        OutsideError: The file cannot be written.
    """
    _need_jinja()
    from evolif.report.page.side_by_side import write_page as write

    return write(a, b, Path(out), dialogues, labels)


def _need_jinja() -> None:

    try:
        import jinja2  # noqa: F401  # the modules of the page need it to be imported
    except ImportError:
        raise UsageError("the page needs Jinja: install evolif[report]") from None


def _place_in(folder: Path) -> Path:
    """Where the page goes in a folder.

    Raises:
        UsageError: the folder is one of evolif's own, which holds nothing else.
    """
    for name, what in ((FILE_NAME, "run"), (HEADER, "benchmark")):
        if (folder / name).exists():
            raise UsageError(f"--html: {folder} is a {what}; name another folder, or a file for the page")
    return folder / _INDEX


_INDEX = "index.html"
"""The name of a page in its folder."""

"""The page: one HTML file, without network, with the results and the transcripts of runs.

Importing it is light; Jinja and the figures (extra `report`) are loaded when a page is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolif.budget import PriceTable
    from evolif.report.analysis import ModelAnalysis, RunAnalysis
    from evolif.report.comparison import ModelComparison
    from evolif.report.leaderboard import Leaderboard
    from evolif.report.page.page import Written

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
    All text of models, judges and files is escaped, and a content security policy allows only the page's own script.

    Args:
        analyses: The runs; those that may not be compared have separate sections.
        path: The file; an earlier page of that name and its folder's transcripts are replaced.
        comparisons: Pairs of models; by default each pair of a few models, or the best of many with every other.
        prices: For the costs; None means the packaged table.
        published: The published leaderboard, shown under its warning; None for none.
        packed: Pack the page, and its folder if it has one, into `NAME.zip` instead.

    Raises:
        UsageError: The extra `report` is not installed.
        OutsideError: The file cannot be written.
    """
    _need_jinja()
    from evolif.report.page import page

    def write_to(place: Path) -> Written:
        return page.write(analyses, place, comparisons, prices, published)

    return page.packed(Path(path), write_to) if packed else write_to(Path(path))


def write_comparison_page(comparisons: Sequence[ModelComparison], path: Path | str, *, packed: bool = False) -> Written:
    """Write a page about pairs of models: who is better, by how much and how sure, and where the two differ.

    It has no other models of their runs: neither figures nor transcripts.

    Args:
        comparisons: At least one.
        path: The file; an earlier page of that name and its folder's transcripts are replaced.
        packed: Pack the page, and its folder if it has one, into `NAME.zip` instead.

    Raises:
        UsageError: The extra `report` is not installed.
        OutsideError: The file cannot be written.
    """
    _need_jinja()
    from evolif.report.page import page

    def write_to(place: Path) -> Written:
        return page.write_comparison(comparisons, place)

    return page.packed(Path(path), write_to) if packed else write_to(Path(path))


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
    from evolif.errors import UsageError

    try:
        import jinja2  # noqa: F401  # the modules of the page need it to be imported
    except ImportError:
        raise UsageError("the page needs Jinja: install evolif[report]") from None

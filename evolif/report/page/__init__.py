"""The page: one HTML file, without network, that shows what runs found and what was said in them.

Importing it is light; Jinja and the figures (extra `report`) are loaded when a page is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolif.budget import PriceTable
    from evolif.report.analysis import RunAnalysis
    from evolif.report.comparison import ModelComparison
    from evolif.report.page.page import Written
    from evolif.report.wording import Published

__all__ = ["write_page"]


def write_page(
    analyses: Sequence[RunAnalysis],
    path: Path | str,
    *,
    comparisons: Sequence[ModelComparison] = (),
    prices: PriceTable | None = None,
    published: Published | None = None,
) -> Written:
    """Write the page of one or several runs.

    The file holds all it needs: no network, nothing beside it but, where there are more than 200 transcripts or the
    page would pass 5 MB, a folder of transcripts named after it. Everything that a model, a judge or a file said is
    escaped, and a content security policy lets nothing run but the page's own script.

    Args:
        analyses: The runs; those that may not be compared stand in sections of their own.
        path: The file; an earlier page of that name and its folder's transcripts are replaced.
        comparisons: Pairs of models; where there are none, each pair of a few models, else the best with the others.
        prices: For the costs; None takes the packaged table.
        published: The published leaderboard, to stand under its warning; None leaves it out.

    Raises:
        UsageError: What the extra `report` brings is not installed.
        OutsideError: The file cannot be written.
    """
    from evolif.errors import UsageError

    try:
        import jinja2  # noqa: F401  # the modules below need it to be imported
    except ImportError:
        raise UsageError("the page needs Jinja: install evolif[report]") from None
    from evolif.report.page.page import write

    return write(analyses, Path(path), comparisons, prices, published)

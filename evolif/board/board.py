"""A board of runs: what its page and its JSON show."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evolif.budget import PriceTable
from evolif.report import analyse
from evolif.runner import load_run
from evolif.types import DEFAULT_RESAMPLES

SCHEMA = 1
"""The edition of the JSON."""


@dataclass(frozen=True, slots=True)
class Board:
    """Models × scenarios."""

    title: str
    runs: tuple[str, ...]

    def to_object(self) -> dict[str, Any]:
        """The board as JSON has it."""
        return {"schema": SCHEMA, **asdict(self)}


def build_board(
    runs: Sequence[Path],
    *,
    title: str = "",
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    prices: PriceTable | None = None,
) -> Board:
    """A board of runs.

    Args:
        runs: Their folders.
        title: The head of the page.
        seed: Of every draw.
        resamples: How many draws each figure takes that needs some.

        prices: Of tokens; those of the package if None.

    Raises:
        UsageError: one of them is not a run.
    """
    with ExitStack() as opened:
        loaded = [opened.enter_context(closing(load_run(path, read_only=True))) for path in runs]
        return Board(title, tuple(one.name for one in analyse(loaded, seed=seed, resamples=resamples)))

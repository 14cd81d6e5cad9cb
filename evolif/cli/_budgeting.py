"""Budgets and caches as the command line gives them, for an evaluation and for judging one again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolif.models import RequestCache
    from evolif.money import Budget, Quotes
    from evolif.protocol import Spent

_MISSES = 20
"""Misses of the cache that are explained."""


def budget_of(
    quotes: Quotes, asked: Iterable[tuple[str, str]], root: Path, *, usd: float | None, tokens: int | None
) -> Budget | None:
    """The gate of a budget; None without one.

    Args:
        quotes: The run's prices.
        asked: (role, model) of everybody the run may ask.
        root: The run's folder; what it has cost before counts.
        usd: US dollars for everything.
        tokens: Tokens for everything.

    Raises:
        UsageError: a budget in US dollars, and a model of unknown price.
    """
    if usd is None and tokens is None:
        return None
    from evolif.money import Budget

    if usd is not None:
        quotes.refuse_unknown(asked)
    return Budget(quotes, usd=usd, tokens=tokens, spent=_spent(root))


def cache_of(wanted: bool, folder: Path | None, *, explain: bool, say: Callable[[str], None]) -> RequestCache | None:
    """The cache of requests, where one is wanted; its first misses are explained, if that is."""
    if not (wanted or folder or explain):
        return None
    from evolif.models import open_cache

    told = 0

    def one(sentence: str) -> None:
        nonlocal told
        told += 1
        if told <= _MISSES:
            say(f"Not in the cache: {sentence}")
        elif told == _MISSES + 1:
            say("Not in the cache: further requests, which are not explained.")

    return open_cache(folder, one if explain else None)


def _spent(root: Path) -> list[Spent]:
    from evolif.protocol import RunStore, load_run

    if not RunStore.begun(root):
        return []
    run = load_run(root)
    try:
        return run.costs()
    finally:
        run.close()

"""What the runs of a plan have cost together, and what is left of its budget for the next one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evolif.budget import PriceTable, quotes_of
from evolif.plan.file import Entry, Plan
from evolif.runner import RunStore, load_run


@dataclass(frozen=True, slots=True)
class SpentSoFar:
    """What runs have cost.

    Attributes:
        usd: In US dollars, of everything with a known price.
        tokens: Prompts and answers of all roles.
    """

    usd: float = 0.0
    tokens: int = 0


def spent(runs: Iterable[Path], prices: PriceTable) -> SpentSoFar:
    """What some runs have cost; those that have not begun cost nothing."""
    usd, tokens = 0.0, 0
    for path in runs:
        if not RunStore.begun(path):
            continue
        with closing(load_run(path, read_only=True)) as run:
            costs = run.costs()
            usd += quotes_of(run.settings, prices).total(costs)[0]
            tokens += sum(one.usage.prompt_tokens + one.usage.completion_tokens for one in costs)
    return SpentSoFar(usd, tokens)


def budget_flags(plan: Plan, entry: Entry, prices: PriceTable) -> list[str] | None:
    """The budget of a scenario's run: what the others have left of the plan's.

    Args:
        plan: Any.
        entry: The scenario whose run is next; what it has cost already counts as its own.
        prices: Of the models.

    Returns:
        Flags of `evolif evaluate`; empty without a limit, None if nothing is left.
    """
    if plan.usd is None and plan.tokens is None:
        return []
    others = spent((plan.run(other) for other in plan.entries if other is not entry), prices)
    flags: list[str] = []
    if plan.usd is not None:
        if (left := plan.usd - others.usd) <= 0:
            return None
        flags.append(f"--budget-usd={round(left, 6):g}")
    if plan.tokens is not None:
        if (tokens := plan.tokens - others.tokens) <= 0:
            return None
        flags.append(f"--budget-tokens={tokens}")
    return flags

"""How large the contexts of dialogues are, by their number of rounds (Context-Agent, average context tokens)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from evolif.errors import ArgumentError


def act(dialogues: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Average the context tokens of a turn. Turns are pooled, so a long dialogue weighs more than a short one.

    Args:
        dialogues: Each with `rounds`, its number of rounds, and `context_tokens`, a count for each of its turns.

    Returns:
        `by_rounds`: the number of rounds as text, in ascending order, to the mean over the turns of those dialogues;
        a class without a turn is left out. `overall`: the mean over all turns, None without a turn.

    Raises:
        ArgumentError: a negative number.
    """
    pooled: defaultdict[int, list[int]] = defaultdict(list)
    for dialogue in dialogues:
        tokens = list(dialogue["context_tokens"])
        if any(count < 0 for count in tokens):
            raise ArgumentError("a count of context tokens is negative; count tokens from 0")
        pooled[int(dialogue["rounds"])] += tokens
    everything = [count for tokens in pooled.values() for count in tokens]
    return {
        "by_rounds": {str(rounds): _mean(pooled[rounds]) for rounds in sorted(pooled) if pooled[rounds]},
        "overall": _mean(everything) if everything else None,
    }


def act_drop(strategy: Mapping[str, float], full: Mapping[str, float]) -> float:
    """Compare the tokens of a strategy with those of the full history, in percent; a saving is negative.

    Each class counts alike, however many turns it has.

    Args:
        strategy: Class to context tokens, such as `act(…)["by_rounds"]`; a class that `full` lacks is ignored.
        full: The same of the full history.

    Raises:
        ArgumentError: `full` has no class, or a class of 0 tokens, or one that the strategy lacks.
    """
    if not full:
        raise ArgumentError("the full history has no class of rounds; give at least one")
    lacking = [name for name in full if name not in strategy]
    if lacking:
        raise ArgumentError(f"the strategy has no figure for {lacking[0]} rounds; play the same dialogues with both")
    empty = [name for name, tokens in full.items() if not tokens > 0]
    if empty:
        raise ArgumentError(f"the full history has no tokens at {empty[0]} rounds, so there is no ratio; leave it out")
    return -100 * math.fsum(1 - strategy[name] / tokens for name, tokens in full.items()) / len(full)


def _mean(counts: list[int]) -> float:
    return math.fsum(counts) / len(counts)

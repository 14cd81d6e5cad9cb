"""Answers given before the last turn, and what haste cost: the same dialogues, with such answers refused."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypedDict

from evolif.games.figures import Dialogue, dialogue_groups, instance_name, is_correct
from evolif.metrics import FEWEST
from evolif.metrics.statistics import check_draws, middle, resampled_sums

_GROUP = ("game", "modality", "pair", "turn_budget")


class EarlyRow(TypedDict):
    """The answers that one pair gave before the last turn, in one game at one turn budget.

    Attributes:
        game: Its name.
        modality: Whether pictures or texts were shown.
        pair: Both players, the first to speak first.
        turn_budget: The turns allowed.
        n: Dialogues with a result.
        early: Those answered before the last turn.
        share: Their share.
        accuracy: Accuracy of these answers; None without any.
    """

    game: str
    modality: str | None
    pair: Any
    turn_budget: int
    n: int
    early: int
    share: float
    accuracy: float | None


class HasteRow(TypedDict):
    """What haste cost one pair in one game at one turn budget.

    Attributes:
        game: Its name.
        modality: As in `EarlyRow`.
        pair: As in `EarlyRow`.
        turn_budget: As in `EarlyRow`.
        n: Instances that were answered early, and played again with early answers refused.
        accuracy_free: Accuracy of the early answers.
        accuracy_held: Accuracy of the same instances, with early answers refused.
        cost: `accuracy_held` - `accuracy_free`.
        low: The lower end of its 95 % interval, a bootstrap of instances; None with fewer than `FEWEST` of them.
        high: Its upper end.
    """

    game: str
    modality: str | None
    pair: Any
    turn_budget: int
    n: int
    accuracy_free: float
    accuracy_held: float
    cost: float
    low: float | None
    high: float | None


def early_table(dialogues: Iterable[Dialogue]) -> list[EarlyRow]:
    """Count the answers that came before the last turn.

    Args:
        dialogues: Of any games, as `play` returns them; played without refusing answers.

    Returns:
        One row for each game, modality, pair in order and turn budget.

    Raises:
        ArgumentError: something else than a dialogue.
    """
    rows: list[EarlyRow] = []
    for own in dialogue_groups(dialogues, _GROUP):
        early = [dialogue for dialogue in own if _is_early(dialogue)]
        first = own[0]
        rows.append(
            {
                "game": first["instance"]["game"],
                "modality": first.get("modality"),
                "pair": first["pair"],
                "turn_budget": first["turn_budget"],
                "n": len(own),
                "early": len(early),
                "share": len(early) / len(own),
                "accuracy": _mean([float(is_correct(dialogue)) for dialogue in early]) if early else None,
            }
        )
    return rows


def haste_cost(
    free: Iterable[Dialogue], held: Iterable[Dialogue], *, seed: int = 0, resamples: int = 1000
) -> list[HasteRow]:
    """Compare early answers with what the same players answer when these are refused.

    Only instances that were answered early in `free` count. Several dialogues of one instance count by their mean.

    Args:
        free: Dialogues of any games, as `play` returns them.
        held: The same with `hold_answers`.
        seed: Of the bootstrap.
        resamples: How often it draws the instances anew.

    Returns:
        One row for each game, modality, pair in order and turn budget that has such instances.

    Raises:
        ArgumentError: something else than a dialogue.
        UsageError: `seed` below 0 or `resamples` below 1.
    """
    check_draws(seed, resamples)
    again = {_key(own[0]): _by_instance(own) for own in dialogue_groups(held, _GROUP)}
    rows: list[HasteRow] = []
    for own in dialogue_groups(free, _GROUP):
        before = _by_instance([dialogue for dialogue in own if _is_early(dialogue)])
        after = again.get(_key(own[0]), {})
        names = sorted(before.keys() & after.keys())
        if names:
            pairs = [(before[name], after[name]) for name in names]
            rows.append(_cost(own[0], pairs, seed, resamples))
    return rows


def _cost(first: Dialogue, pairs: list[tuple[float, float]], seed: int, resamples: int) -> HasteRow:
    count = len(pairs)
    free, held = (_mean([pair[side] for pair in pairs]) for side in (0, 1))
    interval = None
    if count >= FEWEST:
        [sums] = resampled_sums([[after - before for before, after in pairs]], seed=seed, resamples=resamples)
        interval = middle([float(value) / count for value in sums], held - free)
    low, high = interval or (None, None)
    return {
        "game": first["instance"]["game"],
        "modality": first.get("modality"),
        "pair": first["pair"],
        "turn_budget": first["turn_budget"],
        "n": count,
        "accuracy_free": free,
        "accuracy_held": held,
        "cost": held - free,
        "low": low,
        "high": high,
    }


def _is_early(dialogue: Dialogue) -> bool:
    """Whether it was answered with turns left."""
    turn: int = dialogue["final"]["turn"]
    return turn < int(dialogue["turn_budget"])


def _key(dialogue: Dialogue) -> str:
    return repr((dialogue["instance"]["game"], dialogue.get("modality"), dialogue["pair"], dialogue["turn_budget"]))


def _by_instance(dialogues: Iterable[Dialogue]) -> dict[str, float]:
    """Accuracy by instance."""
    results: defaultdict[str, list[float]] = defaultdict(list)
    for dialogue in dialogues:
        results[instance_name(dialogue)].append(float(is_correct(dialogue)))
    return {name: _mean(own) for name, own in results.items()}


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)

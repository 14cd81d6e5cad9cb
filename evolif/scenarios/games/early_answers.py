"""Answers given before the last turn, and what haste cost: the same dialogues, with such answers refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

from evolif.metrics import Row
from evolif.scenarios.games.figures import Dialogue, accuracy_test, dialogue_groups, instance_sums, is_correct

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
        low: The lower end of its 95 % interval, paired over instances (`pair_test`); None with fewer than six of them.
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


def haste_cost(free: Iterable[Dialogue], held: Iterable[Dialogue]) -> list[HasteRow]:
    """Compare early answers with what the same players answer when these are refused.

    Only instances that were answered early in `free` count, each as often as it was.

    Args:
        free: Dialogues of any games, as `play` returns them.
        held: The same with `hold_answers`.

    Returns:
        One row for each game, modality, pair in order and turn budget that has such instances.

    Raises:
        ArgumentError: something else than a dialogue.
    """
    again = {_key(own[0]): instance_sums(own) for own in dialogue_groups(held, _GROUP)}
    rows: list[HasteRow] = []
    for own in dialogue_groups(free, _GROUP):
        before = instance_sums(dialogue for dialogue in own if _is_early(dialogue))
        after = again.get(_key(own[0]), {})
        both = [name for name in before if name in after]
        if both:
            rows.append(_cost(own[0], [before[name] for name in both], [after[name] for name in both]))
    return rows


def _cost(first: Dialogue, free: Sequence[Row], held: Sequence[Row]) -> HasteRow:
    # An instance that was answered early in one epoch of four weighs a quarter on both sides.
    weighed = [(right / of * early, early) for (right, of), (_, early) in zip(held, free, strict=True)]
    _, test = accuracy_test(weighed, free)
    accuracies = [math.fsum(right for right, _ in rows) / math.fsum(of for _, of in rows) for rows in (free, weighed)]
    low, high = test.interval or (None, None)
    return {
        "game": first["instance"]["game"],
        "modality": first.get("modality"),
        "pair": first["pair"],
        "turn_budget": first["turn_budget"],
        "n": len(free),
        "accuracy_free": accuracies[0],
        "accuracy_held": accuracies[1],
        "cost": accuracies[1] - accuracies[0],
        "low": low,
        "high": high,
    }


def _is_early(dialogue: Dialogue) -> bool:
    """Whether it was answered with turns left."""
    turn: int = dialogue["final"]["turn"]
    return turn < int(dialogue["turn_budget"])


def _key(dialogue: Dialogue) -> str:
    return repr((dialogue["instance"]["game"], dialogue.get("modality"), dialogue["pair"], dialogue["turn_budget"]))


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)

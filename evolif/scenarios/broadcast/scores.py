"""Scores: of a turn from its checklist, of a dialogue, of a category, overall."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from statistics import fmean
from typing import TypedDict

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.arguments import items, mapping, number, shown

CATEGORIES = ("IF", "CR", "IR", "TS")
_DECIMALS = 10


class GameAccuracy(TypedDict):
    """The accuracy of a dialogue.

    Attributes:
        accuracy: Mean score of its turns that are no problem; 0 where there is none.
        original_accuracy: Mean score of all judged turns; None where there is none.
        math_accuracy: Mean score of its problems; None where there is none.
    """

    accuracy: float
    original_accuracy: float | None
    math_accuracy: float | None


def checklist_score(
    weights: Mapping[Hashable, float],
    satisfied: Iterable[Hashable],
    gates: Iterable[Hashable] = (),
    triggered: Iterable[Hashable] = (),
) -> float:
    """The score of a turn.

    Args:
        weights: What each item is worth.
        satisfied: The items that are satisfied; each counts once.
        gates: Those that bring the score to 0.
        triggered: What happened; a name that is no gate does nothing.

    Returns:
        0 if a gate is triggered, else the sum of the satisfied items' weights, kept within 0 and 1 and rounded to ten
        decimals.

    Raises:
        ArgumentError: an argument is of the wrong kind, or a satisfied item has no weight.
    """
    worth = {item: number("a weight", weight) for item, weight in mapping("weights", weights).items()}
    met = _ids("satisfied", satisfied)
    for item in met:
        if item not in worth:
            raise ArgumentError(f"the item {shown(item)} is not in the checklist; give items that have weights")
    if not _ids("gates", gates).isdisjoint(_ids("triggered", triggered)):
        return 0.0
    total = math.fsum(weight for item, weight in worth.items() if item in met)
    return round(min(max(total, 0.0), 1.0), _DECIMALS)


def event_share(told: int, asked: int, false: int) -> float:
    """What the events of a reply are worth, from 0 to 1: their F-measure, so that a false one costs as a missing one.

    Args:
        told: How many of those asked for it tells.
        asked: How many were asked for.
        false: How many false ones it tells beside them.

    Example:
        `event_share(4, 4, 4)` is 2/3: all right, and as many invented.
    """
    return 2 * told / (told + asked + false) if told else 0.0


def game_accuracy(scores: Mapping[Hashable, float | None], math_ids: Iterable[Hashable] = ()) -> GameAccuracy:
    """The accuracy of a dialogue.

    Args:
        scores: The score of each judged turn; those that are None are left out.
        math_ids: Which turns are problems; unknown ones are left out.

    Raises:
        ArgumentError: an argument is of the wrong kind.
    """
    judged = {turn: number("a score", score) for turn, score in mapping("scores", scores).items() if score is not None}
    problems = _ids("math_ids", math_ids)
    return {
        "accuracy": _mean(score for turn, score in judged.items() if turn not in problems) or 0.0,
        "original_accuracy": _mean(judged.values()),
        "math_accuracy": _mean(score for turn, score in judged.items() if turn in problems),
    }


def category_score(accuracies: Iterable[float | None]) -> float:
    """The score of a category: the mean over its dialogues, those with 0 included.

    Args:
        accuracies: One a dialogue; those that are None are left out.

    Returns:
        The mean; 0 for no dialogue.

    Raises:
        ArgumentError: an argument is of the wrong kind.
    """
    given = items("accuracies", accuracies)
    return _mean(number("an accuracy", accuracy) for accuracy in given if accuracy is not None) or 0.0


def overall(categories: Mapping[str, float | None]) -> float:
    """The plain mean of the categories.

    Args:
        categories: The scores of `IF`, `CR`, `IR` and `TS`, as far as they are known; others and those that are None
            are left out.

    Returns:
        The mean; 0 for no category.

    Raises:
        ArgumentError: an argument is of the wrong kind.
    """
    given = mapping("categories", categories)
    return category_score([given.get(name) for name in CATEGORIES])


def _mean(values: Iterable[float]) -> float | None:
    """The mean, or None if there is nothing."""
    found = list(values)
    return fmean(found) if found else None


def _ids(name: str, values: Iterable[Hashable]) -> set[Hashable]:
    """Names of items, gates or turns."""
    try:
        return set(items(name, values))
    except TypeError:
        raise ArgumentError(f"{name} holds something that is no name; give texts or numbers") from None

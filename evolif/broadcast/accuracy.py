"""Accuracy of dialogues, categories and all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from evolif.broadcast.plays import PROBLEM, PlayedMatch, match_of, task_order
from evolif.broadcast.scores import CATEGORIES, GameAccuracy, category_score, game_accuracy
from evolif.broadcast.scores import overall as mean_of_categories
from evolif.metrics import FEWEST, MetricTable
from evolif.metrics.intervals import ratio_interval
from evolif.metrics.shares import Share, share_of
from evolif.metrics.statistics import middle, resampled_sums
from evolif.types import Session

_METRICS: Mapping[str, str] = {name: name.lower() for name in CATEGORIES}
"""Category to the name of its metric."""


def match_accuracy(match: PlayedMatch) -> GameAccuracy:
    """The accuracy of a match: of what was asked about it, of all judged turns, and of its problems."""
    return game_accuracy(
        {turn.turn: turn.score for turn in match.turns}, [turn.turn for turn in match.turns if turn.kind == PROBLEM]
    )


def _terms(session: Session) -> tuple[float, ...]:
    match = match_of(session)
    if match is None:
        return (0.0,) * (2 * (len(CATEGORIES) + 3))
    found = match_accuracy(match)
    own = (found["accuracy"], 1.0)
    of_task = (own if task == match.task else (0.0, 0.0) for task in CATEGORIES)
    beside = (_known(found["math_accuracy"]), _known(found["original_accuracy"]))
    return (*own, *(term for pair in (*of_task, *beside) for term in pair))


def _known(value: float | None) -> tuple[float, float]:
    return (0.0, 0.0) if value is None else (value, 1.0)


_NAMES = ("accuracy", *_METRICS.values(), "math", "original")

ACCURACY_TABLE = MetricTable(
    tuple(term for name in _NAMES for term in (name, f"{name}_dialogues")),
    _terms,
    {name: (name, f"{name}_dialogues") for name in _NAMES},
    {"accuracy": "Accuracy", **{name: task for task, name in _METRICS.items()}}
    | {"math": "Problems", "original": "All turns"},
    meanings={
        "accuracy": "score of a match’s judged turns, mean over matches",
        "if": "the same in matches with rules for replies",
        "cr": "in matches that ask for facts shown before",
        "ir": "in matches that ask for conclusions",
        "ts": "in matches that are interrupted by tasks",
        "math": "problems solved",
        "original": "accuracy with the problems among the turns",
    },
    headline="accuracy",
    beside=frozenset({"math", "original"}),
    scored_in_both=True,
    optional=frozenset({*_METRICS.values(), "math"}),
)
"""Dialogue accuracy, from whole matches: over all dialogues, by category, over problems alone, and with problems.

Dialogues that broke off are left out. A dialogue of which no turn was judged has accuracy 0.
"""


def overall_share(matches: Sequence[PlayedMatch], *, seed: int, resamples: int) -> Share:
    """The plain mean of the categories, with a 95 % bootstrap interval over dialogues, drawn category by category.

    Args:
        matches: Of one model; epochs of a dialogue are taken together.
        seed: Of the draws; at least 0.
        resamples: How many; at least 1.

    Returns:
        Its `of` is the number of dialogues. There is no interval where a category has fewer than six.
    """
    categories = {task: own for task, own in accuracies(matches).items() if task in CATEGORIES}
    if not categories:
        return Share(None)
    value = mean_of_categories({task: category_score(own) for task, own in categories.items()})
    dialogues = sum(map(len, categories.values()))
    if min(map(len, categories.values())) < FEWEST:
        return Share(value, None, dialogues)
    weights = [1 / (len(categories) * len(own)) for own in categories.values() for _ in own]
    weighted = [share * weight for share, weight in zip(_flat(categories.values()), weights, strict=True)]
    usual = ratio_interval(weighted, weights, rate=True)
    if len(categories) == 1:
        return Share(value, usual, dialogues)
    sums = [
        resampled_sums([[share / len(own) for share in own]], seed=seed * len(CATEGORIES) + place, resamples=resamples)
        for place, own in enumerate(categories.values())
    ]
    drawn = [sum(map(float, values)) / len(sums) for values in zip(*(own[0] for own in sums), strict=True)]
    ends = middle(drawn, value)
    # Draws from dialogues that are all alike have no width.
    return Share(value, usual if ends is None or ends[0] == ends[1] else ends, dialogues)


def dialogue_share(values: Iterable[tuple[int, float]]) -> Share:
    """The mean of a figure over sessions; its `of` is the number of dialogues.

    Args:
        values: The dialogue of each session, and its figure.
    """
    rows = [(dialogue, value, 1.0) for dialogue, value in values]
    return replace(share_of(rows), of=float(len({dialogue for dialogue, _, _ in rows})))


def accuracies(matches: Iterable[PlayedMatch]) -> dict[str, list[float]]:
    """Task to the accuracy of each of its dialogues, the mean over its epochs; in the order of the page."""
    found: dict[str, dict[int, list[float]]] = {}
    for match in matches:
        own = found.setdefault(match.task, {}).setdefault(match.dialogue, [])
        own.append(match_accuracy(match)["accuracy"])
    return {
        task: [sum(epochs) / len(epochs) for _, epochs in sorted(found[task].items())]
        for task in sorted(found, key=task_order)
    }


def _flat(columns: Iterable[Sequence[float]]) -> list[float]:
    return [value for column in columns for value in column]

"""Accuracy of dialogues, categories and all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from evolif.metrics import Cluster, MetricTable, PlainName
from evolif.metrics.intervals import DRAWS
from evolif.metrics.shares import Share
from evolif.scenarios.broadcast.means import Category, mean_interval, value_of
from evolif.scenarios.broadcast.scores import CATEGORIES, GameAccuracy, game_accuracy
from evolif.scenarios.broadcast.scores import overall as mean_of_categories
from evolif.scenarios.broadcast.sessions import MATCH, PROBLEM, PlayedMatch, match_of, task_order
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
    plain={
        "if": PlainName("accuracy with rules for replies", "rules kept"),
        "cr": PlainName("accuracy on facts shown before", "facts recalled"),
        "ir": PlainName("accuracy on conclusions", "conclusions"),
        "ts": PlainName("accuracy when interrupted by tasks", "interrupted"),
    },
    headline="accuracy",
    beside=frozenset({"math", "original"}),
    scored_in_both=True,
    optional=frozenset({*_METRICS.values(), "math"}),
    cluster=MATCH,
    kept="broadcast/1",
)
"""Dialogue accuracy, from whole matches: over all dialogues, by category, over problems alone, and with problems.

Dialogues that broke off are left out. A dialogue of which no turn was judged has accuracy 0. All variants and epochs of
a match belong together.
"""


def overall_share(matches: Sequence[PlayedMatch], *, seed: int, resamples: int) -> Share:
    """The plain mean of the categories, with its 95 % interval over matches.

    Args:
        matches: Of one model; variants and epochs of a match are taken together.
        seed: Of the draws that the interval takes near 0 and 1; at least 0.
        resamples: How many; at least 1.

    Returns:
        Its `of` is the number of matches. There is no interval where a category has fewer than six.
    """
    sums = {task: own for task, own in category_sums(matches).items() if task in CATEGORIES}
    if not sums:
        return Share(None)
    value = mean_of_categories({task: value_of(own) for task, own in sums.items()})
    of = len({match for own in sums.values() for match in own})
    return Share(value, mean_interval(list(sums.values()), (seed, resamples)), of)


def match_share(values: Iterable[tuple[PlayedMatch, float]], draws: tuple[int, int] = DRAWS) -> Share:
    """The mean of a figure over dialogues, with its 95 % interval over matches; its `of` is the number of matches.

    Args:
        values: Each played match, and its figure.
        draws: Seed and number of the draws that the interval takes near 0 and 1.
    """
    own = _summed(values)
    if not own:
        return Share(None)
    return Share(value_of(own), mean_interval([own], draws), float(len(own)))


def category_sums(matches: Iterable[PlayedMatch]) -> dict[str, Category]:
    """Task to what each of its matches adds: the accuracies of its sessions, and their number; as the page orders."""
    found: dict[str, list[tuple[PlayedMatch, float]]] = {}
    for match in matches:
        found.setdefault(match.task, []).append((match, match_accuracy(match)["accuracy"]))
    return {task: _summed(found[task]) for task in sorted(found, key=task_order)}


def _summed(values: Iterable[tuple[PlayedMatch, float]]) -> Category:
    own: dict[Cluster, list[float]] = {}
    for match, value in values:
        own.setdefault(match.match, []).append(value)
    return {match: (fsum(found), float(len(found))) for match, found in own.items()}


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

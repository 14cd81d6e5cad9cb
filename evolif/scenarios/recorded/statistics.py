"""Statistics of records: intervals, paired differences, and how benchmarks and their parts tell models apart.

Whole dialogues are resampled, because the turns of one dialogue are not independent. Intervals come from exactly the
records that the figures come from. NumPy is needed by `bootstrap_interval` and `paired_difference` only.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import chain, combinations
from typing import Any, Final, TypeAlias

from evolif.errors import ArgumentError, UsageError
from evolif.metrics.statistics import spearman as rank_correlation
from evolif.scenarios.recorded.aggregation import (
    Identifier,
    Record,
    aggregate,
    check_aggregation,
    dialogue_score,
    mean,
    turn_scores,
)

FEWEST_MODELS: Final = 8
"""With fewer, a correlation over models says little, and `spearman_matrix` says so."""
MOST_BUCKETS: Final = 500
"""Of a matrix; a label that differs in every dialogue would make millions of pairs."""
_BLOCK: Final = 4_000_000
"""Draws made at once, to limit memory."""
_LARGEST: Final = 1e290
"""A million dialogues with such scores still have a finite sum."""

_Values: TypeAlias = dict[Identifier, list[float]]
"""What each dialogue adds to a mean: its score, or its turn scores."""


def bootstrap_interval(
    records: Iterable[Record],
    *,
    resamples: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    turn_stat: str = "mean",
    dialog_stat: str = "min",
    dataset_level: str = "dialog",
    whole: Callable[[Identifier], Identifier] | None = None,
) -> dict[str, float] | None:
    """The global mean with a percentile interval over resampled dialogues.

    Args:
        records: Of one model.
        resamples: How often the dialogues are drawn anew; at least 1.
        seed: Of the draws; at least 0.
        alpha: One minus the coverage: 0.05 for an interval of 95 %.
        turn_stat: As for `aggregate`.
        dialog_stat: As for `aggregate`.
        dataset_level: As for `aggregate`; `turn` divides the sum of the drawn dialogues' turn scores by their number.
        whole: What is drawn as a whole, from a `dialog_id`: such as the dialogue of which it is one of several
            sessions. Ids in order have to give values in order. None for the dialogues as they are.

    Returns:
        `point`, the mean of the data, with the ends `lo` and `hi`; None without a dialogue that has a valid record.

    Raises:
        ArgumentError: An argument is out of range, or a valid record does not say where it belongs.
        UsageError: NumPy is not installed.
    """
    _check_draws(resamples, seed, alpha)
    values = _whole(_values(records, turn_stat, dialog_stat, dataset_level), whole)
    if not values:
        return None
    return _interval([values], list(values), resamples, seed, alpha)


def paired_difference(
    first: Iterable[Record],
    second: Iterable[Record],
    *,
    resamples: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    turn_stat: str = "mean",
    dialog_stat: str = "min",
    dataset_level: str = "dialog",
    whole: Callable[[Identifier], Identifier] | None = None,
) -> dict[str, float] | None:
    """By how much one model's global mean is higher than another's, over the dialogues that both have.

    Args:
        first: Of one model or strategy.
        second: Of the other; both are drawn alike.
        resamples: As for `bootstrap_interval`.
        seed: As for `bootstrap_interval`.
        alpha: As for `bootstrap_interval`.
        turn_stat: As for `aggregate`.
        dialog_stat: As for `aggregate`.
        dataset_level: As for `aggregate`.
        whole: As for `bootstrap_interval`; `dialogues` then counts its values.

    Returns:
        `point`, the first mean minus the second, with the ends `lo` and `hi`, and `dialogues`, the number of those that
        have a valid record in both; None without one.

    Raises:
        ArgumentError: An argument is out of range, or a valid record does not say where it belongs.
        UsageError: NumPy is not installed.
    """
    _check_draws(resamples, seed, alpha)
    one = _whole(_values(first, turn_stat, dialog_stat, dataset_level), whole)
    other = _whole(_values(second, turn_stat, dialog_stat, dataset_level), whole)
    shared = [dialog_id for dialog_id in one if dialog_id in other]
    if not shared:
        return None
    return {**_interval([one, other], shared, resamples, seed, alpha), "dialogues": len(shared)}


def _check_draws(resamples: int, seed: int, alpha: float) -> None:
    for name, value, least in (("resamples", resamples, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ArgumentError(f"{name} is {value!r}; give a whole number of at least {least}")
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise ArgumentError(f"alpha is {alpha!r}; give a number between 0 and 1, such as 0.05")


def _values(records: Iterable[Record], turn_stat: str, dialog_stat: str, dataset_level: str) -> _Values:
    check_aggregation(turn_stat, dialog_stat, dataset_level)
    turns = turn_scores(records, turn_stat)
    values = (
        turns
        if dataset_level == "turn"
        else {dialog_id: [dialogue_score(own, dialog_stat)] for dialog_id, own in turns.items()}
    )
    for dialog_id, own in values.items():
        if any(abs(value) > _LARGEST for value in own):
            raise ArgumentError(f"dialogue {dialog_id!r} has a score too large to be resampled; scores lie in [0, 1]")
    return values


def _whole(values: _Values, whole: Callable[[Identifier], Identifier] | None) -> _Values:
    if whole is None:
        return values
    together: _Values = {}
    for dialog_id, own in values.items():
        together.setdefault(whole(dialog_id), []).extend(own)
    return together


def _interval(
    models: Sequence[_Values], dialogues: Sequence[Identifier], resamples: int, seed: int, alpha: float
) -> dict[str, float]:
    """The mean of one model, or how much the first's is above the second's."""
    numpy = _numpy()
    resampled = numpy.zeros(resamples)
    point = 0.0
    for sign, values in zip((1, -1), models, strict=False):
        own = [values[dialog_id] for dialog_id in dialogues]
        point += sign * mean(list(chain.from_iterable(own)))
        sums, sizes = numpy.array([math.fsum(of) for of in own]), numpy.array([len(of) for of in own])
        done = 0
        for idx in _draws(numpy, len(own), resamples, seed):
            resampled[done : done + len(idx)] += sign * sums[idx].sum(axis=1) / sizes[idx].sum(axis=1)
            done += len(idx)
    lo, hi = numpy.percentile(resampled, [100 * alpha / 2, 100 * (1 - alpha / 2)])
    return {"point": float(point), "lo": float(lo), "hi": float(hi)}


def _draws(numpy: Any, dialogues: int, resamples: int, seed: int) -> Iterator[Any]:
    """The rows of `default_rng(seed).integers(0, dialogues, size=(resamples, dialogues))`, in blocks."""
    chance = numpy.random.default_rng(seed)
    rows = max(1, _BLOCK // dialogues)
    for start in range(0, resamples, rows):
        yield chance.integers(0, dialogues, size=(min(rows, resamples - start), dialogues))


def _numpy() -> Any:
    try:
        return import_module("numpy")
    except ImportError:
        raise UsageError("intervals of records need NumPy: pip install 'evolif[report]'") from None


def discriminability(scores: Iterable[float]) -> float | None:
    """How far a benchmark tells models apart: the standard deviation of their scores ÷ the mean.

    The authors of UniDial-EvalKit read above 0.4 as strong and below 0.2 as little.

    Args:
        scores: One of each model.

    Returns:
        The population's coefficient of variation; 0 where the mean is 0, None without a score.

    Raises:
        ArgumentError: A score is no finite number.
    """
    values = _numbers(scores)
    if not values:
        return None
    middle = mean(values)
    return statistics.pstdev(values) / middle if middle else 0.0


def spearman(x: Iterable[float], y: Iterable[float]) -> float | None:
    """Spearman's rank correlation; values that differ by rounding only share a rank.

    Args:
        x: One figure of each model.
        y: Another figure of the same models.

    Returns:
        Pearson's correlation of the average ranks; None with fewer than two models, or where one side is constant.

    Raises:
        ArgumentError: They are not equally many, or one is no finite number.
    """
    xs, ys = _numbers(x), _numbers(y)
    if len(xs) != len(ys):
        raise ArgumentError(f"a correlation needs pairs, but there are {len(xs)} and {len(ys)} figures")
    return rank_correlation(xs, ys)


def _numbers(values: Iterable[Any]) -> list[float]:
    numbers = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= _LARGEST:
            raise ArgumentError(f"{value!r} is no score; give finite numbers")
        numbers.append(float(value))
    return numbers


def spearman_matrix(
    records_by_model: Mapping[str, Iterable[Record] | Mapping[str, Iterable[Record]]],
    *,
    turn_stat: str = "mean",
    dialog_stat: str = "min",
) -> dict[str, Any]:
    """How the ranks of models agree between sub-dimensions, which are the buckets of dialogue labels.

    Args:
        records_by_model: Each model's records; or its records of each benchmark, by the benchmark's name. Then
            sub-dimensions are named `benchmark/column:value`.
        turn_stat: As for `aggregate`.
        dialog_stat: As for `aggregate`. A model's score in a bucket is the mean of its dialogue scores there.

    Returns:
        `pairs`, all (a, b, rho) with a before b in the alphabet, the highest correlation first, and those that are
        undefined (rho is None) last; a correlation goes over the models that have both. `models`, the number of those
        with a score. `warning`, a sentence where they are fewer than `FEWEST_MODELS`, else None.

    Raises:
        ArgumentError: A statistic is unknown, a record is unusable, or there are more than `MOST_BUCKETS` buckets.
    """
    scores: dict[str, dict[str, float]] = {}
    scored = set()
    for model, own in records_by_model.items():
        benchmarks = own if isinstance(own, Mapping) else {"": own}
        for benchmark, records in benchmarks.items():
            figures = aggregate(records, turn_stat, dialog_stat)
            scored.update([model] if figures["global"] else [])
            for bucket, found in figures["by_label"].get("dialog", {}).items():
                name = f"{benchmark}/{bucket}" if benchmark else bucket
                scores.setdefault(name, {})[model] = found["mean"]
    if len(scores) > MOST_BUCKETS:
        raise ArgumentError(
            f"the dialogue labels have {len(scores):,} values; correlate at most {MOST_BUCKETS}, and leave labels out "
            "that differ in every dialogue"
        )
    pairs = [(a, b, _over_models(scores[a], scores[b])) for a, b in combinations(sorted(scores), 2)]
    return {
        "pairs": sorted(pairs, key=lambda pair: (pair[2] is None, -(pair[2] or 0.0), pair[0], pair[1])),
        "models": len(scored),
        "warning": _few_models(len(scored)),
    }


def _over_models(first: Mapping[str, float], second: Mapping[str, float]) -> float | None:
    models = [model for model in first if model in second]
    return spearman([first[model] for model in models], [second[model] for model in models])


def _few_models(models: int) -> str | None:
    if models >= FEWEST_MODELS:
        return None
    return f"Models: {models}. Correlations over fewer than {FEWEST_MODELS} say little."

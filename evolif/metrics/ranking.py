"""The order of models, and how much of it is certain: intervals of ranks, and pairs.

An interval of a rank counts the models that a test tells apart: with b models above and w below for certain, of K, the
rank is one from 1 + b to K - w (Mogstad, Romano, Shaikh and Wilhelm 2024, with Holm's correction over all pairs).
The percentiles of ranks over bootstrap resamples are no such interval: resamples repeat the order that was drawn, and
for equal models they leave out ranks (`benchmarks/ranking.py` measures it).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from evolif.metrics.compare import DEFAULT_PERMUTATIONS, holm
from evolif.metrics.permutation import permutation_test
from evolif.metrics.power import ALPHA, fewest_dialogues
from evolif.metrics.sessions import counted_sessions, of_one_model
from evolif.metrics.statistics import check_draws, ranks, require, resampled_sums
from evolif.metrics.table import MetricTable, Row, dialogue_rows
from evolif.types import DEFAULT_RESAMPLES, Session

_MOST_PERMUTATIONS = 100_000
_ROUNDING = 1e-9
"""Values that differ by less are equal up to rounding."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model stands in one metric.

    Attributes:
        value: The metric over the dialogues that all ranked models have.
        rank: 1 is the best; models with equal figures share the mean of their ranks.
        low: The best rank that the data allow, with 95 % certainty for all models and metrics together.
        high: The worst.
    """

    value: float
    rank: float
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Order:
    """Two models in one metric.

    Attributes:
        metric: Its name.
        a: One model.
        b: The other.
        above: Share of bootstrap resamples of the dialogues in which A is better, ties by half. Between equal models
            every value from 0 to 1 is as likely as any other, so it is no certainty without `p_holm`. None with fewer
            than six dialogues, which no test can tell apart.
        p: Two-sided, of the paired permutation test.
        p_holm: After Holm's correction over all pairs and all metrics ranked here.
        better: Whether A is the better one in the figures: 1, or -1 if B is, 0 if they are equal.
    """

    metric: str
    a: str
    b: str
    above: float | None
    p: float
    p_holm: float
    better: int

    @property
    def told_apart(self) -> bool:
        """Whether the two differ for certain."""
        return self.p_holm < ALPHA and self.better != 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """Models in their order.

    Attributes:
        places: Metric to model to its place, models in the order given; those without a figure are left out.
        pairs: Every pair of ranked models in every metric.
        dialogues: Those that all ranked models have, on which all of this is based.
    """

    places: Mapping[str, Mapping[str, Place]]
    pairs: tuple[Order, ...]
    dialogues: int


def ranking(
    models: Mapping[str, Sequence[Session]],
    *,
    table: MetricTable,
    metrics: Iterable[str] = (),
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    permutations: int = DEFAULT_PERMUTATIONS,
) -> Ranking:
    """The order of models in some metrics, with intervals of ranks and the certainty of each pair.

    Args:
        models: Name to sessions; finished and censored ones count, and only dialogues that all models have. Models
            without a counted session are left out.
        table: Of the run.
        metrics: Of the table; its headline if empty.
        seed: Of resampling and permutations.
        resamples: Of the bootstrap; dialogues are drawn for all models at once, with all their epochs.
        permutations: Swaps drawn at random if there are more in total; more are drawn where Holm's correction over so
            many tests could not reach 5 % with these.

    Raises:
        UsageError: an unknown metric; several models under one name; impossible numbers; NumPy (extra `report`) is
            not installed.
    """
    check_draws(seed, resamples)
    require("numpy", "a ranking")
    names = tuple(dict.fromkeys(metrics)) or (table.main,)
    ends = {name: table.places(name) for name in names}
    by_model: dict[str, dict[int, Row]] = {
        model: own
        for model, sessions in models.items()
        if (own := dialogue_rows(table, counted_sessions(of_one_model(sessions))))
    }
    shared = sorted(set.intersection(*map(set, by_model.values()))) if by_model else []
    rows: dict[str, Sequence[Row]] = {model: [own[d] for d in shared] for model, own in by_model.items()}
    pairs = [
        order
        for name in names
        for order in _orders(table, name, _defined(rows, ends[name][1]), seed=seed, resamples=resamples)
    ]
    tested = _tested(table, rows, pairs, seed, permutations)
    places = {
        name: _places(table, name, _defined(rows, ends[name][1]), [pair for pair in tested if pair.metric == name])
        for name in names
    }
    return Ranking(places, tuple(tested), len(shared))


_Rows = Mapping[str, Sequence[Row]]


def _defined(rows: _Rows, bottom: int) -> _Rows:
    """The models that have the metric."""
    return {model: own for model, own in rows.items() if any(row[bottom] for row in own)}


def _orders(table: MetricTable, metric: str, rows: _Rows, *, seed: int, resamples: int) -> Iterator[Order]:
    """All pairs of models in one metric, not yet tested."""
    if len(rows) < 2:
        return
    top, bottom = table.places(metric)
    columns = [[row[end] for row in own] for own in rows.values() for end in (top, bottom)]
    sums = resampled_sums(columns, seed=seed, resamples=resamples)
    drawn = {model: (sums[2 * n], sums[2 * n + 1]) for n, model in enumerate(rows)}
    figures = {model: _merit(table, metric, own) for model, own in rows.items()}
    down, enough = metric in table.lower, len(columns[0]) >= fewest_dialogues()
    for a, b in combinations(rows, 2):
        above = None
        if enough:
            above = _share_above(drawn[b], drawn[a]) if down else _share_above(drawn[a], drawn[b])
        yield Order(metric, a, b, above, 1.0, 1.0, _sign(figures[a] - figures[b]))


def _share_above(one: tuple[Any, Any], other: tuple[Any, Any]) -> float:
    """In which share of resamples the first ratio is larger; ties, and resamples that lack one, count by half."""
    np = require("numpy", "a ranking")
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = one[0] / one[1] - other[0] / other[1]
    difference = np.nan_to_num(np.where(np.abs(difference) < _ROUNDING, 0.0, difference), nan=0.0)
    return float((1 + np.sign(difference).mean()) / 2)


def _merit(table: MetricTable, metric: str, rows: Sequence[Row]) -> float:
    """The metric, so turned that more is better; 0 if undefined."""
    value = table.value(table.total(rows), metric) or 0.0
    return -value if metric in table.lower else value


def _sign(difference: float) -> int:
    return 0 if abs(difference) < _ROUNDING else int(math.copysign(1, difference))


_AT_ONCE = 64


def _tested(table: MetricTable, rows: _Rows, pairs: Sequence[Order], seed: int, permutations: int) -> list[Order]:
    """The pairs with p, and p after Holm's correction over all of them."""
    reach = math.ceil(2 * len(pairs) / ALPHA)
    tries = max(permutations, min(reach, _MOST_PERMUTATIONS))
    p: list[float] = []
    for start in range(0, len(pairs), _AT_ONCE):
        p += _permuted(table, rows, pairs[start : start + _AT_ONCE], seed, tries)
    adjusted = holm({str(number): value for number, value in enumerate(p)})
    return [replace(pair, p=p[n], p_holm=adjusted[str(n)] or 0.0) for n, pair in enumerate(pairs)]


def _permuted(table: MetricTable, rows: _Rows, pairs: Sequence[Order], seed: int, permutations: int) -> list[float]:
    """P of each pair: one test of a table that holds the pairs side by side, so that they share their swaps."""
    terms = tuple(f"{end}{number}" for number in range(len(pairs)) for end in ("top", "bottom"))
    ratios = {f"pair{number}": (f"top{number}", f"bottom{number}") for number in range(len(pairs))}
    together = MetricTable(terms, lambda session: (), ratios)
    ends = [table.places(pair.metric) for pair in pairs]

    def beside(models: Sequence[str]) -> list[Row]:
        """Per dialogue the terms of all pairs, for one side of them."""
        return [
            tuple(own[end] for own, places in zip(dialogue, ends, strict=True) for end in places)
            for dialogue in zip(*(rows[model] for model in models), strict=True)
        ]

    first, second = beside([pair.a for pair in pairs]), beside([pair.b for pair in pairs])
    test = permutation_test(together, first, second, permutations=permutations, seed=seed)
    return [1.0 if (p := test.p[name]) is None else p for name in ratios]


def _places(table: MetricTable, metric: str, rows: _Rows, pairs: Sequence[Order]) -> dict[str, Place]:
    merits = {model: _merit(table, metric, own) for model, own in rows.items()}
    own_ranks = ranks([-merit for merit in merits.values()])
    above, below = dict.fromkeys(rows, 0), dict.fromkeys(rows, 0)
    for pair in pairs:
        if pair.told_apart:
            better, worse = (pair.a, pair.b) if pair.better > 0 else (pair.b, pair.a)
            below[better] += 1
            above[worse] += 1
    return {
        model: Place(table.value(table.total(own), metric) or 0.0, rank, 1 + above[model], len(rows) - below[model])
        for (model, own), rank in zip(rows.items(), own_ranks, strict=True)
    }

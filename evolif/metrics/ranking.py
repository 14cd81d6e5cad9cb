"""The order of models, and how much of it is certain: intervals of ranks, and pairs.

An interval of a rank counts the models that a test tells apart: with b models above and w below for certain, of K, the
rank is one from 1 + b to K - w (Mogstad, Romano, Shaikh and Wilhelm 2024, with Holm's correction over all pairs).
The percentiles of ranks over bootstrap resamples are no such interval: resamples repeat the order that was drawn, and
for equal models they leave out ranks (`benchmarks/ranking.py` measures it).

Only the main metric of a ranking says what is certain. Others have a rank and nothing more, since a correction over
all of them would cost the main one its power, and none at all would find differences where there are none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

from evolif.metrics.pairs import has_enough, holm, influence_of, pair_test
from evolif.metrics.power import ALPHA, fewest_dialogues
from evolif.metrics.sessions import capped, counted_sessions, of_one_model
from evolif.metrics.statistics import check_draws, ranks, require, resampled_sums
from evolif.metrics.table import Cluster, MetricTable, Row, cluster_rows, clusters_of, grouped
from evolif.types import DEFAULT_RESAMPLES, Session

_ROUNDING = 1e-9
"""Values that differ by less are equal up to rounding."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model stands in one metric.

    Attributes:
        value: The metric over the dialogues that all ranked models have.
        rank: 1 is the best; models with equal figures share the mean of their ranks.
        low: The best rank that the data allow, with 95 % certainty for all models together; None except in the main
            metric.
        high: The worst.
    """

    value: float
    rank: float
    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Order:
    """Two models in one metric.

    Attributes:
        metric: Its name.
        a: One model.
        b: The other.
        above: Share of bootstrap resamples of the clusters in which A is better, ties by half. Between equal models
            every value from 0 to 1 is as likely as any other, so it is no certainty without `p_holm`. None with fewer
            than six clusters, which no test can tell apart.
        p: Two-sided, of `pair_test`; None where it has none.
        p_holm: After Holm's correction over all pairs in the main metric; None in the others.
        better: Whether A is the better one in the figures: 1, or -1 if B is, 0 if they are equal.
    """

    metric: str
    a: str
    b: str
    above: float | None
    p: float | None
    p_holm: float | None
    better: int

    @property
    def told_apart(self) -> bool:
        """Whether the two differ for certain, in the main metric."""
        return self.p_holm is not None and self.p_holm <= ALPHA and self.better != 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """Models in their order.

    Attributes:
        main: The metric that decides.
        places: Metric to model to its place, models in the order given; those without a figure are left out.
        pairs: Every pair of ranked models in every metric.
        dialogues: Those that all ranked models have, on which all of this is based.
        clusters: What is tested and drawn: these dialogues, or what the scenario takes together.
    """

    main: str
    places: Mapping[str, Mapping[str, Place]]
    pairs: tuple[Order, ...]
    dialogues: int
    clusters: int


def ranking(
    models: Mapping[str, Sequence[Session]],
    *,
    table: MetricTable,
    metrics: Iterable[str] = (),
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> Ranking:
    """The order of models in some metrics, with intervals of ranks and the certainty of each pair.

    Args:
        models: Name to sessions; finished and censored ones count, and only dialogues that all models have. Models
            without a counted session are left out.
        table: Of the run.
        metrics: Of the table; its headline if empty. The first one decides.
        seed: Of the bootstrap.
        resamples: Of the bootstrap; clusters are drawn for all models at once, with all their sessions.

    Raises:
        UsageError: an unknown metric; several models under one name; impossible numbers; NumPy (extra `report`) is
            not installed.
    """
    check_draws(seed, resamples)
    require("numpy", "a ranking")
    names = tuple(dict.fromkeys(metrics)) or (table.main,)
    for name in names:
        table.places(name)
    board = _Board(table, models)
    pairs = [pair for name in names for pair in board.orders(name, seed=seed, resamples=resamples)]
    main = [pair for pair in pairs if pair.metric == names[0]]
    adjusted = holm({f"{number}": pair.p for number, pair in enumerate(main)})
    certain = [replace(pair, p_holm=adjusted[f"{number}"]) for number, pair in enumerate(main)]
    places = {name: board.places(name, certain if name == names[0] else None) for name in names}
    return Ranking(names[0], places, (*certain, *pairs[len(main) :]), len(board.dialogues), len(board.clusters))


class _Board:
    """Models over the dialogues that all of them have."""

    def __init__(self, table: MetricTable, models: Mapping[str, Sequence[Session]]) -> None:
        counted = {model: counted_sessions(of_one_model(sessions)) for model, sessions in models.items()}
        given = {model: own for model, own in counted.items() if own}
        every = [{session.dialogue for session in own} for own in given.values()]
        self.dialogues = set.intersection(*every) if every else set()
        of = clusters_of(table.cluster, (s for own in given.values() for s in own if s.dialogue in self.dialogues))
        self.clusters: list[Cluster] = list(dict.fromkeys(of[dialogue] for dialogue in sorted(of)))
        shared = capped(*(tuple(s for s in own if s.dialogue in self.dialogues) for own in given.values()))
        self._sessions = dict(zip(given, shared, strict=True))
        self._table, self._of = table, of
        self._rows: dict[str, list[Row]] = {}
        for model, own in self._sessions.items():
            found = cluster_rows(table, own, of)
            self._rows[model] = [found[cluster] for cluster in self.clusters]
        self._influence = cache(self._influence_of)

    def _influence_of(self, model: str, metric: str) -> Sequence[float] | None:
        rows = self._rows[model]
        if not has_enough(self._table, rows, metric):
            return None
        return influence_of(self._table, rows, metric, grouped(self._sessions[model], self._of, self.clusters))

    def _defined(self, metric: str) -> Mapping[str, Sequence[Row]]:
        """The models that have the metric."""
        bottom = self._table.places(metric)[1]
        return {model: own for model, own in self._rows.items() if any(row[bottom] for row in own)}

    def orders(self, metric: str, *, seed: int, resamples: int) -> Iterator[Order]:
        """All pairs of models in one metric, not yet corrected."""
        rows = self._defined(metric)
        if len(rows) < 2:
            return
        top, bottom = self._table.places(metric)
        columns = [[row[end] for row in own] for own in rows.values() for end in (top, bottom)]
        sums = resampled_sums(columns, seed=seed, resamples=resamples)
        drawn = {model: (sums[2 * n], sums[2 * n + 1]) for n, model in enumerate(rows)}
        figures = {model: self._merit(metric, own) for model, own in rows.items()}
        down, enough = metric in self._table.lower, len(self.clusters) >= fewest_dialogues()
        for a, b in combinations(rows, 2):
            above = None
            if enough:
                above = _share_above(drawn[b], drawn[a]) if down else _share_above(drawn[a], drawn[b])
            one, other = self._influence(a, metric), self._influence(b, metric)
            p = None
            if one is not None and other is not None:
                p = pair_test(self._table, rows[a], rows[b], metric, influence=(one, other)).p
            yield Order(metric, a, b, above, p, None, _sign(figures[a] - figures[b]))

    def places(self, metric: str, pairs: Sequence[Order] | None) -> dict[str, Place]:
        """Where the models stand; with intervals if pairs are given."""
        rows = self._defined(metric)
        own_ranks = ranks([-self._merit(metric, own) for own in rows.values()])
        above, below = dict.fromkeys(rows, 0), dict.fromkeys(rows, 0)
        for pair in pairs or ():
            if pair.told_apart:
                better, worse = (pair.a, pair.b) if pair.better > 0 else (pair.b, pair.a)
                below[better] += 1
                above[worse] += 1
        table = self._table
        return {
            model: Place(
                table.value(table.total(own), metric) or 0.0,
                rank,
                None if pairs is None else 1 + above[model],
                None if pairs is None else len(rows) - below[model],
            )
            for (model, own), rank in zip(rows.items(), own_ranks, strict=True)
        }

    def _merit(self, metric: str, rows: Sequence[Row]) -> float:
        """The metric, so turned that more is better; 0 if undefined."""
        value = self._table.value(self._table.total(rows), metric) or 0.0
        return -value if metric in self._table.lower else value


def _share_above(one: tuple[Any, Any], other: tuple[Any, Any]) -> float:
    """In which share of resamples the first ratio is larger; ties, and resamples that lack one, count by half."""
    np = require("numpy", "a ranking")
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = one[0] / one[1] - other[0] / other[1]
    difference = np.nan_to_num(np.where(np.abs(difference) < _ROUNDING, 0.0, difference), nan=0.0)
    return float((1 + np.sign(difference).mean()) / 2)


def _sign(difference: float) -> int:
    return 0 if abs(difference) < _ROUNDING else int(math.copysign(1, difference))

"""How stable a ranking of models is: over other dialogues, and over kinds of dialogues (paper Table 4, App. F)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from evolif.errors import UsageError
from evolif.metrics.breakdown import dialogue_keys
from evolif.metrics.cells import Key
from evolif.metrics.process import PROCESS
from evolif.metrics.sessions import counted_sessions, of_one_model
from evolif.metrics.statistics import pearson, spearman
from evolif.metrics.table import UNKNOWN, Breakdown, Cluster, MetricTable, cluster_rows, clustered
from evolif.types import Prompt, Session
from evolif.util.rng import Purpose, Stream

DEFAULT_DRAWS = 100

_FEWEST = 3
"""Two models always correlate perfectly."""


_HALVES = 2
"""In the key of a stream: halves, rather than subsamples."""


@dataclass(frozen=True, slots=True)
class RankStability:
    """How the models' figures on random subsamples of dialogues agree with those on others, or on all of them.

    Attributes:
        size: Dialogues in a subsample.
        draws: Subsamples, or pairs of them, in which a correlation is defined.
        pearson: Mean correlation of the figures over models; None with fewer than three models, or where it is
            undefined in every draw.
        pearson_sd: Standard deviation over draws; None with fewer than two.
        spearman: Mean correlation of the ranks.
        spearman_sd: Its standard deviation.
    """

    size: int
    draws: int
    pearson: float | None
    pearson_sd: float | None
    spearman: float | None
    spearman_sd: float | None


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """How the models' figures on one kind of dialogues agree with those on all.

    Attributes:
        dialogues: Dialogues of this kind that some model has.
        models: Models with a figure on both.
        values: Model to its figure on this kind; None if undefined.
        pearson: Correlation over models; None with fewer than three models, or where all are alike.
        spearman: Of the ranks.
    """

    dialogues: int
    models: int
    values: Mapping[str, float | None]
    pearson: float | None
    spearman: float | None


def rank_stability(
    models: Mapping[str, Sequence[Session]],
    sizes: Iterable[int],
    *,
    metric: str = "",
    table: MetricTable = PROCESS,
    draws: int = DEFAULT_DRAWS,
    seed: int = 0,
) -> tuple[RankStability, ...]:
    """Correlation over models between random subsamples of dialogues and all of them (paper section 5.5, Table 4).

    A subsample is part of the whole that it is compared with, so even models that do not differ at all seem to have a
    stable order. `split_half_stability` compares dialogues with others.

    Args:
        models: Name to sessions; finished and censored ones count.
        sizes: Dialogues per subsample, drawn without replacement; larger ones are capped at the number of dialogues.
        metric: One of the table's; its headline if empty.
        table: Of the run.
        draws: Subsamples per size.
        seed: Of the subsamples, which are the same for every model and nested over sizes.

    Returns:
        One per different size, in ascending order.

    Raises:
        UsageError: an unknown metric, sizes or draws below 1, or sessions of several models under one name.
    """
    wanted = sorted(set(sizes))
    if draws < 1 or any(size < 1 for size in wanted):
        raise UsageError("subsamples need a size of at least 1, and at least 1 draw")
    tables = _tables(models, table, metric)
    dialogues = _in_order(tables)
    whole = {model: _figure(own, dialogues) for model, own in tables.items()}
    used_sizes = sorted({min(size, len(dialogues)) for size in wanted}) if dialogues else []
    found: dict[int, list[tuple[float | None, float | None]]] = {size: [] for size in used_sizes}
    for draw in range(draws if used_sizes else 0):
        drawn = Stream(seed, Purpose.RANKS, draw).sample(dialogues, used_sizes[-1])
        for size in used_sizes:
            part = {model: _figure(own, drawn[:size]) for model, own in tables.items()}
            found[size].append(_correlations(part, whole)[1:])
    return tuple(_stability(size, found[size]) for size in used_sizes)


def split_half_stability(
    models: Mapping[str, Sequence[Session]],
    sizes: Iterable[int] = (),
    *,
    metric: str = "",
    table: MetricTable = PROCESS,
    draws: int = DEFAULT_DRAWS,
    seed: int = 0,
) -> tuple[RankStability, ...]:
    """Correlation over models between two random subsamples of equal size that share no dialogue.

    Models that differ by nothing have 0 on average; by chance up to about 0.6 with eight models, and 0.8 with three.
    The whole is larger than its half, and its order somewhat more stable than this says.

    Args:
        models: Name to sessions; finished and censored ones count.
        sizes: Dialogues per half; larger ones are capped at half of the dialogues, the only size if empty.
        metric: One of the table's; its headline if empty.
        table: Of the run.
        draws: Pairs of halves per size.
        seed: Of the halves, which are the same for every model and nested over sizes.

    Returns:
        One per different size, in ascending order; empty with fewer than two dialogues.

    Raises:
        UsageError: an unknown metric, sizes or draws below 1, or sessions of several models under one name.
    """
    wanted = set(sizes)
    if draws < 1 or any(size < 1 for size in wanted):
        raise UsageError("subsamples need a size of at least 1, and at least 1 draw")
    tables = _tables(models, table, metric)
    dialogues = _in_order(tables)
    half = len(dialogues) // 2
    used_sizes = sorted({min(size, half) for size in wanted or {half}}) if half else []
    found: dict[int, list[tuple[float | None, float | None]]] = {size: [] for size in used_sizes}
    for draw in range(draws if used_sizes else 0):
        drawn = Stream(seed, Purpose.RANKS, draw, _HALVES).sample(dialogues, 2 * half)
        for size in used_sizes:
            one, other = (
                {model: _figure(own, drawn[start : 2 * size : 2]) for model, own in tables.items()} for start in (0, 1)
            )
            found[size].append(_correlations(one, other)[1:])
    return tuple(_stability(size, found[size]) for size in used_sizes)


def rank_agreement(
    models: Mapping[str, Sequence[Session]],
    prompts: Iterable[Prompt],
    by: Breakdown,
    *,
    metric: str = "",
    table: MetricTable = PROCESS,
    kinds: Mapping[int, Key] | None = None,
) -> dict[str, RankAgreement]:
    """Correlation over models between each kind of dialogues and all of them (paper App. F, Fig. 6).

    Args:
        models: Name to sessions.
        prompts: Those of the run.
        by: What classifies a dialogue: the key of most of its asked turns.
        metric: One of the table's; its headline if empty.
        table: Of the run.
        kinds: What `dialogue_keys` gives for the prompts, where it is known.

    Returns:
        Kind of dialogues, in alphabetical order, to its agreement.
    """
    tables = _tables(models, clustered(table, ""), metric)
    kinds = dialogue_keys(prompts, by) if kinds is None else kinds
    dialogues = _in_order(tables)
    whole = {model: _figure(own, dialogues) for model, own in tables.items()}
    of_kind: dict[str, list[Cluster]] = {}
    for dialogue in dialogues:
        of_kind.setdefault(str(kinds.get(dialogue, UNKNOWN)), []).append(dialogue)
    return {kind: _agreement(of_kind[kind], tables, whole) for kind in sorted(of_kind)}


_Sums = Mapping[Cluster, tuple[float, float]]
"""Cluster to its contribution to the metric's numerator and denominator."""


def _tables(models: Mapping[str, Sequence[Session]], table: MetricTable, metric: str) -> dict[str, _Sums]:
    top, bottom = table.places(metric or table.main)
    return {
        model: {
            cluster: (row[top], row[bottom])
            for cluster, row in cluster_rows(table, counted_sessions(of_one_model(sessions))).items()
        }
        for model, sessions in models.items()
    }


def _in_order(tables: Mapping[str, _Sums]) -> list[Any]:
    """All clusters: by number, then by name."""
    found = {cluster for own in tables.values() for cluster in own}
    return sorted(found, key=lambda one: (isinstance(one, tuple), one if isinstance(one, int) else 0, repr(one)))


def _figure(table: _Sums, dialogues: Iterable[Cluster]) -> float | None:
    own = [table[dialogue] for dialogue in dialogues if dialogue in table]
    bottom = math.fsum(below for _, below in own)
    return math.fsum(above for above, _ in own) / bottom if bottom else None


def _correlations(
    part: Mapping[str, float | None], whole: Mapping[str, float | None]
) -> tuple[int, float | None, float | None]:
    """Models with both figures, and over them the correlation of the figures and of their ranks."""
    pairs = [(x, y) for model, y in whole.items() if (x := part[model]) is not None and y is not None]
    if len(pairs) < _FEWEST:
        return len(pairs), None, None
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    return len(pairs), pearson(xs, ys), spearman(xs, ys)


def _agreement(
    dialogues: Sequence[Cluster], tables: Mapping[str, _Sums], whole: Mapping[str, float | None]
) -> RankAgreement:
    values = {model: _figure(own, dialogues) for model, own in tables.items()}
    count, figures, ranks = _correlations(values, whole)
    return RankAgreement(len(dialogues), count, values, figures, ranks)


def _stability(size: int, found: Sequence[tuple[float | None, float | None]]) -> RankStability:
    figures, ranks = ([value for value in column if value is not None] for column in zip(*found, strict=True))
    return RankStability(
        size=size,
        draws=len(figures),
        pearson=fmean(figures) if figures else None,
        pearson_sd=stdev(figures) if len(figures) > 1 else None,
        spearman=fmean(ranks) if ranks else None,
        spearman_sd=stdev(ranks) if len(ranks) > 1 else None,
    )

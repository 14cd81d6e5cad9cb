"""The order of models as tables, and for machines: ranks with intervals, pairs, and whether other dialogues agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from math import isfinite
from typing import Any

from evolif.errors import UsageError
from evolif.metrics import Ranking, RankStability
from evolif.metrics.power import fewest_dialogues
from evolif.metrics.ranking import Order, Place
from evolif.report.comparable import ComparableRuns
from evolif.report.coverage import unit_name
from evolif.scenario import Grid, TableCell, TableRow
from evolif.text import plural

_BY_CHANCE = (
    "Equal models have 0 on average, but with few models it may be far from 0 by chance: the ranks above say what is "
    "certain."
)
_RANKS = "Ranks, 1 the best, with 95 % intervals"


def rank_grids(runs: ComparableRuns) -> Iterator[Grid]:
    """Ranks with intervals, the certainty of each pair, and stability over halves; nothing for one model."""
    try:
        found = runs.ranking
    except UsageError as fault:
        yield Grid("ranks", _RANKS, "metric", (), (), str(fault))
        found = None
    if found is not None:
        yield _places(runs, found)
        yield from _pairs(runs, found)
    yield _stability(runs)


def _places(runs: ComparableRuns, found: Ranking) -> Grid:
    heads = tuple(head for head in runs.heads if any(head in places for places in found.places.values()))
    metrics = {name: table.metric(name) for table in runs.tables for name in table.ratios}
    rows = tuple(
        (metrics[name].label, tuple(_place(places.get(head)) for head in heads))
        for name, places in found.places.items()
        if len(places) > 1
    )
    if not rows:
        why = "There is no dialogue that all models have finished."
        if _too_few(runs):
            why = " ".join(("Fewer than two models are left to rank.", *runs.at_floor.values()))
        return Grid("ranks", _RANKS, "metric", (), (), why)
    note = (
        f"Over the {runs.units(found.clusters, found.dialogues)} that all models have. A rank in "
        f"{metrics[found.main].label} counts the models that are told apart: {_holm(found)}. Ranks in other metrics "
        "are the order of the figures, with no word on how certain it is."
    )
    note = " ".join((note, *runs.at_floor.values()))
    spoken = {metric.label: metric.plain for metric in metrics.values() if metric.plain}
    return Grid("ranks", _RANKS, "metric", heads, rows, note, plain=spoken)


def _too_few(runs: ComparableRuns) -> bool:
    """Whether all models but one are at the floor."""
    return len(runs.models) - len(runs.at_floor) < 2


def _holm(found: Ranking) -> str:
    pairs = sum(pair.metric == found.main for pair in found.pairs)
    corrected = "" if pairs == 1 else f" after Holm's correction over {plural(pairs, 'pair')} of models"
    return f"p of the paired test at most .05{corrected}"


def _place(place: Place | None) -> TableCell:
    if place is None:
        return TableCell()
    return TableCell(f"{place.rank:g}", "" if place.low is None else f"[{place.low}–{place.high}]")


def _pairs(runs: ComparableRuns, found: Ranking) -> Iterator[Grid]:
    """How often the model of the row is better than that of the column, in the headline."""
    label = runs.tables[0].metric(found.main).label
    own = [(pair, pair.above) for pair in found.pairs if pair.metric == found.main and pair.above is not None]
    units = unit_name(runs.analyses[0].cluster)
    title = f"How often the model on the left is better in {label}, in per cent of resamples of the {units}"
    if _too_few(runs):
        return
    if not own:
        yield Grid("pairs", title, "model", (), (), f"This needs at least {fewest_dialogues()} {units} of all models.")
        return
    places = found.places[found.main]
    cells = {(pair.a, pair.b): _pair(above, pair) for pair, above in own}
    cells |= {(pair.b, pair.a): _pair(1 - above, pair) for pair, above in own}
    heads = tuple(sorted(places, key=lambda model: places[model].rank))
    rows: tuple[TableRow, ...] = tuple(
        (one, tuple(cells.get((one, other), TableCell("")) for other in heads)) for one in heads
    )
    note = (
        "*: told apart, as above. Between equal models every percentage is as likely as any other: without the star, "
        "even 99 is no certainty."
    )
    yield Grid("pairs", title, "model", heads, rows, note)


def _pair(above: float, pair: Order) -> TableCell:
    return TableCell(f"{100 * above:.0f}{'*' if pair.told_apart else ''}")


def _stability(runs: ComparableRuns) -> Grid:
    """How a ranking by the headline over some dialogues agrees with that over others; no rows below three models."""
    rows = tuple((str(one.size), _correlations(one)) for one in runs.split_half)
    label = runs.analyses[0].headline.label
    title = f"Rank stability: {label} on two halves that share no dialogue, mean ± sd over draws"
    note = _BY_CHANCE if rows else ""
    return Grid("stability", title, "dialogues in each half", ("Pearson", "Spearman"), rows, note)


def _correlations(one: RankStability) -> tuple[TableCell, TableCell]:
    return correlation_cell(one.pearson, one.pearson_sd), correlation_cell(one.spearman, one.spearman_sd)


def correlation_cell(value: float | None, spread: float | None = None) -> TableCell:
    """A correlation, and its standard deviation over draws."""
    if value is None:
        return TableCell()
    return TableCell(f"{value:.3f}", "" if spread is None else f"± {spread:.3f}")


def ranks_object(runs: ComparableRuns) -> dict[str, Any]:
    """For JSON: the stability of ranks over subsamples (paper Table 4) and over halves, and the ranking."""
    return {
        "ranked_by": runs.analyses[0].headline.name,
        "rank_stability": [_stability_object(one) for one in runs.rank_stability],
        "split_half": [_stability_object(one) for one in runs.split_half],
        "ranking": _ranking_object(runs),
    }


def _stability_object(one: RankStability) -> Mapping[str, float | None]:
    return {key: value if value is None or isfinite(value) else None for key, value in asdict(one).items()}


def _ranking_object(runs: ComparableRuns) -> dict[str, Any] | None:
    try:
        found = runs.ranking
    except UsageError as fault:
        return {"unavailable": str(fault)}
    if found is None:
        return None
    return {
        "dialogues": found.dialogues,
        "clusters": found.clusters,
        "main": found.main,
        "tests": sum(pair.metric == found.main for pair in found.pairs),
        "at_floor": dict(runs.at_floor),
        "metrics": {
            name: {model: asdict(place) for model, place in places.items()} for name, places in found.places.items()
        },
        "pairs": [{**asdict(pair), "told_apart": pair.told_apart} for pair in found.pairs],
    }

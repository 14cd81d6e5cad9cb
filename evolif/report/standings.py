"""Which models are ahead of which: the ranking and the pairs as tables, and one sentence on the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evolif.errors import UsageError
from evolif.metrics import AT_N, Metric
from evolif.metrics.ranking import Place
from evolif.report.analysis import ModelAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import ModelComparison, amount, p_value
from evolif.report.conclusions import requests_of, second_is_better
from evolif.report.coverage import unit_name
from evolif.report.pairing import needed_cell
from evolif.report.tables import metric_cell, plain_names
from evolif.scenario import Grid, TableCell

_POINTS = {"rate": "points", "turns": "turns", "count": "difference"}
_LISTED = 4
"""Up to so many models are named in a sentence."""


def ranking_grid(board: ComparableRuns) -> Grid:
    """The models from the best to the worst, with rank and headline; without rows for two, of which a sentence tells.

    Args:
        board: Models without their references.
    """
    empty = Grid("ranking", "", "model", (), ())
    if len(board.models) < 3 or not board.tables:
        return empty
    metric = board.analyses[0].headline
    try:
        found = board.ranking
    except UsageError:
        return empty  # SciPy is not installed: the table of ranks says so
    places = {} if found is None else found.places.get(metric.name, {})
    ordered = sorted(zip(board.heads, board.models, strict=True), key=lambda one: _order(places.get(one[0])))
    if not places:
        return empty
    rows = tuple((head, (_rank(places.get(head)), _value(metric, model))) for head, model in ordered)
    return Grid("ranking", "Ranking", "model", ("rank", metric.head), rows, plain=plain_names([metric]))


def _order(place: Place | None) -> float:
    return float("inf") if place is None else place.rank


def _rank(place: Place | None) -> TableCell:
    if place is None:
        return TableCell()
    return TableCell(f"{place.rank:g}", "" if place.low is None else f"[{place.low}–{place.high}]")


def _value(metric: Metric, model: ModelAnalysis) -> TableCell:
    summary = model.summary
    return metric_cell(metric, summary.metrics.value(metric.name), summary.intervals.get(metric.name))


def names_of(board: ComparableRuns, pair: ModelComparison) -> tuple[str, str]:
    """What a page calls the two of a pair: as its tables do, or by their labels if they are not in them."""
    first, second = pair.labels
    heads = {id(model): head for model, head in zip(board.models, board.heads, strict=True)}
    return heads.get(id(pair.a), first), heads.get(id(pair.b), second)


def pairs_grid(board: ComparableRuns, pairs: Sequence[ModelComparison]) -> Grid:
    """A row for each pair: by how much one is ahead of the other, p, and how many dialogues show a difference like it.

    Args:
        board: Models side by side.
        pairs: Of some of them.
    """
    known = [pair for pair in pairs if pair.tables and pair.paired.dialogues]
    if not known:
        return Grid("ahead", "", "pair", (), ())
    metric = known[0].lead
    heads = (_POINTS[metric.unit], "p", "needed")
    units = unit_name(known[0].tables[0].cluster)
    note = (
        f"Needed: {units} that both play, to see a difference of this size in {metric.label} four times out of five "
        "(p ≤ .05)."
    )
    rows = tuple(_row(pair, names_of(board, pair)) for pair in known)
    title = f"Pairs: differences in {metric.title}"
    return Grid("ahead", title, "the first minus the second", heads, rows, note)


def _row(pair: ModelComparison, names: tuple[str, str]) -> tuple[str, tuple[TableCell, ...]]:
    found, metric = pair.leading, pair.lead
    first, second = names
    flip = second_is_better(pair)
    if flip:
        first, second = second, first
    if found.value is None:
        return f"{first} − {second}", (TableCell(), TableCell(), TableCell())
    value = -found.value if flip else found.value
    ends = "" if found.interval is None else _ends(metric, found.interval, flip=flip)
    size = TableCell(amount(metric, value), ends)
    return f"{first} − {second}", (size, TableCell(p_value(pair.p)), needed_cell(found.plan.needed))


def _ends(metric: Metric, interval: tuple[float, float], *, flip: bool) -> str:
    low, high = sorted(-end if flip else end for end in interval)
    return f"[{amount(metric, low, signed=False)}, {amount(metric, high, signed=False)}]"


def best_sentences(board: ComparableRuns, pairs: Sequence[ModelComparison]) -> Iterator[str]:
    """Who is ahead of whom, where several models are compared; nothing if no model has all others beside it.

    Args:
        board: Models side by side.
        pairs: Each pair of some models, or the best with every other.
    """
    known = [pair for pair in pairs if pair.tables and pair.paired.dialogues and pair.leading.value is not None]
    if not known:
        return
    won: dict[str, list[tuple[str, bool]]] = {}
    for pair in known:
        own = names_of(board, pair)
        first, second = reversed(own) if second_is_better(pair) else own
        won.setdefault(first, []).append((second, pair.told_apart))
    names = {name for pair in known for name in names_of(board, pair)}
    best = max(won, key=lambda name: len(won[name]))
    if len(won[best]) < len(names) - 1:
        return  # no model is ahead of every other
    behind = [name for name, apart in won[best] if apart]
    close = [name for name, apart in won[best] if not apart]
    if not behind:
        yield f"No model is told apart from {best}, which has the best figure in {known[0].lead.title}."
        return
    yield f"{best} {_does(known[0])} {_named(behind)}{_but(close)}."


def _does(pair: ModelComparison) -> str:
    if pair.lead.name != AT_N:
        return f"is ahead in {pair.lead.title} of"
    return f"satisfies more of {requests_of(pair)} than"


def _but(close: Sequence[str]) -> str:
    return f"; it is not told apart from {_named(close)}" if close else ""


def _named(names: Sequence[str]) -> str:
    if len(names) > _LISTED:
        return f"{len(names)} other models"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

"""Where the variance of the leading metrics comes from, as a table and for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evolif.errors import UsageError
from evolif.metrics import Metric, MetricTable
from evolif.metrics.variance import MORE_DIALOGUES, VarianceComponents, variance_components
from evolif.report.analysis import ModelAnalysis
from evolif.report.comparable import ComparableRuns, leading
from evolif.scenario import Grid, TableCell

_TITLE = "Where the variance of a session comes from, %"
_ROUGH = 50
_PARTS = "dialogues", "epochs", "rest"


def _found(model: ModelAnalysis, table: MetricTable) -> Mapping[str, VarianceComponents | str]:
    """Metric to its components, or why it has none."""
    found: dict[str, VarianceComponents | str] = {}
    for name in leading(table):
        try:
            found[name] = variance_components(table, model.sessions, name)
        except UsageError as fault:
            found[name] = str(fault)
    return found


def variance_grid(runs: ComparableRuns) -> Grid:
    """The shares of dialogues, epochs and the rest, and what twice the epochs would gain; else why there are none."""
    if not runs.tables:
        return Grid("variance", _TITLE, "metric", (), ())
    table = runs.tables[0]
    found = [_found(model, table) for model in runs.models]
    rows = tuple(
        (_row(table.metric(name), part), tuple(_cell(own[name], number) for own in found))
        for name in leading(table)
        if any(isinstance(own[name], VarianceComponents) for own in found)
        for number, part in enumerate((*_PARTS, "gain"))
    )
    known = [one for own in found for one in own.values() if isinstance(one, VarianceComponents)]
    if not rows:
        why = next((one for own in found for one in own.values() if isinstance(one, str)), "")
        return Grid("variance", _TITLE, "metric", (), (), f"{why[:1].upper()}{why[1:]}." if why else "")
    note = (
        f"Over {_range([one.dialogues for one in known])} dialogues with all {_range([one.epochs for one in known])} "
        "epochs. Gain: twice the epochs would narrow an interval by so many per cent; twice the dialogues, which take "
        f"as many calls, narrow it by {100 * MORE_DIALOGUES:.0f}. What differs between epochs is in no interval."
    )
    if min(one.dialogues for one in known) < _ROUGH:
        note += f" Shares from fewer than {_ROUGH} dialogues are rough."
    metrics = [table.metric(name) for name in leading(table)]
    spoken = {_row(one, part): one.plain for one in metrics if one.plain for part in (*_PARTS, "gain")}
    return Grid("variance", _TITLE, "metric", runs.heads, rows, note, plain=spoken)


def _row(metric: Metric, part: str) -> str:
    return f"{metric.label}, {part}"


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def _cell(found: VarianceComponents | str, part: int) -> TableCell:
    if isinstance(found, str):
        return TableCell()
    shares = found.shares
    value = found.more_epochs if part == len(_PARTS) else None if shares is None else shares[part]
    return TableCell() if value is None else TableCell(f"{100 * value:.0f}")


def variance_object(model: ModelAnalysis) -> dict[str, Any]:
    """For JSON: metric to its components, or to the reason why it has none."""
    if not model.of.tables:
        return {}
    return {
        name: {"unavailable": one} if isinstance(one, str) else _components(one)
        for name, one in _found(model, model.of.tables[0]).items()
    }


def _components(found: VarianceComponents) -> dict[str, float | None]:
    return {
        **asdict(found),
        "twice_the_epochs_narrow_by": found.more_epochs,
        "twice_the_dialogues_narrow_by": None if found.more_epochs is None else MORE_DIALOGUES,
    }

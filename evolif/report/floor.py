"""The floor beside the ceiling: a sentence, a table, JSON, and the row of corrected CSR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from evolif.errors import UsageError
from evolif.metrics import AT_N, PROCESS, CorrectedCsr, Figures, Floor, Metric, PlainName
from evolif.report.analysis import RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.tables import metric_cell, plain_names
from evolif.scenario import Grid, TableCell

CORRECTED = Metric(
    "csr_corrected",
    "CSR corr.",
    "rate",
    meaning="CSR between the floor (0) and the ceiling (100)",
    plain=PlainName("requirements satisfied, from floor to ceiling", "above the floor"),
)
CSR = PROCESS.metric("csr")
_SHOWN = tuple(map(PROCESS.metric, (AT_N, "edr_len", "rob", "csr", "isr")))
_ANSWERS = (
    "empty: no text; echo: the last message back; refusal: an apology; yes: “yes”; repeat: its previous answer again, "
    "which is the first message back. None of them follows anything."
)


def floor_line(analysis: RunAnalysis) -> str:
    """What answers that follow nothing would have reached; empty if they cannot be replayed."""
    try:
        found = analysis.floor
    except UsageError as fault:
        return f"The floor of answers that follow nothing could not be computed: {fault}"
    if found is None:
        return ""
    reached = ", ".join(
        f"{name.upper()} {100 * value:.1f} %"
        for name in ("csr", "isr", "rob")
        if (value := found.metrics.value(name)) is not None
    )
    return (
        f"Floor: the best of five answers that follow nothing, “{found.responder}”, reaches {reached}. "
        f"{_correction(analysis, found)}"
    )


def _correction(analysis: RunAnalysis, found: Floor) -> str:
    """What CSR is corrected by, or why it is not."""
    try:
        highest = analysis.ceiling
    except UsageError:
        highest = None
    csr = None if highest is None or highest.is_unknown else highest.metrics.value("csr")
    if csr is None:
        return "CSR is not corrected for it: the ceiling is unknown."
    if csr <= found.csr:
        return "CSR is not corrected for it: the ceiling is not above it."
    judged = analysis.settings.judge not in ("none", "lexical")
    rules = " Both are of rules alone, while CSR includes what the judge decided." if judged else ""
    return f"{CORRECTED.label} is (CSR − floor) ÷ (ceiling − floor).{rules}"


def floor_grids(runs: ComparableRuns) -> Iterator[Grid]:
    """Per run, the responders that follow nothing and the perfect one; none for a run without a floor."""
    for number, analysis in enumerate(runs.analyses, start=1):
        try:
            found, highest = analysis.floor, analysis.ceiling
        except UsageError:
            continue  # the sentences say so
        if found is None:
            continue
        shown = dict(found.responders)
        if highest is not None and not highest.is_unknown:
            shown["perfect"] = highest.metrics
        metrics = [metric for metric in _SHOWN if metric.name in found.metrics.values]
        rows = tuple(
            (f"{name} (floor)" if own is found.metrics else name, _cells(metrics, own)) for name, own in shown.items()
        )
        several = len(runs.analyses) > 1
        title = f"Floor and ceiling{f' of {analysis.name}' if several else ''}, by rules alone"
        heads = tuple(metric.head for metric in metrics)
        name = f"floor-{number}" if several else "floor"
        yield Grid(name, title, "responder", heads, rows, _ANSWERS, plain=plain_names(metrics))


def _cells(metrics: Sequence[Metric], found: Figures) -> tuple[TableCell, ...]:
    return tuple(metric_cell(metric, found.value(metric.name), None) for metric in metrics)


def with_corrected(headline: Grid, corrected: Sequence[CorrectedCsr | None]) -> Grid:
    """A headline with corrected CSR below CSR; unchanged if no model has it.

    Args:
        headline: Models as columns.
        corrected: One per column.
    """
    place = next((number for number, (name, _) in enumerate(headline.rows, 1) if name.startswith(CSR.head)), None)
    if place is None or not any(corrected):
        return headline
    cells = tuple(metric_cell(CORRECTED, *(one or (None, None))) for one in corrected)
    rows = (*headline.rows[:place], (CORRECTED.head, cells), *headline.rows[place:])
    meanings = {**headline.meanings, CORRECTED.head: CORRECTED.meaning}
    return replace(headline, rows=rows, meanings=meanings, plain={**headline.plain, **plain_names([CORRECTED])})


def floor_object(found: Floor | None) -> dict[str, Any] | None:
    """A run's floor for machines: the best responder and its figures, then those of all."""
    if found is None:
        return None
    return {
        **best_object(found),
        "turns": found.turns,
        **found.metrics.by_name(),
        "responders": {name: own.by_name() for name, own in found.responders.items()},
    }


def best_object(found: Floor) -> dict[str, Any]:
    """The floor as it stands beside the metrics of a model."""
    return {"value": found.csr, "responder": found.responder}

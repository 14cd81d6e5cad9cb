"""What a comparison says of the next one: dialogues needed, and what pairing them gains."""

from __future__ import annotations

from collections.abc import Sequence

from evolif.metrics import Comparison, MetricTable
from evolif.metrics.power import Needed
from evolif.scenario import TableCell

_TOO_MANY = 100_000
"""A bound beyond this is as good as none."""


def needed_cell(needed: Needed | None) -> TableCell:
    """Dialogues needed, with their interval."""
    if needed is None:
        return TableCell()
    if needed.high is None or needed.high > _TOO_MANY:
        return TableCell(f"{needed.dialogues}", f"[≥ {needed.low}]")
    return TableCell(f"{needed.dialogues}", f"[{needed.low}–{needed.high}]")


def pairing_line(tables: Sequence[MetricTable], paired: Comparison) -> str:
    """How alike the two find the dialogues, and what pairing is worth; empty if that is undefined.

    Args:
        tables: Of both; the line is about the headline of the first.
        paired: The comparison.
    """
    if not tables:
        return ""
    metric = tables[0].metric(tables[0].main)
    pairing = paired.difference(metric.name).plan.pairing
    if pairing.correlation is None:
        return ""
    ends = "" if pairing.interval is None else f" [{pairing.interval[0]:.2f}, {pairing.interval[1]:.2f}]"
    said = f"The correlation of A and B over the dialogues is {pairing.correlation:.2f}{ends} in {metric.label}"
    if pairing.gain is None:
        return f"{said}."
    return (
        f"{said}: to measure their difference, 100 dialogues that both play are worth {100 * pairing.gain:.0f} "
        "for each of them that only one plays."
    )

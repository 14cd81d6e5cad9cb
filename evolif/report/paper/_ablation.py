"""Table 7 of the paper: what the system prompt does, out of two runs that differ in it alone."""

from __future__ import annotations

from evolif._errors import UsageError
from evolif.metrics import Interval
from evolif.report._comparison import Comparison, compare_models
from evolif.report.paper._table import PaperTable, Subject, Value, analysis_of, percent_interval
from evolif.report.paper._tables import HEADS, in_units


def table_7(run: Subject, other: Subject) -> PaperTable:
    """The system-prompt ablation, per model that both runs have (App. E).

    Args:
        run: A run with the system prompt, or without.
        other: The same benchmark, patience, cap and judge, the other way round.

    Raises:
        UsageError: the runs differ in more than the system prompt, not in it, or have no model in common; NumPy (extra
            `report`) is not installed.
    """
    first, second = analysis_of(run), analysis_of(other)
    if second.settings.system_prompt:
        first, second = second, first
    shared = [model for model in first.models if model.name in second.run.models]
    if not shared:
        raise UsageError("the two runs have no model in common; evaluate the same one with and without a system prompt")
    pairs = compare_models(
        [(second.model(model.name), model) for model in shared], ablation="system-prompt"
    )  # fmt: skip
    rows = [row for pair in pairs for row in _rows(pair)]
    return PaperTable(
        7,
        "System-prompt ablation (EDR in turns, rates in %)",
        ("model", "system prompt", "dialogues", *HEADS.values()),
        tuple(values for values, _ in rows),
        tuple(ends for _, ends in rows),
        "Over the dialogues that both runs have; the difference is without minus with, in brackets its 95 % paired "
        "bootstrap interval.",
    )


def _rows(pair: Comparison) -> list[tuple[tuple[Value, ...], tuple[Interval | None, ...]]]:
    """With, without, and the difference; `pair` is without minus with."""
    paired = pair.paired
    found = {name: paired.differences[name] for name in HEADS}
    none: tuple[Interval | None, ...] = (None,) * (3 + len(HEADS))
    count = paired.dialogues
    with_it = (pair.a.name, "with", count, *(in_units(name, one.b) for name, one in found.items()))
    without = (pair.a.name, "without", count, *(in_units(name, one.a) for name, one in found.items()))
    difference = (pair.a.name, "difference", count, *(in_units(name, one.value) for name, one in found.items()))
    ends = tuple(
        one.interval if name.startswith("edr") else percent_interval(one.interval) for name, one in found.items()
    )
    return [(with_it, none), (without, none), (difference, (None, None, None, *ends))]

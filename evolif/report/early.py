"""How reports mark the figures of a run that a stop rule ended early."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from evolif.runner import EarlyEnd, Run
from evolif.text import plural

MARK = " *"
"""Stands behind the name of the metric that the rule was on."""

_HOW: Mapping[str, str] = MappingProxyType(
    {
        "pilot": "the first 30 showed that this many are most likely enough for intervals of ± that value, and the "
        "number was then kept.",
        "sequence": "by then every model's confidence sequence of that metric was narrower than ± that value. The "
        "sequence is the interval shown for it, and it is wider than an ordinary one.",
        "batches": "by then every model's ordinary interval of that metric was narrower than ± that value, at one of "
        "many looks. Intervals found in this way, by an earlier version, hold in fewer than 95 % of runs, and near a "
        "limit such as 100 % the figure is too near to it.",
    }
)


def early_line(run: Run) -> str:
    """The stop rule that ended the run; empty if none did."""
    early = run.early_end()
    return "" if early is None else _sentence(early)


def early_note(ends: Iterable[EarlyEnd | None]) -> str:
    """The same for tables whose figures cover runs with these ends."""
    return " ".join(dict.fromkeys(_sentence(end) for end in ends if end is not None))


def marked(head: str, metric: str, ends: Iterable[EarlyEnd | None]) -> str:
    """The name of a metric in a table, with the mark if one of the runs ended early by a rule on it."""
    return head + MARK if any(end is not None and end.metric == metric for end in ends) else head


def _sentence(early: EarlyEnd) -> str:
    return (
        f"Ended early by the stop rule {early.rule} after the first "
        f"{plural(len(early.dialogues), 'dialogue')} of the seeded "
        f"order: {_HOW.get(early.method, _HOW['batches'])} The figures cover only these dialogues; the rule's metric "
        f"is marked{MARK}."
    )
